internal import Control
internal import EventLoop
internal import FoundationEssentials
internal import Synchronization
internal import TestSupport
internal import Testing

/// A component that asks for more at once than the core could do at once.
@Suite struct ManyCallsTests {
    private static let greedy = """
        const files = await w3n.storage.getAppLocalFS();
        await files.writeBytes('big', new Uint8Array(8 << 20));
        const all = count => Array.from({ length: count }, (_, i) => i);
        w3nRPC.serve('Greedy', {
            write: async count => {
                await Promise.all(all(count).map(i => files.writeTxtFile(`d${i % 10}/f${i}`, `${i}`)));
                return (await files.listFolder('d0')).length;
            },
            read: async count => {
                const texts = await Promise.all(all(count).map(i => files.readTxtFile(`d${i % 10}/f${i}`)));
                return texts.every((text, i) => text === `${i}`);
            },
            bytes: async count => {
                const lengths = await Promise.all(all(count).map(async () => (await files.readBytes('big')).length));
                return lengths.reduce((sum, length) => sum + length, 0);
            },
        });
        """

    private func start() throws -> RunningSupervisor {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app("greedy.test", ["a.mjs": Self.greedy], services: ["a.mjs": ["Greedy"]]))
        try supervisor.line("component ready", about: "greedy.test/a.mjs")
        return supervisor
    }

    /// Thousands of calls at once are all answered, and never take as many descriptors.
    @Test func callsAtOnceWaitForTheirTurn() throws {
        let supervisor = try start()
        let before = try RunningSupervisor.descriptors(of: supervisor.program.pid)
        let isOver = Atomic(false)
        let most = Atomic(0)
        let pid = supervisor.program.pid
        let watching = try EventLoop.Thread {
            while !isOver.load(ordering: .relaxed) {
                // A look that fails is of a process that has ended, which the calls below tell.
                let count = (try? RunningSupervisor.descriptors(of: pid)) ?? 0
                most.max(count, ordering: .relaxed)
            }
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            watching.join()
        }
        #expect(try supervisor.call("greedy.test", "Greedy", "write", [800], within: .seconds(120)) == 80)
        #expect(try supervisor.call("greedy.test", "Greedy", "read", [800], within: .seconds(120)) == true)
        #expect(try supervisor.call("greedy.test", "Greedy", "bytes", [12], within: .seconds(120)) == .int(12 << 23))
        #expect(most.load(ordering: .relaxed) < before + 200, "\(before) before")
        try supervisor.end()
    }
}
