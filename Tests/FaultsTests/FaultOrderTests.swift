import Faults
import Supervision
import Testing

@Suite struct FaultOrderTests {
    private func refusal(
        _ kind: String, _ target: String? = "all", _ parameters: [String: String] = [:],
        _ wish: FaultOrder.Wish = FaultOrder.Wish()
    ) -> String? {
        do throws(FaultRefusal) {
            _ = try FaultOrder(kind: kind, target: target, parameters: parameters, wish: wish, seed: 0)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func everyKindHasDefaultsThatEnd() throws {
        for row in FaultTable.rows {
            let target = row.kind.isOfPlatform ? nil : "all"
            let order = try FaultOrder(kind: row.kind.rawValue, target: target, seed: 0)
            #expect(order.parameters.count == row.parameters.count)
            #expect(!row.purpose.isEmpty)
        }
    }

    @Test(arguments: [
        ("all", FaultSelector.all), ("id=a.b/c.mjs", .id("a.b/c.mjs")), ("app=a.b", .app("a.b")),
        ("entry=c.mjs", .entry("c.mjs")), ("entry=/c.mjs", .entry("c.mjs")), ("random:3", .random(3)),
        ("50%", .percent(50)), ("100%", .percent(100)),
    ])
    func selectorsAreRead(text: String, selector: FaultSelector) throws {
        #expect(try FaultSelector(text) == selector)
    }

    @Test(arguments: [
        "", "id=", "ids=a", "random:0", "random:-1", "random:10001", "random:", "0%", "101%", "%", "some",
    ])
    func otherSelectorsAreRefused(text: String) throws {
        let reason = try #require(refusal("signal", text))
        #expect(reason.contains("is none of id=ID, app=DOMAIN, entry=FILE, random:N, N% or all"))
    }

    @Test func signalsOfTheEngineAreRefusedWithTheReason() throws {
        for text in ["SIGUSR1", "usr1", "10"] {
            let reason = try #require(refusal("signal", "all", ["signal": text]))
            #expect(reason.contains("SIGUSR1 belongs to the JavaScript engine") && reason.contains("collector"))
        }
        for text in ["SIGSEGV", "SIGBUS"] {
            #expect(refusal("signal", "all", ["signal": text])?.contains("traps") == true)
        }
        #expect(refusal("signal", "all", ["signal": "SIGUSR2"])?.contains("loops in components") == true)
        #expect(refusal("signal", "all", ["signal": "SIGSTOP"])?.contains("use the kind pause") == true)
        for text in ["SIGNOTHING", "99", "0", "-1", ""] {
            #expect(refusal("signal", "all", ["signal": text])?.contains("there is no signal") == true, "\(text)")
        }
        for text in ["KILL", "SIGTERM", "sigabrt", "2", "RTMIN", "SIGRTMIN+3", "64"] {
            #expect(refusal("signal", "all", ["signal": text]) == nil)
        }
    }

    @Test func aStepOfTheClockGoesSomewhere() {
        for text in ["0", "0s", "-0", "--1h", "- 1h", "1h-"] {
            #expect(refusal("clock-step", nil, ["by": text]) != nil, "\(text)")
        }
        for text in ["1h", "-1h", "-10ms"] { #expect(refusal("clock-step", nil, ["by": text]) == nil, "\(text)") }
    }

    @Test func whatIsToTakeLongIsNotCutShort() throws {
        func duration(_ span: String, _ wish: FaultOrder.Wish = FaultOrder.Wish()) throws -> Duration? {
            try FaultOrder(kind: "tight-loop", target: "all", parameters: ["for": span], wish: wish, seed: 0).wish
                .duration
        }
        #expect(try duration("2s") == nil)
        #expect(try duration("90s") == .seconds(90))
        #expect(try duration("90s", FaultOrder.Wish(duration: .seconds(3))) == .seconds(3))
    }

    @Test func leashesWithoutEndAreRefused() {
        for wish in [
            FaultOrder.Wish(count: 0), FaultOrder.Wish(count: -1), FaultOrder.Wish(count: 100_001),
            FaultOrder.Wish(rate: 0), FaultOrder.Wish(rate: -1), FaultOrder.Wish(rate: .infinity),
            FaultOrder.Wish(rate: .nan), FaultOrder.Wish(duration: .zero), FaultOrder.Wish(duration: .seconds(-1)),
            FaultOrder.Wish(duration: .seconds(1e8)), FaultOrder.Wish(most: 0), FaultOrder.Wish(most: 1001),
        ] {
            #expect(refusal("pause", "all", [:], wish)?.contains("no fault is without an end") == true, "\(wish)")
        }
    }

    @Test func whatIsWrongIsNamed() {
        #expect(refusal("explode")?.hasPrefix("there is no kind of fault \"explode\"; kinds are signal, ") == true)
        #expect(refusal("pause", nil)?.hasPrefix("pause needs a target: id=ID") == true)
        #expect(refusal("pause", "all", ["x": "1"]) == "pause has no parameter \"x\"; it takes none")
        #expect(refusal("exit", "all", ["cod": "1"]) == "exit has no parameter \"cod\"; it takes code")
        #expect(
            refusal("exit", "all", ["code": "256"])
                == "exit: code must be a whole number from 0 to 255, not \"256\"")
        #expect(refusal("tight-loop", "all", ["for": "0"])?.contains("a time from 1 ms to 1 h") == true)
        #expect(refusal("memory-growth", "all", ["size": "1KiB"])?.contains("a size from 1 MiB") == true)
        #expect(refusal("spawn-refused", "all", ["errno": "EWHAT"])?.contains("one of EAGAIN") == true)
    }
}
