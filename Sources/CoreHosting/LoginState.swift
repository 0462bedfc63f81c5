/// Whether a user is signed in at the core, who waits for that, and what is to be opened then.
final class LoginState {
    enum State: Equatable {
        case notLoggedIn
        case loggingIn
        case loggedIn(userId: String)
    }

    private(set) var state = State.notLoggedIn
    private var loginWaiters: [(number: UInt64, resume: (String) -> Void)] = []
    private var lastNumber: UInt64 = 0
    private(set) var appToOpenAfterLogin: String?

    var loggedUserId: String? { if case .loggedIn(let userId) = state { userId } else { nil } }

    var isUserLoggedIn: Bool { loggedUserId != nil }

    var waiterCount: Int { loginWaiters.count }

    /// Resumes the caller once a user is signed in: now, if one is. A login that fails leaves waiters to the next one. The
    /// function that it gives takes the caller off the list; harmless at any time.
    @discardableResult
    func awaitLoginInProgress(_ resume: @escaping (_ userId: String) -> Void) -> () -> Void {
        if let loggedUserId {
            resume(loggedUserId)
            return {}
        }
        lastNumber += 1
        let number = lastNumber
        loginWaiters.append((number, resume))
        return { [weak self] in self?.loginWaiters.removeAll { $0.number == number } }
    }

    func loginBegins() { if state == .notLoggedIn { state = .loggingIn } }

    func loginFailed() { if state == .loggingIn { state = .notLoggedIn } }

    /// Resumes all waiters, in the order in which they came. False when that user, or another, is signed in already:
    /// then nothing happens.
    @discardableResult
    func notifySignedIn(userId: String) -> Bool {
        guard loggedUserId == nil else { return false }
        state = .loggedIn(userId: userId)
        // One by one: whoever leaves while others are resumed does not want to know.
        while !loginWaiters.isEmpty { loginWaiters.removeFirst().resume(userId) }
        return true
    }

    func loggedOut() { state = .notLoggedIn }

    /// Remembers the domain, the last one given; the start-up app and the launcher open anyway.
    func setAppToOpenAfterLogin(_ domain: String) {
        if domain != SystemApp.startup, domain != SystemApp.launcher { appToOpenAfterLogin = domain }
    }

    func takeAppToOpenAfterLogin() -> String? {
        defer { appToOpenAfterLogin = nil }
        return appToOpenAfterLogin
    }
}

/// Apps that the platform itself opens.
enum SystemApp {
    /// Sign-in and sign-up.
    static let startup = "startup.app.privacysafe.io"
    static let launcher = "launcher.app.privacysafe.io"
}
