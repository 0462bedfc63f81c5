import TestSupport
import Testing

@testable import Supervision

/// Who is signed in: each event in each state.
@Suite struct LoginMachineTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// A machine whose core is ready.
    private func ready(
        _ start: CoreStart = .waiting, isLocal: Bool = false, expected: String? = nil
    ) -> LoginMachine {
        var machine = LoginMachine(isLocal: isLocal, expected: expected)
        #expect(machine.handle(.coreReady(start), at: at(0)) == [])
        return machine
    }

    private func loggedIn() -> LoginMachine {
        var machine = ready()
        _ = machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1))
        _ = machine.handle(.signedIn(userId: "a@x.y"), at: at(2))
        return machine
    }

    @Test func aLoginIsTriedAcceptedAndStartsComponents() {
        var machine = ready()
        #expect(
            machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1)) == [
                .attempt(1, .signIn, address: "a@x.y")
            ])
        #expect(machine.state == .loggingIn(.init(number: 1, kind: .signIn, address: "a@x.y", began: at(1))))
        #expect(
            machine.handle(.signedIn(userId: "a@x.y"), at: at(2)) == [
                .accept(1, userId: "a@x.y"), .startComponents(userId: "a@x.y"),
            ])
        #expect(machine.userId == "a@x.y")
    }

    @Test func aWrongPasswordLeavesNobodyLoggedIn() {
        var machine = ready()
        _ = machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1))
        let refusal = LoginRefusal.wrongPassword(address: "a@x.y")
        #expect(machine.handle(.attemptFailed(1, refusal), at: at(2)) == [.refuse(1, refusal)])
        #expect(machine.state == .notLoggedIn)
        #expect(machine.handle(.attemptFailed(1, refusal), at: at(2)) == [])
    }

    @Test func aSecondLoginMeanwhileIsRefusedAndChangesNothing() {
        var machine = ready()
        _ = machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1))
        let before = machine.state
        #expect(
            machine.handle(.asked(2, .signUp, address: "b@x.y"), at: at(4)) == [
                .refuse(2, .underWay(address: "a@x.y", since: .seconds(3)))
            ])
        #expect(machine.state == before)
        #expect(machine.handle(.attemptFailed(2, .failed("late")), at: at(5)) == [])
        #expect(machine.state == before)
    }

    @Test func aLoginWhileLoggedInIsRefused() {
        var machine = loggedIn()
        #expect(
            machine.handle(.asked(2, .signIn, address: "b@x.y"), at: at(3)) == [
                .refuse(2, .loggedInAlready("a@x.y"))
            ])
    }

    @Test func aLogoutClosesComponentsThenTheCoreThenAnswersAll() {
        var machine = loggedIn()
        #expect(machine.handle(.logoutAsked(2), at: at(3)) == [.closeComponents])
        #expect(machine.handle(.logoutAsked(3), at: at(3)) == [])
        #expect(
            machine.handle(.asked(4, .signIn, address: "b@x.y"), at: at(3)) == [.refuse(4, .logoutUnderWay)])
        #expect(machine.handle(.componentsDown, at: at(4)) == [.renewCore])
        #expect(machine.handle(.componentsDown, at: at(4)) == [])
        #expect(
            machine.handle(.coreRenewed, at: at(5)) == [
                .loggedOut(2, userId: "a@x.y"), .loggedOut(3, userId: "a@x.y"),
            ])
        #expect(machine.state == .notLoggedIn)
        #expect(
            machine.handle(.asked(5, .signIn, address: "b@x.y"), at: at(6)) == [
                .attempt(5, .signIn, address: "b@x.y")
            ])
    }

    @Test func aLogoutGivesALoginUp() {
        var machine = ready()
        _ = machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1))
        #expect(machine.handle(.logoutAsked(2), at: at(2)) == [.refuse(1, .givenUp), .renewCore])
        // What the old core had said already.
        #expect(machine.handle(.signedIn(userId: "a@x.y"), at: at(2)) == [])
        #expect(machine.handle(.attemptFailed(1, .failed("late")), at: at(2)) == [])
        #expect(machine.handle(.coreRenewed, at: at(3)) == [.loggedOut(2, userId: nil)])
        #expect(machine.state == .notLoggedIn)
    }

    @Test func automaticLoginNeedsNobodyAndItsFailureLeavesTheWayToAPassword() {
        var machine = ready(.cached(userId: "a@x.y"))
        #expect(
            machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1)) == [
                .refuse(1, .underWay(address: "a@x.y", since: .seconds(1)))
            ])
        var failed = machine
        #expect(
            failed.handle(.attemptFailed(0, .failed("no key")), at: at(2)) == [
                .reject(userId: "a@x.y", .failed("no key"))
            ])
        #expect(failed.state == .notLoggedIn)
        #expect(
            machine.handle(.signedIn(userId: "a@x.y"), at: at(2)) == [.startComponents(userId: "a@x.y")])
    }

    @Test func aRunForOneUserRefusesOthers() {
        var machine = ready(expected: "Ada@X.y")
        let refusal = LoginRefusal.otherUserExpected("Ada@X.y")
        #expect(machine.handle(.asked(1, .signIn, address: "b@x.y"), at: at(1)) == [.refuse(1, refusal)])
        #expect(machine.handle(.asked(2, .signUp, address: "b@x.y"), at: at(1)) == [.refuse(2, refusal)])
        #expect(
            machine.handle(.asked(3, .signIn, address: "a d a@x.Y"), at: at(1)) == [
                .attempt(3, .signIn, address: "a d a@x.Y")
            ])
        // The core let in somebody else all the same.
        #expect(machine.handle(.signedIn(userId: "b@x.y"), at: at(2)) == [.refuse(3, refusal), .renewCore])
        #expect(machine.handle(.coreRenewed, at: at(3)) == [])
        #expect(
            machine.handle(.signedIn(userId: "b@x.y"), at: at(4)) == [
                .reject(userId: "b@x.y", refusal), .renewCore,
            ])
    }

    @Test func aLocalRunKnowsNoLogins() {
        var machine = ready(isLocal: true)
        #expect(machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1)) == [.refuse(1, .localRun)])
        #expect(
            machine.handle(.signedIn(userId: "user@local"), at: at(2)) == [.startComponents(userId: "user@local")])
        #expect(machine.handle(.logoutAsked(2), at: at(3)) == [.refuse(2, .localRun)])
    }

    @Test func beforeTheCoreIsThereAndAfterTheEndEverythingIsRefused() {
        var machine = LoginMachine(isLocal: false)
        #expect(machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1)) == [.refuse(1, .booting)])
        #expect(machine.handle(.logoutAsked(2), at: at(1)) == [.refuse(2, .booting)])
        #expect(machine.handle(.shutdown, at: at(2)) == [])
        #expect(machine.handle(.coreReady(.waiting), at: at(3)) == [])
        #expect(machine.handle(.asked(3, .signIn, address: "a@x.y"), at: at(3)) == [.refuse(3, .closing)])
        #expect(machine.handle(.logoutAsked(4), at: at(3)) == [.refuse(4, .closing)])
    }

    @Test func aShutdownAnswersWhoeverWaits() {
        var machine = ready()
        _ = machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1))
        #expect(machine.handle(.shutdown, at: at(2)) == [.refuse(1, .closing)])
        #expect(machine.handle(.signedIn(userId: "a@x.y"), at: at(3)) == [])
        var leaving = loggedIn()
        _ = leaving.handle(.logoutAsked(2), at: at(3))
        #expect(leaving.handle(.shutdown, at: at(4)) == [.refuse(2, .closing)])
        #expect(leaving.handle(.componentsDown, at: at(5)) == [])
    }

    @Test func aCoreThatCannotBeMadeAnewIsSaidToEverybody() {
        var machine = loggedIn()
        _ = machine.handle(.logoutAsked(2), at: at(3))
        _ = machine.handle(.componentsDown, at: at(4))
        let stuck = LoginRefusal.stuck("no room")
        #expect(machine.handle(.coreNotRenewed(reason: "no room"), at: at(5)) == [.refuse(2, stuck)])
        #expect(machine.handle(.asked(3, .signIn, address: "a@x.y"), at: at(6)) == [.refuse(3, stuck)])
        #expect(machine.handle(.logoutAsked(4), at: at(6)) == [.refuse(4, stuck)])
    }

    /// Whoever is signed in after that is old news: his apps are nobody's.
    @Test func aUserIsAwaitedUntilOneIsSignedInOrTheLoginIsGivenUp() {
        var machine = LoginMachine(isLocal: false)
        #expect(machine.awaitsUser)
        _ = machine.handle(.coreReady(.waiting), at: at(0))
        _ = machine.handle(.asked(1, .signIn, address: "a@x.y"), at: at(1))
        #expect(machine.awaitsUser)
        var givenUp = machine
        _ = givenUp.handle(.logoutAsked(2), at: at(2))
        #expect(!givenUp.awaitsUser && givenUp.handle(.signedIn(userId: "a@x.y"), at: at(3)) == [])
        _ = givenUp.handle(.coreRenewed, at: at(4))
        #expect(givenUp.awaitsUser)
        _ = machine.handle(.signedIn(userId: "a@x.y"), at: at(2))
        #expect(!machine.awaitsUser)
        _ = machine.handle(.logoutAsked(3), at: at(3))
        #expect(!machine.awaitsUser)
    }

    @Test func logoutsThatWaitAreBounded() {
        var machine = loggedIn()
        for number in 0..<UInt64(LoginMachine.maxLogouts) {
            _ = machine.handle(.logoutAsked(10 + number), at: at(3))
        }
        #expect(machine.handle(.logoutAsked(999), at: at(3)) == [.refuse(999, .logoutUnderWay)])
    }

    /// Whatever happens, each request is answered at most once, an attempt is answered by the end of the machine, and
    /// components are started and closed in turn.
    @Test(arguments: 0..<200) func anyOrderOfEventsAnswersEachRequestOnce(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var machine = LoginMachine(isLocal: false, expected: Bool.random(using: &random) ? "a@x.y" : nil)
        var asked: [UInt64] = []
        var answered: [UInt64: Int] = [:]
        var areUp = false
        var time = 0.0
        func perform(_ actions: [LoginMachine.Action]) {
            for action in actions {
                switch action {
                case .accept(let number, _), .refuse(let number, _), .loggedOut(let number, _):
                    answered[number, default: 0] += 1
                case .startComponents:
                    #expect(!areUp, "seed \(seed)")
                    areUp = true
                case .closeComponents:
                    #expect(areUp, "seed \(seed)")
                    areUp = false
                case .renewCore: #expect(!areUp, "seed \(seed)")
                case .attempt, .reject: break
                }
            }
        }
        for number in 1...UInt64(60) {
            time += Double.random(in: 0...1, using: &random)
            let user = ["a@x.y", "b@x.y"].randomElement(using: &random) ?? ""
            let event: LoginMachine.Event
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: event = .asked(number, Bool.random(using: &random) ? .signIn : .signUp, address: user)
            case 2, 3: event = .signedIn(userId: user)
            case 4: event = .attemptFailed(asked.last ?? 0, .failed("no"))
            case 5: event = .logoutAsked(number)
            case 6: event = .componentsDown
            case 7: event = .coreRenewed
            case 8: event = Bool.random(using: &random) ? .coreReady(.waiting) : .coreReady(.cached(userId: user))
            default: event = .coreNotRenewed(reason: "no")
            }
            switch event {
            case .asked(let number, _, _), .logoutAsked(let number): asked.append(number)
            default: break
            }
            perform(machine.handle(event, at: at(time)))
        }
        perform(machine.handle(.shutdown, at: at(time + 1)))
        #expect(answered.keys.sorted() == asked.sorted(), "seed \(seed)")
        #expect(answered.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    }
}

@Suite struct AddressTests {
    @Test(
        arguments: [
            ("ada@example.org", nil), ("Ada Lovelace@example.org", nil), ("ä@ö", nil),
            ("", "is no address; write it like ada@example.org"),
            ("ada", "is no address; write it like ada@example.org"),
            ("@x", "is no address; write it like ada@example.org"),
            ("a@", "is no address; write it like ada@example.org"),
            ("a@b@c", "is no address; write it like ada@example.org"),
            (" @x", "is no address; write it like ada@example.org"), ("a\n@x", "has control characters"),
            ("a\u{9B}@x", "has control characters"),
            ("a@" + String(repeating: "x", count: 511), "has more than 512 bytes"),
        ] as [(String, String?)])
    func whatCanBeAskedForAtAll(_ address: String, _ problem: String?) {
        #expect(Address.problem(address) == problem)
    }

    @Test func caseAndBlanksMakeNoOtherUser() {
        #expect(Address.isSame("Ada@Example.org", "a d a@example.ORG"))
        #expect(!Address.isSame("ada@example.org", "ada@example.com"))
    }
}
