internal import CSystem
internal import EventLoop
internal import Glibc

/// What a service manager (systemd) has put into the environment of the process that it has started: sd_notify(3),
/// sd_watchdog_enabled(3).
struct ServiceManagerLink: Equatable {
    /// A path, or an abstract name behind an `@`.
    let address: String
    /// The manager ends the service after this long without a sign of life.
    let watchdog: Duration?
    /// The manager knows the first process of this container and not this one, which does its work.
    let isBelowFirst: Bool

    static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// Nil: no manager wants to hear anything, or by a kind of socket that is none of ours.
    ///
    /// - Parameter pid: of this process.
    init?(environment: [String: String], pid: Int32, isBelowFirst: Bool) {
        guard let address = environment["NOTIFY_SOCKET"], let first = address.first, first == "/" || first == "@",
            address.utf8.count >= 2
        else { return nil }
        self.address = address
        self.isBelowFirst = isBelowFirst
        let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == (isBelowFirst ? 1 : pid) } ?? true
        let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        watchdog = isOurs ? limit.map { .microseconds($0) } : nil
    }

    /// Takes it out of the environment, so that no program that is started from here takes itself for the service.
    /// To be called before there are threads.
    static func take(isBelowFirst: Bool) -> ServiceManagerLink? {
        var environment: [String: String] = [:]
        for name in variables {
            environment[name] = getenv(name).map { String(cString: $0) }
            unsetenv(name)
        }
        return ServiceManagerLink(environment: environment, pid: getpid(), isBelowFirst: isBelowFirst)
    }
}

/// Tells a service manager what it should know. Never waits for it.
///
/// The protocol is a datagram of lines `NAME=value`, stable and documented, and this is all of it that is needed: the
/// library for it, libsystemd, would bring six further ones into every start.
final class ServiceManager {
    /// Between two attempts to tell what the manager's socket had no room for.
    private static let patience = Duration.milliseconds(100)
    /// Between two changes of the status text.
    private static let statusInterval = Duration.seconds(1)
    private static let mostWaiting = 16

    private let link: ServiceManagerLink
    private let socket: Int32
    private let retryTimer: Timer
    private let statusTimer: Timer
    private let watchdogTimer: Timer
    private var waiting: [String] = []
    private var status = ""
    private var toldStatus = ""
    private var isStatusFresh = false
    private var isAwaitingTurn = false
    /// Why the last message was not taken; told once.
    private var failure: Int32 = 0
    /// Called with the reason when the manager cannot be told something.
    var failed: ((String) -> Void)?

    init(_ link: ServiceManagerLink, on loop: Loop) {
        self.link = link
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        retryTimer = Timer(on: loop)
        statusTimer = Timer(on: loop)
        watchdogTimer = Timer(on: loop)
    }

    /// The boot is done. `ask` asks the core plane for a turn, which `gaveTurn` answers: only then is the watchdog fed.
    func ready(asking ask: @escaping () -> Void) {
        var lines = ["READY=1"]
        if !link.isBelowFirst { lines.append("MAINPID=\(getpid())") }
        tell(lines)
        guard let limit = link.watchdog else { return }
        watch(every: limit / 2, ask)
    }

    private func watch(every interval: Duration, _ ask: @escaping () -> Void) {
        if !isAwaitingTurn {
            isAwaitingTurn = true
            ask()
        }
        watchdogTimer.start(after: interval) { [unowned self] in watch(every: interval, ask) }
    }

    func gaveTurn() {
        guard isAwaitingTurn else { return }
        isAwaitingTurn = false
        tell(["WATCHDOG=1"])
    }

    func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        tell(["RELOADING=1", "MONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)"])
    }

    func reloaded() { tell(["READY=1"]) }

    /// The end begins, and takes `limit` at most.
    func stopping(within limit: Duration, _ text: String) {
        watchdogTimer.stop()
        tell(["STOPPING=1", "EXTEND_TIMEOUT_USEC=\(Int64(limit / .microseconds(1)))"])
        isStatusFresh = false
        show(text)
    }

    /// The text that the manager shows; told at once, but no oftener than once a second.
    func show(_ text: String) {
        status = String(text.map { $0.isNewline ? " " : $0 })
        if !isStatusFresh { tellStatus() }
    }

    private func tellStatus() {
        isStatusFresh = status != toldStatus
        guard isStatusFresh else { return }
        toldStatus = status
        tell(["STATUS=\(status)"])
        statusTimer.start(after: Self.statusInterval) { [unowned self] in tellStatus() }
    }

    private func tell(_ lines: [String]) {
        // An older one of its kind is no news any more.
        if lines[0].hasPrefix("STATUS=") { waiting.removeAll { $0.hasPrefix("STATUS=") } }
        waiting.append(lines.joined(separator: "\n"))
        if waiting.count > Self.mostWaiting { waiting.removeFirst() }
        flush()
    }

    private func flush() {
        while let message = waiting.first {
            let code = send(message)
            if code == EAGAIN || code == ENOBUFS {
                retryTimer.start(after: Self.patience) { [unowned self] in flush() }
                return
            }
            waiting.removeFirst()
            if code != 0, code != failure {
                failed?("the service manager cannot be told at \(link.address): \(String(cString: strerror(code)))")
            }
            failure = code
        }
    }

    private func send(_ message: String) -> Int32 {
        var (message, address) = (message, link.address)
        return message.withUTF8 { bytes in
            address.withUTF8 { address in
                address.withMemoryRebound(to: CChar.self) { name in
                    chs_send_datagram(socket, name.baseAddress, name.count, bytes.baseAddress, bytes.count)
                }
            }
        }
    }

    func close() {
        for timer in [retryTimer, statusTimer, watchdogTimer] { timer.close() }
        Glibc.close(socket)
    }
}
