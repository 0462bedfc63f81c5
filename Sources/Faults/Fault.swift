public import Supervision

/// A fault with what it needs to be carried out.
public enum Fault: Hashable, Sendable {
    case signal(Int32)
    case pause
    case exit(code: Int32)
    case uncaughtError(String)
    case unhandledRejection(String)
    /// One call into JavaScript that does not return for so long.
    case tightLoop(Duration)
    /// A native call that blocks for so long.
    case stalledLoop(Duration)
    /// A chain of microtasks that goes on for so long.
    case microtaskLoop(Duration)
    /// Bytes in all, and per second.
    case memoryGrowth(to: Int, rate: Int)
    /// All that it can have but so many.
    case descriptorExhaustion(leaving: Int)
    /// Its process is told what to do so much later.
    case slowStart(Duration)
    /// Its process is killed when its start has come so far: `spawned hello preloaded`.
    case startCrash(phase: String)
    case spawnRefused(errno: Int32)
    case port(PortTrouble, PortDirection)
    case coreBusy(Duration)
    /// So many calls of this name into the core throw.
    case coreException(call: String, times: Int)
    case diskFull(DiskPlace)
    case diskSlow(DiskPlace, Duration)
    case clockStep(Duration)
    case networkGone
    case httpError(status: Int)
    case httpDelay(Duration)

    init(_ kind: FaultKind, _ values: FaultValues) {
        self =
            switch kind {
            case .signal: .signal(Int32(values.number("signal")))
            case .pause: .pause
            case .exit: .exit(code: Int32(values.number("code")))
            case .uncaughtError: .uncaughtError(values.text("message"))
            case .unhandledRejection: .unhandledRejection(values.text("message"))
            case .tightLoop: .tightLoop(values.duration("for"))
            case .stalledLoop: .stalledLoop(values.duration("for"))
            case .microtaskLoop: .microtaskLoop(values.duration("for"))
            case .memoryGrowth: .memoryGrowth(to: values.number("size"), rate: values.number("rate"))
            case .descriptorExhaustion: .descriptorExhaustion(leaving: values.number("leave"))
            case .slowStart: .slowStart(values.duration("delay"))
            case .startCrash: .startCrash(phase: values.text("phase"))
            case .spawnRefused: .spawnRefused(errno: Int32(values.number("errno")))
            case .portDelay:
                .port(.delay(values.duration("delay"), jitter: values.duration("jitter")), PortDirection(values))
            case .portBandwidth: .port(.bandwidth(values.number("rate")), PortDirection(values))
            case .portCut: .port(.cut(at: values.number("at")), PortDirection(values))
            case .portCorrupt: .port(.corrupt, PortDirection(values))
            case .portRepeat: .port(.repetition, PortDirection(values))
            case .portSwap: .port(.swap, PortDirection(values))
            case .portClose: .port(.close, PortDirection(values))
            case .portStopReading: .port(.deafness, .toCore)
            case .coreBusy: .coreBusy(values.duration("for"))
            case .coreException: .coreException(call: values.text("call"), times: values.number("times"))
            case .diskFull: .diskFull(DiskPlace(values))
            case .diskSlow: .diskSlow(DiskPlace(values), values.duration("delay"))
            case .clockStep: .clockStep(values.duration("by"))
            case .networkGone: .networkGone
            case .httpError: .httpError(status: values.number("status"))
            case .httpDelay: .httpDelay(values.duration("delay"))
            }
    }

    /// How long what it does takes; nil: no time of its own.
    var span: Duration? {
        switch self {
        case .tightLoop(let span), .stalledLoop(let span), .microtaskLoop(let span), .coreBusy(let span): span
        default: nil
        }
    }

    /// Ends that it explains.
    public var effect: InjectedFault.Effect {
        switch self {
        case .signal(let number): .signal(number)
        case .exit(let code): .exit(code)
        case .uncaughtError: .causes([.uncaughtError])
        case .unhandledRejection: .causes([.unhandledRejection])
        case .tightLoop: .causes([.tightLoop, .stalledLoop])
        case .microtaskLoop: .causes([.stalledLoop, .tightLoop, .closeTimeout])
        case .stalledLoop, .pause: .causes([.stalledLoop, .closeTimeout])
        case .memoryGrowth: .causes([.outOfMemory, .memoryLimit, .aborted, .crashed])
        case .descriptorExhaustion: .any
        case .slowStart: .causes([.startTimeout])
        case .startCrash: .signal(9)
        case .spawnRefused: .causes([.spawnFailed])
        case .port(let trouble, _):
            switch trouble {
            case .delay, .bandwidth, .deafness: .causes([.stalledLoop, .startTimeout, .closeTimeout])
            case .cut, .corrupt, .repetition, .swap, .close:
                .causes([.protocolViolation, .portLost, .parentGone, .closeTimeout, .exited])
            }
        case .coreException:
            .causes([.launchFailed, .startFailed, .startTimeout, .codeUnreadable, .protocolViolation, .portLost])
        // Of the platform: what it leads to in a component shows no more of it than of any other.
        case .coreBusy, .diskFull, .diskSlow, .clockStep, .networkGone, .httpError, .httpDelay:
            .causes([])
        }
    }
}
