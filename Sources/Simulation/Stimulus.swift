import Supervision

/// What comes to the platform from outside, at one moment. Without any, the simulated world is well-behaved: everything
/// answers soon, and components run until they are told to stop. A run is its setup and its list of these.
struct Input: Hashable, Sendable {
    let at: Instant
    let what: Stimulus
}

/// Components are named by their place in the setup. What does not apply when its moment comes does nothing.
indirect enum Stimulus: Hashable, Sendable {
    // Commands.
    case start(Int, Requester)
    case stop(Int, Requester)
    case restart(Int, Requester)
    case kill(Int, signal: Int32)
    case adopt(Int, RestartPolicy)
    case adoptType(Int, RestartType)
    /// A second one while it closes is a fast one.
    case shutdown

    // The core.
    /// `js_startComponent`, unasked.
    case demand(Int)
    /// It closes the component by its host object, or at once at its port.
    case closeByCore(Int, atPort: Bool)
    /// How it treats so many of the next launches, preparations and ends of ports.
    case core(Int, CorePlan, times: Int)
    /// What it has said of this component arrives again: its last word, or one before.
    case repeatNews(Int, back: Int)
    /// It sends the component something to react to.
    case traffic(Int)
    /// A call of its that has to be answered; nil: never.
    case call(limit: Duration, answersAfter: Duration?)
    /// It gives no turn for so long.
    case coreHangs(Duration)

    // Children.
    /// How so many of its next processes behave.
    case lives(Int, ChildPlan, times: Int)
    /// What its process does now.
    case act(Int, ChildAct)
    case spawnsFail(Int, errno: Int32, times: Int)

    // Time.
    /// The supervisor gets no turn for so long. `timersFirst`: as the loop does it, before what has come in meanwhile.
    case stall(Duration, timersFirst: Bool)
    /// A timer goes off before its time.
    case earlyTick(Int)
    /// Once the component has come there, something else, after some time.
    case ambush(Int, Moment, after: Duration, Stimulus)

    // Background tasks.
    case wake(Int)
    case conditions(MachineConditions)
    case permit(PermittedTasks)

    // Users.
    case login(user: Int, LoginKind, LoginOutcome)
    case logout
    /// The core tells of a signed-in user whom nobody signs in now.
    case signedInUnasked(user: Int)

    /// What an ambush waits for: the next action of this kind.
    enum Moment: String, Hashable, Sendable, CaseIterable {
        case launch, slot, prepare, spawn, ready, stopOrder, signal, closePort, coreTold, verdict
    }
}

/// What the core makes of an attempt to log in.
struct LoginOutcome: Hashable, Sendable {
    /// Nil: it never answers.
    var after: Duration?
    var succeeds: Bool
    /// How long it takes to be made anew after the logout; nil: it cannot be.
    var renewal: Duration?
}

/// How the core treats one launch, one preparation and one end of a port. The default: at once and well.
struct CorePlan: Hashable, Sendable {
    enum Launch: Hashable, Sendable { case connector, refusal, silence }

    var launch = Launch.connector
    var launchTakes = Duration.milliseconds(1)
    var fault: CodeFault?
    /// Longer than the core may take: then it comes late.
    var prepareTakes = Duration.milliseconds(2)
    var portTakes = Duration.milliseconds(1)
    /// The pipe held bytes of a frame that was not whole, or that broke the protocol.
    var partialFrame = 0
    var violation = false
}

/// How a process behaves. The default: comes up soon, runs for ever, ends soon when told to.
struct ChildPlan: Hashable, Sendable {
    var spawnTakes = Duration.zero
    /// From the spawn; nil: never, as for the two below, each from the one before.
    var hello: Duration? = .milliseconds(3)
    var preloaded: Duration? = .milliseconds(6)
    var ready: Duration? = .milliseconds(2)
    /// Asks for more time when it is preloaded.
    var extends: Duration?
    /// What it does in the end, and how long after being ready, or after the last step of its start.
    var act: ChildAct?
    var actsAfter = Duration.zero
    /// From the order to the exit; nil: it does not take notice. So below.
    var onStop: Duration? = .milliseconds(10)
    var onTerminate: Duration? = .milliseconds(1)
    var onKill = Duration.milliseconds(1)
    /// From its death to the supervisor's notice of it, and to the core's of the pipe's end.
    var exitSeen = Duration.microseconds(200)
    var pipeEndSeen = Duration.microseconds(300)
    /// To answer a heartbeat; nil: never.
    var answers: Duration? = .milliseconds(1)
}

/// Something that a process does, right or wrong.
enum ChildAct: Hashable, Sendable {
    case exit(Int32)
    /// A signal ends it that the supervisor did not send; `says`: the process tells where it came from.
    case dies(Int32, says: FatalSignal.Origin?)
    /// For want of memory, as the kernel's log has it.
    case killedByKernel(KernelWord?)
    /// Nil: it does not end by itself after that. So below.
    case report(ReportedFailure.Kind, thenExit: Duration?)
    case bye(onControl: Bool, onPort: Bool, thenExit: Duration?)
    case closesPipe(thenExit: Duration?)
    case violatesControl
    case violatesPort
    case outOfOrder(BootStep?)
    case hangs
    case wakes
    case holds(bytes: Int)
    /// A heartbeat, asked or not: the last one, or one before.
    case answers(back: Int)
    case extendsStart(Duration)
}
