internal import Control
internal import CoreHosting
internal import Secrets
internal import Supervision

/// Requests about users.
extension Supervisor {
    /// What needs a user's components says before a login how to log in.
    func requireLogin() throws(ControlError) {
        guard phase == .running else { throw notRunning }
        switch login.state {
        case .loggedIn: return
        case .booting, .loggingIn:
            throw ControlError(.refused, "a login is under way; `corehost status` shows when it is done")
        case .closingComponents, .renewingCore, .ended: throw ControlError(.refused, "\(LoginRefusal.logoutUnderWay)")
        case .stuck(let reason): throw ControlError(.refused, "\(LoginRefusal.stuck(reason))")
        case .notLoggedIn:
            throw ControlError(
                .refused, "nobody is logged in; log in with `corehost login ADDRESS`, `corehost users` lists whom")
        }
    }

    func logIn(
        _ kind: LoginKind, _ address: String, _ password: Secret, _ exchange: ControlExchange
    ) throws(ControlError) {
        if let problem = Address.problem(address) {
            throw ControlError(.usage, "\"\(address.prefix(80))\" \(problem)")
        }
        if password.count == 0 { throw ControlError(.usage, "the password is empty") }
        let number = number(for: exchange)
        passwords[number] = password
        handle(.asked(number, kind, address: address))
        // Whether it was taken or refused, it is nobody's any more.
        passwords[number] = nil
    }

    func logOut(_ exchange: ControlExchange) { handle(.logoutAsked(number(for: exchange))) }

    /// The number under which the request is answered. A client that leaves is forgotten; what it began goes on.
    private func number(for exchange: ControlExchange) -> UInt64 {
        lastLogin += 1
        let number = lastLogin
        loginExchanges[number] = LoginExchange(exchange: exchange)
        exchange.onGone = { [weak self] in self?.loginExchanges[number] = nil }
        return number
    }

    func autologin(_ on: Bool?, _ exchange: ControlExchange) throws(ControlError) {
        if options.isLocal { throw ControlError(.refused, "\(LoginRefusal.localRun)") }
        if on == true { try requireLogin() }
        try askCore(.autologin(on: on), exchange, as: AutologinReply.self)
    }

    func openURL(_ url: String, _ exchange: ControlExchange) throws(ControlError) {
        guard phase == .running else { throw notRunning }
        answer(exchange, as: OpenURLReply.self) { .openURL(number: $0, url) }
    }

    func askCore<Reply: JSONShape>(
        _ question: CoreQuestion, _ exchange: ControlExchange, as reply: Reply.Type
    ) throws(ControlError) {
        guard phase == .running else { throw notRunning }
        answer(exchange, as: reply) { .ask(number: $0, question) }
    }

    private func answer<Reply: JSONShape>(
        _ exchange: ControlExchange, as reply: Reply.Type, _ request: (UInt64) -> CoreRequest
    ) {
        let forget = ask(request) { outcome in
            switch outcome {
            case .returned(let json):
                do throws(JSONShapeError) {
                    exchange.reply(try Reply(json: Self.parse(json)))
                } catch {
                    exchange.fail(ControlError(.failed, "the core's answer cannot be read: \(error)"))
                }
            case .rejected(let exception):
                let reason = Self.parse(exception)["message"]?.string ?? "the core gives no reason"
                exchange.fail(ControlError(.failed, reason))
            case .refused(let reason): exchange.fail(ControlError(.refused, reason))
            }
        }
        exchange.onGone = forget
    }
}
