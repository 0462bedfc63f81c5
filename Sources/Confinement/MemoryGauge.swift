internal import CConfine
internal import Glibc
internal import Wire

/// What this process holds in memory, and the limit of that. Works behind the sandbox too, if it was made before.
public final class MemoryGauge {
    /// Address space for the stack of each of the engine's threads: much less than the usual 8 MiB, which a limit of the
    /// data would count for each of them, used or not. The engine has its threads do with less elsewhere.
    public static let threadStack = 2 << 20

    private let statm: Int32

    public init() throws(Confinement.Failure) {
        statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard statm >= 0 else { throw Confinement.Failure(call: "open(/proc/self/statm)", errno: errno) }
    }

    /// Resident bytes that are this process's alone; nil if the kernel does not tell.
    public var own: UInt64? {
        var memory = chf_memory()
        return chf_read_memory(statm, &memory) == 0 ? memory.own : nil
    }

    /// To be called before the engine makes its threads.
    public static func limitThreadStacks() -> Bool { chf_set_thread_stacks(threadStack) == 0 }

    /// From now on this process gets `growth` bytes more and then no memory. To be called once the engine is there, which
    /// begins with some gigabytes of address space, and before the sandbox. An engine that gives up for want of memory is
    /// reported to `descriptor` before the process ends.
    public func limit(growth: UInt64, reportingTo descriptor: Int32) throws(Confinement.Failure) {
        var most: UInt64 = 0
        guard chf_limit_data(statm, growth, &most) == 0 else {
            throw Confinement.Failure(call: "setrlimit(RLIMIT_DATA)", errno: errno)
        }
        let report = ComponentReport.gaveUp(data: 0, refused: 0, limit: most).encoded()
        guard chf_report_giving_up(statm, descriptor, report, report.count, report.count - 24) == 0 else {
            throw Confinement.Failure(call: "sigaction(SIGABRT)", errno: errno)
        }
    }

    deinit { close(statm) }
}
