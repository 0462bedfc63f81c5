/// Who asks for a change.
public enum Requester: Hashable, Sendable {
    /// A person, by a command; the text tells the caller apart (process, user id).
    case user(String)
    /// The core, for an app.
    case core
    /// The supervisor itself: boot, schedule.
    case platform
    /// A fault that was injected on purpose.
    case fault(InjectedFault)

    var isUser: Bool { if case .user = self { true } else { false } }
}

/// How the data pipe of a connector ended, told once the core has learned of it.
public enum PortEnd: Hashable, Sendable {
    /// The component said bye; everything before it was handled.
    case bye
    /// The component's side is closed. `partialFrame`: bytes of a frame that was not whole, 0 = none.
    case endOfFile(partialFrame: Int)
    /// The component's bytes broke the protocol; the text says how.
    case violation(String)
    /// The platform closed it (`ComponentAction.closePort`, or the core plane by itself).
    case byPlatform
}

/// Why a component's code could not be made ready for its process.
public enum CodeFault: Hashable, Sendable {
    case missing(path: String)
    case empty(path: String)
    case tooLarge(path: String, size: Int, limit: Int)
    case notUTF8(path: String)
    /// Anything else, such as a core that failed to read; may be different the next time.
    case unreadable(path: String, String)
}

/// What a component's process reported before it ended.
public struct ReportedFailure: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case uncaughtError, unhandledRejection, syntax, protocolViolation, sandbox, engine, start, tightLoop,
            sandboxDenial, outOfMemory
    }

    public let kind: Kind
    public let message: String
    public let file: String?
    public let line: Int?
    public let stack: String?

    public init(kind: Kind, message: String, file: String? = nil, line: Int? = nil, stack: String? = nil) {
        self.kind = kind
        self.message = message
        self.file = file
        self.line = line
        self.stack = stack
    }
}

/// A component that did not answer its heartbeat, and what was seen of it then.
public struct Hang: Hashable, Sendable {
    /// Since the heartbeat was asked.
    public let silentFor: Duration
    /// Where a call into JavaScript was that it had reported as long and that had not ended; empty where the engine did
    /// not tell. Nil: there was no such call.
    public let stack: String?
    /// Its process's state letter, as in `/proc/<pid>/stat`.
    public let processState: Character?

    public init(silentFor: Duration, stack: String?, processState: Character?) {
        self.silentFor = silentFor
        self.stack = stack
        self.processState = processState
    }
}

/// A signal that ended a process, and where it came from, as the process itself saw it.
public struct FatalSignal: Hashable, Sendable {
    public enum Origin: Hashable, Sendable {
        /// The process did what it must not, at `address`.
        case fault(address: UInt64)
        /// The process sent it to itself, as `abort` does.
        case itself
        case supervisor
        /// The kernel, not for a fault.
        case kernel
        /// Pid 0: outside of this namespace. `name` is that of a process that was still there.
        case process(pid: UInt32, uid: UInt32, name: String?)
    }

    public let signal: Int32
    public let origin: Origin

    public init(signal: Int32, origin: Origin) {
        self.signal = signal
        self.origin = origin
    }
}

/// What the kernel says of a process that was ended by SIGKILL.
public enum KernelWord: Hashable, Sendable {
    /// Its log names the process as killed for want of memory; `isGroup`: of a control group, not of the machine.
    case killed(isGroup: Bool, line: String)
    /// Of the processes in the supervisor's control group some were killed for want of memory meanwhile.
    case killedInGroup(Int)
    /// Its log can be read and does not name the process.
    case silent
}

/// News for a `ComponentMachine`.
public enum ComponentEvent: Hashable, Sendable {
    // Commands.
    case start(by: Requester)
    case stop(by: Requester)
    case restart(by: Requester)
    case kill(signal: Int32, by: Requester)
    /// The supervisor ends; `fast` does not wait for the component. Nothing starts afterwards.
    case shutdown(fast: Bool)
    /// The user logs out. Nothing starts afterwards: the next user's components have machines of their own.
    case logout

    // The core plane.
    /// The core called `js_startComponent`: the answer to `askCoreToLaunch`, or a demand of its own. The core plane
    /// gives each connector once.
    case startRequested(connector: String)
    /// The core refused `askCoreToLaunch`.
    case launchFailed(String)
    case prepared(connector: String)
    case prepareFailed(connector: String, CodeFault)
    /// The pipe is drained and the core knows that the connector is closed.
    case portClosed(connector: String, PortEnd)

    // The start queue. Comes for a request that was not released.
    case slotGranted

    // The process.
    case spawned(pid: Int32)
    case spawnFailed(errno: Int32, program: String)
    case hello
    case preloaded
    /// The component asks for so long from now on to become ready.
    case startExtended(Duration)
    case ready
    case failureReported(ReportedFailure)
    /// The component said on its control pipe that it closes itself.
    case closingReported
    /// The control pipe broke the protocol; the text says how.
    case protocolViolated(String)
    /// It gives no turn.
    case hung(Hang)
    /// What the process saw of the signal that is ending it.
    case fatalSignal(FatalSignal)
    /// Comes before the `exited` that it is about.
    case kernelSaid(KernelWord)
    /// It holds more memory than it may.
    case overMemory(OverMemory)
    /// Done to the present life on purpose.
    case faultApplied(InjectedFault)
    /// It is as if that had not been.
    case faultUndone(id: Int)
    /// The process is reaped, and what it had reported on its control pipe was handed over before.
    case exited(ExitStatus)

    /// `ComponentMachine.deadline` has come.
    case tick
}

/// Why the promise of a `js_startComponent` call is rejected without a start.
public enum StartRefusal: String, Hashable, Sendable {
    /// A start is due anyway: wait for it.
    case waiting
    case quarantined
    /// The user stopped it, or the platform is shutting down.
    case stopped
    /// It is starting or running with another connector.
    case alreadyStarted
}

/// How a start ended.
public enum StartResult: Hashable, Sendable {
    case ready
    case failed(Verdict)
}

/// What the driver is to do, in order.
public enum ComponentAction: Hashable, Sendable {
    /// Have the core launch the component; answered by `startRequested` or `launchFailed`.
    case askCoreToLaunch
    case requestSlot
    /// Gives back a slot, or the place in line for one.
    case releaseSlot
    /// Check and read the code, make and attach the port; answered by `prepared` or `prepareFailed`.
    case prepare(connector: String)
    /// Answered by `spawned` or `spawnFailed`.
    case spawn(connector: String, generation: UInt64)
    case settleStart(connector: String, StartResult)
    case refuseStart(connector: String, StartRefusal)
    /// The stop order on the control pipe.
    case sendStop
    /// Close the port now, if there is one yet; what still arrives is dropped. Answered by `portClosed`, always.
    case closePort(connector: String)
    /// The process is gone: drain the pipe, tell the core. Answered by `portClosed`, always.
    case tellCoreExited(connector: String)
    /// To the process, which has not been seen to exit.
    case signal(Int32)
    case record(Verdict, generation: UInt64)
    /// The instance is over; drop the machine.
    case forget
}
