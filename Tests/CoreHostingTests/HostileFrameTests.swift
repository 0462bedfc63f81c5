import CoreHosting
import EventLoop
import Foundation
import Glibc
import Supervision
import TestSupport
import Testing
import Wire

/// The core plane, and both ends of the data pipes of two components: what a hostile process sends on one of them.
@Suite struct HostileFrameTests {
    private static let limit: UInt32 = 1 << 20

    /// A frame header of any shape, with the right check.
    private static func header(
        length: Int = 0, kind: UInt32 = 1, flags: UInt32 = 0, generation: UInt32 = 7, sequence: UInt32 = 0,
        damage: UInt32 = 0
    ) -> [UInt8] {
        let words = (UInt32(length), kind | flags << 8 | generation << 16, sequence)
        let check = CRC32C.of(words.0, words.1, words.2) ^ damage
        return [words.0, words.1, words.2, check].flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
    }

    private static func list(_ path: [String], sequence: UInt32) -> [UInt8] {
        let body = ListRequest(call: 1, path: path).encoded()
        return header(length: body.count, kind: 2, sequence: sequence) + body
    }

    private static let cases: [(name: String, bytes: [UInt8], violation: String)] = [
        ("check", header(damage: 1), "the stream is damaged or out of step"),
        ("length", header(length: 1 << 20 + 1), "frame of 1048577 bytes is over the limit of 1048576 bytes"),
        ("largest length", header(length: Int(UInt32.max)), "frame of 4294967295 bytes is over the limit"),
        ("kind", header(kind: 9), "frame of unknown kind 9: kinds are 1 to 5"),
        ("no kind", header(kind: 0), "frame of unknown kind 0"),
        ("flags", header(flags: 1), "frame with flags 0x1: flags must be 0"),
        ("generation", header(generation: 6), "frame of generation 6 on the pipe of generation 7"),
        ("sequence", header(sequence: 1), "frame number 1 came where number 0 was due"),
        ("repeated", list([], sequence: 0) + list([], sequence: 0), "frame number 0 came where number 1 was due"),
        ("list reply", header(kind: 3), "a frame of kind 3, which only the core may send"),
        ("bye acknowledged", header(kind: 5), "a frame of kind 5, which only the core may send"),
        ("malformed list request", header(length: 3, kind: 2) + [1, 2, 3], "3 bytes"),
        ("text", Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), "frame header with check 0x"),
        ("no envelope", header(length: 2) + [0xFF, 0xFF], "envelope"),
        ("an empty envelope", header(), "envelope"),
    ]

    @Test func eachIsAViolationAndNobodyElseIsDisturbed() throws {
        let world = try World()
        let good = try world.start("good.test")
        var sequence: UInt32 = 0
        for (name, bytes, violation) in Self.cases {
            let bad = try world.start("bad.test")
            bad.write(bytes)
            let end = try world.end(of: bad)
            guard case .violation(let how) = end else {
                Issue.record("\(name): \(end)")
                continue
            }
            #expect(how.contains(violation), "\(name): \(how)")
            #expect(bad.isClosedByTheOther(), "\(name)")
            good.write(Self.list(["w3n"], sequence: sequence))
            #expect(try good.listReply()?.contains("storage") == true, "after \(name)")
            sequence += 1
        }
        try world.stop()
    }

    @Test func anEndInTheMiddleOfAFrameIsNoViolation() throws {
        let world = try World()
        for (bytes, partial) in [
            ([], 0), (Self.header(length: 10), 16), (Self.header(length: 10) + [1, 2, 3], 19),
            (Array(Self.header().prefix(5)), 5),
        ] as [([UInt8], Int)] {
            let bad = try world.start("bad.test")
            bad.write(bytes)
            bad.close()
            #expect(try world.end(of: bad) == .endOfFile(partialFrame: partial))
        }
        try world.stop()
    }

    @Test func aListOfAPathThatIsNoneIsAnswered() throws {
        let world = try World()
        let component = try world.start("bad.test")
        for (number, path) in [["none"], ["__proto__"], ["w3n", "constructor"], ["w3n", "__proto__", "x"]].enumerated()
        {
            component.write(Self.list(path, sequence: UInt32(number)))
            #expect(try component.listReply() == nil, "\(path)")
        }
        try world.stop()
    }
}

