internal import CSystem
internal import Glibc
internal import SandboxPolicy
public import Wire

/// A real `corehost-component` whose supervisor and core are the test, at the level of frames.
///
/// Nothing is read or answered but inside `wait`, on the test's own thread.
public final class ComponentFixture {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    public enum Exit: Equatable {
        case code(Int32)
        case signal(Int32)

        public static func code(_ code: ComponentExitCode) -> Exit { .code(code.rawValue) }
    }

    public struct ReceivedFrame: Equatable {
        public let kind: FrameKind
        public let body: [UInt8]
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    public static let generation: UInt64 = 0x1_0007
    /// As a supervisor confines its components: as `nobody`, if the tests run as root.
    public static let sandbox: SandboxOrder = {
        do {
            let user = getpwnam("nobody").map { SandboxOrder.User(id: $0.pointee.pw_uid, group: $0.pointee.pw_gid) }
            return SandboxOrder(filter: try SystemCallFilter.program(), user: geteuid() == 0 ? user : nil)
        } catch {
            fatalError("no sandbox for the tests' components: \(error)")
        }
    }()
    public static let appDomain = "test.example.org"
    public static let entrypoint = "/main.js"

    public let pid: Int32
    private let pidfd: Int32
    /// Ours of the pairs; -1 once closed.
    private var data: Int32
    private var control: Int32
    private var stray: Int32
    private let controlDecoder = ControlDecoder<ComponentReport>()
    private let frameDecoder = FrameDecoder(generation: UInt16(truncatingIfNeeded: generation))
    private var encoder = FrameEncoder(generation: UInt16(truncatingIfNeeded: generation))

    public private(set) var reports: [ComponentReport] = []
    public private(set) var frames: [ReceivedFrame] = []
    public private(set) var strayText = ""
    public private(set) var exit: Exit?
    public private(set) var controlEnded = false
    public private(set) var dataEnded = false

    /// What the core's object at a path has; `w3n` has no members by default.
    public var members: ([String]) -> [String]? = { $0 == ["w3n"] ? [] : nil }
    public var acknowledgesBye = true
    public var readsControl = true
    public var readsData = true

    /// Spawns without a word.
    ///
    /// - Parameters:
    ///   - launcher: a program to start instead, as `pid`, which then starts the component; nil for none.
    ///   - arguments: what follows the program's name; nil for those of this process as supervisor.
    public init(
        launcher: String? = nil, arguments: [String]? = nil, environment: [String] = ["COREHOST_TEST=1"]
    ) throws {
        let arguments = arguments ?? ["\(getpid())", "\(Self.generation)"]
        let data = try Self.pair()
        let control = try Self.pair()
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(description: "pipe: errno \(errno)") }
        let stray = ends
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        for descriptor in data + control + stray { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let program = try launcher ?? Self.program()
        // The parent-death signal is tied to the thread that spawns: one that stays.
        let (code, pid) = try EngineThread.shared.run { _ in
            var pid: pid_t = 0
            let code = withCStrings([program] + arguments) { arguments in
                withCStrings(environment) { environment in
                    let descriptors = [null, stray[1], stray[1], data[1], control[1]]
                    return chs_spawn(program, arguments, environment, descriptors, Int32(descriptors.count), &pid)
                }
            }
            return (code, pid)
        }
        for descriptor in [null, stray[1], data[1], control[1]] { close(descriptor) }
        guard code == 0 else { throw Failure(description: "\(program): errno \(code)") }
        self.pid = pid
        pidfd = chs_pidfd_open(pid)
        self.data = data[0]
        self.control = control[0]
        self.stray = stray[0]
    }

    /// Spawns and sends the boot order.
    ///
    /// - Parameter bundles: folder of a core of the user's; empty = the embedded one.
    public convenience init(
        code: String, frameLimit: UInt32 = 64 << 20, resources: String? = nil, bundles: String = ""
    ) throws {
        try self.init()
        try boot(code: Array(code.utf8), frameLimit: frameLimit, resources: resources, bundles: bundles)
    }

    deinit {
        if exit == nil {
            _ = chs_pidfd_send_signal(pidfd, SIGKILL)
            var ended = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            _ = poll(&ended, 1, 10_000)
            var result = chs_exit()
            _ = chs_reap(pidfd, &result)
        }
        for descriptor in [pidfd, data, control, stray] where descriptor >= 0 { close(descriptor) }
    }

    // MARK: What a supervisor and a core do

    public func boot(
        code: [UInt8], generation: UInt64 = ComponentFixture.generation, frameLimit: UInt32 = 64 << 20,
        resources: String? = nil, bundles: String = "", sandbox: SandboxOrder? = ComponentFixture.sandbox
    ) throws {
        try order(
            .boot(
                BootOrder(
                    generation: generation, appDomain: Self.appDomain, entrypoint: Self.entrypoint,
                    connectorId: "1", resources: resources ?? Self.resources, bundles: bundles, code: code,
                    frameLimit: frameLimit, callReportedAfter: 5000, callEndedAfter: 30_000,
                    sandbox: sandbox)))
    }

    public func order(_ order: ComponentOrder) throws { try write(control: order.encoded()) }

