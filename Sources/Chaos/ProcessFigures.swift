internal import Control
internal import Glibc

/// What `/proc` shows of a supervisor.
enum ProcessFigures {
    static func answer(_ ps: PsReply) -> ProbeAnswer {
        guard let pid = ps.supervisor?.pid else { return .failed("the supervisor did not say which process it is") }
        guard let descriptors = count("/proc/\(pid)/fd"), let children = children(of: pid) else {
            return .failed("/proc/\(pid) cannot be read: \(String(cString: strerror(errno))); run as its user")
        }
        return .figures(
            SupervisorFigures(
                descriptors: descriptors, children: children - (ps.supervisor?.zygote == nil ? 0 : 1),
                components: ps.components.count { $0.pid != nil }))
    }

    private static func count(_ path: String) -> Int? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var count = -2  // "." and ".."
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private static func children(of pid: Int) -> Int? {
        guard let file = fopen("/proc/\(pid)/task/\(pid)/children", "re") else { return nil }
        defer { fclose(file) }
        var count = 0
        while true {
            let character = getc(file)
            if character == EOF { return count }
            if character == CInt(UInt8(ascii: " ")) { count += 1 }
        }
    }
}
