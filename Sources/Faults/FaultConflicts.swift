internal import Glibc

/// Which kinds do not go together on one component.
enum FaultConflicts {
    private static let inChild: Set<FaultKind> = [
        .exit, .uncaughtError, .unhandledRejection, .tightLoop, .stalledLoop, .microtaskLoop, .memoryGrowth,
        .descriptorExhaustion,
    ]
    private static let loops: Set<FaultKind> = [.tightLoop, .stalledLoop, .microtaskLoop]

    private static let ports: Set<FaultKind> = [
        .portDelay, .portBandwidth, .portCut, .portCorrupt, .portRepeat, .portSwap, .portClose, .portStopReading,
    ]

    private static let network: Set<FaultKind> = [.networkGone, .httpError, .httpDelay]

    private static let rules: [(Set<FaultKind>, Set<FaultKind>, String)] = [
        ([.pause], inChild, "a process that is stopped can do nothing else"),
        (loops, inChild, "a process whose loop gets no turn can do nothing else"),
        (ports, ports, "a port has one fault at a time"),
        ([.diskFull], [.diskSlow], "the disk has one fault at a time"),
        (network, network, "the network has one fault at a time"),
        ([.spawnRefused], [.slowStart, .startCrash], "without a process there is no start to go wrong"),
    ]

    /// Why the two contradict or overlap on a component that both choose; nil: they go together.
    static func reason(_ new: Fault, _ newKind: FaultKind, _ old: FaultKind) -> String? {
        if new == .signal(SIGCONT), old == .pause { return "it would end the pause behind its back" }
        return reason(newKind, old)
    }

    private static func reason(_ new: FaultKind, _ old: FaultKind) -> String? {
        if new == old { return new.manner == .once ? nil : "it is in force there already" }
        return rules.first { ($0.0.contains(new) && $0.1.contains(old)) || ($0.0.contains(old) && $0.1.contains(new)) }?
            .2
    }
}
