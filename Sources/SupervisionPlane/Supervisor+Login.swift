internal import Control
internal import CoreHosting
internal import EventLoop
internal import Logging
internal import Supervision

/// Logins and logouts: performs what `LoginMachine` says.
extension Supervisor {
    /// A request that waits for a login or a logout.
    struct LoginExchange {
        let exchange: ControlExchange
        /// The last share of the password's work that was told, so that each is told once.
        var percent = -1
    }

    var loginName: String {
        switch login.state {
        case .booting: options.isLocal ? "logging-in" : "not-logged-in"
        case .loggingIn: "logging-in"
        case .loggedIn, .closingComponents: "logged-in"
        case .notLoggedIn, .renewingCore, .stuck, .ended: "not-logged-in"
        }
    }

    func handle(_ event: LoginMachine.Event) {
        let before = login.state
        let actions = login.handle(event, at: now)
        // Before they are performed: that may bring the next event.
        if login.state != before { loginChanged() }
        for action in actions { perform(action) }
    }

    private func perform(_ action: LoginMachine.Action) {
        switch action {
        case .attempt(let number, let kind, let address):
            guard let password = passwords.removeValue(forKey: number) else { return }
            say(.notice, "login begins", ["user": address])
            core?.send(
                .signIn(SignInRequest(number: number, kind: kind, address: address, password: password)))
        case .accept(let number, let userId):
            answer(number) { $0.reply(LoginReply(user: userId, login: "logged-in")) }
        case .refuse(let number, let refusal):
            passwords[number] = nil
            answer(number) { $0.fail(ControlError(Self.exitCode(of: refusal), "\(refusal)")) }
        case .startComponents: schedule(.loggedIn(taskSpecs))
        case .closeComponents:
            schedule(.loggedOut)
            for id in order { deliver(.logout, to: id) }
            logOutIfAllAreDown()
        case .renewCore:
            forgetCatalog()
            core?.send(.renew)
        case .loggedOut(let number, let userId):
            answer(number) { $0.reply(LoginReply(user: userId, login: "not-logged-in")) }
            if closesAfterLogout { shutdown() }
        case .reject(let userId, let refusal):
            loginProblem = "\(refusal)"
            say(.error, "login refused", ["user": userId, "reason": "\(refusal)"])
            journal.record(.loginRefused, ["user": userId, "reason": "\(refusal)"])
        }
    }

    private static func exitCode(of refusal: LoginRefusal) -> ExitCode {
        if case .failed = refusal { .failed } else { .refused }
    }

    private func answer(_ number: UInt64, _ body: (ControlExchange) -> Void) {
        if let waiting = loginExchanges.removeValue(forKey: number) { body(waiting.exchange) }
    }

    private func loginChanged() {
        tellStatus()
        noteLogin()
        switch login.state {
        case .notLoggedIn where !options.isLocal:
            say(
                .notice, "platform waits for a login",
                [
                    "log in": "corehost login ADDRESS", "sign up": "corehost signup ADDRESS",
                    "socket": options.socketPath,
                ])
        case .loggingIn(let attempt) where attempt.kind == .automatic:
            say(.notice, "login begins", ["user": attempt.address, "by": "the device's key"])
        case .loggedIn(let userId):
            say(
                .notice, "platform running",
                ["user": userId, "components": "\(drivers.count)", "socket": options.socketPath])
        case .closingComponents(let userId): say(.notice, "logout begins", ["user": userId])
        case .renewingCore(let leaving?): say(.notice, "logged out", ["user": leaving])
        case .stuck(let reason): say(.critical, "the core could not be made anew", ["reason": reason])
        case .booting, .notLoggedIn, .loggingIn, .renewingCore, .ended: break
        }
    }

    /// A system app's wish: number 0, for nobody waits for its answer.
    func logOut(closingPlatform: Bool) {
        say(.notice, "a system app logs the user out", ["closes the platform": "\(closingPlatform)"])
        if closingPlatform, options.isLocal { return shutdown() }
        closesAfterLogout = closingPlatform && login.userId != nil
        handle(.logoutAsked(0))
    }

    func signedIn(_ userId: String, _ catalog: Catalog) {
        guard phase == .running else { return }
        loginProblem = nil
        if login.awaitsUser { adopt(catalog) }
        handle(.signedIn(userId: userId))
    }

    /// With every event of a component's: the last one that is down lets the core be closed.
    func logOutIfAllAreDown() {
        if case .closingComponents = login.state, allAreDown { handle(.componentsDown) }
    }

    func loginNews(_ number: UInt64, _ progress: LoginProgress) {
        switch progress {
        case .percent(let percent):
            guard let last = loginExchanges[number]?.percent, last != percent else { return }
            loginExchanges[number]?.percent = percent
            loginExchanges[number]?.exchange.send(LoginNews(percent: percent))
        case .message(let message):
            say(.info, "login goes on: \(message)")
            loginExchanges[number]?.exchange.send(LoginNews(message: message))
        }
    }

    // MARK: Calls of the core that answer later

    func coreCallBegan(_ number: UInt64, _ name: String, _ limit: Duration) {
        coreCalls.began(number, name, limit: limit, at: now)
        armCoreCallTimer()
    }

    func coreCallEnded(_ number: UInt64) {
        if let late = coreCalls.ended(number, at: now) {
            say(.notice, "a call of the core has answered after all", ["call": late.name, "after": late.age.text])
        }
        armCoreCallTimer()
    }

    private func armCoreCallTimer() {
        guard phase != .closing, let deadline = coreCalls.deadline else {
            coreCallTimer.stop()
            return
        }
        coreCallTimer.startBehindArrivals(after: deadline - now) { [unowned self] in
            for call in coreCalls.tick(at: now) {
                say(.warning, "a call of the core does not answer", ["call": call.name, "for": call.age.text])
                journal.record(.coreCallLate, ["call": call.name, "for": call.age.text])
            }
            armCoreCallTimer()
        }
    }
}
