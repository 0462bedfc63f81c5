import Simulation
import Supervision
import Testing

@Suite struct SimulatorTests {
    @Test func theSameSeedGivesTheSameTrace() {
        func trace(_ seed: UInt64) -> [String] {
            var lines: [String] = []
            let report = Simulator().run(seed: seed, hours: 2) { lines.append($0) }
            #expect(report.failure == nil, "\(report)")
            return lines + ["\(report.events) \(report.digest)"]
        }
        let first = trace(7)
        #expect(first == trace(7) && first.count > 100)
        #expect(first != trace(8))
    }

    @Test(arguments: [0, 100, 200, 300])
    func everyPromiseHolds(first: UInt64) async {
        for seed in first..<first + 8 {
            await Task.yield()
            let report = Simulator().run(seed: seed, hours: 0.5)
            #expect(report.events > 10)
            if let failure = report.failure {
                Issue.record("seed \(seed): \(failure.violation)\n\(failure.trace.joined(separator: "\n"))")
            }
        }
    }

    /// A supervisor that gets no turn, while an answer waits in a pipe and a limit passes.
    @Test func aSeedThatOnceFailedHolds() {
        let report = Simulator().run(seed: 805, hours: 7)
        #expect(report.failure == nil, "\(report)")
    }

    /// Rules that are given are those of the components.
    @Test func givenComponentsAreSimulated() {
        let id = ComponentID(appDomain: "a.b", entrypoint: "/c.mjs")
        var lines: [String] = []
        let simulator = Simulator(components: [.init(id: id, policy: RestartPolicy(restart: .permanent))])
        let report = simulator.run(seed: 3, hours: 1) { lines.append($0) }
        #expect(report.failure == nil)
        #expect(lines.contains { $0.contains("a.b/c.mjs: ready") } && !lines.contains { $0.contains("app.test") })
    }
}
