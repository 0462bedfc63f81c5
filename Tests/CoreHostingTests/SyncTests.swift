import Foundation
import Glibc
import JSEngine
import TestSupport
import Testing

@Suite struct Syncing {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// As the kernel has it of the open descriptors.
    @Test func filesWithSynchronousFlagsWriteThroughToTheDisk() throws {
        let path = folder.path
        for name in ["rs", "r+", "rs+"] { try folder.write("fs/\(name)", "") }
        let synchronous = try withPorts(folder) { engine, _ in
            _ = try engine.settle(
                #"Promise.all(["rs", "r+", "rs+", "w", "a", "as", "as+"].map(flags => port("fs_open", flags, flags)))"#)
            return try openFlags(in: "\(path)/fs/").filter { $0.value & O_SYNC == O_SYNC }.keys.sorted()
        }
        #expect(synchronous == ["as", "as+", "rs", "rs+"])
    }

    @Test(.enabled(if: Tracer.isUsable, "needs strace and the right to use it"))
    func syncsAreSystemCalls() throws {
        let path = folder.path
        let calls = try withPorts(folder) { engine, _ in
            _ = try engine.settle(#"port("fs_open", "a", "w").then(fd => { globalThis.fd = fd; })"#)
            let tracer = try Tracer(calls: ["fsync", "fdatasync"], log: "\(path)/trace")
            _ = try engine.settle(
                """
                (async () => {
                    for (let i = 0; i < 3; i += 1) { await port("fh_sync", fd); }
                    await port("fs_copyFile", "a", "b");
                })()
                """)
            return try tracer.end()
        }
        // Other tests of this process may sync files of their own.
        #expect(calls.filter { $0.contains("fsync(") && $0.contains("\(path)/fs/a>") && $0.contains("= 0") }.count == 3)
        #expect(calls.filter { $0.contains("fsync(") && $0.contains("\(path)/fs/") && $0.contains("= 0") }.count == 4)
    }
}

/// Flags of this process's open files in a folder, by name.
private func openFlags(in folder: String) throws -> [String: Int32] {
    var flags: [String: Int32] = [:]
    for number in 0..<4096 {
        // Most numbers stand for nothing.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"),
            target.hasPrefix(folder)
        else { continue }
        flags[String(target.dropFirst(folder.count))] = fcntl(Int32(number), F_GETFL)
    }
    return flags
}

/// strace attached to this process. It is killed: Foundation starts programs with all other signals blocked. Each line
/// that it writes is written at once.
private final class Tracer {
    static let isUsable: Bool = {
        do {
            _ = try Tracer(calls: ["fsync"], log: "/dev/null").end()
            return true
        } catch {
            return false
        }
    }()

    private let process = Process()
    private let log: String

    /// Returns once every thread is traced.
    init(calls: [String], log: String) throws {
        self.log = log
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/strace")
        process.arguments = ["-f", "-y", "-e", "trace=\(calls.joined(separator: ","))", "-o", log, "-p", "\(getpid())"]
        process.standardError = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard said.contains("attached") else {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            throw TestFailure("strace says: \(said)")
        }
    }

    /// What was traced.
    func end() throws -> [String] {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return try String(contentsOfFile: log, encoding: .utf8).components(separatedBy: "\n")
    }
}
