internal import Control
internal import CoreHosting
internal import EventLoop
internal import Faults
internal import Glibc
internal import Logging
internal import Supervision

/// The supervisor behind the control socket.
extension Supervisor: ControlService {
    func handle(_ request: ControlRequest, _ exchange: ControlExchange) {
        followAllDeaths()
        do throws(ControlError) {
            switch request {
            case .ps: exchange.reply(ps)
            case .status: exchange.reply(status)
            case .version: exchange.reply(BuildVersion.reply)
            case .inspect(let id): inspect(try find(id), exchange)
            case .deaths(let id, let number): try deaths(id, number, exchange)
            case .why(let id): exchange.reply(why(try find(id)))
            case .logs(let request): try logs(request, exchange)
            case .events(let request): try events(request, exchange)
            case .doctor: exchange.reply(diagnosis)
            case .eval(let request): try evaluate(request, exchange)
            case .audit(let lines): exchange.reply(AuditReply(records: auditTrail.last(lines)))
            case .start(let id): start(try find(id), exchange)
            case .stop(let id): stop(try find(id), exchange)
            case .restart(let id): restart(try find(id), exchange)
            case .kill(let id, let signal): try kill(try find(id), signal, exchange)
            case .tasks: exchange.reply(tasks)
            case .wake(let task): try wake(task, exchange)
            case .call(let app, let service, let method, let arguments):
                try call(app, service, method, arguments, exchange)
            case .users: try askCore(.users, exchange, as: UsersReply.self)
            case .signup(let address, let password): try logIn(.signUp, address, password, exchange)
            case .login(let address, let password): try logIn(.signIn, address, password, exchange)
            case .logout: logOut(exchange)
            case .autologin(let on): try autologin(on, exchange)
            case .openURL(let url): try openURL(url, exchange)
            case .apps(let request): try apps(request, exchange)
            case .reload: reload(exchange)
            case .fault(let request): try fault(request, exchange)
            case .shutdown:
                exchange.reply(ShutdownReply(pid: Int(getpid())))
                shutdown()
            }
        } catch {
            exchange.fail(error)
        }
    }

    func audit(_ entry: AuditEntry) {
        say(.info, "audit: \(entry.text)", entry.fields)
        note(entry)
        auditTrail.append(entry)
    }

    func report(_ text: String, caller: Peer?) {
        say(.warning, text, ["pid": caller.map { "\($0.pid)" }, "uid": caller.map { "\($0.uid)" }])
    }

    // MARK: Ids

    /// In the order of the catalog.
    var allDrivers: [ComponentDriver] { order.compactMap { drivers[$0] } }

    /// An id, a connector, an app with one component, or a unique prefix of any of them.
    func find(_ name: String) throws(ControlError) -> ComponentDriver {
        if let exact = allDrivers.first(where: { "\($0.id)" == name || $0.machine.connectorID == name }) {
            return exact
        }
        let inApp = allDrivers.filter { $0.id.appDomain == name }
        if inApp.count == 1 { return inApp[0] }
        let matches =
            inApp.isEmpty
            ? allDrivers.filter { "\($0.id)".hasPrefix(name) || $0.machine.connectorID?.hasPrefix(name) == true }
            : inApp
        guard let first = matches.first, !name.isEmpty else {
            try requireLogin()
            let app = name.prefix { $0 != "/" }
            throw .noSuchComponent(name, problems: problems.filter { $0.appDomain == app }.map(\.message))
        }
        guard matches.count == 1 else { throw .ambiguous(name, candidates: matches.map { "\($0.id)" }) }
        return first
    }

    // MARK: Commands

    var notRunning: ControlError {
        phase == .booting
            ? ControlError(.refused, "the platform is booting; `corehost status` shows when it runs")
            : ControlError(.refused, "the platform is shutting down; start it again with `corehost run`")
    }

    private func requester(_ exchange: ControlExchange) -> Requester {
        .user("process \(exchange.caller.pid), uid \(exchange.caller.uid)")
    }

    private func start(_ driver: ComponentDriver, _ exchange: ControlExchange) {
        schedule(.startedByUser(driver.id))
        let isUp = if case .running = driver.machine.state { driver.machine.wanted == .up } else { false }
        command(.start(by: requester(exchange)), isUp ? .running(atLeast: 0) : nil, driver, exchange)
    }

    private func restart(_ driver: ComponentDriver, _ exchange: ControlExchange) {
        schedule(.startedByUser(driver.id))
        command(.restart(by: requester(exchange)), nil, driver, exchange)
    }

    private func stop(_ driver: ComponentDriver, _ exchange: ControlExchange) {
        command(.stop(by: requester(exchange)), .down, driver, exchange)
    }

    /// Hands the command to the machine, and answers when the goal is reached; nil = running in a life that begins with
    /// this command or is beginning already.
    private func command(
        _ event: ComponentEvent, _ goal: Waiter.Goal?, _ driver: ComponentDriver, _ exchange: ControlExchange
    ) {
        do throws(ControlError) {
            try requireLogin()
        } catch {
            exchange.fail(error)
            return
        }
        let isStarting = if case .starting = driver.machine.state { true } else { false }
        let next = driver.machine.generation + (isStarting ? 0 : 1)
        deliver(event, to: driver.id)
        driver.waiters.append(
            Waiter(goal: goal ?? .running(atLeast: next)) { [unowned self, unowned driver] outcome in
                switch outcome {
                case .success: exchange.reply(ComponentReply(component: row(driver)))
                case .failure(let failure):
                    exchange.fail(
                        ControlError(.failed, "\(driver.id): \(failure.reason); see `corehost inspect \(driver.id)`"))
                }
            })
        answerWaiters(driver)
    }

    func answerWaiters(_ driver: ComponentDriver) {
        let waiters = driver.waiters
        driver.waiters = []
        for waiter in waiters {
            if let outcome = waiter.outcome(driver.machine) {
                waiter.done(outcome)
            } else {
                driver.waiters.append(waiter)
            }
        }
    }

    private func kill(
        _ driver: ComponentDriver, _ signal: KillSignal, _ exchange: ControlExchange
    ) throws(ControlError) {
        guard driver.machine.pid != nil else {
            throw ControlError(
                .refused, "\(driver.id) has no process (it is \(driver.machine.state.name)); nothing to kill")
        }
        let pause = faults?.book.inForce.first { $0.kind == .pause && $0.held.contains(driver.id) }
        if let pause, signal.number == SIGCONT {
            throw ControlError(
                .refused,
                "fault \(pause.id) holds \(driver.id); end it with `corehost fault clear \(pause.id)`, so that it is not"
                    + " in force without effect")
        }
        deliver(.kill(signal: signal.number, by: requester(exchange)), to: driver.id)
        exchange.reply(ComponentReply(component: row(driver)))
    }

    private func call(
        _ app: String, _ service: String, _ method: String, _ arguments: [JSONValue], _ exchange: ControlExchange
    ) throws(ControlError) {
        try requireLogin()
        let request = ServiceCall(
            appDomain: app, service: service, method: method, argumentsJSON: JSONWriter.text(.array(arguments)))
        let forget = call(request) { outcome in
            switch outcome {
            case .returned(let json): exchange.reply(CallReply(result: Self.parse(json)))
            case .rejected(let exception): exchange.fail(.callRejected(Self.parse(exception)))
            case .refused(let reason): exchange.fail(ControlError(.refused, reason))
            }
        }
        exchange.onGone = forget
    }

    /// JSON that the engine has written.
    static func parse(_ json: String) -> JSONValue {
        do {
            return try JSONParser.parse(json)
        } catch {
            return .string(json)
        }
    }
}
