internal import Control
internal import FoundationEssentials
internal import Glibc
internal import TestSupport
internal import Testing

/// What is to be on the disk is given to the disk: the system calls of a supervisor, as strace sees them.
@Suite struct SyncCallTests {
    @Test func syncsAreSystemCalls() throws {
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(apps: [:], resources: probe.path)
        let trace = supervisor.folder.path + "/trace"
        _ = try supervisor.evaluate("globalThis.file = await platform.device_fs.open('synced', 'w'); return true;")
        let tracer = try RunningProgram(
            "/usr/bin/strace",
            ["-f", "-y", "-e", "trace=fsync,fdatasync", "-o", trace, "-p", "\(supervisor.program.pid)"])
        try tracer.line { $0.contains("attached") }
        _ = try supervisor.evaluate(
            """
            for (let i = 0; i < 3; i += 1) { await file.sync(); }
            await platform.device_fs.copyFile('synced', 'copied');
            return true;
            """)
        tracer.signal(SIGINT)
        _ = try tracer.waitForExit()
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("/data/fs/") && $0.hasSuffix("= 0")
        }
        #expect(calls.filter { $0.contains("fsync(") && $0.contains("/data/fs/synced>") }.count == 3, "\(calls)")
        #expect(calls.count > 3, "the copy was not synced: \(calls)")
        try supervisor.end()
    }
}
