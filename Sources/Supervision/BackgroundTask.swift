/// One component that starts with the system, as the schedule has it.
public struct BackgroundTask: Hashable, Sendable {
    public struct Spec: Hashable, Sendable {
        public let id: String
        public let component: ComponentID
        public let mode: BackgroundMode
        public let window: WindowPolicy

        public init(component: ComponentID, mode: BackgroundMode, window: WindowPolicy) {
            id = Self.identifier(of: component)
            self.component = component
            self.mode = mode
            self.window = window
        }

        private static let publicNames = [
            "chat.app.privacysafe.io/background-instance.mjs": "io.privacysafe.chat.sync",
            "contacts.app.privacysafe.io/contactDenoServices.js": "io.privacysafe.contacts.sync",
            "treasure.app.privacysafe.io/treasureDenoServices.js": "io.privacysafe.treasure.sync",
        ]

        /// The public apps' have names of their own; else `<appDomain>.<component>`.
        public static func identifier(of component: ComponentID) -> String {
            publicNames["\(component)"] ?? "\(component.appDomain).\(component.entrypoint.dropFirst())"
        }
    }

    public enum State: Hashable, Sendable {
        /// Nothing is due: it is not run in cycles, is not permitted, or nothing has asked for it.
        case unscheduled
        case scheduled(due: Instant)
        /// Its window is due; the machine is looked at again at `lookAt`.
        case waiting(since: Instant, lookAt: Instant, for: [UnmetCondition])
        case running(Cycle)
        /// Told to close.
        case ending(Cycle, Outcome)
    }

    /// What the component does, as far as the schedule cares.
    public enum Presence: Hashable, Sendable {
        case down
        /// Starting, running, or waiting for its restart.
        case up
        case closing
        /// Not started again before the user has mended it, or wants it again.
        case failed, stoppedByUser
    }

    public enum Trigger: String, Hashable, Sendable {
        case window, wake
    }

    public struct Cycle: Hashable, Sendable {
        public let by: Trigger
        public let began: Instant
        public let endsAt: Instant
        /// When the machine is looked at again; nil: not before the end.
        public internal(set) var lookAt: Instant?
        /// It was woken meanwhile, however often: one more follows.
        public internal(set) var again = false
    }

    /// How a cycle ended.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The component ended, which says that it is done, or why not is its own story.
        case ended
        case timeOver = "time-over"
        case powerLost = "power-lost"
        /// It was quarantined, or cannot be started.
        case failed
        case stoppedByUser = "stopped-by-user"
        /// The user has started it: it is for them to stop it.
        case startedByUser = "started-by-user"
        /// The configuration has it otherwise now.
        case reconfigured
    }

    public struct PastCycle: Hashable, Sendable {
        public let by: Trigger
        public let began: Instant
        public let ended: Instant
        public let outcome: Outcome
    }

    public internal(set) var spec: Spec
    public internal(set) var isPermitted: Bool
    public internal(set) var state = State.unscheduled
    public internal(set) var presence = Presence.down
    /// Cycles that are over.
    public internal(set) var cycles = 0
    public internal(set) var last: PastCycle?

    init(_ spec: Spec, isPermitted: Bool) {
        self.spec = spec
        self.isPermitted = isPermitted
    }

    /// When a `.tick` is due.
    var deadline: Instant? {
        switch state {
        case .unscheduled, .ending: nil
        case .scheduled(let due): due
        case .waiting(_, let lookAt, _): lookAt
        case .running(let cycle): min(cycle.endsAt, cycle.lookAt ?? cycle.endsAt)
        }
    }
}

/// Why a window that is due does not open.
public enum UnmetCondition: Hashable, Sendable {
    case busy(load: Double, most: Double)
    case onBattery
    case failed, stoppedByUser

    /// One word, whatever the figures are.
    public var name: String {
        switch self {
        case .busy: "load"
        case .onBattery: "power"
        case .failed: "failed"
        case .stoppedByUser: "stopped"
        }
    }
}

extension UnmetCondition: CustomStringConvertible {
    public var description: String {
        switch self {
        case .busy(let load, let most):
            "the machine is busy: its load is \(Self.shown(load)) for each processor, and \(Self.shown(most)) is the most"
        case .onBattery: "the machine runs on its battery"
        case .failed: "the component has failed"
        case .stoppedByUser: "the user stopped it"
        }
    }

    private static func shown(_ load: Double) -> String { "\((load * 100).rounded() / 100)" }
}

/// Which tasks may be registered.
public struct PermittedTasks: Hashable, Sendable {
    /// Identifiers; `*` is all.
    public let identifiers: [String]

    public static let all = PermittedTasks(identifiers: ["*"])

    public init(identifiers: [String]) { self.identifiers = identifiers }

    public func contains(_ id: String) -> Bool { identifiers.contains("*") || identifiers.contains(id) }
}
