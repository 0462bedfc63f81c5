import Foundation
import Glibc

/// A `corehost run --local` of its own: data, socket, configuration and apps stand in a scratch folder that goes with it.
final class Supervisor {
    let log: LogFollower
    private let corehost: URL
    private let socket: URL
    private let process: Process

    init(_ scratch: Scratch, programs: URL, apps: URL, resources: URL) throws {
        corehost = programs.appending(path: "corehost")
        socket = scratch.folder.appending(path: "control.sock")
        let configurationFile = scratch.folder.appending(path: "corehost.jsonc")
        try Data("{}\n".utf8).write(to: configurationFile)
        let data = scratch.folder.appending(path: "data")
        process = Process()
        process.executableURL = corehost
        process.arguments = [
            "run", "--local", "--data", data.path, "--apps", apps.path, "--resources", resources.path,
            "--config", configurationFile.path, "--socket", socket.path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let lines = scratch.folder.appending(path: "supervisor.log")
        try Data().write(to: lines)
        process.standardError = try FileHandle(forWritingTo: lines)
        try process.run()
        do {
            try Supervisor.waitForAnswer(corehost, socket, process)
            log = try LogFollower(corehost, socket: socket)
        } catch {
            process.terminate()
            process.waitUntilExit()
            throw error
        }
    }

    /// What a core of the benchmark's own, in a folder beside the benchmark's sources, says of its work.
    static func benchLines(_ places: Places, resources: String) throws -> [String: Double] {
        try Scratch.withSupervisor { scratch in
            try Supervisor(
                scratch, programs: places.programs, apps: places.noApps(in: scratch),
                resources: places.resources(with: resources, in: scratch))
        } _: { supervisor in
            try supervisor.log.benchLines()
        }
    }

    /// The thread with this name.
    func thread(_ name: String) throws -> pid_t {
        let tasks = "/proc/\(process.processIdentifier)/task"
        for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
            // Of a thread that has just ended nothing can be read.
            guard let seen = try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8) else { continue }
            if seen == "\(name)\n", let number = pid_t(task) { return number }
        }
        throw BenchError("corehost run has no thread \(name)")
    }

    /// Orderly, and an error unless `corehost run` says that it was.
    func shutdown() throws {
        log.stop()
        _ = try runToEnd(corehost, ["shutdown", "--socket", socket.path])
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw BenchError("corehost run ended with \(process.terminationStatus) after a shutdown")
        }
    }

    /// After an error: no matter how.
    func abandon() {
        log.stop()
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static func waitForAnswer(_ corehost: URL, _ socket: URL, _ process: Process) throws {
        for _ in 0..<200 where process.isRunning {
            let status = Process()
            status.executableURL = corehost
            status.arguments = ["status", "--socket", socket.path]
            status.standardInput = FileHandle.nullDevice
            status.standardOutput = FileHandle.nullDevice
            status.standardError = FileHandle.nullDevice
            try status.run()
            status.waitUntilExit()
            if status.terminationStatus == 0 { return }
            usleep(50000)
        }
        throw BenchError("corehost run does not answer on \(socket.path)")
    }
}

/// A temporary folder, removed by `remove`. Its path is short, because a socket's path must be.
struct Scratch {
    let folder: URL

    init() throws {
        var template = Array("/tmp/corehost-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchError("no temporary folder: errno \(errno)") }
        folder = URL(filePath: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    func remove() throws {
        try FileManager.default.removeItem(at: folder)
    }

    /// Runs `body` with a supervisor and ends that in order; after an error at all costs, and the folder stays, with
    /// the supervisor's words in `supervisor.log`.
    static func withSupervisor<Result>(
        _ start: (Scratch) throws -> Supervisor, _ body: (Supervisor) throws -> Result
    ) throws -> Result {
        let scratch = try Scratch()
        let supervisor = try start(scratch)
        do {
            let result = try body(supervisor)
            try supervisor.shutdown()
            try scratch.remove()
            return result
        } catch {
            supervisor.abandon()
            throw BenchError("\(error); the supervisor's words are in \(scratch.folder.path)/supervisor.log")
        }
    }
}
