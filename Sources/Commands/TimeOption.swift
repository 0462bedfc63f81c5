/// Times on the command line: `500ms`, `10s`, `2m`, `1h`; without a unit seconds.
package enum TimeOption {
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number >= 0, number < 1e9 else { return nil }
        switch text.dropFirst(digits.count) {
        case "ms": return .milliseconds(number)
        case "", "s": return .seconds(number)
        case "m": return .seconds(number * 60)
        case "h": return .seconds(number * 3600)
        default: return nil
        }
    }
}
