import Glibc

/// A moment of the wall clock in milliseconds since 1970-01-01T00:00:00Z.
public struct LogTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func now() -> LogTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return LogTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// `2026-01-31T23:59:59.123Z`, 24 characters.
    public var description: String {
        var seconds = time_t(milliseconds.floorDivided(by: 1000))
        let fraction = Int(milliseconds - Int64(seconds) * 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = [padded(Int(parts.tm_year) + 1900, 4), padded(Int(parts.tm_mon) + 1), padded(Int(parts.tm_mday))]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0)) }
        return "\(date.joined(separator: "-"))T\(clock.joined(separator: ":")).\(padded(fraction, 3))Z"
    }

    /// Reads what `description` writes; nil for any other form.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 24 else { return nil }
        for (at, byte) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "."), (23, "Z")]
        where bytes[at] != byte.utf8.first { return nil }
        func number(_ range: Range<Int>) -> Int32? {
            bytes[range].allSatisfy { (0x30...0x39).contains($0) }
                ? Int32(String(decoding: bytes[range], as: UTF8.self)) : nil
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), let fraction = number(20..<23)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        milliseconds = Int64(timegm(&parts)) * 1000 + Int64(fraction)
    }

    public static func < (left: LogTime, right: LogTime) -> Bool { left.milliseconds < right.milliseconds }
}

private func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
