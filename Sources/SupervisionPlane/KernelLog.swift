internal import Glibc
internal import Supervision

/// What the kernel says of processes that it killed for want of memory: by name in its log, where that may be read and
/// process numbers are its own; by a count in the supervisor's control group, which its children are born into.
final class KernelLog {
    /// -1 where there is nothing to read.
    private let log: Int32
    private var kills: [(pid: Int32, word: KernelWord)] = []
    private let counter: String?
    private var count: Int

    /// Kills that are kept, and records that are read at once: who writes them is not only the kernel.
    private static let mostKills = 256
    private static let mostRecords = 4096

    init() {
        let descriptor = Self.hasKernelsNumbers ? open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
        if descriptor >= 0 { lseek(descriptor, 0, SEEK_END) }
        log = descriptor
        counter = Self.counterPath()
        count = counter.flatMap(Self.count) ?? 0
    }

    /// Once for each process that was ended by SIGKILL; nil: nothing is known.
    func word(on pid: Int32) -> KernelWord? {
        readOn()
        if let index = kills.lastIndex(where: { $0.pid == pid }) { return kills.remove(at: index).word }
        if let counter, let now = Self.count(counter), now != count {
            defer { count = now }
            // The log names every one of them, wherever it can be read.
            if log < 0, now > count { return .killedInGroup(now - count) }
        }
        return log >= 0 ? .silent : nil
    }

    // MARK: The log

    /// The first namespace of process numbers has this inode (`PROC_PID_INIT_INO`); in others the log's numbers are not
    /// ours.
    private static var hasKernelsNumbers: Bool {
        var status = stat()
        return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == 0xEFFF_FFFC
    }

    private func readOn() {
        guard log >= 0 else { return }
        var record = [UInt8](repeating: 0, count: 8192)
        for _ in 0..<Self.mostRecords {
            let length = read(log, &record, record.count)
            if length > 0 {
                note(String(decoding: record[..<length], as: UTF8.self))
            } else if errno != EPIPE && errno != EINTR {  // EPIPE: records were overwritten before we read them
                return
            }
        }
    }

    /// `3,1234,5678,-;Memory cgroup out of memory: Killed process 4711 (name) total-vm:…`, then lines of properties.
    private func note(_ record: String) {
        guard let priority = record.prefix(while: \.isNumber).nonEmpty.flatMap({ Int($0) }),
            priority < 8,  // facility 0: not written by a process
            let text = record.split(separator: ";", maxSplits: 1).last?.split(separator: "\n").first,
            let range = text.firstRange(of: "Killed process "),
            let pid = Int32(text[range.upperBound...].prefix(while: \.isNumber))
        else { return }
        let isGroup = text.hasPrefix("Memory cgroup")
        guard isGroup || text.hasPrefix("Out of memory") else { return }
        if kills.count == Self.mostKills { kills.removeFirst() }
        kills.append((pid, .killed(isGroup: isGroup, line: String(text.prefix(300)))))
    }

    // MARK: The control group

    /// The file that counts, of version 2 or 1.
    private static func counterPath() -> String? {
        for line in (ProcessFigures.read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let candidates: [String] =
                if parts[0] == "0", parts[1].isEmpty {
                    ["/sys/fs/cgroup\(parts[2])/memory.events"]
                } else if parts[1].split(separator: ",").contains("memory") {
                    ["/sys/fs/cgroup/memory\(parts[2])/memory.oom_control", "/sys/fs/cgroup/memory/memory.oom_control"]
                } else { [] }
            if let path = candidates.first(where: { count($0) != nil }) { return path }
        }
        return nil
    }

    private static func count(_ path: String) -> Int? {
        ProcessFigures.read(path)?.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
            .flatMap { Int($0.dropFirst("oom_kill ".count)) }
    }

    deinit { if log >= 0 { close(log) } }
}

extension Substring {
    fileprivate var nonEmpty: Substring? { isEmpty ? nil : self }
}
