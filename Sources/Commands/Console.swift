internal import Glibc

/// The reader of the output has gone (`| head`): nothing more to do, nothing to complain of.
package struct OutputClosed: Error {}

/// The output takes no more, and its reader should know.
struct OutputFailed: Error, CustomStringConvertible {
    let errno: Int32

    var description: String {
        "the output cannot be written: \(String(cString: strerror(errno))); send it to a place that takes it"
    }
}

/// What became of a write.
package enum Written: Equatable {
    case done
    case closed
    case failed(errno: Int32)
}

/// Where a command writes.
package struct Console {
    let out: (String) -> Written
    package let error: (String) -> Void
    /// Columns of the terminal; nil when the output is none.
    let width: Int?
    let hasColours: Bool
    package let environment: [String: String]
    /// Writes what is overwritten by what comes next; nil where standard error is no terminal.
    var progress: ((String) -> Void)?

    var isTerminal: Bool { width != nil }

    /// - Throws: `OutputClosed`, `OutputFailed`.
    package func print(_ text: String) throws {
        switch out(text + "\n") {
        case .done: return
        case .closed: throw OutputClosed()
        case .failed(let code): throw OutputFailed(errno: code)
        }
    }

    /// Text that came from elsewhere, harmless for a terminal: control characters become `\u{..}` there.
    package func clean(_ text: String) -> String { isTerminal ? Self.harmless(text) : text }

    static func harmless(_ text: String) -> String {
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

    package enum Colour: Int {
        case red = 31, green, yellow
        case grey = 90
    }

    package func coloured(_ text: String, _ colour: Colour?) -> String {
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
            environment: environment,
            progress: isatty(STDERR_FILENO) == 1 ? { _ = write($0, to: STDERR_FILENO) } : nil)
    }

    private static func write(_ text: String, to descriptor: Int32) -> Written {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return errno == EPIPE ? .closed : .failed(errno: errno) }
            rest = rest.dropFirst(count)
        }
        return .done
    }

    /// Makes sure of standard input, output and error, if only as `/dev/null`: nothing opened later takes their place.
    static func openStandardDescriptors() {
        while true {
            let descriptor = open("/dev/null", O_RDWR)
            if descriptor < 0 { return }
            if descriptor > STDERR_FILENO {
                close(descriptor)
                return
            }
        }
    }
}
