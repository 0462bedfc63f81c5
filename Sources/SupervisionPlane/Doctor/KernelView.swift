internal import Glibc

/// A child of this process as `/proc` shows it.
struct ChildFact: Equatable {
    let pid: Int32
    let name: String
    /// As in `/proc/<pid>/stat`: `R S D Z T …`.
    let state: Character
    let group: Int32
    let session: Int32
    /// Seconds since the machine's start.
    let startedAt: Double
}

extension ChildFact {
    /// Nil where that is no line of `/proc/<pid>/stat`.
    init?(stat text: String, pid: Int32, ticksPerSecond: Double) {
        // The name may have any bytes, brackets too.
        guard let open = text.firstIndex(of: "("), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let state = fields[0].first, let group = Int32(fields[2]),
            let session = Int32(fields[3]), let ticks = Double(fields[19])
        else { return nil }
        self.init(
            pid: pid, name: String(text[text.index(after: open)..<end]), state: state, group: group, session: session,
            startedAt: ticks / ticksPerSecond)
    }
}

/// What a descriptor of this process is open on.
enum DescriptorKind: String, CaseIterable {
    case pidfd, socket, pipe, file, event, other

    /// By what `/proc/self/fd/<n>` leads to.
    init(target: String) {
        if target == "anon_inode:[pidfd]" || target.hasPrefix("pidfd:") {
            self = .pidfd
        } else if target.hasPrefix("socket:") {
            self = .socket
        } else if target.hasPrefix("pipe:") {
            self = .pipe
        } else if target.hasPrefix("anon_inode:") {
            self = .event
        } else {
            self = target.hasPrefix("/") && !target.hasPrefix("/dev/") ? .file : .other
        }
    }
}

/// What the kernel shows of this process; nil and empty for what it does not show.
enum KernelView {
    /// Children of all threads.
    static func children() -> [ChildFact]? {
        guard let threads = names(in: "/proc/self/task") else { return nil }
        var pids: [Int32] = []
        for thread in threads {
            // A kernel without CONFIG_PROC_CHILDREN has no such file.
            guard let text = ProcessFigures.read("/proc/self/task/\(thread)/children") else { continue }
            pids += text.split(separator: " ").compactMap { Int32($0) }
        }
        return pids.sorted().compactMap(child)
    }

    private static func child(_ pid: Int32) -> ChildFact? {
        ProcessFigures.read("/proc/\(pid)/stat").flatMap {
            ChildFact(stat: $0, pid: pid, ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))))
        }
    }

    static func descriptors() -> [DescriptorKind: Int] {
        var counts: [DescriptorKind: Int] = [:]
        for name in names(in: "/proc/self/fd") ?? [] {
            var buffer = [CChar](repeating: 0, count: 512)
            let count = readlink("/proc/self/fd/\(name)", &buffer, buffer.count)
            // The descriptor of the listing itself is gone by now.
            guard count > 0 else { continue }
            let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            counts[DescriptorKind(target: target), default: 0] += 1
        }
        return counts
    }

    /// The soft limit.
    static func descriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    static func threadNames() -> [String] {
        (names(in: "/proc/self/task") ?? []).compactMap {
            ProcessFigures.read("/proc/self/task/\($0)/comm").map { String($0.prefix { $0 != "\n" }) }
        }
    }

    static func names(in folder: String) -> [String]? {
        guard let entries = opendir(folder) else { return nil }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
