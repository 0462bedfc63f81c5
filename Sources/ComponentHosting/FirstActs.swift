internal import CSystem
internal import Confinement
internal import EventLoop
internal import Glibc
internal import Wire

/// What the process does before it touches JavaScript, in an order that matters.
enum FirstActs {
    /// What could not be done, and does not keep the component from running.
    typealias Warning = String

    /// 1. No supervisor, no component: the kernel ends this process with the thread that made it, and a supervisor that
    ///    died before that was arranged is found out by the parent's pid.
    /// 2. This process is the first to go when memory is short, and has the share of processors that it is to have.
    ///    Before step 3, which takes away the right to say so.
    /// 3. No core dumps, no looking into this process by others of the same user: it holds the user's data.
    /// 4. A pipe whose reader is gone is an error of the write, not a signal.
    /// 5. A signal that ends this process says where it came from. Before the engine, whose handlers pass on what is not
    ///    theirs.
    /// 6. Memory of large messages is used again.
    /// 7. Threads have small stacks, which count as memory where that is limited.
    ///
    /// Returns nil when the supervisor is gone.
    static func perform(supervisor: pid_t, nice: Int32) -> [Warning]? {
        var warnings: [Warning] = []
        if chs_set_parent_death_signal(SIGKILL) != 0 { warnings.append("no parent-death signal: errno \(errno)") }
        guard getppid() == supervisor else { return nil }
        if let failure = raiseOutOfMemoryScore() { warnings.append("oom_score_adj stays as it was: errno \(failure)") }
        if nice > 0 { warnings += ProcessorShare.lower(to: nice) }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        if setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) != 0 {
            warnings.append("core dumps are not limited: errno \(errno)")
        }
        if chs_set_not_dumpable() != 0 { warnings.append("this process can be dumped: errno \(errno)") }
        signal(SIGPIPE, SIG_IGN)
        if let failure = Confinement.reportFatalSignals(on: StartArguments.controlDescriptor) {
            warnings.append("the source of fatal signals is not told: errno \(failure)")
        }
        chs_keep_freed_memory(32 << 20)
        if !MemoryGauge.limitThreadStacks() { warnings.append("threads have stacks of the usual size: errno \(errno)") }
        return warnings
    }

    /// 0, or an errno value.
    private static func raiseOutOfMemoryScore() -> Int32? {
        let descriptor = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return write(descriptor, "500", 3) == 3 ? nil : errno
    }
}