    public func write(control bytes: [UInt8]) throws { try Self.write(bytes, to: control) }

    public func send(_ kind: FrameKind, _ body: [UInt8] = []) throws { try write(data: encoder.frame(kind, body)) }

    public func write(data bytes: [UInt8]) throws { try Self.write(bytes, to: data) }

    public func closeControl() {
        close(control)
        control = -1
    }

    public func closeData() {
        close(data)
        data = -1
    }

    public func signal(_ number: Int32) { _ = chs_pidfd_send_signal(pidfd, number) }

    // MARK: Waiting

    /// Reads, and answers, until `condition` holds.
    public func wait(
        for what: String, seconds: Int = 30, until condition: (ComponentFixture) throws -> Bool
    ) throws {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let deadline = now.tv_sec + seconds
        while try !condition(self) {
            clock_gettime(CLOCK_MONOTONIC, &now)
            guard now.tv_sec < deadline else { throw Failure(description: "no \(what) within \(seconds) s; \(state)") }
            try turn()
        }
    }

    public func waitForReady() throws {
        try wait(for: "ready") {
            if $0.exit != nil { throw Failure(description: "it ended instead; \(state)") }
            return $0.reports.contains(.ready)
        }
    }

    /// Waits for the exit and for all that the process had written.
    @discardableResult
    public func waitForExit(seconds: Int = 30) throws -> Exit {
        try wait(for: "exit", seconds: seconds) {
            $0.exit != nil && ($0.controlEnded || $0.control < 0 || !$0.readsControl)
                && ($0.dataEnded || $0.data < 0 || !$0.readsData)
        }
        guard let exit else { preconditionFailure("waited for it") }
        return exit
    }

    private var state: String {
        let exit = exit.map { "\($0)" } ?? "none"
        return "exit \(exit), last reports \(reports.suffix(10)), \(frames.count) frames, stray \(strayText)"
    }

    /// The failure that was reported, if any.
    public var failure: FailureReport? {
        for case .failure(let report) in reports { return report }
        return nil
    }

    public var logLines: [String] {
        reports.compactMap { report in
            if case .log(_, let line, _) = report { line } else { nil }
        }
    }

    public var envelopes: [String] { frames.filter { $0.kind == .envelope }.map(\.text) }

    /// Bytes of the frame that the data pipe broke off in.
    public var partialFrame: FrameDecoder.PartialFrame? { frameDecoder.partialFrame }

    private func turn() throws {
        let watched = [
            (readsControl && !controlEnded ? control : -1, readControl),
            (readsData && !dataEnded ? data : -1, readData),
            (stray, readStray), (exit == nil ? pidfd : -1, reap),
        ]
        var polled = watched.map { pollfd(fd: $0.0, events: Int16(POLLIN), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), 1000) > 0 else { return }
        for (entry, (_, action)) in zip(polled, watched) where entry.revents != 0 { try action() }
    }

    private func readControl() throws {
        let buffer = controlDecoder.nextBuffer()
        let count = read(control, buffer.baseAddress, buffer.count)
        guard count > 0 else {
            controlEnded = true
            return
        }
        try controlDecoder.consume(count) { reports.append($0) }
    }

    private func readData() throws {
        let buffer = frameDecoder.nextBuffer()
        let count = read(data, buffer.baseAddress, buffer.count)
        guard count > 0 else {
            dataEnded = true
            return
        }
        frameDecoder.received(count)
        while let frame = try frameDecoder.next() {
            let kind = frame.kind
            let body = frame.takeBody()
            let received = ReceivedFrame(kind: kind, body: [UInt8](body.bytes))
            frames.append(received)
            switch kind {
            case .listRequest:
                let request = try received.body.withUnsafeBytes { try ListRequest(decoding: $0) }
                try send(.listReply, ListReply(call: request.call, names: members(request.path)).encoded())
            case .bye where acknowledgesBye:
                try send(.byeAcknowledged)
            default:
                break
            }
        }
    }

    private func readStray() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(stray, &buffer, buffer.count)
        guard count > 0 else {
            close(stray)
            stray = -1
            return
        }
        strayText += String(decoding: buffer[..<count], as: UTF8.self)
    }

    private func reap() {
        var result = chs_exit()
        if chs_reap(pidfd, &result) == 1 { exit = result.exited ? .code(result.value) : .signal(result.value) }
    }
}

extension ComponentFixture {
    /// The checkout's `Resources`.
    public static let resources = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Resources"

    /// The program beside the running test bundle.
    public static func program() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw Failure(description: "/proc/self/exe: errno \(errno)") }
        let test = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for folder in [test, CommandLine.arguments[0]] + CommandLine.arguments {
            let program = folder.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/corehost-component"
            if access(program, X_OK) == 0 { return program }
        }
        throw Failure(description: "no corehost-component beside \(test); run swift build first")
    }

    private static func pair() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(description: "socketpair: errno \(errno)")
        }
        return ends
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 || errno == EINTR else { throw Failure(description: "send: errno \(errno)") }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let copies = texts.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("at least the end mark is there") }
        return body(base)
    }
}
