import EventLoop
import Foundation
import Glibc
import Supervision
import Synchronization
import TestSupport
import Testing
import Wire

@testable import CoreHosting

/// What the supervision plane and the core hear of a component that ends at any byte of what it sends.
@Suite struct PortEndTests {
    private static let generation: UInt64 = 0x1_0001

    /// How the end comes about.
    private enum Death: CaseIterable {
        /// The pipe's end is closed, as by a process that dies.
        case endOfFile
        /// The supervision plane saw the exit first; the pipe's end is still open somewhere.
        case exitSeen
    }

    @Test func aComponentKilledAtAnyByteDeliversTheFramesBeforeItAndOneEnd() throws {
        try withCoreSession { core in
            let bodies: [[UInt8]] = [Array("one".utf8), [], Array(0..<40)]
            var encoder = FrameEncoder(generation: UInt16(truncatingIfNeeded: Self.generation))
            let frames = bodies.map { encoder.frame(.envelope, $0) }
            let all = Array(frames.joined())
            for cut in 0...all.count {
                for death in Death.allCases { try Self.check(core, bodies, all, cut: cut, death) }
            }
        }
    }

    @Test func theSameForLargeFramesAtRandomBytes() throws {
        let seed = SeededRandom.seed(for: "killed within large frames")
        try withCoreSession { core in
            var random = SeededRandom(seed: seed)
            for _ in 0..<6 {
                let bodies = (0..<3).map { _ in
                    [UInt8](
                        repeating: .random(in: 0...255, using: &random), count: .random(in: 0..<600_000, using: &random)
                    )
                }
                var encoder = FrameEncoder(generation: UInt16(truncatingIfNeeded: Self.generation))
                let all = Array(bodies.map { encoder.frame(.envelope, $0) }.joined())
                let cut = Int.random(in: 0...all.count, using: &random)
                for death in Death.allCases { try Self.check(core, bodies, all, cut: cut, death) }
            }
        }
    }

    /// One that asks and asks and never reads is held back; told to close, it must not stay so.
    @Test func aPortThatWasHeldBackEndsWithItsProcessAfterItWasClosed() throws {
        try withCoreSession { core in
            let (connector, descriptor) = try core.open(generation: Self.generation)
            defer { close(descriptor) }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            var encoder = FrameEncoder(generation: UInt16(truncatingIfNeeded: Self.generation))
            var call: UInt32 = 0
            var refusals = 0
            var frame: [UInt8] = []
            while refusals < 100 {
                if frame.isEmpty {
                    call += 1
                    frame = encoder.frame(.listRequest, ListRequest(call: call, path: ["w3n"]).encoded())
                }
                let count = write(descriptor, frame, frame.count)
                frame.removeFirst(max(0, count))
                refusals = count > 0 ? 0 : refusals + 1
                if count < 0 { core.turnOnce() }
            }
            core.session.handle(.closePort(connector: connector, cause: "test"))
            #expect(core.takeEvents().suffix(2).map { $0.prefix(17) } == ["closed", "portClosed byPlat"])
            shutdown(descriptor, Int32(SHUT_WR))
            var events = pollfd(fd: descriptor, events: 0, revents: 0)
            try core.turn(until: { poll(&events, 1, 0) == 1 && events.revents & Int16(POLLHUP) != 0 })
            core.session.handle(.settleStart(connector: connector, .failed("it has ended")))
        }
    }

    private static func check(
        _ core: TestedCore, _ bodies: [[UInt8]], _ all: [UInt8], cut: Int, _ death: Death
    ) throws {
        var rest = cut
        let whole = bodies.prefix { body in
            rest -= FrameHeader.size + body.count
            return rest >= 0
        }
        let partial = cut - whole.reduce(0) { $0 + FrameHeader.size + $1.count }
        let (connector, descriptor) = try core.open(generation: generation)
        let source = Array(all[..<cut])
        let isWritten = Atomic(false)
        let writer = try EventLoop.Thread {
            var sent = 0
            while sent < source.count {
                let count = source[sent...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                sent += count
            }
            if death == .endOfFile { close(descriptor) }
            isWritten.store(true, ordering: .releasing)
        }
        if death == .exitSeen {
            // A process is gone once it has written its last byte.
            while !isWritten.load(ordering: .acquiring) { core.turnOnce() }
            writer.join()
            core.session.handle(.childExited(connector: connector, cause: "its process ended"))
        }
        try core.turn(until: { core.isClosed(connector) })
        if death == .endOfFile {
            writer.join()
            core.session.handle(.childExited(connector: connector, cause: "its process ended"))
            core.turnOnce()
        }
        core.session.handle(.settleStart(connector: connector, .failed("it has ended")))
        let expected =
            whole.map { "got \($0.count) \($0.first ?? 0) \($0.last ?? 0)" }
            + ["closed", "portClosed endOfFile(partialFrame: \(partial)) after \(whole.count)"]
        #expect(core.takeEvents() == expected, "cut at \(cut) of \(all.count), \(death)")
        if death == .exitSeen { close(descriptor) }
    }
}

/// A core session on the test's loop, with one app of one component.
private final class TestedCore {
    private(set) var session: CoreSession
    private let loop: Loop
    private let events: Events

