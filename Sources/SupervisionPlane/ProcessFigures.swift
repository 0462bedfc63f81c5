internal import Control
internal import Glibc

/// What `/proc` says of a process; nil for what cannot be read, as after its exit.
enum ProcessFigures {
    /// Resident bytes.
    static func residentMemory(_ pid: Int32) -> Int? {
        guard let fields = read("/proc/\(pid)/statm")?.split(separator: " "), fields.count > 1,
            let pages = Int(fields[1])
        else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Resident bytes that are no file's and shared with nobody.
    static func ownMemory(_ pid: Int32) -> Int? {
        guard let fields = read("/proc/\(pid)/statm")?.split(separator: " "), fields.count > 2,
            let resident = Int(fields[1]), let shared = Int(fields[2])
        else { return nil }
        return max(0, resident - shared) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Bytes, with shared pages divided among their users.
    static func proportionalMemory(_ pid: Int32) -> Int? {
        guard let line = line("Pss:", in: "/proc/\(pid)/smaps_rollup"),
            let kibibytes = line.split(separator: " ").first.flatMap({ Int($0) })
        else { return nil }
        return kibibytes * 1024
    }

    /// Seconds of processor time.
    static func processorTime(_ pid: Int32) -> Double? {
        guard let text = read("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Of its program, at most 15 bytes.
    static func name(_ pid: Int32) -> String? {
        read("/proc/\(pid)/comm")?.split(separator: "\n").first.map(String.init)
    }

    /// The letter of its main thread's state: `R` runs, `S` sleeps, `T` is stopped, …
    static func state(of pid: Int32) -> Character? {
        guard let text = read("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].first { $0 != " " }
    }

    static func threads(_ pid: Int32) -> Int? {
        line("Threads:", in: "/proc/\(pid)/status").flatMap { Int($0.trimmingPrefix { $0.isWhitespace }) }
    }

    static func descriptors(_ pid: Int32) -> Int? {
        guard let folder = opendir("/proc/\(pid)/fd") else { return nil }
        defer { closedir(folder) }
        var count = -2
        while readdir(folder) != nil { count += 1 }
        return count
    }

    /// What stands around a process, whatever it says itself.
    static func confinement(_ pid: Int32) -> SandboxShape.Kernel {
        let path = "/proc/\(pid)/status"
        func number(_ prefix: String) -> Int? {
            line(prefix, in: path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
        }
        return SandboxShape.Kernel(
            uid: number("Uid:"), noNewPrivileges: number("NoNewPrivs:").map { $0 == 1 },
            filter: number("Seccomp:").map { $0 == 2 })
    }

    private static func line(_ prefix: String, in path: String) -> Substring? {
        read(path)?.split(separator: "\n").first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
    }

    /// Files there say 0 for their size: read until the end.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return count == 0 ? String(decoding: text, as: UTF8.self) : nil }
            text += chunk[..<count]
        }
    }
}
