import Supervision

/// Leads a machine to where a test begins. Times are seconds from 0.
struct MachineDriver {
    var machine: ComponentMachine
    var random = 0.5

    init(_ restart: RestartType = .permanent, instance: Int = 0, change: (inout RestartPolicy) -> Void = { _ in }) {
        var policy = RestartPolicy(restart: restart)
        policy.backoff.jitter = 0
        change(&policy)
        let id = ComponentID(appDomain: "a.b", entrypoint: "/c.mjs", instance: instance)
        machine = ComponentMachine(ComponentSpec(id: id, policy: policy))
    }

    @discardableResult
    mutating func at(_ seconds: Double, _ event: ComponentEvent) -> [ComponentAction] {
        machine.handle(event, at: t(seconds), random: random)
    }

    /// The way from a launch that was asked for to ready.
    mutating func becomeReady(_ seconds: Double, _ connector: String, pid: Int32 = 7) {
        for event in Self.boot(connector, pid: pid) { at(seconds, event) }
    }

    static func boot(_ connector: String, pid: Int32 = 7) -> [ComponentEvent] {
        [
            .startRequested(connector: connector), .slotGranted, .prepared(connector: connector), .spawned(pid: pid),
            .hello, .preloaded, .ready,
        ]
    }

    /// The two facts that end a life.
    @discardableResult
    mutating func die(
        _ seconds: Double, _ connector: String, _ status: ExitStatus, _ end: PortEnd = .endOfFile(partialFrame: 0)
    ) -> [ComponentAction] {
        at(seconds, .exited(status)) + at(seconds, .portClosed(connector: connector, end))
    }
}

func t(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }

let user = Requester.user("pid 12")
