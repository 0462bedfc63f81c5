internal import CSystem
internal import Confinement
internal import EventLoop
internal import Glibc
internal import JSEngine
internal import PortBridge
internal import Wire

/// The life of one component's process: waits for the boot order, runs the component, and ends the process with the
/// code that says why.
final class ComponentHost {
    /// What the component still may do.
    private enum Phase {
        case connected
        /// Bye was sent; the core's acknowledgement is awaited.
        case leaving
        /// The core has closed the data pipe; the supervisor's word is awaited.
        case cutOff
    }

    /// This long after ready, what the start left behind is given back: garbage, some 5 % of the memory that is the process's
    /// own, and code that runs no more, most of what is mapped.
    static let settlingTime = Duration.seconds(2)
    static let byeLimit = Duration.seconds(5)
    static let cutOffLimit = Duration.seconds(2)
    static let lastWordsMilliseconds = 1000

    private let loop: Loop
    private let supervisor: pid_t
    private let generation: UInt64
    private let limit: Timer
    private var phase = Phase.connected
    private var component: Component?
    private var code: ComponentCode?
    /// The component's code, compiled while the core answers and not yet called.
    private var compiled: JSReference?
    private var isRunning = false
    /// It asked for time: it is ready when it says so.
    private var holdsReady = false
    private var isReady = false
    private var callReportedAfter = Duration.zero
    private var callEndedAfter = Duration.zero
    private lazy var status = StatusTeller(on: loop) { [unowned self] in link.send(.status($0)) }
    private var memory: MemoryTeller?
    /// Nil: none are accepted.
    private var faults: ComponentFaults?
    private lazy var link = makeLink()

    init(_ start: StartArguments, on loop: Loop) {
        self.loop = loop
        supervisor = start.supervisor
        generation = start.generation
        limit = Timer(on: loop)
    }

    /// Says hello; the rest is answers to orders.
    func start(warnings: [FirstActs.Warning]) {
        link.send(.hello(version: wireProtocolVersion, generation: generation, pid: UInt32(getpid())))
        for warning in warnings { link.log(.warn, warning) }
    }

    private func makeLink() -> ControlLink {
        do {
            return try ControlLink(
                takingOwnershipOf: StartArguments.controlDescriptor, on: loop,
                onOrder: { [unowned self] in receive($0) },
                onEnd: { [unowned self] end in
                    switch end {
                    case .endOfFile, .failed: quit(.parentGone)
                    case .violation(let how): fail(.protocolViolation, "control pipe: \(how)")
                    }
                })
        } catch {
            // Without a control pipe there is no supervisor to tell.
            quit(.parentGone)
        }
    }

    // MARK: Orders

    private func receive(_ order: ComponentOrder) {
        switch order {
        case .boot(let boot):
            guard component == nil else { fail(.protocolViolation, "control pipe: a second boot order") }
            guard boot.generation == generation else {
                fail(
                    .protocolViolation,
                    "control pipe: boot order of generation \(boot.generation) for generation \(generation)")
            }
            do {
                try self.boot(boot)
            } catch {
                fail(error)
            }
        case .stop:
            stop()
        case .heartbeat(let number):
            do {
                try component?.takeTurn()
            } catch {
                link.log(.error, "heartbeat \(number): \(error)")
                return
            }
            link.send(.heartbeatReply(number))
        case .limits(let limits):
            memory?.tellAbove(limits.tellAbove)
            limitCalls(limits.callReportedAfter, limits.callEndedAfter)
        case .measure(let number, let collecting):
            if collecting { giveBack() }
            link.send(.measured(number, memory?.figures(of: component?.engine) ?? MemoryFigures()))
        case .evaluate(let number, let milliseconds, let text):
            evaluate(number, .milliseconds(Int(milliseconds)), text)
        case .fault(let fault):
            guard let faults else { fail(.protocolViolation, "control pipe: a fault where none are accepted") }
            link.log(.warn, "injected fault \(fault.number): \(fault.kind)")
            faults.inject(fault)
        case .undoFault(let number):
            guard let faults else { fail(.protocolViolation, "control pipe: a fault where none are accepted") }
            faults.undo(number)
        }
    }

    private func evaluate(_ number: UInt32, _ limit: Duration, _ text: String) {
        guard let component, isRunning, phase == .connected else {
            link.send(.evaluated(number: number, value: nil, failure: "it is not running"))
            return
        }
        let timer = Timer(on: loop)
        component.engine.evaluate(untrusted: text, within: limit, timer) { [unowned self] outcome in
            timer.close()
            switch outcome {
            case .value(let value): link.send(.evaluated(number: number, value: value, failure: nil))
            case .failed(let reason): link.send(.evaluated(number: number, value: nil, failure: reason))
            }
        }
    }

