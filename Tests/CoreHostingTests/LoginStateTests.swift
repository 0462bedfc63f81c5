import Testing

@testable import CoreHosting

@Suite struct LoginStateTests {
    @Test func aLoginResumesAllWaitersOnceInTheirOrder() {
        let login = LoginState()
        var seen: [String] = []
        login.awaitLoginInProgress { seen.append("first \($0)") }
        login.loginBegins()
        #expect(login.state == .loggingIn && !login.isUserLoggedIn)
        login.awaitLoginInProgress { seen.append("second \($0)") }
        #expect(login.notifySignedIn(userId: "a@x"))
        #expect(seen == ["first a@x", "second a@x"])
        #expect(login.loggedUserId == "a@x" && login.isUserLoggedIn && login.waiterCount == 0)
        #expect(!login.notifySignedIn(userId: "b@x"))
        #expect(seen.count == 2 && login.loggedUserId == "a@x")
    }

    @Test func whoeverComesAfterTheLoginIsResumedAtOnce() {
        let login = LoginState()
        login.notifySignedIn(userId: "a@x")
        var seen: String?
        login.awaitLoginInProgress { seen = $0 }()
        #expect(seen == "a@x")
    }

    @Test func aWaiterThatLeavesIsNotResumed() {
        let login = LoginState()
        var seen: [Int] = []
        var cancelThird: () -> Void = {}
        let cancelFirst = login.awaitLoginInProgress { _ in seen.append(1) }
        // Leaves for another one while waiters are resumed.
        login.awaitLoginInProgress { _ in
            seen.append(2)
            cancelThird()
        }
        cancelThird = login.awaitLoginInProgress { _ in seen.append(3) }
        login.awaitLoginInProgress { _ in seen.append(4) }
        cancelFirst()
        cancelFirst()
        #expect(login.waiterCount == 3)
        login.notifySignedIn(userId: "a@x")
        #expect(seen == [2, 4])
        cancelFirst()
    }

    @Test func aLoginThatFailsLeavesWaitersToTheNextOne() {
        let login = LoginState()
        var seen: [String] = []
        login.awaitLoginInProgress { seen.append($0) }
        login.loginBegins()
        login.loginFailed()
        #expect(login.state == .notLoggedIn && seen.isEmpty)
        login.loginBegins()
        login.notifySignedIn(userId: "b@x")
        #expect(seen == ["b@x"])
    }

    @Test func afterALogoutThereIsASecondLogin() {
        let login = LoginState()
        login.notifySignedIn(userId: "a@x")
        login.loggedOut()
        #expect(login.state == .notLoggedIn)
        var seen: [String] = []
        login.awaitLoginInProgress { seen.append($0) }
        #expect(login.notifySignedIn(userId: "b@x"))
        #expect(seen == ["b@x"])
    }

    @Test func aWaiterThatWaitsAgainIsResumedAtOnce() {
        let login = LoginState()
        var seen: [String] = []
        login.awaitLoginInProgress { [unowned login] _ in
            login.awaitLoginInProgress { seen.append("inner \($0)") }
            seen.append("outer")
        }
        login.notifySignedIn(userId: "a@x")
        #expect(seen == ["inner a@x", "outer"])
    }

    @Test func theLastAppIsRememberedButNoneOfThePlatform() {
        let login = LoginState()
        login.setAppToOpenAfterLogin(SystemApp.startup)
        login.setAppToOpenAfterLogin(SystemApp.launcher)
        #expect(login.takeAppToOpenAfterLogin() == nil)
        login.setAppToOpenAfterLogin("chat.example.org")
        login.setAppToOpenAfterLogin("mail.example.org")
        login.setAppToOpenAfterLogin(SystemApp.launcher)
        #expect(login.takeAppToOpenAfterLogin() == "mail.example.org")
        #expect(login.takeAppToOpenAfterLogin() == nil)
    }
}

/// Section 7's table, row by row.
@Suite struct RouteTests {
    private static let chat = "chat.example.org"

