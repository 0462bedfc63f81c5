import Control
import TestSupport
import Testing

@Suite struct SimulateTests {
    private func simulate(_ arguments: String...) throws -> (code: Int32, lines: [String]) {
        let outcome = try RunningSupervisor.corehost(["simulate"] + arguments, [:])
        return (outcome.code, outcome.lines)
    }

    @Test func twoProcessesGiveTheSameTraceByteForByte() throws {
        let first = try simulate("--seed", "7", "--hours", "2", "--trace")
        let second = try simulate("--seed", "7", "--hours", "2", "--trace")
        #expect(first.code == 0 && first.lines.count > 100)
        #expect(first.lines == second.lines)
        #expect(first.lines.last?.hasPrefix("seed 7: 2 h simulated, ") == true)
    }

    @Test func rulesOfAFileAreSimulated() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            #"{"components": {"*": {"maxRestarts": 2}, "a.b/c.mjs": {"restart": "permanent"}}}"#, to: "rules.jsonc")
        let ended = try simulate("--hours", "1", "--policy", file, "--trace")
        #expect(ended.code == 0 && ended.lines.contains { $0.contains("a.b/c.mjs: ready") })
        let broken = try folder.write("{\"componets\": 1}", to: "broken.jsonc")
        #expect(try simulate("--policy", broken).code == 12)
        #expect(try simulate("--policy", folder.path + "/none").code == 12)
    }

    @Test(arguments: [
        ["--seed", "-1"], ["--seed", "x"], ["--seeds", "0"], ["--hours", "0"], ["--hours", "nan"], ["--hours", "1e9"],
        ["--json", "--trace"], ["--seed", "18446744073709551615", "--seeds", "2"],
    ])
    func whatCannotBeSimulatedIsRefused(arguments: [String]) throws {
        #expect(try RunningSupervisor.corehost(["simulate"] + arguments, [:]).code == 2)
    }
}