    private func boot(_ order: BootOrder) throws(Component.PlatformFailure) {
        let name = order.appDomain + order.entrypoint
        guard let code = ComponentCode(order.code, name: name) else {
            fail(FailureReport(kind: .syntax, message: "\(name): not UTF-8", file: name))
        }
        self.code = code
        let component = try Component(
            order, on: loop,
            events: Component.Events(
                console: { [unowned self] level, line in
                    link.log(ReportedLevel(level), line, place: self.component?.codePlace)
                },
                uncaught: { [unowned self] kind, error in uncaught(kind, error) },
                frame: { [unowned self] kind, body in receive(kind, body) },
                dataEnd: { [unowned self] end in dataEnded(end) },
                disconnect: { [unowned self] in leave() }, host: { [unowned self] in called($0) }))
        self.component = component
        watchLongCalls(on: component.engine)
        limitCalls(order.callReportedAfter, order.callEndedAfter)
        try component.preload()
        limitMemory(order.memory)
        if let sandbox = order.sandbox { confine(sandbox) }
        if order.acceptsFaults {
            faults = ComponentFaults(component.engine, on: loop) { [unowned self] in uncaught(.error, $0) }
        }
        link.send(.preloaded)
        try component.whenConnected { [unowned self] failure in
            if let failure { fail(failure) }
            run(code)
        }
        // While the core answers: what asks it leaves at the end of this turn.
        loop.atNextTurn { [unowned self] in
            guard phase == .connected, !isRunning else { return }
            compiled = JSReference(compile(code))
        }
    }

    /// The engine is there, with all that it begins with, and nothing of the component's.
    private func limitMemory(_ order: MemoryOrder) {
        do {
            let gauge = try MemoryGauge()
            if order.growth > 0 {
                // The first buffer has the engine take 64 MiB of address space, of which it keeps a part.
                try component?.engine.evaluate("new ArrayBuffer(8)", sourceName: "js/boot")
                try gauge.limit(growth: order.growth, reportingTo: StartArguments.controlDescriptor)
            }
            let memory = MemoryTeller(gauge) { [unowned self] in link.send(.holds($0)) }
            memory.tellAbove(order.tellAbove)
            self.memory = memory
            loop.turnEnded = { [unowned loop] in memory.look(at: loop.turnMilliseconds) }
        } catch {
            fail(.sandbox, "\(error)")
        }
    }

    /// Scripts of the platform have run, none of the component has.
    private func confine(_ order: SandboxOrder) {
        do {
            // The engine looks for the machine's time zone when a date is first asked for it.
            if getenv("TZ") == nil {
                try component?.engine.evaluate("new Date().getTimezoneOffset()", sourceName: "js/boot")
            }
            let report = try Confinement.raise(
                order, supervisor: supervisor, refusals: StartArguments.controlDescriptor)
            guard let report else { quit(.parentGone) }
            link.send(.confined(report))
        } catch {
            fail(.sandbox, "\(error)")
        }
    }

    /// The supervisor hears of a call that holds the turn, with its stack, before the call and the component are ended.
    private func watchLongCalls(on engine: JSEngineHost) {
        var isReported = false
        engine.watchLongCalls { [unowned self] call in
            memory?.look(at: loop.now / 1_000_000)
            if call.isFirstLook { isReported = false }
            if !isReported, call.duration >= callReportedAfter {
                isReported = true
                let milliseconds = UInt32(clamping: Int(call.duration / .milliseconds(1)))
                link.send(.busy(milliseconds: milliseconds, stack: call.stack() ?? ""))
            }
            return call.duration < callEndedAfter
                ? nil : "one call ran for \(Int(callEndedAfter / .milliseconds(1))) ms"
        }
    }

    private func limitCalls(_ reportedAfter: UInt32, _ endedAfter: UInt32) {
        callReportedAfter = .milliseconds(Int(reportedAfter))
        callEndedAfter = .milliseconds(Int(endedAfter))
        component?.engine.lookAtCalls(that: min(callReportedAfter, callEndedAfter))
    }

    private func called(_ call: HostCall) {
        guard phase == .connected else { return }
        switch call {
        case .status(let text): status.say(text)
        case .extendStart(let milliseconds):
            guard !isReady else { return }
            holdsReady = true
            link.send(.extendStart(milliseconds: milliseconds))
        case .ready: if isRunning { ready() }
        }
    }

    private func compile(_ code: ComponentCode) -> JSValue {
        guard let component else { preconditionFailure("code was compiled before the boot") }
        do {
            return try code.compile(on: component.engine)
        } catch {
            fail(code.syntaxFailure(error))
        }
    }

