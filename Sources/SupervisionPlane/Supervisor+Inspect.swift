internal import Configuration
internal import Control
internal import CoreHosting
internal import EventLoop
internal import Glibc
internal import Supervision

/// A request that waits a moment for fresh figures: a turn of the component's JavaScript, and the core's account.
final class Inspection {
    private var waitsForTurn: Bool
    private var waitsForCore = true
    private let limit: Timer
    private var done: (() -> Void)?

    /// - Parameter done: called once: when all has come, or after `time`.
    init(waitingForTurn: Bool, atMost time: Duration, on loop: Loop, done: @escaping () -> Void) {
        waitsForTurn = waitingForTurn
        self.done = done
        limit = Timer(on: loop)
        // Holds this object until it has fired or is closed.
        limit.startBehindArrivals(after: time) { self.finish() }
    }

    func gotTurn() {
        waitsForTurn = false
        finishIfComplete()
    }

    func gotFigures() {
        waitsForCore = false
        finishIfComplete()
    }

    private func finishIfComplete() { if !waitsForTurn, !waitsForCore { finish() } }

    func finish() {
        guard let done else { return }
        self.done = nil
        limit.close()
        done()
    }
}

/// `inspect` and `ps`.
extension Supervisor {
    /// An answer does not wait longer for what a busy component or core does not tell.
    private static let inspectionTime = Duration.milliseconds(200)

    func inspect(_ driver: ComponentDriver, _ exchange: ControlExchange) {
        guard phase == .running, driver.isRunning, let connector = driver.machine.connectorID else {
            exchange.reply(whole(driver))
            return
        }
        var forget: (() -> Void)?
        let inspection = Inspection(waitingForTurn: true, atMost: Self.inspectionTime, on: loop) {
            [unowned self] in
            forget?()
            exchange.reply(whole(driver))
        }
        driver.wait(inspection)
        forget = { [weak inspection] in if let inspection { driver.forget(inspection) } }
        ask({ .figures(number: $0, connector: connector) }) { [weak inspection] _ in inspection?.gotFigures() }
        // Answered before the turn is: an engine that is asked for its figures first shows them in this reply.
        measure(driver, collecting: false) { _ in }
        askForTurn(driver)
    }

    private func whole(_ driver: ComponentDriver) -> InspectReply {
        var reply = inspect(driver)
        reply.details = InspectDetails(
            spec: spec(driver), timers: timers(driver), engine: engine(driver), ports: driver.ports.ledgers,
            history: verdicts(driver))
        return reply
    }

    private func spec(_ driver: ComponentDriver) -> [InspectDetails.Setting] {
        let kind: RestartType = driver.info.startsWithSystem ? .permanent : .temporary
        let settings = configuration.settings(for: driver.id, restart: driver.info.restart ?? kind)
        return settings.map { setting in
            let isFromManifest = setting.origin == nil && setting.name == "restart" && driver.info.restart != nil
            let from = setting.origin.map { "components.\"\($0)\"" } ?? (isFromManifest ? "manifest" : "default")
            return InspectDetails.Setting(
                key: setting.name, value: setting.value, from: from,
                file: setting.origin == nil ? nil : configuration.file, line: setting.line)
        }
    }

    private func timers(_ driver: ComponentDriver) -> [InspectDetails.PendingTimer] {
        let name =
            switch driver.machine.state {
            case .starting: "start-timeout"
            case .closing: "stop-grace"
            case .waiting: "restart"
            case .down, .running, .failed: driver.machine.state.name
            }
        return [(name, driver.machine.deadline), ("heartbeat", driver.heartbeat.deadline)].compactMap { name, at in
            at.map { InspectDetails.PendingTimer(name: name, due: Double(($0 - now).nanoseconds) / 1e9) }
        }
    }

    private func engine(_ driver: ComponentDriver) -> InspectDetails.Engine? {
        guard driver.isRunning else { return nil }
        return InspectDetails.Engine(
            lag: driver.lag.map(\.inSeconds), silentFor: driver.heartbeat.askedAt.map { (now - $0).inSeconds },
            openCalls: driver.traffic.openCalls)
    }

    var ps: PsReply {
        var reply = PsReply(components: allDrivers.map(row))
        reply.supervisor = PsReply.SupervisorRow(
            pid: Int(getpid()), uptime: (now - startedAt).inSeconds, memory: ProcessFigures.residentMemory(getpid()),
            threads: KernelView.threadNames(), zygote: zygote?.pid.map(Int.init))
        return reply
    }
}

extension Duration {
    var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
