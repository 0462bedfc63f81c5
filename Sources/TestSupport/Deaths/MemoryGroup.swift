internal import Glibc

/// A control group with little memory; gone with the value, once it is empty.
final class MemoryGroup {
    private let path: String

    private static let roots = [
        (path: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes"), (path: "/sys/fs/cgroup", limit: "memory.max"),
    ]

    /// This user may make one, and the kernel's log, which tells of it, can be read.
    static let isPossible: Bool = {
        guard geteuid() == 0, let group = try? MemoryGroup("\(getpid())-trial", bytes: 1 << 30) else { return false }
        return withExtendedLifetime(group) {
            let log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { if log >= 0 { close(log) } }
            return log >= 0
        }
    }()

    init(_ name: String, bytes: Int) throws {
        for root in Self.roots {
            let path = "\(root.path)/corehost-death-\(name)"
            guard access("\(root.path)/cgroup.procs", W_OK) == 0, mkdir(path, 0o755) == 0 else { continue }
            guard Self.write("\(bytes)", to: "\(path)/\(root.limit)") else {
                rmdir(path)
                continue
            }
            self.path = path
            return
        }
        throw TestFailure("no control group for memory can be made")
    }

    func take(_ pid: Int32) throws {
        guard Self.write("\(pid)", to: path + "/cgroup.procs") else {
            throw TestFailure("process \(pid) cannot be put into \(path): errno \(errno)")
        }
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return Glibc.write(file, text, text.utf8.count) == text.utf8.count
    }

    deinit {
        // A process that was killed leaves it a moment later.
        for _ in 0..<1000 where rmdir(path) != 0 && errno == EBUSY { usleep(1000) }
    }
}
