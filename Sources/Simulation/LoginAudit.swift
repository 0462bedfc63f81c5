import Supervision

/// Logins and logouts from outside: who asked for what, who is signed in, what the core is doing.
struct LoginAudit {
    enum Core { case booting, free, signingIn, usedBy(String), closing(String), renewing, stuck, ended }

    private let isLocal: Bool
    private let expected: String?
    private var core = Core.booting
    /// Of a login that is under way; 0 = the automatic one.
    private var attempt: UInt64?
    private var logouts: [UInt64] = []
    private var answered: Set<UInt64> = []
    private var asked: Set<UInt64> = []

    init(isLocal: Bool, expected: String?) {
        self.isLocal = isLocal
        self.expected = expected
    }

    mutating func check(
        _ event: LoginMachine.Event, _ actions: [LoginMachine.Action], _ login: LoginMachine, componentsAreDown: Bool
    ) throws(Violation) {
        switch event {
        case .asked(let number, _, _): asked.insert(number)
        case .logoutAsked(let number) where number != 0: asked.insert(number)
        default: break
        }
        let due = self.due(event)
        for action in actions { try perform(action, event, componentsAreDown) }
        try require(
            .loginsAsDocumented, actions.map(Self.kind) == due,
            "does \(actions.map(Self.kind)), and due is \(due)")
        let (name, state) = (Self.name(of: core), Self.name(of: login.state))
        try require(.loginsAsDocumented, name == state, "the login is \(state), and should be \(name)")
        if case .usedBy(let user) = core {
            try require(.oneUserAtATime, login.userId == user, "\(login.userId ?? "nobody") is taken for \(user)")
        }
        let open = asked.subtracting(answered)
        let waiting = Set(logouts.filter { $0 != 0 } + [attempt].compactMap { $0 }.filter { $0 != 0 })
        try require(
            .requestsAreAnsweredOnce, open == waiting,
            "requests \(open.sorted()) have no answer, and \(waiting.sorted()) may wait")
    }

    private mutating func perform(
        _ action: LoginMachine.Action, _ event: LoginMachine.Event, _ componentsAreDown: Bool
    ) throws(Violation) {
        switch action {
        case .accept(let number, _), .refuse(let number, _), .loggedOut(let number, _):
            guard number != 0 else { return }
            try require(
                .requestsAreAnsweredOnce, answered.insert(number).inserted, "request \(number) is answered twice")
        case .renewCore:
            try require(
                .componentsEndBeforeTheCore, componentsAreDown, "the core is made anew while components live")
        case .startComponents(let user):
            try require(
                .oneUserAtATime, expected == nil || Address.isSame(expected ?? "", user),
                "components of \(user) start, and this run is for \(expected ?? "")")
            if case .signedIn(let userId) = event {
                try require(.oneUserAtATime, user == userId, "\(userId) signed in, components of \(user) start")
            }
        case .attempt, .closeComponents, .reject: break
        }
    }

    /// What has to be done, and what is so after it.
    private mutating func due(_ event: LoginMachine.Event) -> [String] {
        switch (event, core) {
        case (.coreReady(.waiting), .booting): core = .free
        case (.coreReady(.cached), .booting): (core, attempt) = (.signingIn, 0)
        case (.asked(let number, _, let address), .free) where mayAsk(address):
            (core, attempt) = (.signingIn, number)
            return ["attempt"]
        case (.asked, _): return ["refuse"]
        case (.signedIn(let user), .booting), (.signedIn(let user), .free), (.signedIn(let user), .signingIn):
            let waits = attempt.map { $0 != 0 } ?? false
            attempt = nil
            guard expected.map({ Address.isSame($0, user) }) ?? true else {
                core = .renewing
                return [waits ? "refuse" : "reject", "renew"]
            }
            core = .usedBy(user)
            return (waits ? ["accept"] : []) + ["start"]
        case (.attemptFailed(let number, _), .signingIn) where number == attempt:
            (core, attempt) = (.free, nil)
            return [number == 0 ? "reject" : "refuse"]
        case (.logoutAsked, _) where isLocal: return ["refuse"]
        case (.logoutAsked(let number), .usedBy(let user)):
            (core, logouts) = (.closing(user), [number])
            return ["close"]
        case (.logoutAsked(let number), .signingIn):
            let waits = attempt.map { $0 != 0 } ?? false
            (core, attempt, logouts) = (.renewing, nil, [number])
            return (waits ? ["refuse"] : []) + ["renew"]
        case (.logoutAsked(let number), .closing), (.logoutAsked(let number), .renewing):
            guard logouts.count < 64 else { return ["refuse"] }
            logouts.append(number)
        case (.logoutAsked, _): return ["refuse"]
        case (.componentsDown, .closing):
            core = .renewing
            return ["renew"]
        case (.coreRenewed, .renewing), (.coreNotRenewed, .renewing):
            var isStuck = false
            if case .coreNotRenewed = event { isStuck = true }
            core = isStuck ? .stuck : .free
            defer { logouts = [] }
            return logouts.map { _ in isStuck ? "refuse" : "out" }
        case (.shutdown, _):
            let waiting = logouts.count + (attempt.map { $0 == 0 ? 0 : 1 } ?? 0)
            (core, logouts, attempt) = (.ended, [], nil)
            return Array(repeating: "refuse", count: waiting)
        default: break  // old news
        }
        return []
    }

    private func mayAsk(_ address: String) -> Bool {
        !isLocal && (expected.map { Address.isSame($0, address) } ?? true)
    }

    private static func kind(_ action: LoginMachine.Action) -> String {
        switch action {
        case .attempt: "attempt"
        case .accept: "accept"
        case .refuse: "refuse"
        case .startComponents: "start"
        case .closeComponents: "close"
        case .renewCore: "renew"
        case .loggedOut: "out"
        case .reject: "reject"
        }
    }

    private static func name(of core: Core) -> String {
        switch core {
        case .booting: "booting"
        case .free: "free"
        case .signingIn: "signing in"
        case .usedBy: "in use"
        case .closing: "closing components"
        case .renewing: "made anew"
        case .stuck: "stuck"
        case .ended: "ended"
        }
    }

    private static func name(of state: LoginMachine.State) -> String {
        switch state {
        case .booting: "booting"
        case .notLoggedIn: "free"
        case .loggingIn: "signing in"
        case .loggedIn: "in use"
        case .closingComponents: "closing components"
        case .renewingCore: "made anew"
        case .stuck: "stuck"
        case .ended: "ended"
        }
    }
}
