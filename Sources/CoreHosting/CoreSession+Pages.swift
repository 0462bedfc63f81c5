internal import Supervision

/// Opening apps' pages, by section 7 of the platform's rules, and URLs that lead to them.
extension CoreSession {
    func makePages(_ host: CoreHost) -> GUIComponents {
        GUIComponents(
            launchApp: { try host.launchApp($0) },
            opened: { [tell] handle in tell(.userInterface(.startActivity(connector: handle.connectorId, handle.id))) },
            closed: { [unowned self] handle in
                attempt("closing the page of \(handle.id)") { host throws(CoreError) in
                    try host.componentClosed(connectorId: handle.connectorId, cause: "its page was closed")
                }
            })
    }

    /// Where a page's loading has led.
    enum Loaded {
        case page(GUIComponentHandle)
        /// A login is under way; the launcher opens after it.
        case afterLogin
    }

    /// Does what the route says, to its end.
    @discardableResult
    func loadComponent(appDomain: String) throws -> Loaded {
        switch Route.of(appDomain, isLoggedIn: isUserLoggedIn) {
        case .redirectToLauncher: return try loadComponent(appDomain: SystemApp.launcher)
        case .redirectToStartup(let domain):
            if let domain { login.setAppToOpenAfterLogin(domain) }
            return try loadComponent(appDomain: SystemApp.startup)
        case .getOrCreateGUIComponent:
            guard let handle = try pages?.getOrCreateGUIComponent(appDomain: appDomain) else {
                openLauncherAfterLogin()
                return .afterLogin
            }
            return .page(handle)
        }
    }

    /// One waiter is enough, however many pages were asked for.
    private func openLauncherAfterLogin() {
        guard login.waiterCount == 0 else { return }
        login.awaitLoginInProgress { [unowned self] _ in open(SystemApp.launcher) }
    }

    /// A page that nobody waits for.
    private func open(_ appDomain: String) {
        do {
            try loadComponent(appDomain: appDomain)
        } catch {
            tell(.console(.warning, "\(appDomain) does not open: \(error)"))
        }
    }

    /// What was remembered before the login: a URL, or the page of an app.
    func openWhatWaitedForLogin() {
        let app = login.takeAppToOpenAfterLogin()
        guard let url = urlAfterLogin else {
            if let app { open(app) }
            return
        }
        urlAfterLogin = nil
        openURL(url) { [tell] outcome in
            switch outcome {
            case .returned: break
            case .rejected(let reason), .refused(let reason):
                tell(.console(.warning, "the URL that was to be opened after the login: \(reason)"))
            }
        }
    }

    func openURL(_ url: String, done: @escaping (CallOutcome) -> Void) {
        guard let host else { return }
        guard isUserLoggedIn else {
            done(keepForLogin(url, host))
            return
        }
        host.processURL(url) { [unowned self] result in
            switch result {
            case .failure(let error): done(.refused(error.plainReason))
            case .success(let processed) where processed.isDone:
                done(.returned(Self.answer(processed.appDomain, "command-started")))
            case .success(let processed): done(page(of: processed.appDomain))
            }
        }
    }

    private func keepForLogin(_ url: String, _ host: CoreHost) -> CallOutcome {
        do throws(CoreError) {
            let processed = try host.processURLBeforeLogin(url)
            if processed.appDomain == SystemApp.startup { return page(of: processed.appDomain) }
            login.setAppToOpenAfterLogin(processed.appDomain)
            urlAfterLogin = url
            return .returned(Self.answer(processed.appDomain, "after-login"))
        } catch {
            return .refused(error.plainReason)
        }
    }

    private func page(of appDomain: String) -> CallOutcome {
        do {
            switch try loadComponent(appDomain: appDomain) {
            case .afterLogin: return .returned(Self.answer(appDomain, "after-login"))
            case .page(let handle):
                handle.closeActivity()
                return .refused("\(appDomain) opens in a window, and this platform has none to show it in")
            }
        } catch let error as CoreError {
            return .refused(error.plainReason)
        } catch {
            return .refused("\(error)")
        }
    }

    /// JSON; domains have no characters that JSON escapes.
    private static func answer(_ appDomain: String, _ outcome: String) -> String {
        #"{"app": "\#(appDomain)", "outcome": "\#(outcome)"}"#
    }
}
