import Control
import Foundation
import TestSupport
import Testing

/// Components that take more memory than they may, as real processes.
@Suite struct MemoryTests {
    private static let id = "memory.test/a.mjs"
    private static let neighbour = "memory.test/b.mjs"
    private static let code = """
        let kept = [];
        const grow = {
            bytes: () => kept.push(new Uint8Array(1 << 30)),
            numbers: () => { const list = []; for (;;) { list.push(list.length); } },
            texts: () => { let text = 'abcdefgh'; for (;;) { text += text; /x/.test(text); } },
            objects: () => { for (let n = 0; ; n++) { kept = { kept, n, more: { n } }; } },
            once: () => new Array(2 ** 28).fill(1),
            names: () => { for (const names = {}, n = { at: 0 }; ; n.at++) { names['name' + n.at] = 1; } },
        };
        const fill = kind => { for (;;) { grow[kind](); } };
        w3nRPC.serve('Memory', {
            caught: async kind => {
                try { fill(kind); } catch (error) { return String(error); }
            },
            churn: async () => { for (let n = 0; n < 64; n++) { new Uint8Array(1 << 20).fill(1); } },
            fill: async kind => fill(kind),
            later: async kind => { setTimeout(() => fill(kind)); },
            hold: async mebibytes => {
                for (let n = 0; n < mebibytes; n++) { kept.push(new Uint8Array(1 << 20).fill(1)); }
                return kept.length;
            },
            drop: async () => { kept = []; return 0; },
            shapes: async () => {
                let n = 0;
                const more = () => {
                    for (const end = n + 100; n < end; n++) {
                        kept = { ['shape' + n]: kept };
                        for (let at = 0; at < 50; at++) { kept['more' + at] = at; }
                    }
                    setTimeout(more, 20);
                };
                more();
            },
        });
        """

    private func supervisor(soft: String = "32MiB", hard: String = "64MiB") throws -> RunningSupervisor {
        let apps = SmallApps.app(
            "memory.test", ["a.mjs": Self.code, "b.mjs": SmallApps.echo],
            services: ["a.mjs": ["Memory"], "b.mjs": ["Echo"]])
        let supervisor = try RunningSupervisor(
            apps: apps,
            configuration: """
                {"components": {
                    "*": {"backoff": {"first": "10ms"}},
                    "\(Self.id)": {"memory": {"soft": "\(soft)", "hard": "\(hard)"}}
                }}
                """)
        try supervisor.line("component ready", about: Self.id)
        try supervisor.line("component ready", about: Self.neighbour)
        return supervisor
    }

    private func memory(of supervisor: RunningSupervisor) throws -> MemoryShape {
        try #require(try supervisor.inspect(Self.id).memory)
    }

    /// The neighbour is the process that it was, and answers.
    private func checkNeighbour(_ supervisor: RunningSupervisor, _ before: ComponentRow) throws {
        #expect(try supervisor.call("memory.test", "Echo", "echo", [1]) == 1)
        let after = try supervisor.row(Self.neighbour)
        #expect(after.pid == before.pid && after.generation == before.generation)
    }

    @Test(arguments: ["bytes", "numbers", "texts"])
    func whatIsCaughtIsARangeErrorAndNothingElse(kind: String) throws {
        let supervisor = try supervisor()
        let (neighbour, pid) = (try supervisor.row(Self.neighbour), try supervisor.pid(Self.id))
        #expect(try supervisor.call("memory.test", "Memory", "caught", [.string(kind)]) == "RangeError: Out of memory")
        #expect(try supervisor.pid(Self.id) == pid)
        #expect(try supervisor.call("memory.test", "Memory", "hold", [4]) == 4)
        try checkNeighbour(supervisor, neighbour)
        #expect(try supervisor.end() == 0)
    }

    @Test func whatIsNotCaughtIsOutOfMemory() throws {
        let supervisor = try supervisor()
        let neighbour = try supervisor.row(Self.neighbour)
        _ = try? supervisor.call("memory.test", "Memory", "later", ["bytes"])
        let ended = try supervisor.line("component ended", about: Self.id)
        try supervisor.line("component ready", about: Self.id, from: ended.number)
        let last = try #require(try supervisor.inspect(Self.id).lastExit)
        #expect(last.cause == "out-of-memory" && last.code == 29, "\(last)")
        #expect(last.message.contains("RangeError: Out of memory (memory.test/a.mjs:3"), "\(last)")
        try checkNeighbour(supervisor, neighbour)
        #expect(try supervisor.end() == 0)
    }

