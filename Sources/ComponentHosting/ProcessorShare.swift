internal import CSystem
internal import Glibc

/// The share of processors that this process gets when there are not enough for all.
enum ProcessorShare {
    /// The kernel lets ordinary users change a group once in 100 ms, all of them together.
    private static let tries = 20
    private static let pause: UInt32 = 20_000

    /// Every component has a session of its own. Where the kernel groups processes by session (autogroup), it is the
    /// group's share that counts, else the process's. Gives warnings.
    static func lower(to nice: Int32) -> [FirstActs.Warning] {
        var warnings: [FirstActs.Warning] = []
        if setpriority(Int32(PRIO_PROCESS.rawValue), 0, nice) != 0 {
            warnings.append("\"nice\" stays as it was: errno \(errno)")
        }
        let code = lowerGroup(to: nice)
        if code != 0, code != ENOENT { warnings.append("\"nice\" of the session stays as it was: errno \(code)") }
        return warnings
    }

    /// 0 or an errno value; ENOENT where the kernel does not group.
    private static func lowerGroup(to nice: Int32) -> Int32 {
        for _ in 0..<tries {
            let file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return errno }
            defer { close(file) }
            let text = "\(nice)"
            if write(file, text, text.utf8.count) == text.utf8.count { return 0 }
            guard errno == EAGAIN else { return errno }
            usleep(pause)
        }
        return EAGAIN
    }
}
