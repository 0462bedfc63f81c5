/// What can be broken on purpose. The raw value is what users write.
public enum FaultKind: String, Hashable, Sendable, CaseIterable {
    case signal
    case pause
    case exit
    case uncaughtError = "uncaught-error"
    case unhandledRejection = "unhandled-rejection"
    case tightLoop = "tight-loop"
    case stalledLoop = "stalled-loop"
    case microtaskLoop = "microtask-loop"
    case memoryGrowth = "memory-growth"
    case descriptorExhaustion = "descriptor-exhaustion"
    case slowStart = "slow-start"
    case startCrash = "start-crash"
    case spawnRefused = "spawn-refused"
    case portDelay = "port-delay"
    case portBandwidth = "port-bandwidth"
    case portCut = "port-cut"
    case portCorrupt = "port-corrupt"
    case portRepeat = "port-repeat"
    case portSwap = "port-swap"
    case portClose = "port-close"
    case portStopReading = "port-stop-reading"
    case coreBusy = "core-busy"
    case coreException = "core-exception"
    case diskFull = "disk-full"
    case diskSlow = "disk-slow"
    case clockStep = "clock-step"
    case networkGone = "network-gone"
    case httpError = "http-error"
    case httpDelay = "http-delay"

    /// How a kind is applied.
    public enum Manner: String, Hashable, Sendable {
        /// Done as soon as it is applied: again and again, as often as the leash lets it.
        case once
        /// Holds a component, or the platform, from its application until it is undone.
        case held
        /// Lies in wait for something that the component does.
        case armed
    }

    /// Who carries it out.
    public enum Plane: String, Hashable, Sendable {
        case supervision, component, core
    }

    public var manner: Manner {
        switch self {
        case .signal, .exit, .uncaughtError, .unhandledRejection: .once
        case .pause, .tightLoop, .stalledLoop, .microtaskLoop, .memoryGrowth, .descriptorExhaustion: .held
        case .portDelay, .portBandwidth, .portCut, .portCorrupt, .portRepeat, .portSwap, .portClose, .portStopReading:
            .held
        case .coreBusy, .coreException, .diskFull, .diskSlow, .clockStep, .networkGone, .httpError, .httpDelay: .held
        case .slowStart, .startCrash, .spawnRefused: .armed
        }
    }

    public var plane: Plane {
        switch self {
        case .signal, .pause, .slowStart, .startCrash, .spawnRefused, .diskFull, .diskSlow, .clockStep: .supervision
        case .portDelay, .portBandwidth, .portCut, .portCorrupt, .portRepeat, .portSwap, .portClose, .portStopReading,
            .coreBusy, .coreException, .networkGone, .httpError, .httpDelay:
            .core
        case .exit, .uncaughtError, .unhandledRejection, .tightLoop, .stalledLoop, .microtaskLoop, .memoryGrowth,
            .descriptorExhaustion:
            .component
        }
    }

    /// It is about the platform as a whole, and takes no target.
    public var isOfPlatform: Bool {
        switch self {
        case .coreBusy, .coreException, .diskFull, .diskSlow, .clockStep, .networkGone, .httpError, .httpDelay: true
        case .signal, .pause, .exit, .uncaughtError, .unhandledRejection, .tightLoop, .stalledLoop, .microtaskLoop,
            .memoryGrowth, .descriptorExhaustion, .slowStart, .startCrash, .spawnRefused, .portDelay, .portBandwidth,
            .portCut, .portCorrupt, .portRepeat, .portSwap, .portClose, .portStopReading:
            false
        }
    }
}
