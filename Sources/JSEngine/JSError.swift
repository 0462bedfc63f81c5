internal import CJSC

/// What JavaScript threw, as text: it outlives the engine.
public struct JSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `SyntaxError`, `TypeError`, …; `exception` for an exception object of the platform; else the type that was thrown.
    public var name: String
    public var message: String
    /// The script's source name; nil where the engine does not say.
    public var file: String?
    public var line: Int?
    public var column: Int?
    public var stack: String?
    /// The whole object as JSON, when it is an exception object of the platform; `message` then has it in words.
    public var exceptionJSON: String?
    /// What the exception object says, without its type and flags.
    public var plainMessage: String?
    /// The call was ended from outside (`JSEngineHost.watchLongCalls`); nothing was thrown.
    public private(set) var isTermination = false

    /// The engine got no memory for what was asked of it; its words are all there is to tell.
    public var isOutOfMemory: Bool { name == "RangeError" && message == "Out of memory" }

    public var description: String {
        if exceptionJSON != nil { return message }
        let place = file.map { " (\($0)\(line.map { ":\($0)" } ?? "")\(column.map { ":\($0)" } ?? ""))" } ?? ""
        return "\(name): \(message)\(place)"
    }

    public init(
        name: String, message: String, file: String? = nil, line: Int? = nil, column: Int? = nil, stack: String? = nil
    ) {
        self.name = name
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.stack = stack
    }

    init(terminated reason: String, stack: String?) {
        self.init(name: "Terminated", message: reason, stack: stack)
        isTermination = true
    }

    /// Reads a thrown value. Everything about it may be hostile: what cannot be read is left out.
    public init(_ thrown: JSValue) {
        if thrown.isObject, thrown["runtimeException"].boolean == true {
            name = "exception"
            exceptionJSON = thrown.json
            message = Self.words(thrown)
            plainMessage = thrown["message"].string
        } else if thrown.isObject {
            name = thrown["name"].string ?? "Object"
            message = thrown["message"].string ?? thrown.json ?? thrown.text ?? "unreadable"
        } else {
            name = thrown.isString ? "String" : "Value"
            message = thrown.text ?? "unreadable"
        }
        guard thrown.isObject else { return }
        file = thrown["sourceURL"].string
        line = thrown["line"].integer
        column = thrown["column"].integer
        stack = thrown["stack"].string
    }

    /// An exception object for people: `file exception ENOENT, notFound: none: the file system answered ENOENT`.
    private static func words(_ exception: JSValue) -> String {
        let flags = (exception.memberNames(atMost: 64) ?? []).filter {
            $0 != "runtimeException" && exception[$0].boolean == true
        }
        let marks = ([exception["code"].string].compactMap { $0 } + flags).joined(separator: ", ")
        let kind = [exception["type"].string, "exception", marks.isEmpty ? nil : marks].compactMap { $0 }
        let subject = exception["message"].string ?? exception["path"].string.map { "path \($0)" }
        return kind.joined(separator: " ") + (subject.map { ": \($0)" } ?? "")
    }
}
