extension Duration {
    /// As people write it: `250 ms`, `1.5 s`, `5 min`, `1 h`.
    public var text: String {
        let milliseconds = Int64((Double(nanoseconds) / 1e6).rounded())
        for (size, unit) in [(3_600_000, "h"), (60_000, "min"), (1000, "s")] as [(Int64, String)]
        where milliseconds >= size && milliseconds % size == 0 {
            return "\(milliseconds / size) \(unit)"
        }
        return milliseconds < 1000 ? "\(milliseconds) ms" : "\(Double(milliseconds) / 1000) s"
    }
}
