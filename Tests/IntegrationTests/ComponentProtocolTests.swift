import TestSupport
import Testing
import Wire

@Suite struct ComponentProtocolTests {
    /// A frame header of any shape, with the right check.
    private static func header(
        length: UInt32 = 0, kind: UInt32 = 1, flags: UInt32 = 0, generation: UInt32 = 7, sequence: UInt32 = 0,
        damage: UInt32 = 0
    ) -> [UInt8] {
        let words = (length, kind | flags << 8 | generation << 16, sequence)
        let check = CRC32C.of(words.0, words.1, words.2) ^ damage
        return [words.0, words.1, words.2, check].flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
    }

    private static let limit: UInt32 = 1 << 20

    static let badFrames: [(name: String, bytes: [UInt8])] = [
        ("wrong check", header(damage: 1)),
        ("too long", header(length: limit + 1)),
        ("unknown kind", header(kind: 9)),
        ("flags", header(flags: 1)),
        ("generation", header(generation: 8)),
        ("sequence", header(sequence: 3)),
        ("a component's request", header(kind: 2)),
        ("a component's bye", header(kind: 4)),
        ("acknowledges no bye", header(kind: 5)),
        ("malformed list reply", header(length: 1, kind: 3) + [0]),
        ("reply to no call", header(length: 7, kind: 3) + [9, 0, 0, 0, 0, 0, 0]),
        ("text", Array("GET / HTTP/1.1\r\nHost: x\r\n".utf8)),
    ]

    @Test(arguments: badFrames.map(\.name)) func endsAtABadFrame(_ name: String) throws {
        // Its own scripts: with the platform's, replies to list calls would be frames before this one.
        let resources = try RawResources()
        let component = try ComponentFixture(code: "", frameLimit: Self.limit, resources: resources.folder)
        try component.waitForReady()
        let bytes = try #require(Self.badFrames.first { $0.name == name }).bytes
        try component.write(data: bytes)
        #expect(try component.waitForExit(seconds: 10) == .code(.protocolViolation))
        #expect(component.failure?.kind == .protocolViolation)
        #expect(component.failure?.message.hasPrefix("data pipe: ") == true)
    }

    static let badOrders: [(name: String, bytes: [UInt8])] = [
        ("too long", [0xFF, 0xFF, 0xFF, 0x7F, 65]),
        ("unknown kind", [0, 0, 0, 0, 99]),
        ("a component's report", [0, 0, 0, 0, 3]),
        ("malformed", [1, 0, 0, 0, 67, 0]),
        ("empty boot", [0, 0, 0, 0, 65]),
    ]

    @Test(arguments: badOrders.map(\.name)) func endsAtABadOrder(_ name: String) throws {
        let component = try ComponentFixture()
        try component.write(control: try #require(Self.badOrders.first { $0.name == name }).bytes)
        #expect(try component.waitForExit(seconds: 10) == .code(.protocolViolation))
        #expect(component.failure?.message.hasPrefix("control pipe: ") == true)
    }

    @Test func bootsOnceAndForItsOwnGenerationOnly() throws {
        let twice = try ComponentFixture(code: "")
        try twice.boot(code: [])
        #expect(try twice.waitForExit() == .code(.protocolViolation))
        let other = try ComponentFixture()
        try other.boot(code: [], generation: ComponentFixture.generation + 1)
        #expect(try other.waitForExit() == .code(.protocolViolation))
    }

    @Test func envelopesReachJavaScriptInOrder() throws {
        let resources = try RawResources()
        let component = try ComponentFixture(
            code: "globalThis.receive = bytes => { send(bytes.map(byte => byte + 1)) }", resources: resources.folder)
        try component.waitForReady()
        for byte in 0..<200 { try component.send(.envelope, [UInt8(byte)]) }
        try component.wait(for: "all answers") { $0.frames.count == 200 }
        #expect(component.frames.map(\.body) == (0..<200).map { [UInt8($0) + 1] })
    }

    @Test func listsWhatTheCoreHas() throws {
        let resources = try RawResources()
        let component = try ComponentFixture(
            code: """
                const list = path => port('ipc_listCoreObjPath', path);
                console.log(JSON.stringify(await Promise.all([list(['a']), list(['b']), list([])])));
                """, resources: resources.folder)
        component.members = { $0 == ["a"] ? ["x", "ü"] : $0.isEmpty ? [] : nil }
        try component.wait(for: "its line") { !$0.logLines.isEmpty }
        #expect(component.logLines == [#"[["x","ü"],null,[]]"#])
    }

    @Test func refusesPathsThatAreNone() throws {
        let resources = try RawResources()
        let component = try ComponentFixture(
            code: """
                const paths = [undefined, 'a', 7, {}, [1], ['a', null], Array(33).fill('a'), ['a'.repeat(1025)],
                    { length: -1 }, { length: 1e9 }];
                for (const path of paths) {
                    try {
                        port('ipc_listCoreObjPath', path);
                        console.log('accepted');
                    } catch (err) {
                        console.log(err.type, err.badArgument);
                    }
                }
                """, resources: resources.folder)
        try component.waitForReady()
        #expect(component.logLines == Array(repeating: "port true", count: 10))
    }
}