    /// The engine throws nothing for these: it aborts.
    @Test(arguments: ["objects", "once", "names"])
    func anEngineThatGivesUpIsOutOfMemory(kind: String) throws {
        let supervisor = try supervisor()
        let neighbour = try supervisor.row(Self.neighbour)
        _ = try? supervisor.call("memory.test", "Memory", "fill", [.string(kind)])
        let ended = try supervisor.line("component ended", about: Self.id)
        try supervisor.line("component ready", about: Self.id, from: ended.number)
        let last = try #require(try supervisor.inspect(Self.id).lastExit)
        #expect(last.cause == "out-of-memory" && last.signal != nil, "\(last)")
        #expect(last.message.contains("\"memory.hard\" (64 MiB)"), "\(last)")
        try checkNeighbour(supervisor, neighbour)
        #expect(try supervisor.end() == 0)
    }

    @Test func theSoftLimitIsToldOncePerCrossingAndCollects() throws {
        let supervisor = try supervisor(hard: "128MiB")
        let pid = try supervisor.pid(Self.id)
        _ = try supervisor.call("memory.test", "Memory", "hold", [40])
        try supervisor.line("component holds much memory", about: Self.id)
        let collected = try supervisor.line("component's memory was collected", about: Self.id)
        #expect(try memory(of: supervisor).extra ?? 0 >= 40 << 20)
        #expect(try supervisor.call("memory.test", "Memory", "hold", [10]) == 50)
        #expect(try supervisor.call("memory.test", "Memory", "drop") == 0)
        // What it has dropped is freed when the engine collects, which new buffers make it do.
        for _ in 0..<100 where try memory(of: supervisor).own ?? 0 > 28 << 20 {
            _ = try supervisor.call("memory.test", "Memory", "churn")
        }
        try supervisor.line("component holds less memory again", about: Self.id, from: collected.number)
        _ = try supervisor.call("memory.test", "Memory", "hold", [60])
        try supervisor.line("component holds much memory", about: Self.id, from: collected.number)
        #expect(try supervisor.pid(Self.id) == pid)
        let log = try supervisor.corehost("logs", Self.id).lines.joined(separator: "\n")
        #expect(log.contains("more than 32 MiB (\"memory.soft\")"), "\(log)")
        #expect(try supervisor.end() == 0)
    }

    /// Shapes of objects grow in what the engine has taken beforehand: only looking at the process tells. They follow one
    /// upon the other: for tables of many that follow upon the same one the engine would have to ask.
    @Test func aProcessThatIsOverAllThatItMayHoldIsEnded() throws {
        let supervisor = try supervisor(soft: "64MiB", hard: "64MiB")
        let neighbour = try supervisor.row(Self.neighbour)
        _ = try supervisor.call("memory.test", "Memory", "shapes")
        let ended = try supervisor.line("component ended", about: Self.id)
        try supervisor.line("component ready", about: Self.id, from: ended.number)
        let last = try #require(try supervisor.inspect(Self.id).lastExit)
        #expect(last.cause == "memory-limit" && last.signal == "SIGKILL", "\(last)")
        #expect(last.message.contains("its limit is 128 MiB"), "\(last)")
        try checkNeighbour(supervisor, neighbour)
        #expect(try supervisor.end() == 0)
    }

    /// Once each time that it has had something to do.
    @Test func anIdleCoreIsCollected() throws {
        let supervisor = try supervisor()
        func collections() throws -> Int {
            try supervisor.corehost("logs", "--level", "debug").lines.count { $0.contains("idle core is collected") }
        }
        try supervisor.wait(for: "a collection", within: .seconds(60)) { try collections() == 1 }
        #expect(try supervisor.call("memory.test", "Memory", "hold", [1]) == 1)
        try supervisor.wait(for: "another one", within: .seconds(60)) { try collections() == 2 }
        #expect(try supervisor.call("memory.test", "Memory", "hold", [1]) == 2)
        #expect(try supervisor.end() == 0)
    }

    @Test func theLeastIsEnoughForTheBundledApps() throws {
        let supervisor = try RunningSupervisor(
            configuration: #"{"components": {"*": {"memory": {"soft": "8MiB", "hard": "16MiB"}}}}"#)
        for id in try supervisor.ps().map(\.id) { try supervisor.line("component ready", about: id) }
        for _ in 0..<20 {
            _ = try supervisor.call("contacts.app.privacysafe.io", "AppContacts", "list")
        }
        #expect(!supervisor.program.lines.contains { $0.contains("component ended") })
        #expect(try supervisor.end() == 0)
    }
}
