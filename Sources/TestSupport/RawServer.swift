internal import EventLoop
internal import Glibc
internal import Synchronization

/// A listening socket on a free port of the loopback device.
public final class LoopbackListener: Sendable {
    public let port: Int
    let descriptor: Int32

    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, raw, &length) == 0
            }
        }
        guard descriptor >= 0, code else { throw TestFailure("no listening socket: errno \(errno)") }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    public func close() {
        // Wakes a thread that waits in `accept`.
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }
}

/// A server that says byte by byte what it is told to: for what no honest server does.
public final class RawServer: Sendable {
    private let listener: LoopbackListener
    private let accepting: Thread
    private let state: State

    private final class State: Sendable {
        let connections = Mutex<[RawConnection]>([])
        let threads = Mutex<[Thread]>([])
    }

    /// Calls `serve` for each connection, on a thread of its own; the connection is closed when that returns.
    public init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
        let (listener, state) = (try LoopbackListener(), State())
        self.listener = listener
        self.state = state
        accepting = try Thread {
            while true {
                let descriptor = accept(listener.descriptor, nil, nil)
                guard descriptor >= 0 else { return }
                let connection = RawConnection(descriptor)
                state.connections.withLock { $0.append(connection) }
                do {
                    let thread = try Thread {
                        serve(connection)
                        connection.close()
                    }
                    state.threads.withLock { $0.append(thread) }
                } catch {
                    connection.close()
                }
            }
        }
    }

    public var port: Int { listener.port }

    public func url(_ path: String = "/", scheme: String = "http") -> String {
        "\(scheme)://127.0.0.1:\(listener.port)\(path)"
    }

    /// Connections so far.
    public var count: Int { state.connections.withLock { $0.count } }

    /// Heads of the requests so far, over all connections.
    public var heads: [String] { state.connections.withLock { $0 }.flatMap(\.heads) }

    deinit {
        listener.close()
        accepting.join()
        for connection in state.connections.withLock({ $0 }) { connection.interrupt() }
        for thread in state.threads.withLock({ $0 }) { thread.join() }
    }
}

/// One connection of a `RawServer`, used by its thread.
public final class RawConnection: Sendable {
    private struct State {
        var descriptor: Int32
        var heads: [String] = []
        var rest: [UInt8] = []
    }

    private let state: Mutex<State>

    init(_ descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }

    private var descriptor: Int32 { state.withLock { $0.descriptor } }

    var heads: [String] { state.withLock { $0.heads } }

    /// Reads up to the empty line behind a request's headers; nil when the client has left.
    @discardableResult
    public func readHead() -> String? {
        var bytes = state.withLock { state in
            defer { state.rest = [] }
            return state.rest
        }
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let end = bytes.firstRange(of: mark) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let rest = Array(bytes[end.upperBound...])
                state.withLock { state in
                    state.heads.append(head)
                    state.rest = rest
                }
                return head
            }
            guard let more = read() else { return nil }
            bytes += more
        }
    }

    /// What comes next; nil at the end.
    public func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// False when the client has left.
    @discardableResult
    public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Waits until the client has closed its side.
    public func waitForEnd() { while read() != nil {} }

    /// Ends reads and writes that wait.
    func interrupt() { state.withLock { if $0.descriptor >= 0 { _ = shutdown($0.descriptor, Int32(SHUT_RDWR)) } } }

    /// At once, with a reset instead of an orderly end.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    public func close() {
        state.withLock { state in
            if state.descriptor >= 0 { Glibc.close(state.descriptor) }
            state.descriptor = -1
        }
    }
}
