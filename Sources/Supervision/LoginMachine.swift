/// Who is signed in, as the supervision plane sees it. Decides; never acts: the core plane signs in and out, the machines
/// of the components close.
///
///     booting ─▶ notLoggedIn ─▶ loggingIn ─▶ loggedIn ─▶ closingComponents ─▶ renewingCore ─▶ notLoggedIn
///        │                        ▲  │                                            ▲  │
///        └────────────────────────┘  └────────────── logout, other user ──────────┘  └─▶ stuck
public struct LoginMachine: Sendable {
    /// A login under way. Number 0 is the automatic one, which nobody waits for.
    public struct Attempt: Hashable, Sendable {
        public let number: UInt64
        public let kind: LoginKind
        public let address: String
        public let began: Instant
    }

    public enum State: Hashable, Sendable {
        /// The core is being made.
        case booting
        case notLoggedIn
        case loggingIn(Attempt)
        case loggedIn(String)
        case closingComponents(of: String)
        /// The core closes and is made anew; `leaving` = whose logout that is, if it is one's.
        case renewingCore(leaving: String?)
        /// The core could not be made anew: only a new start helps.
        case stuck(reason: String)
        case ended
    }

    public enum Event: Hashable, Sendable {
        case coreReady(CoreStart)
        /// The user asks; what comes of it is answered by this number.
        case asked(UInt64, LoginKind, address: String)
        /// The core has a signed-in user, whoever signed him in.
        case signedIn(userId: String)
        case attemptFailed(UInt64, LoginRefusal)
        case logoutAsked(UInt64)
        /// All components are down.
        case componentsDown
        case coreRenewed
        case coreNotRenewed(reason: String)
        case shutdown
    }

    public enum Action: Hashable, Sendable {
        case attempt(UInt64, LoginKind, address: String)
        case accept(UInt64, userId: String)
        case refuse(UInt64, LoginRefusal)
        case startComponents(userId: String)
        case closeComponents
        case renewCore
        /// Answers a logout; number 0 is that of a system app, whose component is gone by then.
        case loggedOut(UInt64, userId: String?)
        /// A user is signed in whom this run does not expect, or at the wrong time.
        case reject(userId: String, LoginRefusal)
    }

    public private(set) var state = State.booting
    private let isLocal: Bool
    /// Whom `run --user` named.
    private let expected: String?
    private var logouts: [UInt64] = []

    /// Requests that wait for one logout; more are refused.
    static let maxLogouts = 64

    public init(isLocal: Bool, expected: String? = nil) {
        self.isLocal = isLocal
        self.expected = expected
    }

    public var userId: String? { if case .loggedIn(let userId) = state { userId } else { nil } }

    /// A signed-in user would be taken now; otherwise his word is old news, and his apps are nobody's.
    public var awaitsUser: Bool {
        switch state {
        case .booting, .notLoggedIn, .loggingIn: true
        case .loggedIn, .closingComponents, .renewingCore, .stuck, .ended: false
        }
    }

