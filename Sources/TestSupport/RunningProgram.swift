internal import CSystem
internal import EventLoop
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A program of this package as a real process; the lines of its output are kept and can be waited for.
public final class RunningProgram: Sendable {
    public let pid: Int32
    private let pidfd: Int32
    private let reader: Thread
    private let output = OutputLines()

    /// `.build/debug`, where the tests are.
    public static let folder: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let tests = CommandLine.arguments.first { $0.contains(".xctest") } ?? own
        var folder = URL(filePath: tests).deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: "corehost").path) {
            folder = folder.deletingLastPathComponent()
        }
        return folder.path
    }()

    private final class OutputLines: Sendable {
        struct State {
            var lines: [String] = []
            var ended = false
            var isPaused = false
        }
        let state = Mutex(State())
        let changed = Condition()
    }

    /// Standard output and error are one stream.
    ///
    /// - Parameter name: of a program of this package, or an absolute path.
    public init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends) == 0 else { throw TestFailure("pipe: errno \(errno)") }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(null)
            close(ends[1])
        }
        let program = name.hasPrefix("/") ? name : "\(Self.folder)/\(name)"
        var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { text in strdup(text) }
        argv.append(nil)
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { pair in strdup("\(pair.key)=\(pair.value)") }
        envp.append(nil)
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = chs_spawn(program, argv, envp, [null, ends[1], ends[1]], 3, &pid)
        guard code == 0 else {
            close(ends[0])
            throw TestFailure("\(program) does not start: errno \(code)")
        }
        self.pid = pid
        pidfd = chs_pidfd_open(pid)
        Leftovers.add(program: pidfd)
        let (output, source) = (output, ends[0])
        reader = try Thread {
            let stream = fdopen(source, "r")
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while getline(&line, &capacity, stream) > 0, let text = line {
                let string = String(cString: text)
                output.state.withLock { $0.lines.append(string.hasSuffix("\n") ? String(string.dropLast()) : string) }
                output.changed.signalAll()
                _ = output.changed.wait(within: .seconds(600)) { output.state.withLock { !$0.isPaused } }
            }
            free(line)
            fclose(stream)
            output.state.withLock { $0.ended = true }
            output.changed.signalAll()
        }
    }

    /// From now on its output is not read, until its exit was waited for.
    public func pauseReading() { output.state.withLock { $0.isPaused = true } }

    private func resumeReading() {
        output.state.withLock { $0.isPaused = false }
        output.changed.signalAll()
    }

    public var lines: [String] { output.state.withLock { $0.lines } }

    /// The first line from number `start` on that `matches`; throws when the output ends or the limit passes before.
    @discardableResult
    public func line(
        from start: Int = 0, within limit: Duration = .seconds(30), _ matches: @escaping (String) -> Bool
    ) throws -> (number: Int, text: String) {
        var found: (Int, String)?
        let done = output.changed.wait(within: limit) {
            output.state.withLock { state in
                if let index = state.lines.indices.dropFirst(start).first(where: { matches(state.lines[$0]) }) {
                    found = (index, state.lines[index])
                }
                return found != nil || state.ended
            }
        }
        guard let found else {
            let reason = done ? "its output ended" : "no such line within \(limit)"
            throw TestFailure("waiting for a line: \(reason); there was\n\(lines.suffix(60).joined(separator: "\n"))")
        }
        return found
    }

    public func signal(_ number: Int32) { chs_pidfd_send_signal(pidfd, number) }

    /// Waits for the exit: its code, or minus the signal.
    public func waitForExit(within limit: Duration = .seconds(30)) throws -> Int32 {
        var poll = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, Int32(limit.components.seconds * 1000)) == 1 else {
            throw TestFailure("process \(pid) still runs after \(limit):\n\(lines.suffix(60).joined(separator: "\n"))")
        }
        var result = chs_exit()
        guard chs_reap(pidfd, &result) == 1 else { throw TestFailure("process \(pid) was reaped already") }
        resumeReading()
        reader.join()
        return result.exited ? result.value : -result.value
    }

    deinit {
        Leftovers.remove(program: pidfd)
        resumeReading()
        var result = chs_exit()
        if chs_reap(pidfd, &result) == 0 {
            chs_pidfd_send_signal(pidfd, SIGKILL)
            var poll = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            Glibc.poll(&poll, 1, 10_000)
            chs_reap(pidfd, &result)
        }
        close(pidfd)
    }
}

private func pipe2(_ ends: inout [Int32]) -> Int32 {
    let code = pipe(&ends)
    if code == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    return code
}

/// A process that this one did not start, to be waited for.
public final class PidDescriptor: Sendable {
    private let pidfd: Int32

    public init(_ pid: Int32) throws {
        pidfd = chs_pidfd_open(pid)
        guard pidfd >= 0 else { throw TestFailure("there is no process \(pid)") }
    }

    public func waitForExit(within limit: Duration) -> Bool {
        var poll = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, Int32(limit.components.seconds * 1000)) == 1
    }

    deinit { close(pidfd) }
}
