public import Control
public import Faults
internal import Supervision

/// One thing that has to be so while a platform is well.
public struct Probe: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// A call answers in time: with what `returns` says, with a list of `length`, or, if it may, with an exception.
        case call(CallTemplate, returns: Template?, length: Int?, mayReject: Bool)
        /// Components of `target` are in `state`: `count` of them, or, if that is nil, all, and at least one.
        case components(target: FaultSelector, state: String, count: Int?)
        /// `corehost doctor` finds nothing.
        case doctor
        /// The supervisor has no more descriptors than before (`descriptors` more are no leak) and no process too many.
        case leaks(descriptors: Int)
    }

    public enum Phase: String, CaseIterable, Sendable {
        case before, during, after
    }

    public var name: String
    public var kind: Kind
    public var phases: Set<Phase>
    /// How often it is asked while actions go on.
    public var every: Duration
    /// What share of those answers has to hold, 0 to 1.
    public var share: Double
}

/// What a client has to find out for a probe.
public enum ProbeQuestion: Equatable, Sendable {
    case call(CallSpec)
    case components
    case doctor
    case figures
}

public enum ProbeAnswer: Equatable, Sendable {
    case call(CallAnswer)
    case components([ComponentRow])
    /// Differences, in words.
    case doctor([String])
    case figures(SupervisorFigures)
    /// It could not be found out; why.
    case failed(String)
}

/// What the kernel shows of a supervisor's process.
public struct SupervisorFigures: Equatable, Sendable {
    public var descriptors: Int
    /// Processes whose parent it is, zombies included, without its zygote.
    public var children: Int
    /// Components that it believes to have a process.
    public var components: Int

    public init(descriptors: Int, children: Int, components: Int) {
        self.descriptors = descriptors
        self.children = children
        self.components = components
    }
}

extension Probe {
    func question(_ values: [String: JSONValue]) -> ProbeQuestion {
        switch kind {
        case .call(let call, _, _, _): .call(call.filled(with: values))
        case .components: .components
        case .doctor: .doctor
        case .leaks: .figures
        }
    }

    /// What is wrong; nil = it holds.
    ///
    /// - Parameter baseline: the figures when everything held before; nil = these are those.
    func problem(
        with answer: ProbeAnswer, baseline: SupervisorFigures?, _ values: [String: JSONValue]
    ) -> String? {
        switch (kind, answer) {
        case (.call(let call, let returns, let length, let mayReject), .call(let answer)):
            problem(with: answer, call, returns?.filled(with: values), length, mayReject)
        case (.components(let target, let state, let count), .components(let rows)):
            Self.problem(with: target.candidates(in: rows), target, state, count)
        case (.doctor, .doctor(let differences)):
            differences.isEmpty ? nil : "the doctor finds: \(differences.joined(separator: "; "))"
        case (.leaks(let allowed), .figures(let figures)): Self.problem(with: figures, baseline, allowed)
        case (_, .failed(let why)): why
        // The driver answers what was asked.
        case (.call, _), (.components, _), (.doctor, _), (.leaks, _):
            preconditionFailure("\(name) was answered with \(answer)")
        }
    }

    private func problem(
        with answer: CallAnswer, _ call: CallTemplate, _ returns: JSONValue?, _ length: Int?, _ mayReject: Bool
    ) -> String? {
        guard answer.took <= call.within else { return "answered after \(answer.took.text), not \(call.within.text)" }
        switch answer.outcome {
        case .unanswered(let why): return "no answer: \(why)"
        case .rejected(let exception): return mayReject ? nil : "rejected: \(ExceptionText.short(exception))"
        case .returned(let value):
            if let returns, !value.isAs(returns) {
                return "returned \(Self.shown(value)), not \(Self.shown(returns))"
            }
            if let length, value.array?.count != length {
                return value.array.map { "returned \($0.count) elements, not \(length)" }
                    ?? "returned \(Self.shown(value)), no list"
            }
            return nil
        }
    }

    private static func problem(
        with rows: [ComponentRow], _ target: FaultSelector, _ state: String, _ count: Int?
    ) -> String? {
        if let count {
            let found = rows.filter { $0.state == state }.count
            return found == count ? nil : "\(found) of \(target) are \(state), not \(count)"
        }
        guard let wrong = rows.first(where: { $0.state != state }) else {
            return rows.isEmpty ? "there is no component \(target)" : nil
        }
        return "\(wrong.id) is \(wrong.state), not \(state)"
    }

    private static func problem(
        with figures: SupervisorFigures, _ baseline: SupervisorFigures?, _ allowed: Int
    ) -> String? {
        if figures.children != figures.components {
            return "it has \(figures.children) child processes and \(figures.components) components with one"
        }
        guard let baseline, figures.descriptors > baseline.descriptors + allowed else { return nil }
        return "it has \(figures.descriptors) descriptors, \(baseline.descriptors) before"
    }

    private static func shown(_ value: JSONValue) -> String {
        let text = JSONWriter.text(value)
        return text.count > 120 ? text.prefix(120) + "…" : text
    }
}

/// Exceptions as people read them.
enum ExceptionText {
    /// `contacts.contactNotFound`, or `rpc.connectionClosed`: the type, and its flags.
    static func kind(_ exception: JSONValue) -> String {
        let flags = (exception.members ?? []).filter { $0.value == true && $0.key != "runtimeException" }.map(\.key)
        return ([exception["type"]?.string ?? exception["name"]?.string ?? "exception"] + flags.sorted())
            .joined(separator: ".")
    }

    static func short(_ exception: JSONValue) -> String {
        let message = exception["message"]?.string.map { ": \($0.prefix(200))" } ?? ""
        return kind(exception) + message
    }
}
