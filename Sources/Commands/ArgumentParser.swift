/// A command line that cannot be understood; the message says what to do.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Options and operands of one command.
package struct ParsedArguments: Equatable {
    /// By long name; an option that is given twice has its last value, a switch the empty text.
    var options: [String: String] = [:]
    var operands: [String] = []

    package func has(_ option: OptionSpec) -> Bool { options[option.key] != nil }
    package func value(of option: OptionSpec) -> String? { options[option.key] }
    package func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }
}

/// Reads the arguments of a command by its table row: `--name value`, `--name=value`, `-n value`, `-n5`; options and
/// operands in any order; `--` ends the options.
enum ArgumentParser {
    static func parse(_ arguments: [String], for command: CommandSpec) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = arguments[...]
        var optionsEnded = false
        while let argument = rest.popFirst() {
            if argument == "--", !optionsEnded {
                optionsEnded = true
            } else if optionsEnded || isOperand(argument, of: command, after: parsed.operands.count) {
                parsed.operands.append(argument)
            } else {
                let (name, attached) = split(argument)
                guard let option = command.options.first(where: { $0.names.contains(name) }) else {
                    throw unknownOption(name, of: command)
                }
                guard option.value != nil else {
                    if attached != nil { throw UsageError("\(command.name): \(name) takes no value") }
                    parsed.options[option.key] = ""
                    continue
                }
                if option.valueIsOptional, attached == nil {
                    let isNumber = rest.first.map { Double($0) != nil } ?? false
                    parsed.options[option.key] = isNumber ? rest.removeFirst() : ""
                    continue
                }
                // An empty one is a shell's variable without a value, and no path or number.
                guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
                    throw UsageError("\(command.name): \(name) needs a value: \(name) \(option.value ?? "")")
                }
                parsed.options[option.key] = value
            }
        }
        if !parsed.has(.help) { try check(parsed.operands, of: command) }
        return parsed
    }

    private static func isOperand(_ argument: String, of command: CommandSpec, after count: Int) -> Bool {
        guard argument.hasPrefix("-"), argument != "-" else { return true }
        guard count >= command.operands.count - 1, case .rest? = command.operands.last else { return false }
        return argument.dropFirst().first?.isNumber == true
    }

    private static func split(_ argument: String) -> (name: String, value: String?) {
        if argument.hasPrefix("--") {
            guard let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
            return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
        }
        return argument.count > 2 ? (String(argument.prefix(2)), String(argument.dropFirst(2))) : (argument, nil)
    }

    private static func check(_ operands: [String], of command: CommandSpec) throws(UsageError) {
        var most = 0
        for (index, operand) in command.operands.enumerated() {
            switch operand {
            case .required(let name):
                if index >= operands.count {
                    throw UsageError("\(command.name): \(name) is missing; usage: \(command.usage)")
                }
                most += 1
            case .optional: most += 1
            case .rest: return
            }
        }
        if operands.count > most {
            throw UsageError("\(command.name): \"\(operands[most])\" is one too many; usage: \(command.usage)")
        }
    }

    private static func unknownOption(_ name: String, of command: CommandSpec) -> UsageError {
        let hint = Suggestion.text(for: name, among: command.options.flatMap(\.names))
        return UsageError(
            "\(command.name): there is no option \(name)\(hint) `corehost help \(command.name)` lists them")
    }
}

/// Names that were probably meant.
enum Suggestion {
    /// `, did you mean X?`, or `;` when no name is near: what joins the complaint and the next step.
    static func text(for typed: String, among names: [String]) -> String {
        // Every one-letter option is one letter away from every other.
        guard typed.count > 2 || !typed.hasPrefix("-") else { return ";" }
        let near = names.map { ($0, distance(typed, $0)) }.filter { $0.1 <= max(1, min(typed.count, $0.0.count) / 3) }
        let begun = names.filter { typed.count >= 2 && typed != "--" && $0.hasPrefix(typed) }
        guard let name = near.min(by: { $0.1 < $1.1 })?.0 ?? begun.first else { return ";" }
        return ", did you mean \(name)?"
    }

    /// Insertions, deletions, replacements and swaps of neighbours that make one of the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left), Array(right))
        var rows = [[Int]](repeating: Array(0...b.count), count: a.count + 1)
        for i in stride(from: 1, through: a.count, by: 1) {
            rows[i][0] = i
            for j in stride(from: 1, through: b.count, by: 1) {
                let same = a[i - 1] == b[j - 1] ? 0 : 1
                var best = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + same)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
                rows[i][j] = best
            }
        }
        return rows[a.count][b.count]
    }
}