    @Test(
        arguments: [
            (true, SystemApp.startup, Route.redirectToLauncher),
            (true, SystemApp.launcher, .getOrCreateGUIComponent),
            (true, chat, .getOrCreateGUIComponent),
            (false, SystemApp.startup, .getOrCreateGUIComponent),
            (false, SystemApp.launcher, .getOrCreateGUIComponent),
            (false, chat, .redirectToStartup(remembering: chat)),
            (nil, SystemApp.startup, .redirectToStartup(remembering: nil)),
            (nil, SystemApp.launcher, .redirectToStartup(remembering: nil)),
            (nil, chat, .redirectToStartup(remembering: nil)),
        ] as [(Bool?, String, Route)])
    func leadsWhereTheTableSays(_ isLoggedIn: Bool?, _ domain: String, _ route: Route) {
        #expect(Route.of(domain, isLoggedIn: isLoggedIn) == route)
    }
}

@Suite struct GUIComponentsTests {
    private final class Core {
        var answers: [String: (connectorId: String, entrypoint: String)] = [:]
        var launched: [String] = []
        var opened: [String] = []
        var closed: [String] = []
        struct Unknown: Error {}

        func launch(_ domain: String) throws -> (connectorId: String, entrypoint: String) {
            launched.append(domain)
            guard let answer = answers[domain] else { throw Unknown() }
            return answer
        }
    }

    private let core = Core()

    private func components() -> GUIComponents {
        GUIComponents(
            launchApp: core.launch, opened: { [core] in core.opened.append($0.connectorId) },
            closed: { [core] in core.closed.append($0.connectorId) })
    }

    @Test func aPageIsLaunchedOnceForItsConnector() throws {
        core.answers["a.b"] = ("c1", "/index.html")
        let components = components()
        let handle = try #require(try components.getOrCreateGUIComponent(appDomain: "a.b"))
        #expect(handle.connectorId == "c1" && "\(handle.id)" == "a.b/index.html")
        let known = try components.getOrCreateGUIComponent(appDomain: "a.b", connectorId: "c1")
        #expect(known === handle)
        #expect(core.launched == ["a.b"] && core.opened == ["c1"])
        let again = try components.getOrCreateGUIComponent(appDomain: "a.b")
        #expect(again === handle)
        #expect(core.opened == ["c1"])
    }

    @Test func aConnectorThatIsNotKnownGetsItsHandleWithoutALaunch() throws {
        let components = components()
        let handle = try components.getOrCreateGUIComponent(
            appDomain: "a.b", connectorId: "c9", entrypoint: "/x.html")
        #expect(handle?.connectorId == "c9" && core.launched.isEmpty && components["c9"] === handle)
    }

    @Test func proceedingToTheLauncherMakesNoHandle() throws {
        core.answers["a.b"] = (GUIComponents.proceedToLauncher, "")
        let components = components()
        let none = try components.getOrCreateGUIComponent(appDomain: "a.b")
        #expect(none === nil)
        #expect(components.count == 0 && core.opened.isEmpty)
    }

    @Test func whatTheCoreRefusesIsThrown() {
        #expect(throws: Core.Unknown.self) { _ = try components().getOrCreateGUIComponent(appDomain: "no.app") }
    }

    @Test func aHandleIsActiveUntilItIsDisconnectedOnce() throws {
        core.answers["a.b"] = ("c1", "/index.html")
        let components = components()
        let handle = try #require(try components.getOrCreateGUIComponent(appDomain: "a.b"))
        handle.setActive(true)
        #expect(handle.isActive)
        handle.disconnect()
        handle.closeActivity()
        handle.setActive(true)
        #expect(!handle.isActive && !handle.isConnected)
        #expect(core.closed == ["c1"] && components.count == 0)
    }

    @Test func allAreClosedAtALogout() throws {
        core.answers = ["a.b": ("c1", "/i"), "c.d": ("c2", "/i")]
        let components = components()
        _ = try components.getOrCreateGUIComponent(appDomain: "a.b")
        _ = try components.getOrCreateGUIComponent(appDomain: "c.d")
        components.closeAll()
        #expect(core.closed.sorted() == ["c1", "c2"] && components.count == 0)
    }
}
