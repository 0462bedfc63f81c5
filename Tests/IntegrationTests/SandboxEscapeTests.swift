import Glibc
import SandboxPolicy
import TestSupport
import Testing
import Wire

/// What native code in a component's process would try, with each system call as the kernel has it.
@Suite struct SandboxEscapeTests {
    /// Ends the process with 28, and the report names the call.
    @Test(
        arguments: [
            // Processes and programs.
            "fork", "vfork", "clone 17", "clone 0x10011", "clone 0x10010000", "clone 0x20010000", "clone 0x40010000",
            "execve s:/bin/true 0 0", "execveat -100 s:/bin/true 0 0 0", "ptrace 16 ppid", "setsid", "wait4 -1 0 1 0",
            "process_vm_readv ppid 0 0 0 0 0", "process_vm_writev ppid 0 0 0 0 0", "kcmp pid ppid 0 0 0",
            "pidfd_open ppid 0", "pidfd_getfd 3 0 0", "process_madvise 3 0 0 0 0", "personality 0x0400000",
            // Signals.
            "kill ppid 9", "kill ppid 0", "kill -1 9", "kill 0 9", "tkill ppid 9", "tgkill ppid ppid 9",
            "tgkill -1 ppid 9", "rt_sigqueueinfo ppid 9 z:128", "rt_tgsigqueueinfo ppid ppid 9 z:128",
            "pidfd_send_signal 3 9 0 0",
            // The handler that reports refused calls.
            "rt_sigaction 31 0 0 8", "rt_sigaction 31 z:32 0 8", "rt_sigaction 0x10000001f z:32 0 8",
            "signalfd4 -1 z:8 8 0",
            // Sockets.
            "socket 1 1 0", "socket 2 1 0", "socket 2 2 0", "socket 10 1 0", "socket 16 3 0", "socket 17 3 0",
            "socket 38 5 0", "socket 40 1 0", "socketpair 1 1 0 z:8", "connect 3 z:16 16", "bind 3 z:16 16",
            "listen 3 1", "accept4 3 0 0 0", "sendto 4 z:1 1 0 0 0", "sendmsg 4 z:64 0", "recvmsg 4 z:64 0",
            // More rights, other worlds.
            "setuid 0", "setgid 0", "setresuid 0 0 0", "setgroups 0 0", "setfsuid 0", "capset z:8 z:24",
            "seccomp 0 0 0",
            "unshare 0x10000000", "unshare 0x20000", "setns 3 0", "chroot s:/", "pivot_root s:/ s:/",
            "mount s:none s:/ s:tmpfs 0 0", "umount2 s:/ 0", "keyctl 0 -3 0", "add_key s:user s:a s:b 1 -3",
            "request_key s:user s:a 0 -3", "reboot 0 0 0 0", "init_module 0 0 0", "kexec_load 0 0 0 0",
            "sethostname s:a 1", "settimeofday 0 0", "clock_settime 0 0", "swapon s:/ 0", "acct s:/",
            // The kernel's larger surfaces.
            "io_uring_setup 1 z:128", "bpf 0 0 0", "userfaultfd 1", "perf_event_open z:128 0 -1 -1 0",
            "modify_ldt 0 0 0", "memfd_create s:a 0", "#447 0", "fanotify_init 0 0", "inotify_init1 0",
            "timer_create 1 0 z:8",
            "timerfd_create 1 0", "shmget 0 4096 0x3b6", "semget 0 1 0x3b6", "msgget 0 0x3b6",
            "mq_open s:/a 0x42 0x1b6 0",
            "remap_file_pages 0 0 0 0 0", "pkey_mprotect 0 0 7 -1", "mbind 0 0 0 0 0 0", "move_pages ppid 0 0 0 0 0",
            "migrate_pages ppid 0 0 0", "lookup_dcookie 0 0 0", "vmsplice 1 0 0 0", "syslog 3 0 0", "quotactl 0 0 0 0",
            // Files, by the ways that are not even told EACCES.
            "name_to_handle_at -100 s:/etc/passwd z:64 z:4 0", "open_by_handle_at -100 z:64 0", "creat s:/tmp/a 0x1ff",
            "mkdir s:/tmp/a 0x1ff", "mkdirat -100 s:/tmp/a 0x1ff", "unlink s:/tmp/a", "unlinkat -100 s:/tmp/a 0",
            "rename s:/a s:/b", "renameat2 -100 s:/a -100 s:/b 0", "link s:/a s:/b", "linkat -100 s:/a -100 s:/b 0",
            "symlink s:/a s:/b", "mknod s:/tmp/a 0x11b6 0", "chmod s:/tmp/a 0", "fchmod 0 0", "chown s:/tmp/a 0 0",
            "truncate s:/tmp/a 0", "ftruncate 0 0", "chdir s:/", "fchdir 0", "getcwd z:100 100",
            "getdents64 0 z:100 100",
            "setxattr s:/ s:user.a s:b 1 0", "getxattr s:/ s:user.a z:10 10", "utimensat -100 s:/ 0 0",
            // Descriptors out of others.
            "dup 0", "dup2 0 9", "dup3 0 9 0", "fcntl 0 0 0", "pipe2 z:8 0", "epoll_create1 0", "sendfile 1 0 0 1",
            "splice 0 0 1 0 1 0", "tee 0 1 1 0", "copy_file_range 0 0 1 0 1 0", "close_range 0 9 0",
        ])
    func endsTheProcessAndIsNamed(call: String) throws {
        guard let probe = try self.probe(call) else { return }
        #expect(probe.exit == .code(.sandboxDenial), "\(call): \(probe)")
        let name = call.split(separator: " ")[0]
        #expect(probe.refused == (name == "#447" ? "memfd_secret" : "\(name)"), "\(call): \(probe)")
        #expect(probe.lines.isEmpty, "\(call): \(probe)")
    }

