internal import Glibc

/// The reader of the output has gone (`| head`): nothing more to do, nothing to complain of.
struct OutputClosed: Error {}

/// Where a command writes.
struct Console {
    /// False once the reader has gone.
    let out: (String) -> Bool
    let error: (String) -> Void
    /// Columns of the terminal; nil when the output is none.
    let width: Int?
    let hasColours: Bool
    let environment: [String: String]

    var isTerminal: Bool { width != nil }

    func print(_ text: String) throws(OutputClosed) {
        guard out(text + "\n") else { throw OutputClosed() }
    }

    /// Text that came from elsewhere, harmless for a terminal: control characters become `\u{..}` there.
    func clean(_ text: String) -> String {
        guard isTerminal else { return text }
        var clean = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": clean += " "
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": clean += "\\u{\(String(scalar.value, radix: 16))}"
            default: clean.unicodeScalars.append(scalar)
            }
        }
        return clean
    }

    enum Colour: Int {
        case red = 31, green, yellow
        case grey = 90
    }

    func coloured(_ text: String, _ colour: Colour?) -> String {
        guard hasColours, let colour else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// Standard output and error of this process.
    static func standard(environment: [String: String]) -> Console {
        var size = winsize()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let knowsSize = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let wantsColours = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        return Console(
            out: { write($0, to: STDOUT_FILENO) },
            error: { _ = write($0 + "\n", to: STDERR_FILENO) },
            width: isTerminal ? (knowsSize ? Int(size.ws_col) : 80) : nil,
            hasColours: isTerminal && wantsColours,
            environment: environment)
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
