import TestSupport
import Testing

/// What a power cut leaves of the embedded core's disk; `Scripts/replay.js` has the scenarios, `Scripts/recorded-disk.js`
/// the rules.
@Suite struct Replay {
    @Test(arguments: ["files and folders", "versions", "content in pieces"])
    func everyPrefixOpensToTheOldOrTheNewState(_ scenario: String) throws {
        let seed = SeededRandom.seed(for: "replay") & 0xffff_ffff
        let folder = try TemporaryFolder()
        let opened = try onTree(
            folder, scripts: ["recorded-disk.js", "replay.js"], "return await replay('\(scenario)', \(seed));")
        print("\(scenario): \(opened) disks opened")
        #expect((Int(opened) ?? 0) > 100)
    }

    @Test func changesAtOnceAreEachOldOrNew() throws {
        let seed = SeededRandom.seed(for: "replay of changes at once") & 0xffff_ffff
        let folder = try TemporaryFolder()
        let opened = try onTree(
            folder, scripts: ["recorded-disk.js", "replay.js"], "return await replayTogether(\(seed));")
        print("changes at once: \(opened) disks opened")
        #expect((Int(opened) ?? 0) > 100)
    }
}
