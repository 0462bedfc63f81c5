internal import Configuration
internal import Control
internal import Supervision

/// Calls: what is prepared, and what goes on meanwhile.
extension ScenarioReader {
    /// Of each call without a `within`.
    private static let usualLimit = Duration.seconds(15)
    static let maxClients = 24
    /// Each is kept until the end, to be looked for.
    private static let maxCalls = 1_000_000.0

    mutating func preparations() throws(ConfigurationError) -> [Scenario.Preparation] {
        var preparations: [Scenario.Preparation] = []
        for reader in try root.objects("prepare", atMost: 16) {
            try reader.only(ScenarioKeys.preparation)
            let call = try call(reader.needObject("call"))
            let variable = try reader.needText("as")
            let isWord =
                !variable.isEmpty && variable.utf8.count <= 40 && variable.allSatisfy { $0.isLetter || $0.isNumber }
            guard isWord, variable != "n" else {
                throw reader.error(
                    "as", .notInRange(seen: "\"\(variable)\"", allowed: "a word of letters and digits, not n"))
            }
            guard variables.insert(variable).inserted else {
                throw reader.error("as", .contradiction("\"\(variable)\" is there already; take another word"))
            }
            preparations.append(.init(variable: variable, call: call, member: try reader.text("member")))
        }
        return preparations
    }

    func loads(within duration: Duration) throws(ConfigurationError) -> [Scenario.Load] {
        var loads: [Scenario.Load] = []
        var clients = 0
        var calls = 0.0
        for reader in try root.objects("load", atMost: 8) {
            try reader.only(ScenarioKeys.load)
            let load = Scenario.Load(
                name: try name(in: reader), call: try call(reader.needObject("call"), counts: true),
                clients: try reader.integer("clients", in: 1...Self.maxClients) ?? 1,
                every: try reader.duration("every", in: .milliseconds(10)...Self.longest) ?? .milliseconds(100),
                find: try reader.object("find").map(find))
            guard !loads.contains(where: { $0.name == load.name }) else {
                throw reader.error("name", .contradiction("another load is called \"\(load.name)\""))
            }
            clients += load.clients
            guard clients <= Self.maxClients else {
                throw reader.error(
                    "clients", .contradiction("there are \(clients) clients in all; \(Self.maxClients) may be"))
            }
            calls += Double(load.clients) * (duration / load.every)
            guard calls <= Self.maxCalls else {
                throw reader.error(
                    "every", .contradiction("there would be more than \(Int(Self.maxCalls)) calls in all"))
            }
            guard load.find == nil || load.call.arguments.contains(where: { $0.names.contains("n") }) else {
                throw reader.error(
                    "call", .contradiction("no argument has ${n}, by which \"find\" could tell writes apart"))
            }
            loads.append(load)
        }
        return loads
    }

    private func find(_ reader: ConfigurationReader) throws(ConfigurationError) -> Scenario.Find {
        try reader.only(ScenarioKeys.find)
        let value = try template("value", in: reader, counts: true)
        guard let value, value.names.contains("n") else {
            throw value == nil
                ? reader.missing("value")
                : reader.error("value", .contradiction("it has no ${n}, the number of the write"))
        }
        return Scenario.Find(
            call: try call(reader.needObject("call")), member: try reader.needText("member"), value: value)
    }

    /// - Parameter counts: it has a number, `${n}`.
    func call(_ reader: ConfigurationReader, counts: Bool = false) throws(ConfigurationError) -> CallTemplate {
        try reader.only(ScenarioKeys.call)
        var arguments: [Template] = []
        if let value = reader.value("arguments") {
            guard case .list(let elements) = value.content else {
                throw reader.error("arguments", .wrongType(seen: value.shown, expected: "a list of JSON values"))
            }
            arguments = elements.map { Template($0.json) }
            try refuseUnknownNames(in: arguments, "arguments", reader, counts)
        }
        return CallTemplate(
            app: try reader.needText("app"), service: try reader.needText("service"),
            method: try reader.needText("method"), arguments: arguments,
            within: try reader.duration("within", in: .milliseconds(1)...Self.longest) ?? Self.usualLimit)
    }

    func template(
        _ key: String, in reader: ConfigurationReader, counts: Bool = false
    ) throws(ConfigurationError) -> Template? {
        guard let value = reader.value(key) else { return nil }
        let template = Template(value.json)
        try refuseUnknownNames(in: [template], key, reader, counts)
        return template
    }

    private func refuseUnknownNames(
        in templates: [Template], _ key: String, _ reader: ConfigurationReader, _ counts: Bool
    ) throws(ConfigurationError) {
        let known = variables.union(counts ? ["n"] : [])
        guard let name = templates.flatMap(\.names).sorted().first(where: { !known.contains($0) }) else { return }
        let list = known.sorted().map { "${\($0)}" }.joined(separator: ", ")
        throw reader.error(
            key, .contradiction("${\(name)} is not known here; \(list.isEmpty ? "nothing is" : "known: \(list)")"))
    }
}
