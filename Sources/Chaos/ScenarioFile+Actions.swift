internal import Configuration
internal import Control
internal import Faults
internal import Supervision

extension ScenarioReader {
    func actions(within duration: Duration) throws(ConfigurationError) -> [ActionPlan] {
        var plans: [ActionPlan] = []
        var count = 0
        var faults: [(at: Duration, order: FaultOrder, name: String)] = []
        for reader in try root.objects("actions", atMost: 64) {
            try reader.only(ScenarioKeys.action)
            let deed = try deed(of: reader)
            let name = reader.value("name") == nil ? deed.words : try name(in: reader)
            let plan = ActionPlan(name: name, deed: deed, times: try times(of: reader, within: duration))
            count += Timeline.count(plan.times)
            guard count <= Timeline.maxSteps else {
                throw reader.error(
                    "every", .contradiction("the timeline has more than \(Timeline.maxSteps) moments; do it less often")
                )
            }
            if case .fault(let fault) = deed, case .once(let at) = plan.times {
                let order = try order(fault, reader)
                for earlier in faults { try refuse(order, at, after: earlier, reader) }
                faults.append((at, order, name))
            }
            plans.append(plan)
        }
        return plans
    }

    private func deed(of reader: ConfigurationReader) throws(ConfigurationError) -> ActionPlan.Deed {
        let given = ScenarioKeys.deeds.filter { reader.value($0) != nil }
        guard given.count == 1, let verb = given.first else {
            let known = ScenarioKeys.deeds.joined(separator: ", ")
            throw ConfigurationError(
                file: reader.file, reader.place, keyPath: reader.keyPath,
                reason: .contradiction(
                    given.isEmpty
                        ? "says not what to do: one of \(known)"
                        : "has \(given.joined(separator: " and ")); one is allowed"))
        }
        let details = try reader.needObject(verb)
        switch verb {
        case "kill":
            try details.only(ScenarioKeys.kill)
            return .kill(try target(details), signal: try signal(of: details))
        case "restart":
            try details.only(ScenarioKeys.target)
            return .restart(try target(details))
        default: return .fault(try fault(details))
        }
    }

    /// Everything but what the platform has to say: whether the target is there.
    private func fault(_ reader: ConfigurationReader) throws(ConfigurationError) -> FaultPlan {
        try reader.only(ScenarioKeys.fault)
        let plan = FaultPlan(
            kind: try reader.needText("kind"), target: try reader.text("target"), parameters: try parameters(reader),
            count: try reader.integer("count", in: FaultLeash.counts),
            rate: try reader.number("rate", in: FaultLeash.rates),
            duration: try reader.duration("duration", in: FaultLeash.durations),
            most: try reader.integer("most", in: FaultLeash.mosts))
        _ = try order(plan, reader)
        return plan
    }

    private func order(_ plan: FaultPlan, _ reader: ConfigurationReader) throws(ConfigurationError) -> FaultOrder {
        do throws(FaultRefusal) {
            return try FaultOrder(
                kind: plan.kind, target: plan.target, parameters: plan.parameters,
                wish: .init(count: plan.count, rate: plan.rate, duration: plan.duration, most: plan.most), seed: 0)
        } catch {
            throw ConfigurationError(
                file: reader.file, reader.place, keyPath: reader.keyPath, reason: .contradiction("\(error)"))
        }
    }

    /// What the platform is sure to refuse. A component may have died of a fault before its time is over: only one of the same
    /// moment is sure to be in force.
    private func refuse(
        _ order: FaultOrder, _ at: Duration, after earlier: (at: Duration, order: FaultOrder, name: String),
        _ reader: ConfigurationReader
    ) throws(ConfigurationError) {
        let isInForce: Bool
        if order.kind.isOfPlatform {
            isInForce = at >= earlier.at && at < earlier.at + earlier.order.duration
        } else {
            isInForce = at == earlier.at
        }
        guard isInForce, let reason = order.contradiction(with: earlier.order) else { return }
        throw ConfigurationError(
            file: reader.file, reader.place, keyPath: reader.keyPath,
            reason: .contradiction(
                "\(order.kind.rawValue) comes while \"\(earlier.name)\" is in force, and \(reason); take another moment"
            ))
    }

    private func parameters(_ reader: ConfigurationReader) throws(ConfigurationError) -> [String: String] {
        guard let object = try reader.object("parameters") else { return [:] }
        var parameters: [String: String] = [:]
        for key in object.keys {
            switch object.value(key)?.content {
            case .text(let text): parameters[key] = text
            case .number(let number): parameters[key] = Int64(exactly: number).map { "\($0)" } ?? "\(number)"
            default:
                throw object.error(
                    key, .wrongType(seen: object.value(key)?.shown ?? "nothing", expected: "a text or a number"))
            }
        }
        return parameters
    }

    private func signal(of reader: ConfigurationReader) throws(ConfigurationError) -> KillSignal {
        guard let name = try reader.text("signal") else { return .kill }
        switch KillSignal.parse(name) {
        case .success(let signal) where Self.ends(signal): return signal
        case .success:
            throw reader.error("signal", .contradiction("\(name) ends no process, and nothing would undo it"))
        case .failure: throw reader.error("signal", .notInRange(seen: "\"\(name)\"", allowed: KillSignal.expected))
        }
    }

    private static func ends(_ signal: KillSignal) -> Bool {
        !["SIGSTOP", "SIGCONT"].contains(signal.name)
    }

    private func times(
        of reader: ConfigurationReader, within duration: Duration
    ) throws(ConfigurationError) -> ActionPlan.Times {
        let range = Duration.zero...Self.longest
        func inTime(_ key: String, _ time: Duration) throws(ConfigurationError) -> Duration {
            guard time <= duration else {
                throw reader.error(key, .contradiction("it is after the end, \"duration\" is \(duration.text)"))
            }
            return time
        }
        if let time = try reader.duration("at", in: range) {
            if let key = ["every", "from", "until", "jitter"].first(where: { reader.value($0) != nil }) {
                throw reader.error(key, .contradiction("\"at\" says when already; leave one of both out"))
            }
            return .once(at: try inTime("at", time))
        }
        guard let every = try reader.duration("every", in: .milliseconds(10)...Self.longest) else {
            throw ConfigurationError(
                file: reader.file, reader.place, keyPath: reader.keyPath,
                reason: .contradiction("says not when: write \"at\", or \"every\" with \"from\" and \"until\""))
        }
        let from = try inTime("from", try reader.duration("from", in: range) ?? every)
        let until = try inTime("until", try reader.duration("until", in: range) ?? duration)
        guard until > from else {
            throw reader.error("until", .contradiction("it ends (\(until.text)) before it begins (\(from.text))"))
        }
        return .again(from: from, every: every, until: until, jitter: try reader.number("jitter", in: 0...0.5) ?? 0)
    }
}

extension ActionPlan.Deed {
    /// `kill random:1`, `kill all with SIGTERM`.
    var words: String {
        switch self {
        case .kill(let target, let signal): signal == .kill ? "kill \(target)" : "kill \(target) with \(signal.name)"
        case .restart(let target): "restart \(target)"
        case .fault(let plan): plan.kind + (plan.target.map { " \($0)" } ?? "")
        }
    }
}
