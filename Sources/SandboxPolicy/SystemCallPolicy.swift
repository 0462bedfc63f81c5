internal import Glibc

/// What a component's process may ask of the kernel once its sandbox is closed. Any other call ends it.
///
/// Names are the kernel's; a name that the machine's architecture does not have is left out.
public enum SystemCallPolicy {
    /// What the loop, the engine, its threads and its collector need, whatever the arguments.
    static let allowed = [
        // The pipes, and the waiting for them.
        "read", "write", "readv", "writev", "pread64", "lseek", "close", "shutdown", "poll", "ppoll", "epoll_wait",
        "epoll_pwait", "epoll_pwait2", "epoll_ctl", "eventfd2",
        // Memory. `mmap` and `mprotect` are below.
        "munmap", "madvise", "mremap", "brk", "membarrier",
        // Threads. `clone` and `tgkill` are below.
        "futex", "set_robust_list", "rseq", "exit", "exit_group", "sched_yield", "sched_getaffinity", "getpid",
        "getppid", "gettid",
        // Signals of the engine's own. `rt_sigaction` is below.
        "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "sigaltstack", "restart_syscall",
        // Time, where the kernel's shared page does not tell it; figures of this process; random numbers.
        "clock_gettime", "clock_getres", "gettimeofday", "time", "clock_nanosleep", "nanosleep", "sysinfo", "getrusage",
        "getrandom",
    ]

    /// Calls that the engine and the libraries make and can do without; the error is what they are told.
    static let denied: [(error: Int32, names: [String])] = [
        // A component could change its supervisor's limits and priority, if they are of one user.
        (
            EPERM,
            [
                "prlimit64", "getrlimit", "setrlimit", "setpriority", "getpriority", "sched_setscheduler",
                "sched_getscheduler", "sched_setparam", "sched_getparam", "sched_setattr", "sched_getattr",
                "sched_setaffinity", "prctl",
            ]
        ),
        // The C library then takes `clone`, whose flags can be looked at.
        (ENOSYS, ["clone3"]),
        (
            EACCES,
            [
                "open", "openat", "openat2", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "stat",
                "lstat", "newfstatat", "statx", "statfs", "ioctl",
            ]
        ),
    ]

    /// A thread of this process, and nothing else: flags of `clone` that must be as here, whatever the others are.
    static let cloneMask =
        cloneThread | 0xff /* exit signal */ | 0x2000 /* PTRACE */ | 0x4000 /* VFORK */ | 0x8000 /* PARENT */
        | 0x1000 /* PIDFD */ | 0x7e02_0000 /* NEWNS, NEWCGROUP … NEWNET */ | 0x8000_0000 /* IO */
    static let cloneThread: UInt64 = 0x10000

    static let protectionExecutable: UInt64 = 4
    static let signalOfRefusals = UInt64(SIGSYS)
}
