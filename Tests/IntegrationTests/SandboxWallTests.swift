import Glibc
import TestSupport
import Testing
import Wire

/// The walls behind the filter of system calls, each by itself: the same process without that filter.
@Suite struct SandboxWallTests {
    @Test(
        arguments: [
            ("EACCES", "openat -100 s:/etc/passwd 0"), ("EACCES", "openat -100 s:/proc/self/status 0"),
            ("EACCES", "openat -100 s:/dev/null 2"), ("EACCES", "openat -100 s:/tmp/corehost-probe 0x241 0x1ff"),
            ("EACCES", "openat -100 s:/ 0x10000"), ("EACCES", "mkdir s:/tmp/corehost-probe 0x1ff"),
            ("EACCES", "symlink s:/etc/passwd s:/tmp/corehost-probe"), ("EACCES", "execve s:/bin/true 0 0"),
        ])
    func landlockClosesFiles(error: String, call: String) throws { try expect(error, call, .files) }

    @Test(arguments: ["connect", "bind"]) func landlockClosesTheNetwork(call: String) throws {
        // 127.0.0.1:8081.
        try expect("EACCES", "socket 2 1 0 -- \(call) 5 b:02001f917f0000010000000000000000 16", .network)
    }

    @Test func landlockClosesAbstractSockets() throws {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = UInt16(AF_UNIX)
        let name = "corehost-\(getpid())"
        withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name.utf8) }
        let size = socklen_t(2 + 1 + name.utf8.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(listener, $0, size) }
        }
        try #require(bound == 0 && listen(listener, 1) == 0)
        let bytes = "010000" + name.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        try expect("EPERM", "socket 1 1 0 -- connect 5 b:\(bytes) \(size)", .scopes)
    }

    @Test(arguments: ["kill ppid 0", "kill ppid 9", "tgkill ppid ppid 9"])
    func landlockClosesSignals(call: String) throws { try expect("EPERM", call, .scopes) }

    @Test(arguments: ["mmap 0 4096 7 0x22 -1 0"])
    func nothingBecomesExecutable(call: String) throws { try expect("EACCES", call, .noExecutableGain) }

    @Test(arguments: [
        "setuid 0", "setgid 0", "chroot s:/", "mount s:none s:/ s:tmpfs 0 0",
        "prlimit64 0 6 b:00000000010000000000000001000000 0",
    ])
    func thereIsNoPrivilege(call: String) throws { try expect("EPERM", call, .noNewPrivileges) }

    /// The kernel has Landlock for one thread at a time.
    @Test(
        arguments: [
            ("EACCES", "openat -100 s:/etc/passwd 0", .files), ("EPERM", "kill ppid 0", .scopes),
            ("EPERM", "setuid 0", .noNewPrivileges), ("EACCES", "mmap 0 4096 7 0x22 -1 0", .noExecutableGain),
        ] as [(String, String, SandboxWall)])
    func theyStandAroundThreadsThatAreOlder(error: String, call: String, wall: SandboxWall) throws {
        try expect(error, "--in-older-thread \(call)", wall)
    }

    @Test func theFilterStandsAroundThreadsThatAreOlder() throws {
        let probe = try SandboxProbe("--in-older-thread getppid -- socket 1 1 0")
        #expect(probe.exit == .code(.sandboxDenial) && probe.refused == "socket" && probe.lines.count == 1, "\(probe)")
    }

    private func expect(_ error: String, _ calls: String, _ wall: SandboxWall) throws {
        let probe = try SandboxProbe("--walls-without-filter \(calls)")
        // The first line tells which walls this kernel has.
        guard let walls = probe.lines.first, walls.split(separator: " ").contains(Substring(wall.name)) else { return }
        #expect(probe.lines.last == error && probe.exit == .code(.closed), "\(calls): \(probe)")
    }
}
