internal import JSEngine
internal import Secrets
internal import Supervision

/// The calls about users, logins and pages.
extension CoreHost {
    /// A password's work takes a second or so, on a slow and busy machine much longer; then the core opens its storage.
    private static let loginLimit = Duration.seconds(60)
    private static let initLimit = Duration.seconds(30)

    /// What the core does after `init`.
    struct Start {
        enum State {
            case waiting
            case loggingIn(userId: String)
            case loggedIn
        }

        let state: State
        /// Why the automatic login that is set does not happen.
        let problem: String?
    }

    /// Makes and starts the core, reads the manifests.
    func initCore(_ places: CorePlaces, done: @escaping (Result<Start, CoreError>) -> Void) {
        let argument = object(["dataDir": ".", "platformVersion": platformVersion, "formFactor": "desktop"])
        argument.set("shownDir", engine.string(places.files))
        argument.set("dohResolvers", engine.array(places.dohResolvers, engine.string))
        argument.set("systemApps", engine.array(places.systemApps, engine.string))
        argument.set("local", engine.boolean(places.isLocal))
        if let user = places.expectedUser { argument.set("expectedUser", engine.string(user)) }
        callAsync("init", argument, limit: Self.initLimit) { result in done(result.flatMap(Self.start)) }
    }

    private static func start(_ answer: JSValue) -> Result<Start, CoreError> {
        let problem = answer["problem"].string
        switch (answer["login"].string, answer["userId"].string) {
        case ("not-logged-in", _): return .success(Start(state: .waiting, problem: problem))
        case ("logging-in", let userId?): return .success(Start(state: .loggingIn(userId: userId), problem: nil))
        case ("logged-in", _?): return .success(Start(state: .loggedIn, problem: nil))
        default: return .failure(.badAnswer(call: "init", answer.json ?? "something unreadable"))
        }
    }

    /// A long poll: answers as soon as a user is signed in.
    func waitForSignedInUser(done: @escaping (Result<String, CoreError>) -> Void) {
        callAsync("getSignedUserIdEventually", engine.undefined, limit: nil) { result in
            done(result.flatMap { Self.text($0, of: "getSignedUserIdEventually") })
        }
    }

    /// Waits for the automatic login that `init` has begun; gives what went wrong with it.
    func finishAutologin(
        news: @escaping (LoginProgress) -> Void, done: @escaping (Result<String?, CoreError>) -> Void
    ) {
        let argument = engine.makeObject()
        argument.set("report", reporter(news))
        callAsync("finishAutologin", argument, limit: Self.loginLimit) { done($0.map { $0["problem"].string }) }
    }

    /// Signs in or up; gives why not.
    func signIn(
        _ request: SignInRequest, news: @escaping (LoginProgress) -> Void,
        done: @escaping (Result<LoginRefusal?, CoreError>) -> Void
    ) {
        let name = request.kind == .signUp ? "signUp" : "signIn"
        let argument = object(["address": request.address])
        argument.set("password", engine.string(request.password.text))
        argument.set("report", reporter(news))
        callAsync(name, argument, limit: Self.loginLimit) { result in
            done(result.flatMap { Self.refusal($0, of: name, request.address) })
        }
    }

    private static func refusal(
        _ answer: JSValue, of call: String, _ address: String
    ) -> Result<LoginRefusal?, CoreError> {
        if answer["userId"].isString { return .success(nil) }
        switch answer["refused"].string {
        case "wrongPassword": return .success(.wrongPassword(address: address))
        case "unknownUser": return .success(.unknownUser(address: address))
        case "addressTaken": return .success(.addressTaken(address: address))
        default: return .failure(.badAnswer(call: call, answer.json ?? "something unreadable"))
        }
    }

    /// A function for JavaScript: `report(percent)` with a number, `report(message)` with a text.
    private func reporter(_ news: @escaping (LoginProgress) -> Void) -> JSValue {
        var last = -1
        return engine.makeFunction { arguments in
            if let share = arguments[0].number, share.isFinite {
                let percent = Int(min(100, max(0, share)))
                if percent != last { news(.percent(percent)) }
                last = percent
            } else if let message = arguments[0].string {
                news(.message(String(message.prefix(500))))
            }
            return nil
        }
    }

    /// Closes the core and makes it anew.
    func logout(done: @escaping (Result<Void, CoreError>) -> Void) {
        callAsync("logout", engine.undefined) { done($0.map { _ in }) }
    }

    /// Commands that apps want given when the system starts.
    func giveStartupCommands() throws(CoreError) { _ = try call("giveStartupCommands", engine.undefined) }

    /// Packs are copied, and components closed, at the pace of disks and processes.
    private static let limitOfApps = Duration.seconds(120)

    func ask(_ question: CoreQuestion, done: @escaping (Result<String, CoreError>) -> Void) {
        let (name, argument): (String, JSValue)
        var limit = Self.usualLimit
        switch question {
        case .users: (name, argument) = ("listUsers", engine.undefined)
        case .autologin(let on):
            (name, argument) = ("autologin", engine.makeObject())
            if let on { argument.set("on", engine.boolean(on)) }
        case .apps: (name, argument) = ("listApps", engine.undefined)
        case .installApp(let app): (name, argument, limit) = ("installApp", object(["app": app]), Self.limitOfApps)
        case .uninstallApp(let app): (name, argument, limit) = ("uninstallApp", object(["app": app]), Self.limitOfApps)
        case .showApp(let app): (name, argument) = ("showApp", object(["app": app]))
        }
        callAsync(name, argument, limit: limit) { result in done(result.map { $0.json ?? "null" }) }
    }

    /// What a URL of the scheme `w3n` leads to.
    struct ProcessedURL {
        let appDomain: String
        /// A command of the app was started; else its page is to be opened.
        let isDone: Bool
    }

    func processURL(_ url: String, done: @escaping (Result<ProcessedURL, CoreError>) -> Void) {
        let name = "processURL"
        callAsync(name, object(["url": url])) { result in done(result.flatMap { Self.processed($0, of: name) }) }
    }

    func processURLBeforeLogin(_ url: String) throws(CoreError) -> ProcessedURL {
        let name = "processURLBeforeLogin"
        return try Self.processed(try call(name, object(["url": url])), of: name).get()
    }

    private static func processed(_ answer: JSValue, of call: String) -> Result<ProcessedURL, CoreError> {
        guard let domain = answer["appDomain"].string else {
            return .failure(.badAnswer(call: call, answer.json ?? "something unreadable"))
        }
        return .success(ProcessedURL(appDomain: domain, isDone: answer["isDone"].boolean ?? false))
    }

    /// Asks the core for the connector and the entry point of an app's page.
    func launchApp(_ appDomain: String) throws(CoreError) -> (connectorId: String, entrypoint: String) {
        let name = "launchAppFromAndroid"
        let answer = try call(name, object(["appDomain": appDomain]))
        guard let connectorId = answer["connectorId"].string, let entrypoint = answer["entrypoint"].string else {
            throw .badAnswer(call: name, answer.json ?? "something unreadable")
        }
        return (connectorId, entrypoint)
    }
}
