/// What the check of a pair of bundles finds, in the order in which it finds it.
public enum CheckFinding: Sendable, Equatable {
    case bundle(CheckedBundle)
    case name(CheckedName)
    case step(CheckedStep)

    /// It makes the pair unfit for use.
    public var isFault: Bool {
        switch self {
        case .bundle: false
        case .name(let name): name.status == .missing || name.status == .wrongKind
        case .step(let step): step.status == .failed
        }
    }
}

/// Half of the pair, evaluated.
public struct CheckedBundle: Sendable, Equatable {
    public struct File: Sendable, Equatable {
        public let name: String
        public let bytes: Int
        public let milliseconds: Double
    }

    /// `core` or `client`.
    public let half: String
    public let files: [File]

    public var bytes: Int { files.reduce(0) { $0 + $1.bytes } }
    public var milliseconds: Double { files.reduce(0) { $0 + $1.milliseconds } }
}

/// A name of the contract.
public struct CheckedName: Sendable, Equatable {
    public enum Status: String, Sendable {
        case ok, missing
        /// It may be.
        case absent
        case wrongKind = "wrong kind"
    }

    /// As a user writes it: `__core3NWeb.ipc.exposeW3N`.
    public let name: String
    /// `function`, `object`, `promise`.
    public let expected: String
    public let status: Status
    /// The kind that is there, if it is another.
    public let seen: String?
    public let note: String?
}

/// Something that was done with the pair.
public struct CheckedStep: Sendable, Equatable {
    public enum Status: String, Sendable {
        case ok, failed
        case notTried = "not tried"
        /// Worth knowing, and no fault.
        case noted
    }

    public let name: String
    public let status: Status
    public let milliseconds: Double?
    /// What went wrong, or why it was not tried.
    public let note: String?
}
