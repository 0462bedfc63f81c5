/// The command line.
struct Options {
    enum Group: String, CaseIterable {
        case messages, lifecycle, spawn, files, storage, requests, cryptor, login, load, text
    }

    static let usage = """
        usage: corehost-bench [--root DIR] [--runs N] [--only GROUP] [--json]

          --root DIR     the repository; the working folder by default
          --runs N       the median of so many is shown; 5 by default
          --only GROUP   \(Group.allCases.map(\.rawValue).joined(separator: ", ")); may be repeated; all by default
          --json         for programs

        Exits 0 when everything could be measured, however long it took; 1 when something did not work; 2 on wrong usage.
        """

    var root = "."
    var runs = 5
    var groups: [Group] = []
    var json = false
    var help = false

    init(_ arguments: some Sequence<String>) throws {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--json": json = true
            case "--help", "-h": help = true
            case "--root": root = try Options.value(of: argument, rest.next())
            case "--runs":
                let text = try Options.value(of: argument, rest.next())
                guard let number = Int(text), number > 0 else {
                    throw BenchError("--runs must be a positive number, not \(text)")
                }
                runs = number
            case "--only":
                let text = try Options.value(of: argument, rest.next())
                guard let group = Group(rawValue: text) else { throw BenchError("there is no group \(text)") }
                groups.append(group)
            default: throw BenchError("unknown argument \(argument)")
            }
        }
        if groups.isEmpty { groups = Group.allCases }
    }

    private static func value(of option: String, _ value: String?) throws -> String {
        guard let value else { throw BenchError("\(option) needs a value") }
        return value
    }
}
