/// When a component that starts with the system runs.
public enum BackgroundMode: String, Hashable, Sendable, CaseIterable {
    /// Started after the login, and kept running by its restart type.
    case always
    /// For a few minutes now and then, while the machine has nothing else to do.
    case windowed
    /// Once for each time that something outside asks for it.
    case push
    /// Started after the login, and never started again by the supervisor.
    case foreground

    /// It runs for a while and is closed then, again and again.
    public var runsInCycles: Bool { self == .windowed || self == .push }

    /// What follows the end of a component for which `wished` holds. A cycle is over when the component closes itself: it
    /// is started again within one after a failure only.
    public func restart(_ wished: RestartType) -> RestartType {
        switch self {
        case .always: wished
        case .windowed, .push: wished == .permanent ? .transient : wished
        case .foreground: .temporary
        }
    }
}

/// When windows open, and for how long. `length` is the longest cycle of a pushed task, too.
public struct WindowPolicy: Hashable, Sendable {
    public enum Power: String, Hashable, Sendable, CaseIterable {
        /// Not while the machine lives on a battery.
        case external
        case any
    }

    /// From the begin of a window to the next one, give or take a tenth.
    public var every: Duration
    public var length: Duration
    /// Most load of the last minute, for each processor, at which a window opens.
    public var maxLoad: Double
    public var power: Power

    public static let everyRange = Duration.seconds(1) ... .seconds(7 * 24 * 3600)
    public static let lengthRange = Duration.seconds(1) ... .seconds(24 * 3600)
    public static let maxLoadRange = 0.01...100

    public init(
        every: Duration = .seconds(900), length: Duration = .seconds(180), maxLoad: Double = 0.5,
        power: Power = .external
    ) {
        self.every = every
        self.length = length
        self.maxLoad = maxLoad
        self.power = power
    }
}
