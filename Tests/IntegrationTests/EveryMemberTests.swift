internal import Control
internal import FoundationEssentials
internal import TestSupport
internal import Testing

/// Every member of storage, mailerid, connectivity, log, ui, rpc and of what is always there, called by a component in
/// its process, through the wire, from the core of a real supervisor.
@Suite struct EveryMemberTests {
    @Test func everyMemberIsCalledByAComponent() throws {
        let fixtures = RunningSupervisor.repository + "/Tests/Fixtures"
        let code = try String(contentsOfFile: fixtures + "/every-member.mjs", encoding: .utf8)
        let supervisor = try RunningSupervisor(
            apps: SmallApps.together(
                SmallApps.app(
                    "members.test", ["all.mjs": code], services: ["all.mjs": ["Members", "Peer"]],
                    caps: """
                        {"storage": {"appFS": "default", "userFS": "all", "sysFS": "all"}, "mailerid": true,
                         "logToPlatform": true, "connectivity": true, "appRPC": ["Peer"],
                         "otherAppsRPC": [{"app": "other.test", "service": "Echo"}]}
                        """),
                SmallApps.app(
                    "other.test", ["echo.mjs": "w3nRPC.serve('Echo', { echo: async value => value });"],
                    services: ["echo.mjs": ["Echo"]])))
        try supervisor.line("component ready", about: "members.test/all.mjs")
        let answer = try supervisor.call("members.test", "Members", "run", within: .seconds(120))
        let missing = try #require(answer["missing"])
        #expect(missing == .array([]))
        let called = try #require(answer["called"]?.array).compactMap(\.string)
        #expect(CapabilityMembers.calledBy(CapabilityMembers.all).subtracting(called) == [])
        try supervisor.program.line { $0.contains("members are called") }
        _ = try supervisor.call("members.test", "Members", "end")
        try supervisor.line("component exited", about: "members.test/all.mjs")
        try supervisor.end()
    }

    /// Three ends of a component with sinks under way: an error of its own, a kill, and a close.
    @Test(arguments: ["end", "kill", "close"]) func aSinkUnderWayEndsWithItsComponent(_ end: String) throws {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app(
                "sinks.test",
                [
                    "a.mjs": """
                    const files = await w3n.storage.getAppLocalFS();
                    const sinks = [];
                    w3nRPC.serve('Sinks', {
                        begin: async () => {
                            await files.writeTxtFile('f', 'old');
                            for (let i = 0; i < 3; i += 1) {
                                sinks.push(await files.getByteSink('f'));
                                await sinks[i].splice(0, 0, new Uint8Array(200000));
                            }
                            files.watchTree('', undefined, { next() {} });
                        },
                        text: async () => files.readTxtFile('f'),
                        end: async () => { setTimeout(() => { throw new Error('ended'); }, 0); },
                        close: async () => { setTimeout(() => w3n.closeSelf(), 0); },
                    });
                    """
                ], services: ["a.mjs": ["Sinks"]]))
        let id = "sinks.test/a.mjs"
        try supervisor.line("component ready", about: id)
        let scratch = { try FileManager.default.contentsOfDirectory(atPath: supervisor.data + "/fs/scratch") }
        _ = try supervisor.call("sinks.test", "Sinks", "begin")
        #expect(try scratch().count == 3)
        switch end {
        case "kill": #expect(try supervisor.corehost("kill", id).code == 0)
        default: _ = try supervisor.call("sinks.test", "Sinks", end)
        }
        let told = try supervisor.line("core told", about: id)
        try supervisor.line("component ready", about: id, from: told.number)
        // The answers come by way of the disk that the scratch files are removed from, though perhaps before that.
        for _ in 1...1000 where try !scratch().isEmpty { _ = try supervisor.call("sinks.test", "Sinks", "text") }
        #expect(try scratch() == [])
        #expect(try supervisor.call("sinks.test", "Sinks", "text") == "old")
        try supervisor.end()
    }
}