    private final class Events {
        var told: [CoreEvent] = []
        var lines: [String] = []
        var closed: Set<String> = []
        var failure: String?
    }

    init(_ folder: TemporaryFolder, on loop: Loop) throws {
        self.loop = loop
        let events = Events()
        self.events = events
        session = CoreSession(
            places: CorePlaces(
                resources: "\(folder.path)/resources", apps: "\(folder.path)/apps", files: "\(folder.path)/fs",
                keys: "\(folder.path)/keys"),
            loop: loop, StackRequest(), CoreFaults(StoppedFault())
        ) { event in
            events.told.append(event)
            switch event {
            case .console(let level, let text) where level != .debug: events.lines.append(text)
            case .portClosed(let connector, let end, let traffic):
                events.closed.insert(connector)
                events.lines.append("portClosed \(end) after \(traffic.framesIn)")
            case .bootFailed(let step, let reason): events.failure = "\(step): \(reason)"
            default: break
            }
        }
        session.start()
        try turn(until: { events.told.contains { if case .signedIn = $0 { true } else { false } } })
        events.lines = []
        events.told = []
    }

    func turnOnce() { loop.runOnce(waiting: false) }

    func turn(until isTrue: () -> Bool) throws {
        let timer = Timer(on: loop)
        var isLate = false
        timer.start(after: .seconds(20)) { isLate = true }
        defer { timer.close() }
        while !isTrue() {
            guard !isLate, events.failure == nil else {
                throw TestFailure("\(events.failure ?? "nothing more happens") after \(events.lines)")
            }
            loop.runOnce()
        }
    }

    /// Starts the component as far as its port: a connector, and the child's end of the pipe.
    func open(generation: UInt64) throws -> (String, Int32) {
        session.handle(.launch(ComponentID(appDomain: "frames.test", entrypoint: "/main.js")))
        var connector: String?
        var descriptor: Int32?
        try turn(until: {
            for event in events.told {
                switch event {
                case .startRequested(let requested, _):
                    connector = requested
                    session.handle(.prepare(connector: requested, generation: generation, QueuePolicy()))
                case .prepared(_, let child): descriptor = child.dataDescriptor
                default: break
                }
            }
            events.told = []
            return descriptor != nil
        })
        guard let connector, let descriptor else { throw TestFailure("no connector") }
        return (connector, descriptor)
    }

    func isClosed(_ connector: String) -> Bool { events.closed.contains(connector) }

    func takeEvents() -> [String] {
        defer {
            events.lines = []
            events.told = []
        }
        return events.lines
    }

    /// Stops it; what it had left on the loop, which goes on, ends first.
    func end() {
        session.handle(.stop)
        for _ in 0..<10 { loop.runOnce(waiting: false) }
    }
}

/// The core's messages and closings go to its console instead of into connectors.
private let listening = """

    (() => {
    const call = globalThis.__coreCall;
    globalThis.__coreCall = (name, arg) => {
        if (name === 'onComponentClosedInAndroid') { console.log('closed'); }
        const result = call(name, arg);
        if (name === 'attachComponentPortToConnector') {
            globalThis[`__portRecv_c-${arg.connectorId}`] = bytes => {
                console.log(`got ${bytes.length} ${bytes[0] ?? 0} ${bytes.at(-1) ?? 0}`);
            };
        }
        return result;
    };
    })();
    """

private func withCoreSession(_ body: @escaping @Sendable (TestedCore) throws -> Void) throws {
    let folder = try TemporaryFolder()
    let original = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Resources"
    for name in ["resources", "resources/js", "apps/frames.test", "apps/frames.test/app"] { try folder.folder(name) }
    try folder.link("resources/core", to: "\(original)/core")
    for entry in try FileManager.default.contentsOfDirectory(atPath: "\(original)/js") where entry != "core-load.js" {
        try folder.link("resources/js/\(entry)", to: "\(original)/js/\(entry)")
    }
    try folder.write(
        "resources/js/core-load.js",
        try String(contentsOfFile: "\(original)/js/core-load.js", encoding: .utf8) + listening)
    try folder.write(
        "apps/frames.test/manifest.json",
        """
        {"appDomain": "frames.test", "version": "1.0.0", "name": "Frames", "description": "test", "icon": "i.png",
         "components": {"/main.js": {"runtime": "deno", "capsRequested": {}}}}
        """)
    try folder.write("apps/frames.test/app/main.js", "0")
    try EngineThread.shared.run { loop in
        let core = try TestedCore(folder, on: loop)
        defer { core.end() }
        try body(core)
    }
}
