internal import Configuration
internal import Control
internal import Faults
internal import Supervision

extension ScenarioReader {
    private static let states = ["down", "starting", "running", "closing", "waiting", "failed"]

    func probes() throws(ConfigurationError) -> [Probe] {
        var probes: [Probe] = []
        for reader in try root.objects("probes", atMost: 16) {
            try reader.only(ScenarioKeys.probe)
            let probe = Probe(
                name: try name(in: reader), kind: try kind(of: reader), phases: try phases(of: reader),
                every: try reader.duration("every", in: .milliseconds(10)...Self.longest) ?? .seconds(1),
                share: try reader.number("share", in: 0...1) ?? 1)
            guard !probes.contains(where: { $0.name == probe.name }) else {
                throw reader.error("name", .contradiction("another probe is called \"\(probe.name)\""))
            }
            if case .leaks = probe.kind, probe.phases.contains(.during) {
                throw reader.error("when", .contradiction("what is counted while components die is no leak yet"))
            }
            if !probe.phases.contains(.during), let key = ["every", "share"].first(where: { reader.value($0) != nil }) {
                throw reader.error(key, .contradiction("it is for \"during\", which \"when\" does not have"))
            }
            probes.append(probe)
        }
        return probes
    }

    private func kind(of reader: ConfigurationReader) throws(ConfigurationError) -> Probe.Kind {
        let given = ScenarioKeys.probeKinds.filter { reader.value($0) != nil }
        guard given.count == 1, let kind = given.first else {
            let known = ScenarioKeys.probeKinds.joined(separator: ", ")
            throw ConfigurationError(
                file: reader.file, reader.place, keyPath: reader.keyPath,
                reason: .contradiction(
                    given.isEmpty
                        ? "says not what to look at: one of \(known)"
                        : "has \(given.joined(separator: " and ")); one is allowed"))
        }
        if kind != "call", let key = ["returns", "length", "mayReject"].first(where: { reader.value($0) != nil }) {
            throw reader.error(key, .contradiction("it is for a probe with \"call\""))
        }
        switch kind {
        case "call": return try callKind(reader)
        case "components": return try componentsKind(reader.needObject("components"))
        case "doctor":
            guard try reader.bool("doctor") == true else {
                throw reader.error("doctor", .notInRange(seen: "false", allowed: "true"))
            }
            return .doctor
        default:
            let leaks = try reader.needObject("leaks")
            try leaks.only(ScenarioKeys.leaks)
            return .leaks(descriptors: try leaks.integer("descriptors", in: 0...100_000) ?? 8)
        }
    }

    private func callKind(_ reader: ConfigurationReader) throws(ConfigurationError) -> Probe.Kind {
        let returns = try template("returns", in: reader)
        let length = try reader.integer("length", in: 0...1_000_000)
        if returns != nil, length != nil {
            throw reader.error("length", .contradiction("\"returns\" says all of the result already"))
        }
        return .call(
            try call(reader.needObject("call")), returns: returns, length: length,
            mayReject: try reader.bool("mayReject") ?? false)
    }

    private func componentsKind(_ reader: ConfigurationReader) throws(ConfigurationError) -> Probe.Kind {
        try reader.only(ScenarioKeys.components)
        let target = try target(reader)
        switch target {
        case .random, .percent:
            throw reader.error(
                "target", .contradiction("a probe looks at the same ones each time: take id=, app=, entry= or all"))
        case .id, .app, .entry, .all, .platform: break
        }
        let state = try reader.text("state") ?? "running"
        guard Self.states.contains(state) else {
            throw reader.error("state", .notInRange(seen: "\"\(state)\"", allowed: Self.states.joined(separator: ", ")))
        }
        return .components(target: target, state: state, count: try reader.integer("count", in: 0...10_000))
    }

    func target(_ reader: ConfigurationReader) throws(ConfigurationError) -> FaultSelector {
        let text = try reader.needText("target")
        do throws(FaultRefusal) {
            return try FaultSelector(text)
        } catch {
            throw reader.error("target", .notInRange(seen: "\"\(text)\"", allowed: FaultSelector.forms))
        }
    }

    private func phases(of reader: ConfigurationReader) throws(ConfigurationError) -> Set<Probe.Phase> {
        let names = Probe.Phase.allCases.map(\.rawValue)
        let expected = "some of \(names.map { "\"\($0)\"" }.joined(separator: ", "))"
        guard let phases = try reader.texts("when", atMost: names.count, expected: expected, { names.contains($0) })
        else {
            return [.before, .after]
        }
        guard !phases.isEmpty else { throw reader.error("when", .notInRange(seen: "an empty list", allowed: expected)) }
        return Set(phases.compactMap(Probe.Phase.init(rawValue:)))
    }
}
