internal import Supervision

/// A parameter of a kind: a row of the table that the check, the help and the documentation are made of.
public struct FaultParameter: Sendable {
    public enum Values: Sendable {
        case number(ClosedRange<Int>)
        case duration(ClosedRange<Duration>)
        case size(ClosedRange<Int>)
        case word([String])
        /// Bytes.
        case text(most: Int)
        case signal
        case errno
    }

    public let name: String
    public let values: Values
    /// Nil: it must be given.
    public let usual: String?
    public let meaning: String

    init(_ name: String, _ values: Values, usual: String? = nil, _ meaning: String) {
        self.name = name
        self.values = values
        self.usual = usual
        self.meaning = meaning
    }

    /// In words: `a time from 1 ms to 1 h`.
    public var bounds: String {
        switch values {
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range):
            "a time from \(FaultText.text(range.lowerBound)) to \(FaultText.text(range.upperBound))"
        case .size(let range): "a size from \(range.lowerBound.sizeText) to \(range.upperBound.sizeText)"
        case .word(let words): "one of " + words.joined(separator: ", ")
        case .text(let most): "a text of \(most) bytes at most"
        case .signal: "a signal, none of the engine's (SIGUSR1, SIGSEGV, SIGBUS) and not SIGUSR2"
        case .errno: "one of " + FaultErrno.names.joined(separator: ", ")
        }
    }

    /// - Throws: what is wrong, in words.
    func read(_ text: String) throws(FaultRefusal) -> FaultValue {
        switch values {
        case .number(let range):
            if let number = Int(text), range.contains(number) { return .number(number) }
        case .duration(let range):
            if let duration = FaultText.duration(text), range.contains(duration) { return .duration(duration) }
        case .size(let range):
            if let size = FaultText.size(text), range.contains(size) { return .number(size) }
        case .word(let words):
            if words.contains(text) { return .text(text) }
        case .text(let most):
            if text.utf8.count <= most { return .text(text) }
        case .signal:
            return .number(Int(try FaultSignal.number(text)))
        case .errno:
            if let code = FaultErrno.number(text) { return .number(Int(code)) }
        }
        throw .usage("\(name) must be \(bounds), not \"\(text.prefix(80))\"")
    }
}

/// A parameter that was read.
enum FaultValue: Hashable, Sendable {
    case number(Int)
    case duration(Duration)
    case text(String)
}

/// Times and sizes as people write them.
public enum FaultText {
    /// `500ms`, `10s`, `2m`, `1h`; without a unit seconds.
    public static func duration(_ text: String) -> Duration? {
        let isNegative = text.hasPrefix("-")
        guard let (number, unit) = split(text.dropFirst(isNegative ? 1 : 0)), number < 1e9 else { return nil }
        let seconds: Double? =
            switch unit {
            case "ms": number / 1000
            case "", "s": number
            case "m", "min": number * 60
            case "h": number * 3600
            default: nil
            }
        return seconds.map { .seconds(isNegative ? -$0 : $0) }
    }

    static func text(_ duration: Duration) -> String {
        duration < .zero ? "-" + (.zero - duration).text : duration.text
    }

    /// `65536`, `64KiB`, `16MiB`.
    public static func size(_ text: String) -> Int? {
        guard let (number, unit) = split(text[...]), number < 1e12 else { return nil }
        let bytes: Double? =
            switch unit {
            case "", "B": number
            case "KiB": number * 1024
            case "MiB": number * 1_048_576
            case "GiB": number * 1_073_741_824
            default: nil
            }
        return bytes.flatMap { Int(exactly: $0.rounded()) }
    }

    private static func split(_ text: Substring) -> (Double, String)? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits) else { return nil }
        return (number, String(text.dropFirst(digits.count)).trimmingBlanks)
    }
}

extension String {
    fileprivate var trimmingBlanks: String { String(drop { $0 == " " }) }
}