/// A core plane with the embedded core, and what it has told.
private final class World {
    private let folder = try? TemporaryFolder()
    private let loop: Loop
    private let timer: EventLoop.Timer
    private let plane: CorePlane
    private let events: Events

    private final class Events {
        var all: [CoreEvent] = []
    }

    init() throws {
        guard let folder else { throw TestFailure("no folder") }
        for app in ["good.test", "bad.test"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/apps/\(app)/app", withIntermediateDirectories: true)
            try folder.write(
                "apps/\(app)/manifest.json",
                """
                {"appDomain": "\(app)", "version": "1", "components": {"/a.js": {"runtime": "deno",
                 "capsRequested": {"storage": {"appFS": "default"}, "logToPlatform": true}}}}
                """)
            try folder.write("apps/\(app)/app/a.js", "// never run")
        }
        loop = try Loop()
        timer = EventLoop.Timer(on: loop)
        let events = Events()
        self.events = events
        plane = try CorePlane(
            places: CorePlaces(
                resources: RunningSupervisor.resources, apps: folder.path + "/apps", files: folder.path + "/fs",
                keys: folder.path + "/keys",
                frameLimit: 1 << 20), reportingTo: loop
        ) { events.all.append($0) }
        _ = try wait { if case .signedIn = $0 { true } else { nil } }
    }

    /// Takes the first event that `matches` gives something for.
    private func wait<Value>(_ matches: (CoreEvent) -> Value?) throws -> Value {
        var isLate = false
        timer.start(after: .seconds(20)) { isLate = true }
        defer { timer.stop() }
        while true {
            for (index, event) in events.all.enumerated() {
                if let value = matches(event) {
                    events.all.remove(at: index)
                    return value
                }
            }
            if isLate { throw TestFailure("nothing of the kind came: \(events.all)") }
            loop.runOnce()
        }
    }

    func start(_ app: String) throws -> FakeComponent {
        let id = ComponentID(appDomain: app, entrypoint: "/a.js")
        plane.send(.launch(id))
        let connector = try wait { if case .startRequested(let connector, id) = $0 { connector } else { nil } }
        plane.send(.prepare(connector: connector, generation: 7, QueuePolicy()))
        let child = try wait { if case .prepared(connector, let child) = $0 { child } else { nil } }
        plane.send(.settleStart(connector: connector, .ready))
        return FakeComponent(connector: connector, descriptor: child.dataDescriptor)
    }

    func end(of component: FakeComponent) throws -> PortEnd {
        try wait { if case .portClosed(component.connector, let end, _) = $0 { end } else { nil } }
    }

    func stop() throws {
        plane.send(.stop)
        _ = try wait { if case .stopped = $0 { true } else { nil } }
        plane.join()
        timer.close()
        loop.runOnce(waiting: false)
    }
}

/// A component's end of its data pipe.
private final class FakeComponent {
    let connector: String
    private var descriptor: Int32

    init(connector: String, descriptor: Int32) {
        self.connector = connector
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func write(_ bytes: [UInt8]) { _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Names in the next list reply.
    func listReply() throws -> [String]? {
        let header = try read(FrameHeader.size)
        let length = header[0..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard header[4] == FrameKind.listReply.rawValue else { throw TestFailure("a frame of kind \(header[4])") }
        return try read(length).withUnsafeBytes { try ListReply(decoding: $0).names }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else {
            throw TestFailure("the core answers no more: errno \(errno)")
        }
        return bytes
    }

    /// Reads to the end: true if there is one.
    func isClosedByTheOther() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return count == 0 || errno == ECONNRESET }
        }
    }

    func close() {
        Glibc.close(descriptor)
        descriptor = -1
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
