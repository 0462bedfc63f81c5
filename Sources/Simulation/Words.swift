import Supervision

/// Events and actions as a trace has them.
enum Words {
    static func of(_ event: ComponentEvent) -> String {
        switch event {
        case .start(let by): "start by \(by)"
        case .stop(let by): "stop by \(by)"
        case .restart(let by): "restart by \(by)"
        case .kill(let signal, let by): "kill \(signalName(signal)) by \(by)"
        case .shutdown(let fast): fast ? "fast shutdown" : "shutdown"
        case .logout: "logout"
        case .startRequested(let connector): "the core asks for a start at \(connector)"
        case .launchFailed: "the core refuses the launch"
        case .prepared(let connector): "\(connector) is prepared"
        case .prepareFailed(let connector, let fault): "\(connector) is not prepared: \(Contract.cause(fault).rawValue)"
        case .portClosed(let connector, let end): "port \(connector) closed: \(of(end))"
        case .slotGranted: "slot granted"
        case .spawned(let pid): "spawned \(pid)"
        case .spawnFailed(let errno, _): "spawn refused: errno \(errno)"
        case .hello: "hello"
        case .preloaded: "preloaded"
        case .startExtended(let by): "needs \(by.text) more to start"
        case .ready: "ready"
        case .failureReported(let report): "reports \(report.kind.rawValue)"
        case .closingReported: "says bye"
        case .protocolViolated: "breaks the protocol"
        case .hung(let hang): "silent for \(hang.silentFor.text)"
        case .fatalSignal(let fatal): "says that \(signalName(fatal.signal)) ends it"
        case .kernelSaid: "the kernel's word on its end"
        case .overMemory(let over): "holds \(over.held.sizeText)"
        case .faultApplied(let fault): "\(fault) is applied"
        case .faultUndone(let id): "injected fault \(id) is undone"
        case .exited(let status): "exited: \(status)"
        case .tick: "timer"
        }
    }

    private static func of(_ end: PortEnd) -> String {
        switch end {
        case .bye: "bye"
        case .endOfFile(let partial): partial == 0 ? "its end" : "its end, \(partial) bytes of a frame"
        case .violation: "broken protocol"
        case .byPlatform: "by the platform"
        }
    }

    static func of(_ action: ComponentAction) -> String {
        switch action {
        case .askCoreToLaunch: "ask the core to launch"
        case .requestSlot: "ask for a slot"
        case .releaseSlot: "give back the slot"
        case .prepare(let connector): "prepare \(connector)"
        case .spawn(let connector, let generation): "spawn life \(generation) at \(connector)"
        case .settleStart(let connector, .ready): "settle \(connector): ready"
        case .settleStart(let connector, .failed(let verdict)): "settle \(connector): \(verdict.cause.rawValue)"
        case .refuseStart(let connector, let refusal): "refuse \(connector): \(refusal.rawValue)"
        case .sendStop: "order to stop"
        case .closePort(let connector): "close port \(connector)"
        case .tellCoreExited(let connector): "tell the core of the end at \(connector)"
        case .signal(let number): "send \(signalName(number))"
        case .record(let verdict, let generation): "verdict of life \(generation): \(verdict.cause.rawValue)"
        case .forget: "forget"
        }
    }

    static func of(_ deed: Contract.Deed) -> String {
        switch deed {
        case .do(let action): of(action)
        case .settle(let connector, let cause): "settle \(connector): \(cause?.rawValue ?? "ready")"
        case .record(let cause, let generation): "verdict of life \(generation): \(cause.rawValue)"
        }
    }

    /// `1:02:03.000456`, with more digits where there are any.
    static func of(_ time: Instant) -> String {
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = rest % 1000 == 0 ? digits(rest / 1000, 6) : digits(rest, 9)
        return "\(seconds / 3600):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2)).\(fraction)"
    }
}