    public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .coreReady(let start): coreReady(start, now)
        case .asked(let number, let kind, let address): asked(number, kind, address, now)
        case .signedIn(let userId): signedIn(userId)
        case .attemptFailed(let number, let refusal): attemptFailed(number, refusal)
        case .logoutAsked(let number): logoutAsked(number)
        case .componentsDown: componentsDown()
        case .coreRenewed: coreRenewed(.notLoggedIn)
        case .coreNotRenewed(let reason): coreRenewed(.stuck(reason: reason))
        case .shutdown: shutdown()
        }
    }

    private mutating func coreReady(_ start: CoreStart, _ now: Instant) -> [Action] {
        guard state == .booting else { return [] }
        switch start {
        case .waiting: state = .notLoggedIn
        case .cached(let userId):
            state = .loggingIn(Attempt(number: 0, kind: .automatic, address: userId, began: now))
        }
        return []
    }

    private mutating func asked(_ number: UInt64, _ kind: LoginKind, _ address: String, _ now: Instant) -> [Action] {
        if isLocal { return [.refuse(number, .localRun)] }
        if let expected, !Address.isSame(expected, address) { return [.refuse(number, .otherUserExpected(expected))] }
        switch state {
        case .notLoggedIn:
            state = .loggingIn(Attempt(number: number, kind: kind, address: address, began: now))
            return [.attempt(number, kind, address: address)]
        case .loggingIn(let attempt):
            return [.refuse(number, .underWay(address: attempt.address, since: now - attempt.began))]
        case .loggedIn(let userId): return [.refuse(number, .loggedInAlready(userId))]
        case .booting: return [.refuse(number, .booting)]
        case .closingComponents, .renewingCore: return [.refuse(number, .logoutUnderWay)]
        case .stuck(let reason): return [.refuse(number, .stuck(reason))]
        case .ended: return [.refuse(number, .closing)]
        }
    }

    private mutating func signedIn(_ userId: String) -> [Action] {
        var number: UInt64?
        switch state {
        // A page of the core's own may have signed him in: nobody asked here.
        case .booting, .notLoggedIn: break
        case .loggingIn(let attempt): number = attempt.number == 0 ? nil : attempt.number
        // News of the core that is being closed, or told twice.
        case .loggedIn, .closingComponents, .renewingCore, .stuck, .ended: return []
        }
        if let expected, !Address.isSame(expected, userId) {
            state = .renewingCore(leaving: nil)
            let refusal = LoginRefusal.otherUserExpected(expected)
            return [number.map { .refuse($0, refusal) } ?? .reject(userId: userId, refusal), .renewCore]
        }
        state = .loggedIn(userId)
        return (number.map { [.accept($0, userId: userId)] } ?? []) + [.startComponents(userId: userId)]
    }

    private mutating func attemptFailed(_ number: UInt64, _ refusal: LoginRefusal) -> [Action] {
        // Whoever gave the attempt up was told.
        guard case .loggingIn(let attempt) = state, attempt.number == number else { return [] }
        state = .notLoggedIn
        return number == 0 ? [.reject(userId: attempt.address, refusal)] : [.refuse(number, refusal)]
    }

    private mutating func logoutAsked(_ number: UInt64) -> [Action] {
        if isLocal { return [.refuse(number, .localRun)] }
        switch state {
        case .loggedIn(let userId):
            logouts = [number]
            state = .closingComponents(of: userId)
            return [.closeComponents]
        case .loggingIn(let attempt):
            logouts = [number]
            state = .renewingCore(leaving: nil)
            return (attempt.number == 0 ? [] : [.refuse(attempt.number, .givenUp)]) + [.renewCore]
        case .closingComponents, .renewingCore:
            guard logouts.count < Self.maxLogouts else { return [.refuse(number, .logoutUnderWay)] }
            logouts.append(number)
            return []
        case .notLoggedIn: return [.refuse(number, .nobodyLoggedIn)]
        case .booting: return [.refuse(number, .booting)]
        case .stuck(let reason): return [.refuse(number, .stuck(reason))]
        case .ended: return [.refuse(number, .closing)]
        }
    }

    private mutating func componentsDown() -> [Action] {
        guard case .closingComponents(let userId) = state else { return [] }
        state = .renewingCore(leaving: userId)
        return [.renewCore]
    }

    private mutating func coreRenewed(_ next: State) -> [Action] {
        guard case .renewingCore(let leaving) = state else { return [] }
        state = next
        defer { logouts = [] }
        if case .stuck(let reason) = next { return logouts.map { .refuse($0, .stuck(reason)) } }
        return logouts.map { .loggedOut($0, userId: leaving) }
    }

    private mutating func shutdown() -> [Action] {
        var waiting = logouts
        if case .loggingIn(let attempt) = state, attempt.number != 0 { waiting.append(attempt.number) }
        logouts = []
        state = .ended
        return waiting.map { .refuse($0, .closing) }
    }
}
