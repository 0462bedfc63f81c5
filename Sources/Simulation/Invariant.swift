/// What has to hold after each step of a simulation. The raw value is its name in reports.
public enum Invariant: String, CaseIterable, Sendable {
    // Seen from outside of the machines: what they have done and what there is.
    case oneProcess = "one-process"
    case machineKnowsItsProcess = "machine-knows-its-process"
    case signalsGoToTheLiving = "signals-go-to-the-living"
    case coreKnowsFirst = "core-knows-first"
    case portIsAskedOnce = "port-is-asked-once"
    case nothingRemains = "nothing-remains"
    case startsAreSettledOnce = "starts-are-settled-once"
    case startsArePrepared = "starts-are-prepared"
    case slotsInOrder = "slots-in-order"
    case oneVerdictPerLife = "one-verdict-per-life"
    case noEndlessWait = "no-endless-wait"
    case noStartInTheEnd = "no-start-in-the-end"
    case usersWordStands = "users-word-stands"
    case budgetHolds = "budget-holds"
    case shutdownEnds = "shutdown-ends"
    // Against the contract of docs/architecture.md, written down once more.
    case wantedAsCommanded = "wanted-as-commanded"
    case stateAsDocumented = "state-as-documented"
    case stepsAsDocumented = "steps-as-documented"
    case deadlinesAsDocumented = "deadlines-as-documented"
    case verdictAsSeen = "verdict-as-seen"
    case whyTellsTheTruth = "why-tells-the-truth"
    // Health.
    case heartbeatsInTime = "heartbeats-in-time"
    case noFalseAlarm = "no-false-alarm"
    case hangsAreSeen = "hangs-are-seen"
    case memoryIsBounded = "memory-is-bounded"
    case lateCallsAreTold = "late-calls-are-told"
    // Background tasks.
    case tasksKeepTheirRules = "tasks-keep-their-rules"
    case cyclesEnd = "cycles-end"
    case wakesAreMerged = "wakes-are-merged"
    // Users.
    case requestsAreAnsweredOnce = "requests-are-answered-once"
    case oneUserAtATime = "one-user-at-a-time"
    case componentsEndBeforeTheCore = "components-end-before-the-core"
    case loginsAsDocumented = "logins-as-documented"

    /// In a sentence.
    public var promise: String {
        switch self {
        case .oneProcess: "a component has one process at most"
        case .machineKnowsItsProcess: "a process is known from its spawn to its exit, and not a moment longer"
        case .signalsGoToTheLiving: "signals and stop orders go to a process whose exit was not seen"
        case .coreKnowsFirst: "the core knows of the end of a life before anything else happens for its component"
        case .portIsAskedOnce: "a port is told to close, or its end is told, once"
        case .nothingRemains: "a component at rest has no process, port, open start or start slot"
        case .startsAreSettledOnce: "each start that the core asks for is settled once"
        case .startsArePrepared: "nothing is read without a start slot, and nothing spawned without code and port"
        case .slotsInOrder:
            "start slots are given first come, first served, none is lost, and never more than there are"
        case .oneVerdictPerLife: "each life ends with one verdict, in order"
        case .noEndlessWait: "something ends each wait: news that are on their way, or a time limit"
        case .noStartInTheEnd: "nothing starts during a shutdown or a logout"
        case .usersWordStands: "what the user stopped only the user starts"
        case .budgetHolds: "there are no more restarts within the period than the rules allow"
        case .shutdownEnds: "a shutdown or logout ends within the times of the rules, whatever the components do"
        case .wantedAsCommanded: "what is wanted is what the commands and the restart type make of it"
        case .stateAsDocumented: "the state is the one that the documentation says"
        case .stepsAsDocumented: "what is done is what the documentation says, in this order"
        case .deadlinesAsDocumented: "time limits, steps of a stop and delays of restarts come when they are due"
        case .verdictAsSeen: "the cause of an end is the one that was seen"
        case .whyTellsTheTruth: "`why` names what comes next and when"
        case .heartbeatsInTime: "signs of life are asked for, and their absence told, at the times of the rules"
        case .noFalseAlarm: "a component that answers in time is not ended for silence"
        case .hangsAreSeen: "a component that does not answer is ended in time"
        case .memoryIsBounded: "a component over its limit is warned of once, over all limits it is ended"
        case .lateCallsAreTold: "a call of the core that does not answer is told at its limit and at twice each age"
        case .tasksKeepTheirRules:
            "a background task is started if it is permitted, in a window when one is due and the machine is as it wants it"
        case .cyclesEnd: "a cycle of a background task ends at its time"
        case .wakesAreMerged: "wakes while a cycle runs are one more cycle, and no cycle comes without a wake"
        case .requestsAreAnsweredOnce: "each request to log in or out is answered once"
        case .oneUserAtATime: "one user is signed in at a time, whom this run expects"
        case .componentsEndBeforeTheCore: "a user's components are down before the core is made anew"
        case .loginsAsDocumented: "logins and logouts take the steps that the documentation says"
        }
    }
}

/// An invariant that did not hold, and what was seen.
public struct Violation: Error, Equatable, Sendable {
    public let invariant: Invariant
    public let text: String

    init(_ invariant: Invariant, _ text: String) {
        self.invariant = invariant
        self.text = text
    }
}

func require(_ invariant: Invariant, _ holds: Bool, _ text: @autoclosure () -> String) throws(Violation) {
    if !holds { throw Violation(invariant, text()) }
}
