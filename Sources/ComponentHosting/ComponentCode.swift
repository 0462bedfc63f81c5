internal import JSEngine
internal import Wire

/// The component's own text, evaluated as the body of an async function under its own name.
///
/// What stands in front of the text stands on its first line, so that the engine's line numbers are those of the file;
/// columns of the first line alone come out too high, and are put right in what is reported.
struct ComponentCode {
    private static let head = "(async()=>{"
    private static let tail = "\n})"

    /// `<appDomain><entrypoint>`, as in stacks.
    let name: String
    private let text: String

    /// Nil when `bytes` are not UTF-8.
    init?(_ bytes: [UInt8], name: String) {
        guard var text = String(validating: bytes, as: UTF8.self) else { return nil }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        self.name = name
        self.text = text
    }

    /// The function, not yet called.
    func compile(on engine: JSEngineHost) throws(JSError) -> JSValue {
        try engine.evaluate(Self.head + text + Self.tail, sourceName: name)
    }

    /// What is wrong with a text that did not compile.
    func syntaxFailure(_ error: JSError) -> FailureReport {
        let line = error.line.map { min($0, lineCount) }
        let place = "\(name)\(line.map { ":\($0)" } ?? "")"
        let message =
            Self.isModuleSyntax(error.message)
            ? "\(place): components are not ES modules: use no static import or export, and bundle what this imports"
            : "\(place): \(error.name): \(error.message)"
        return FailureReport(kind: .syntax, message: message, file: name, line: line.map(UInt32.init))
    }

    /// The engine's words are all there is to tell an `import` from any other token that is out of place.
    private static func isModuleSyntax(_ message: String) -> Bool {
        ["import call expects", "keyword 'export'", "import.meta is only valid"].contains { message.contains($0) }
    }

    /// The engine's line of an end that came too early is behind the text.
    private var lineCount: Int { text.utf8.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }

    /// An exception object, which has no stack, is told whole in the stack's place.
    func failure(_ kind: FailureReport.Kind, _ error: JSError) -> FailureReport {
        FailureReport(
            kind: kind, message: error.exceptionJSON == nil ? "\(error.name): \(error.message)" : error.message,
            file: error.file, line: error.line.flatMap { UInt32(exactly: $0) },
            stack: error.stack.map(correct) ?? error.exceptionJSON)
    }

    /// A call that was ended because it held the turn; the engine's frames are `#0 spin() at chat.example/a.mjs:7`.
    func loopFailure(_ error: JSError) -> FailureReport {
        let innermost = error.stack?.split(separator: "\n").first.map { ", in \($0.trimmingPrefix("#0 "))" } ?? ""
        return FailureReport(kind: .tightLoop, message: error.message + innermost, stack: error.stack)
    }

    /// Frames that end in `<name>:1:<column>`, with the column that the file has.
    private func correct(stack: String) -> String {
        let place = "\(name):1:"
        return stack.split(separator: "\n", omittingEmptySubsequences: false).map { frame in
            guard let colon = frame.lastIndex(of: ":"), frame[...colon].hasSuffix(place),
                let column = Int(frame[frame.index(after: colon)...]), column > Self.head.utf8.count
            else { return String(frame) }
            return "\(frame[...colon])\(column - Self.head.utf8.count)"
        }.joined(separator: "\n")
    }
}
