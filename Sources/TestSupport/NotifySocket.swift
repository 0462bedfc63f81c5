internal import Glibc

/// The socket of a service manager that is a test: takes what a service tells of itself.
public final class NotifySocket: Sendable {
    /// What the service finds in `NOTIFY_SOCKET`.
    public let address: String
    private let descriptor: Int32

    /// - Parameter address: a path that is free, or an abstract name behind an `@`.
    public init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(address.utf8)
        if address.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let code = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard code == 0 else { throw TestFailure("bind \(address): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// The lines of the next message; throws when none comes in time.
    public func next(within limit: Duration = .seconds(20)) throws -> [String] {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(limit / .milliseconds(1))) == 1 else {
            throw TestFailure("no word for the service manager within \(limit)")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw TestFailure("recv: errno \(errno)") }
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The next message that has a line which begins with `prefix`; what comes before it is dropped.
    @discardableResult
    public func next(_ prefix: String, within limit: Duration = .seconds(20)) throws -> [String] {
        let end = ContinuousClock.now + limit
        var before: [String] = []
        while true {
            let left = end - .now
            guard left > .zero else { throw TestFailure("no \(prefix)… within \(limit); there was \(before)") }
            let lines = try next(within: left)
            if lines.contains(where: { $0.hasPrefix(prefix) }) { return lines }
            before += lines
        }
    }

    /// Everything that is there already.
    public func drop() throws -> [String] {
        var all: [String] = []
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) == 1 { all += try next() }
        return all
    }
}