    /// Comes back with an error, as the engine and the libraries make these calls themselves.
    @Test(
        arguments: [
            ("EACCES", "open s:/etc/passwd 0"), ("EACCES", "openat -100 s:/etc/passwd 0"),
            ("EACCES", "openat -100 s:/tmp/corehost-probe 0x241 0x1ff"), ("EACCES", "openat -100 s:/ 0x200000"),
            ("EACCES", "openat -100 s:/proc/self/mem 2"), ("EACCES", "openat -100 s:/proc/self/status 0"),
            ("EACCES", "openat -100 s:/proc/1/environ 0"), ("EACCES", "openat -100 s:/dev/null 2"),
            ("EACCES", "openat2 -100 s:/etc/passwd z:24 24"), ("EACCES", "stat s:/etc/passwd z:256"),
            ("EACCES", "lstat s:/etc/passwd z:256"), ("EACCES", "newfstatat -100 s:/etc/passwd z:256 0"),
            ("EACCES", "newfstatat 0 s:/etc/passwd z:256 0x1000"), ("EACCES", "statx -100 s:/ 0 0x7ff z:256"),
            ("EACCES", "access s:/etc/passwd 4"), ("EACCES", "faccessat -100 s:/etc/passwd 4"),
            ("EACCES", "readlink s:/proc/self/exe z:100 100"), ("EACCES", "statfs s:/ z:256"),
            ("EACCES", "ioctl 1 0x5412 s:x"),
            ("EPERM", "prlimit64 ppid 7 z:16 0"), ("EPERM", "prlimit64 0 7 z:16 0"), ("EPERM", "setrlimit 7 z:16"),
            ("EPERM", "setpriority 0 ppid 19"), ("EPERM", "setpriority 0 0 19"),
            ("EPERM", "sched_setscheduler ppid 0 z:4"),
            ("EPERM", "sched_setaffinity ppid 8 z:8"), ("EPERM", "sched_setattr ppid z:64 0"),
            ("EPERM", "prctl 1 0"), ("EPERM", "prctl 4 1"), ("EPERM", "prctl 36 1"), ("EPERM", "prctl 0x59616d61 -1"),
            ("ENOSYS", "clone3 z:88 88"),
            ("EACCES", "mmap 0 4096 7 0x22 -1 0"), ("EACCES", "mmap 0 4096 4 0x22 -1 0"),
            ("EACCES", "mprotect 0 4096 5"), ("EACCES", "mprotect 0 4096 4"),
            // A thread: the kernel itself says what is wrong with one that shares nothing.
            ("EINVAL", "clone 0x10000"),
        ])
    func isDenied(error: String, call: String) throws {
        guard let probe = try self.probe(call) else { return }
        #expect(probe.lines == [error], "\(call): \(probe)")
        #expect(probe.exit == .code(.closed), "\(call): \(probe)")
    }

    /// What stands there so that the suite does not prove that nothing works.
    @Test(
        arguments: [
            "getppid", "tgkill pid pid 0", "rt_sigaction 12 0 z:32 8", "rt_sigaction 64 0 z:32 8",
            "mmap 0 4096 3 0x22 -1 0",
            "eventfd2 0 0", "sched_yield", "getrandom z:8 8 0",
        ])
    func isAllowed(call: String) throws {
        let probe = try SandboxProbe(call)
        #expect(
            probe.lines.count == 1 && Int(probe.lines[0]) != nil && probe.exit == .code(.closed), "\(call): \(probe)")
    }

    @Test func descriptorsAreFew() throws {
        let probe = try SandboxProbe("until:eventfd2 0 0")
        let words = probe.lines.first?.split(separator: " ") ?? []
        #expect(words.last == "EMFILE" && (Int(words.first ?? "") ?? .max) <= 64, "\(probe)")
    }

    #if arch(x86_64)
        /// Other numbers mean other calls there: no report could be right, so the kernel ends the process.
        @Test(arguments: ["i386#20", "i386#11", "#0x40000027", "#0x40000208"])
        func callsOfAnotherArchitectureAreKilled(call: String) throws {
            let probe = try SandboxProbe(call)
            #expect(probe.exit == .signal(SIGSYS) && probe.refused == nil && probe.lines.isEmpty, "\(call): \(probe)")
        }
    #endif

    @Test func aBlockedSignalKillsAllTheSame() throws {
        let probe = try SandboxProbe("rt_sigprocmask 0 b:0000004000000000 0 8 -- socket 1 1 0")
        #expect(probe.lines == ["0"] && probe.exit == .signal(SIGSYS), "\(probe)")
    }

    /// Nil where this machine's architecture has no such call.
    private func probe(_ call: String) throws -> SandboxProbe? {
        let name = String(call.prefix { $0 != " " })
        guard name.hasPrefix("#") || SystemCallFilter.number(ofCall: name) != nil else { return nil }
        return try SandboxProbe(call)
    }
}
