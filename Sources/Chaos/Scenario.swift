public import Control
internal import Supervision

/// What a scenario file asks for, checked: what is done to a platform, and what it promises meanwhile.
public struct Scenario: Equatable, Sendable {
    public static let schema = "corehost.scenario/1"

    public var name: String
    /// What it shows, in words.
    public var about: String
    /// Everything that is drawn by lot (targets, jitter) follows from it.
    public var seed: UInt64
    /// How long actions and calls go on.
    public var duration: Duration
    /// How long it may take until everything holds again afterwards, and until it holds before.
    public var settle: Duration
    public var recovery: RecoveryBound
    /// How a supervisor of the scenario's own is started; nil = with all defaults, if one is asked for.
    public var supervisor: SupervisorSettings?
    public var preparations: [Preparation]
    public var probes: [Probe]
    public var loads: [Load]
    public var actions: [ActionPlan]

    /// How fast components have to be back.
    public struct RecoveryBound: Equatable, Sendable {
        /// From a death to the next life's readiness, for each of them.
        public var within: Duration
        /// The same for 99 of 100.
        public var p99: Duration?
    }

    public struct SupervisorSettings: Equatable, Sendable {
        /// Folder of apps, absolute; nil = the bundled ones.
        public var apps: String?
        /// Text of its configuration file; nil = the defaults.
        public var configuration: String?
    }

    /// A call whose result, or a member of it, later calls use.
    public struct Preparation: Equatable, Sendable {
        public var variable: String
        public var call: CallTemplate
        public var member: String?
    }

    /// Calls that go on all the time.
    public struct Load: Equatable, Sendable {
        public var name: String
        public var call: CallTemplate
        /// How many callers there are, each with a connection of its own.
        public var clients: Int
        /// From the beginning of a caller's call to that of its next.
        public var every: Duration
        /// Where what was acknowledged has to be found in the end.
        public var find: Find?
    }

    /// A call that lists all that was written.
    public struct Find: Equatable, Sendable {
        public var call: CallTemplate
        /// Of each element: what identifies it.
        public var member: String
        /// What `member` is of the element that was written with a number.
        public var value: Template
    }

    var injectsFaults: Bool {
        actions.contains { if case .fault = $0.deed { true } else { false } }
    }

    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 80 && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}

/// A call of a service, with places for what is known only later.
public struct CallTemplate: Equatable, Sendable {
    public var app: String
    public var service: String
    public var method: String
    public var arguments: [Template]
    /// How long an answer may take.
    public var within: Duration

    func filled(with values: [String: JSONValue]) -> CallSpec {
        CallSpec(
            app: app, service: service, method: method, arguments: arguments.map { $0.filled(with: values) },
            within: within)
    }
}

/// A call as it is made.
public struct CallSpec: Equatable, Sendable {
    public var app: String
    public var service: String
    public var method: String
    public var arguments: [JSONValue]
    public var within: Duration

    var request: ControlRequest { .call(app: app, service: service, method: method, arguments: arguments) }
}

/// What became of a call.
public struct CallAnswer: Equatable, Sendable {
    public enum Outcome: Equatable, Sendable {
        case returned(JSONValue)
        /// The exception.
        case rejected(JSONValue)
        /// Neither a value nor an exception; why, in words.
        case unanswered(String)
    }

    public var outcome: Outcome
    public var took: Duration

    public init(_ outcome: Outcome, took: Duration) {
        self.outcome = outcome
        self.took = took
    }
}
