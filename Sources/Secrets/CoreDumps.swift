internal import CSystem
internal import Glibc

/// What of a process can land in a core dump.
public enum CoreDumps {
    /// From now on, here and in programs started from here: no core file, and what a dump by other ways holds (a handler
    /// that the system pipes dumps to, a debugger's) is without memory. Unlike `PR_SET_DUMPABLE` this leaves `/proc`
    /// readable for the user's own tools.
    public static func keepMemoryOut() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        // A kernel without these keeps what the user has set.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        let filter = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard filter >= 0 else { return }
        _ = write(filter, "0", 1)
        close(filter)
    }
}
