internal import JSEngine
internal import Supervision

/// Signing in and out. The core tells of a signed-in user on one way, `waitForSignedInUser`, whoever signed him in: a
/// request, the device's key, or a page.
extension CoreSession {
    /// The core is there: made for the first time, or anew.
    func coreIsMade(_ start: CoreHost.Start) {
        waitForSignedInUser()
        guard let host else { return }
        switch start.state {
        case .loggedIn: tell(.coreReady(.waiting, ports: host.engine.portNames, problem: nil))
        case .waiting: tell(.coreReady(.waiting, ports: host.engine.portNames, problem: start.problem))
        case .loggingIn(let userId):
            login.loginBegins()
            tell(.coreReady(.cached(userId: userId), ports: host.engine.portNames, problem: nil))
            host.finishAutologin(news: { [tell] in tell(.loginNews(0, $0)) }) { [unowned self] result in
                guard !isStopped else { return }
                switch result {
                case .success(nil): break
                case .success(let problem?): attemptFailed(0, .failed(problem))
                case .failure(let error): attemptFailed(0, .failed(error.plainReason))
                }
            }
        }
    }

    private func waitForSignedInUser() {
        host?.waitForSignedInUser { [unowned self] result in
            guard !isStopped else { return }
            switch result {
            case .success(let userId): notifySignedIn(userId: userId)
            case .failure(let error): tell(.console(.error, "waiting for a user: \(error)"))
            }
        }
    }

    func notifySignedIn(userId: String) {
        guard let host, login.notifySignedIn(userId: userId) else { return }
        do throws(CoreError) {
            watchSleep()
            tell(.signedIn(userId: userId, try host.listComponents()))
            // The supervision plane hears of the components that these start after it has heard of the user.
            try host.giveStartupCommands()
        } catch {
            tell(.bootFailed(step: "sign-in", reason: "\(error)"))
            return
        }
        openWhatWaitedForLogin()
    }

    func signIn(_ request: SignInRequest) {
        guard let host else { return }
        login.loginBegins()
        let news: (LoginProgress) -> Void = { [tell] in tell(.loginNews(request.number, $0)) }
        host.signIn(request, news: news) { [unowned self] result in
            guard !isStopped else { return }
            switch result {
            case .success(nil): break
            case .success(let refusal?): attemptFailed(request.number, refusal)
            case .failure(let error): attemptFailed(request.number, .failed(error.plainReason))
            }
        }
    }

    private func attemptFailed(_ number: UInt64, _ refusal: LoginRefusal) {
        login.loginFailed()
        tell(.attemptFailed(number, refusal))
    }

    /// After the last component: closes the core and makes it anew.
    func renew() {
        guard let host else { return }
        pages?.closeAll()
        login.loggedOut()
        host.logout { [unowned self] result in
            guard !isStopped else { return }
            switch result {
            case .success:
                waitForSignedInUser()
                tell(.renewed)
            case .failure(let error): tell(.notRenewed(reason: error.plainReason))
            }
        }
    }

    func answer(_ question: CoreQuestion, _ number: UInt64) {
        host?.ask(question) { [unowned self] in tell(.called(number: number, outcome($0))) }
    }
}
