internal import CSystem
internal import Glibc

/// The process at the other end of a Unix socket.
public struct Peer: Sendable, Hashable, CustomStringConvertible {
    public let pid: Int32
    public let uid: UInt32

    public init(pid: Int32, uid: UInt32) {
        self.pid = pid
        self.uid = uid
    }

    public var description: String { "pid \(pid), uid \(uid)" }
}

/// Why a control socket could not be made.
public struct ControlSocketError: Error, Equatable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        case pathTooLong(bytes: Int)
        case inUse
        case notASocket
        case folderOfAnother(folder: String, uid: UInt32)
        case folderOpenToOthers(folder: String)
        case os(errno: Int32, call: String)
    }

    public let path: String
    public let reason: Reason

    public var description: String {
        switch reason {
        case .pathTooLong(let bytes):
            "the path of the control socket has \(bytes) bytes, \(UnixSocket.maxPathBytes) are allowed: \(path); "
                + "give a shorter one with --socket"
        case .inUse: "another supervisor listens at \(path); stop it with `corehost shutdown --socket \(path)`"
        case .notASocket: "\(path) is not a socket; remove it or give another path with --socket"
        case .folderOfAnother(let folder, let uid):
            "\(folder) belongs to uid \(uid); give a path in a folder of your own with --socket"
        case .folderOpenToOthers(let folder):
            "others may write to \(folder), so they could replace the control socket; do `chmod go-w \(folder)`"
        case .os(let errno, let call):
            "cannot listen at \(path): \(call): \(String(cString: strerror(errno))); give another path with --socket"
        }
    }
}

/// System calls on Unix stream sockets, one door each.
enum UnixSocket {
    /// `sun_path` without its closing zero.
    static let maxPathBytes = 107

    struct Failure: Error, Equatable {
        let errno: Int32
        let call: String
    }

    static func make() throws(Failure) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if descriptor < 0 { throw Failure(errno: errno, call: "socket") }
        return descriptor
    }

    static func bind(_ descriptor: Int32, to path: String) throws(Failure) {
        if withAddress(path, { Glibc.bind(descriptor, $0, $1) }) != 0 { throw Failure(errno: errno, call: "bind") }
    }

    /// A new connected descriptor, which the caller closes.
    static func connect(to path: String) throws(Failure) -> Int32 {
        let descriptor = try make()
        var rc: Int32
        repeat { rc = withAddress(path) { Glibc.connect(descriptor, $0, $1) } } while rc != 0 && errno == EINTR
        guard rc != 0 else { return descriptor }
        let failure = Failure(errno: errno, call: "connect")
        close(descriptor)
        throw failure
    }

    static func peer(of descriptor: Int32) -> Peer? {
        var pid: pid_t = 0
        var uid: uid_t = 0
        return chs_peer_credentials(descriptor, &pid, &uid) == 0 ? Peer(pid: pid, uid: uid) : nil
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        precondition(bytes.count <= maxPathBytes, "the length of a socket's path is checked before it is used")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