    private func run(_ code: ComponentCode) {
        guard phase == .connected, let component else { return }
        isRunning = true
        let function = compiled?.value ?? compile(code)
        compiled = nil
        let engine = component.engine
        do {
            try component.run(
                function, suspended: { [unowned self] in if !holdsReady { ready() } },
                finished: { [unowned self] in ready() },
                failed: { kind, value, promise in engine.report(kind, value, promise: promise) })
        } catch {
            uncaught(.error, error)
        }
    }

    private func ready() {
        guard phase == .connected, !isReady else { return }
        isReady = true
        link.send(.ready)
        limit.start(after: Self.settlingTime) { [unowned self] in giveBack() }
    }

    private func giveBack() {
        component?.engine.collectNow()
        chs_unmap_code()
    }

    // MARK: The data pipe

    private func receive(_ kind: FrameKind, _ body: consuming FrameBody) {
        guard let component else { return }
        switch (kind, phase) {
        case (.envelope, .connected):
            component.port.deliver(body)
        case (.listReply, .connected):
            let reply: ListReply
            do {
                reply = try ListReply(decoding: body.bytes)
            } catch {
                fail(.protocolViolation, "data pipe: \(error)")
            }
            guard component.lists.settle(reply) else {
                fail(.protocolViolation, "data pipe: reply to list call \(reply.call), which is not under way")
            }
        case (.byeAcknowledged, .leaving):
            quit(.closed)
        case (.envelope, .leaving), (.listReply, .leaving), (_, .cutOff):
            return
        case (.byeAcknowledged, .connected):
            fail(.protocolViolation, "data pipe: acknowledges a bye that was not sent")
        case (.listRequest, _), (.bye, _):
            fail(.protocolViolation, "data pipe: a frame of kind \(kind), which only components send")
        }
    }

    private func dataEnded(_ end: DataPipe.End) {
        switch end {
        case .violation(.noMemory(let length)):
            fail(.outOfMemory, "no memory for a message of \(length) bytes")
        case .violation(let error):
            fail(.protocolViolation, "data pipe: \(error)")
        case .endOfFile, .failed:
            // The core is done with this component; if it is because the supervisor is gone, nobody will say so.
            guard phase == .connected else { quit(.closed) }
            phase = .cutOff
            component?.disconnect()
            limit.start(after: Self.cutOffLimit) { [unowned self] in quit(.parentGone) }
        }
    }

    // MARK: The end

    private func stop() {
        guard component != nil else {
            link.send(.closing)
            quit(.closed)
        }
        switch phase {
        case .connected: leave()
        case .leaving: return
        case .cutOff: quit(.closed)
        }
    }

    /// Bye is the last frame: the core handles what was sent before it, and then acknowledges.
    private func leave() {
        guard phase == .connected, let component else { return }
        phase = .leaving
        component.disconnect()
        component.pipe.send(.bye)
        link.send(.closing)
        limit.start(after: Self.byeLimit) { [unowned self] in quit(.closed) }
    }

    private func uncaught(_ kind: UncaughtKind, _ error: JSError) {
        guard phase == .connected, let code else {
            link.log(.error, "after the end of the connection: uncaught \(kind.rawValue): \(error)")
            return
        }
        if error.isTermination { fail(code.loopFailure(error)) }
        if error.isOutOfMemory { fail(code.failure(.outOfMemory, error)) }
        fail(code.failure(kind == .error ? .uncaughtError : .unhandledRejection, error))
    }

    private func fail(_ kind: FailureReport.Kind, _ message: String) -> Never {
        fail(FailureReport(kind: kind, message: message))
    }

    private func fail(_ failure: Component.PlatformFailure) -> Never {
        fail(FailureReport(kind: .engine, message: "\(failure)", file: failure.script, stack: failure.stack))
    }

    /// Tells the supervisor why, delivers what the component had sent if it is to blame for no more than its own end,
    /// and ends the process.
    private func fail(_ report: FailureReport) -> Never {
        link.sendLast(.failure(report), milliseconds: Self.lastWordsMilliseconds)
        if [.uncaughtError, .unhandledRejection, .outOfMemory].contains(report.kind) {
            component?.pipe.flushBeforeExit(milliseconds: Self.lastWordsMilliseconds)
        }
        _exit(ComponentExitCode(report.kind).rawValue)
    }

    private func quit(_ code: ComponentExitCode) -> Never {
        link.sendLast(nil, milliseconds: code == .parentGone ? 0 : Self.lastWordsMilliseconds)
        _exit(code.rawValue)
    }
}

extension ComponentExitCode {
    init(_ kind: FailureReport.Kind) {
        self =
            switch kind {
            case .uncaughtError: .uncaughtError
            case .unhandledRejection: .unhandledRejection
            case .syntax: .syntax
            case .protocolViolation: .protocolViolation
            case .sandbox: .sandbox
            case .engine, .start: .engineMissing
            case .tightLoop: .tightLoop
            case .outOfMemory: .outOfMemory
            }
    }
}
