public import Control
internal import EventLoop
internal import Glibc
internal import Synchronization

/// A control server with a service of the test's, on a loop thread of its own.
public final class ControlServerThread: Sendable {
    public let folder: TemporaryFolder
    public let path: String
    private let commands = Mailbox<Command>()
    private let thread: Thread

    private enum Command { case stop, closeServer }

    private final class Start: Sendable {
        let settled = Semaphore()
        let failure = Mutex<String?>(nil)
    }

    public struct StartFailed: Error {
        public let reason: String
    }

    /// - Parameters:
    ///   - peer: who every caller is said to be; nil = asks the kernel.
    ///   - makeService: called on the loop's thread.
    public init(
        limits: ControlLimits = ControlLimits(), peer: Peer? = nil,
        makeService: @escaping @Sendable () -> any ControlService
    ) throws {
        // As the supervisor does: a client that left must not end the process.
        signal(SIGPIPE, SIG_IGN)
        folder = try TemporaryFolder()
        path = folder.path + "/run/test.sock"
        let start = Start()
        thread = try Thread { [path, commands] in
            do {
                let loop = try Loop()
                let service = makeService()
                let server = try ControlServer(
                    loop: loop, path: path, service: service, limits: limits,
                    peerOf: peer.map { peer in { _ in peer } })
                try commands.open(on: loop) { command in
                    server.close()
                    if command == .stop { commands.close() }
                }
                start.settled.post()
                loop.run()
                withExtendedLifetime(service) {}
                loop.close()
            } catch {
                start.failure.withLock { $0 = "\(error)" }
                start.settled.post()
            }
        }
        start.settled.wait()
        if let reason = start.failure.withLock({ $0 }) { throw StartFailed(reason: reason) }
    }

    public func closeServer() { commands.send(.closeServer) }

    /// Ends the loop; traps if anything on it was left open.
    public func stop() {
        commands.send(.stop)
        thread.join()
    }
}
