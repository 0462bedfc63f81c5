import Faults
import Supervision
import TestSupport
import Testing

@Suite struct FaultBookTests {
    private static func id(_ number: Int) -> ComponentID {
        ComponentID(appDomain: number.isMultiple(of: 2) ? "even.test" : "odd.test", entrypoint: "/c\(number).mjs")
    }

    private static func roster(
        _ count: Int, generation: UInt64 = 1, _ condition: FaultMember.Condition = .running
    ) -> [FaultMember] {
        (0..<count).map { FaultMember(id($0), generation: generation, condition) }
    }

    private static func order(
        _ kind: String, _ target: String? = "all", _ parameters: [String: String] = [:],
        _ wish: FaultOrder.Wish = FaultOrder.Wish(), seed: UInt64 = 1
    ) throws(FaultRefusal) -> FaultOrder {
        try FaultOrder(kind: kind, target: target, parameters: parameters, wish: wish, seed: seed)
    }

    private static func targets(_ actions: [FaultBook.Action]) -> [ComponentID] {
        actions.compactMap { if case .apply(_, let target) = $0 { target.id } else { nil } }
    }

    private static func second(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

    @Test func isAppliedToEachOnceInTheOrderOfItsRate() throws {
        var book = FaultBook()
        let roster = Self.roster(3)
        var (entry, actions) = try book.inject(Self.order("signal"), among: roster, owner: nil, at: Self.second(0))
        var hit = Self.targets(actions)
        #expect(hit.count == 1 && entry.leash.count == 3 && entry.leash.most == 3)
        var now = Self.second(0)
        while let deadline = book.deadline(after: now), hit.count < 3 {
            now = deadline
            actions = book.look(at: roster, now)
            hit += Self.targets(actions)
        }
        #expect(Set(hit) == Set(roster.map(\.id)) && now == Self.second(0.2))
        #expect(actions.last == book[entry.id].map { .ended($0) } && book[entry.id]?.ending == .count)
        #expect(book.inForce.isEmpty && book.deadline(after: now) == nil)
    }

    @Test func keepsNoMoreThanSoManyFromRunning() throws {
        var book = FaultBook()
        let wish = FaultOrder.Wish(count: 10, rate: 1000, most: 1)
        let (_, actions) = try book.inject(
            Self.order("signal", "all", [:], wish), among: Self.roster(4), owner: nil, at: Self.second(0))
        let first = try #require(Self.targets(actions).first)
        func roster(_ generation: UInt64, _ condition: FaultMember.Condition) -> [FaultMember] {
            Self.roster(4).map { $0.id == first ? FaultMember($0.id, generation: generation, condition) : $0 }
        }
        #expect(Self.targets(book.look(at: roster(1, .onItsWay), Self.second(0.5))).isEmpty)
        #expect(Self.targets(book.look(at: roster(2, .onItsWay), Self.second(5))).isEmpty)
        #expect(Self.targets(book.look(at: roster(2, .running), Self.second(5.1))).count == 1)
    }

    @Test func whatIsHeldIsUndoneHoweverItEnds() throws {
        for ending in FaultEnding.allCases where ending != .count && ending != .noTarget {
            var book = FaultBook()
            let roster = Self.roster(2)
            let wish = FaultOrder.Wish(rate: 1000, duration: .seconds(2))
            let (entry, first) = try book.inject(
                Self.order("pause", "all", [:], wish), among: roster, owner: 7, at: Self.second(0))
            let held = Self.targets(first + book.look(at: roster, Self.second(0.5)))
            #expect(held.count == 2 && book.inForce.first?.held == held.sorted())
            let actions =
                switch ending {
                case .duration: book.look(at: roster, Self.second(2))
                case .cleared: try book.clear(entry.id)
                case .clientGone: book.ownerGone(7)
                case .shutdown, .count, .noTarget: book.clearAll(.shutdown)
                }
            let undone = actions.compactMap { if case .undo(_, let target) = $0 { target.id } else { nil } }
            #expect(Set(undone) == Set(held), "\(ending)")
            #expect(book[entry.id]?.ending == ending && book.inForce.isEmpty)
            #expect(book.look(at: roster, Self.second(9)).isEmpty)
        }
    }

    @Test func anotherClientsEndIsNoneOfItsBusiness() throws {
        var book = FaultBook()
        let (entry, _) = try book.inject(Self.order("pause"), among: Self.roster(1), owner: nil, at: Self.second(0))
        #expect(book.ownerGone(1).isEmpty && book[entry.id]?.ending == nil)
    }

    @Test func aNewLifeIsNotHeld() throws {
        var book = FaultBook()
        let (entry, _) = try book.inject(Self.order("pause"), among: Self.roster(1), owner: nil, at: Self.second(0))
        #expect(book.look(at: Self.roster(1, generation: 2), Self.second(1)) == book[entry.id].map { [.ended($0)] })
        #expect(book[entry.id]?.ending == .count)
    }

    @Test func anArmedOneStrikesAsOftenAsItsLeashLetsIt() throws {
        var book = FaultBook()
        let wish = FaultOrder.Wish(count: 2, rate: 1)
        let (entry, actions) = try book.inject(
            Self.order("spawn-refused", "id=odd.test/c1.mjs", ["errno": "ENOMEM"], wish), among: Self.roster(3),
            owner: nil, at: Self.second(0))
        #expect(actions.isEmpty)
        let here = FaultTarget.component(Self.id(1), generation: 1)
        #expect(book.trip(.spawnRefused, .component(Self.id(0), generation: 1), at: Self.second(0)) == nil)
        #expect(book.trip(.slowStart, here, at: Self.second(0)) == nil)
        #expect(book.trip(.spawnRefused, here, at: Self.second(0))?.entry.id == entry.id)
        #expect(book.trip(.spawnRefused, here, at: Self.second(0.5)) == nil, "its rate")
        let last = book.trip(.spawnRefused, here, at: Self.second(1))
        #expect(last?.actions == book[entry.id].map { [.ended($0)] })
        #expect(book.trip(.spawnRefused, here, at: Self.second(2)) == nil)
    }

    @Test func theSeedAloneChooses() throws {
        let seed = SeededRandom.seed(for: "the seed alone chooses")
        func run(_ roster: [FaultMember]) throws -> [ComponentID] {
            var book = FaultBook()
            let wish = FaultOrder.Wish(count: 40, rate: 10, duration: .seconds(600), most: 1000)
            var hit = Self.targets(
                try book.inject(
                    Self.order("signal", "random:2", [:], wish, seed: seed), among: roster, owner: nil,
                    at: Self.second(0)
                ).actions)
            for step in 1..<400 { hit += Self.targets(book.look(at: roster, Self.second(Double(step) * 1.1))) }
            return hit
        }
        let (one, two) = (try run(Self.roster(20)), try run(Self.roster(20).reversed()))
        #expect(one == two && one.count == 40 && Set(one).count > 5)
    }

    @Test func refusesWhatContradictsByName() throws {
        var book = FaultBook()
        let roster = Self.roster(4)
        _ = try book.inject(Self.order("pause", "app=odd.test"), among: roster, owner: nil, at: Self.second(0))
        for kind in ["pause", "exit", "tight-loop"] {
            let error = #expect(throws: FaultRefusal.self) {
                try book.inject(Self.order(kind, "all"), among: roster, owner: nil, at: Self.second(0))
            }
            let text = "\(try #require(error))"
            let names = ["fault 1 (pause)", "odd.test/", "fault clear 1"]
            #expect(names.allSatisfy(text.contains), "\(text)")
        }
        let goesOn = #expect(throws: FaultRefusal.self) {
            try book.inject(
                Self.order("signal", "all", ["signal": "SIGCONT"]), among: roster, owner: nil, at: Self.second(0))
        }
        #expect("\(try #require(goesOn))".contains("would end the pause"))
        _ = try book.inject(Self.order("exit", "app=even.test"), among: roster, owner: nil, at: Self.second(0))
        #expect(throws: FaultRefusal.self) { try book.clear(9) }
        _ = try book.clear(1)
        let again = #expect(throws: FaultRefusal.self) { try book.clear(1) }
        #expect("\(try #require(again))".contains("over already (cleared)"))
    }

    @Test func targetsMustBeThere() throws {
        var book = FaultBook()
        for target in ["id=nobody.test/a", "app=nobody.test", "entry=nothing.mjs"] {
            #expect(throws: FaultRefusal.noTarget("no component is chosen by \(target); `corehost ps` lists them")) {
                try book.inject(Self.order("signal", target), among: Self.roster(2), owner: nil, at: Self.second(0))
            }
        }
        let (entry, _) = try book.inject(
            Self.order("signal", "all"), among: Self.roster(1, .atRest), owner: nil, at: Self.second(0))
        _ = book.look(at: [], Self.second(1))
        #expect(book[entry.id]?.ending == .noTarget)
    }

    /// Whatever happens, leashes hold and what was held is undone exactly once.
    @Test func anyCourseOfThingsKeepsTheLeash() throws {
        let seed = SeededRandom.seed(for: "any course of things keeps the leash")
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            var book = FaultBook()
            var members = Self.roster(Int.random(in: 1...6, using: &random))
            var held: [Int: Set<FaultTarget>] = [:]
            var applied: [Int: Int] = [:]
            var leashes: [Int: FaultLeash] = [:]
            var now = 0.0
            func note(_ actions: [FaultBook.Action]) {
                for action in actions {
                    switch action {
                    case .apply(let entry, let target):
                        applied[entry.id, default: 0] += 1
                        if entry.kind.manner == .held { #expect(held[entry.id, default: []].insert(target).inserted) }
                    case .undo(let entry, let target): #expect(held[entry.id]?.remove(target) != nil)
                    case .ended(let entry):
                        // What is left has gone by itself.
                        for case .component(let id, let generation) in held[entry.id] ?? [] {
                            let member = members.first { $0.id == id }
                            #expect(member?.generation != generation || member?.condition == .atRest)
                        }
                    }
                }
            }
            for _ in 0..<60 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    let kind = ["signal", "pause", "exit", "stalled-loop", "memory-growth"].randomElement(
                        using: &random)
                    let wish = FaultOrder.Wish(
                        count: Int.random(in: 1...5, using: &random), rate: Double.random(in: 0.5...50, using: &random),
                        duration: .milliseconds(Int.random(in: 100...4000, using: &random)),
                        most: Int.random(in: 1...3, using: &random))
                    let target = ["all", "random:2", "50%", "app=odd.test"].randomElement(using: &random)
                    if let order = try? Self.order(
                        kind ?? "", target, [:], wish, seed: .random(in: 0...99, using: &random)),
                        let (entry, actions) = try? book.inject(
                            order, among: members, owner: UInt64.random(in: 1...2, using: &random), at: Self.second(now)
                        )
                    {
                        leashes[entry.id] = entry.leash
                        note(actions)
                    }
                case 1: note(book.ownerGone(UInt64.random(in: 1...2, using: &random)))
                case 2: if let entry = book.inForce.randomElement(using: &random) { note(try book.clear(entry.id)) }
                case 3:
                    let index = Int.random(in: 0..<members.count, using: &random)
                    let old = members[index]
                    let next: FaultMember.Condition =
                        [.running, .onItsWay, .atRest].randomElement(using: &random) ?? .running
                    let isNewLife =
                        old.condition == .atRest && next != .atRest || old.condition == .onItsWay && next == .running
                    members[index] = FaultMember(old.id, generation: old.generation + (isNewLife ? 1 : 0), next)
                default: now += Double.random(in: 0...0.4, using: &random)
                }
                note(book.look(at: members, Self.second(now)))
                for entry in book.inForce {
                    #expect(entry.held.count <= entry.leash.most)
                    #expect(Self.second(now) < entry.endsAt)
                }
                for (id, count) in applied { #expect(count <= leashes[id]?.count ?? 0) }
            }
            note(book.clearAll(.shutdown))
            #expect(book.inForce.isEmpty)
        }
    }
}
