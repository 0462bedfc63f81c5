internal import CSystem
internal import Control
internal import Glibc
internal import Supervision

/// A supervisor for one run, with a scratch folder of its own. It ends with this process, however that ends.
public final class OwnSupervisor {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        /// The signal that interrupted its start.
        public var signal: Int32?
    }

    private static let startLimit = Duration.seconds(60)
    private static let endLimit = Duration.seconds(60)

    /// With its data, its configuration and what it says (`output`).
    public let folder: String
    public var socket: String { folder + "/control.sock" }
    private var pid: pid_t = 0
    private let pidfd: Int32
    private let signals: HeldSignals
    /// The signal that cut its end short.
    public private(set) var interruption: Int32?

    /// Starts it, and waits until the platform runs.
    ///
    /// - Parameters:
    ///   - program: `corehost` itself.
    ///   - resources: as `run --resources`.
    ///   - signals: held; one that comes meanwhile ends it.
    /// - Throws: `Failure`. Nothing is left then.
    public init(
        _ settings: Scenario.SupervisorSettings?, program: String, resources: String?, signals: HeldSignals
    ) throws(Failure) {
        self.signals = signals
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        var template = Array("\(parent.isEmpty ? "/tmp" : parent)/corehost-chaos-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(description: "no scratch folder in \(parent.isEmpty ? "/tmp" : parent): \(Self.reason)")
        }
        folder = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(Failure) {
            try Self.write(settings?.configuration ?? "{}", to: folder + "/corehost.jsonc")
            var arguments = [
                "run", "--local", "--allow-faults", "--data", folder + "/data", "--socket", folder + "/control.sock",
                "--config",
                folder + "/corehost.jsonc",
            ]
            if let apps = settings?.apps { arguments += ["--apps", apps] }
            if let resources { arguments += ["--resources", resources] }
            pid = try Self.spawn(program, arguments, output: folder + "/output", home: folder)
        } catch {
            Self.remove(folder)
            throw error
        }
        pidfd = chs_pidfd_open(pid)
        guard waitUntilItRuns() else {
            let said = Self.lastLines(of: folder + "/output")
            let signal = interruption
            _ = end()
            throw Failure(description: "the supervisor of its own does not come up:\n\(said)", signal: signal)
        }
    }

    /// Ends it in order and removes its folder.
    ///
    /// One that is interrupted, and whoever was interrupted before, does not wait for the order.
    public func end() -> SupervisorEnd {
        chs_pidfd_send_signal(pidfd, SIGTERM)
        guard interruption == nil, let end = exit(within: Self.endLimit) else {
            kill()
            return .killed(after: Self.endLimit)
        }
        removeAll()
        return end
    }

    /// Ends it at once and removes its folder.
    public func kill() {
        chs_pidfd_send_signal(pidfd, SIGKILL)
        _ = exit(within: .seconds(10))
        removeAll()
    }

    private func removeAll() {
        close(pidfd)
        Self.remove(folder)
    }

    /// The last lines that it wrote.
    public var lastLines: String { Self.lastLines(of: folder + "/output") }

    private func exit(within limit: Duration) -> SupervisorEnd? {
        let deadline = ContinuousClock.now + limit
        while !isOver, ContinuousClock.now < deadline, !isInterrupted() {}
        var result = chs_exit()
        guard isOver, chs_reap(pidfd, &result) == 1 else { return nil }
        return result.exited ? .exited(result.value) : .signalled(result.value)
    }

    /// True when its process has ended, now or within a moment.
    private var isOver: Bool {
        var entry = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 50) == 1
    }

    /// Whoever interrupts does not wait.
    private func isInterrupted() -> Bool {
        guard let number = signals.take() else { return false }
        interruption = number
        return true
    }

    private func waitUntilItRuns() -> Bool {
        let deadline = ContinuousClock.now + Self.startLimit
        while ContinuousClock.now < deadline {
            if isOver || isInterrupted() { return false }
            do throws(ControlError) {
                let status = try ControlClient(path: socket).ask(.status, as: StatusReply.self, within: .seconds(10))
                if status.state == "running" { return true }
            } catch {
                // It does not listen yet.
            }
        }
        return false
    }

    private static func spawn(
        _ program: String, _ arguments: [String], output: String, home: String
    ) throws(Failure) -> pid_t {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        let file = open(output, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
        defer {
            close(null)
            close(file)
        }
        guard null >= 0, file >= 0 else { throw Failure(description: "\(output): \(reason)") }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { text in strdup(text) }
        argv.append(nil)
        let variables: [String] = ["HOME=\(home)", "PATH=\(path)"]
        var envp: [UnsafeMutablePointer<CChar>?] = variables.map { text in strdup(text) }
        envp.append(nil)
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = chs_spawn_bound(program, &argv, &envp, null, file, SIGTERM, &pid)
        guard code == 0 else {
            throw Failure(description: "\(program) does not start: \(String(cString: strerror(code)))")
        }
        return pid
    }

    private static func write(_ text: String, to path: String) throws(Failure) {
        let file = fopen(path, "we")
        let isWritten = file.map { fputs(text, $0) >= 0 } ?? false
        let isClosed = file.map { fclose($0) == 0 } ?? false
        guard isWritten, isClosed else { throw Failure(description: "\(path): \(reason)") }
    }

    private static func lastLines(of path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        fseek(file, -4096, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
            .split(separator: "\n").suffix(10).joined(separator: "\n")
    }

    private static func remove(_ path: String) {
        // What cannot be removed stays in the folder for temporary files, whose keeper removes it.
        _ = chs_remove_tree(path)
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
