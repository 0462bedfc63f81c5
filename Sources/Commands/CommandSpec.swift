package import Control

/// An option of a command, as its parser and its help know it.
package struct OptionSpec: Sendable {
    /// The long name last: `["-n", "--lines"]`.
    let names: [String]
    /// What its value is called in the help; nil = a switch.
    let value: String?
    /// It may be left out: then it is the empty text. Only a number is taken from the next argument.
    let valueIsOptional: Bool
    let meaning: String

    init(_ names: String..., value: String? = nil, meaning: String) {
        self.names = names
        self.value = value
        valueIsOptional = false
        self.meaning = meaning
    }

    init(_ names: String..., optionalValue: String, meaning: String) {
        self.names = names
        value = optionalValue
        valueIsOptional = true
        self.meaning = meaning
    }

    /// With its value, as in the help.
    var usage: String {
        let names = names.joined(separator: ", ")
        guard let value else { return names }
        return valueIsOptional ? "\(names) [\(value)]" : "\(names) \(value)"
    }

    /// The long name: the key of the option's value.
    var key: String { names.last ?? "" }

    static let help = OptionSpec("-h", "--help", meaning: "show this help")
    package static let json = OptionSpec("--json", meaning: "write JSON instead of text")
    static let socket = OptionSpec(
        "--socket", value: "PATH",
        meaning: "control socket of the supervisor (else COREHOST_SOCKET, else by the data folder)")
    package static let data = OptionSpec(
        "--data", value: "DIR", meaning: "data folder of the supervisor ($XDG_DATA_HOME/corehost by default)")
    static let timeout = OptionSpec(
        "--timeout", value: "TIME", meaning: "how long to wait for it to be true: 30s by default, 500ms, 2m")
}

/// What may stand behind the options.
enum OperandSpec: Sendable {
    case required(String)
    case optional(String)
    /// Any number, each taken as it is, also with a dash and a digit in front.
    case rest(String)

    var usage: String {
        switch self {
        case .required(let name): name
        case .optional(let name): "[\(name)]"
        case .rest(let name): "[\(name)…]"
        }
    }
}

/// One command: a row of the table that the parser, the help and the tests read.
package struct CommandSpec: Sendable {
    let name: String
    let operands: [OperandSpec]
    let summary: String
    let options: [OptionSpec]
    let exitCodes: [ExitCode]
    let example: String
    package let run: @Sendable (ParsedArguments, Console) throws -> ExitCode

    init(
        _ name: String, _ operands: [OperandSpec] = [], summary: String, options: [OptionSpec] = [],
        exitCodes: [ExitCode], example: String, run: @escaping @Sendable (ParsedArguments, Console) throws -> ExitCode
    ) {
        self.name = name
        self.operands = operands
        self.summary = summary
        self.options = options + [.help]
        self.exitCodes = exitCodes.sorted { $0.rawValue < $1.rawValue }
        self.example = example
        self.run = run
    }

    /// The same, done by another program.
    package func performed(
        by run: @escaping @Sendable (ParsedArguments, Console) throws -> ExitCode
    ) -> CommandSpec {
        CommandSpec(copy: self, run)
    }

    private init(
        copy other: CommandSpec, _ run: @escaping @Sendable (ParsedArguments, Console) throws -> ExitCode
    ) {
        (name, operands, summary) = (other.name, other.operands, other.summary)
        (options, exitCodes, example) = (other.options, other.exitCodes, other.example)
        self.run = run
    }

    var usage: String {
        (["corehost", name] + operands.map(\.usage) + ["[options]"]).joined(separator: " ")
    }
}
