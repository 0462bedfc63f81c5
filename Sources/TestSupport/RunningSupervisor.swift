public import Control
internal import FoundationEssentials
internal import Glibc

/// `corehost run` as a real process in folders of its own, with a local user unless a test has accounts.
public final class RunningSupervisor: Sendable {
    public let folder: TemporaryFolder
    public let program: RunningProgram
    public var socket: String { folder.path + "/control.sock" }
    public var data: String { folder.path + "/data" }

    /// The repository's `Resources`.
    public static let resources = repository + "/Resources"
    public static let repository: String = {
        var folder = URL(filePath: #filePath)
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        {
            folder.deleteLastPathComponent()
        }
        return folder.path
    }()

    /// Starts it and waits until the platform runs.
    ///
    /// - Parameters:
    ///   - apps: nil = the bundled apps; else files by their path below the apps folder.
    ///   - options: further ones of `corehost run`.
    ///   - configuration: text of `corehost.jsonc`.
    ///   - isLocal: false = it waits for a login, or logs in automatically.
    public init(
        apps: [String: String]? = nil, configuration: String? = nil, resources: String = RunningSupervisor.resources,
        options: [String] = [], isLocal: Bool = true, folder: TemporaryFolder? = nil, program name: String = "corehost",
        environment: [String: String] = [:], waitsForPlatform: Bool = true
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        let path = self.folder.path
        var arguments = [
            "run", "--data", path + "/data", "--socket", path + "/control.sock", "--resources", resources,
        ]
        if isLocal { arguments.append("--local") }
        if let apps {
            try FileManager.default.createDirectory(atPath: path + "/apps", withIntermediateDirectories: true)
            for (name, text) in apps { try self.folder.write(text, to: "apps/\(name)") }
            arguments += ["--apps", path + "/apps"]
        }
        if let configuration {
            arguments += ["--config", try self.folder.write(configuration, to: "corehost.jsonc")]
        }
        program = try RunningProgram(name, arguments + options, environment: environment)
        if waitsForPlatform {
            try program.line {
                $0.contains("platform running") || (!isLocal && $0.contains("platform waits for a login"))
            }
        }
    }

    /// Runs `corehost` with these arguments against it: exit code, and lines of standard output and error.
    public func corehost(_ arguments: String...) throws -> (code: Int32, lines: [String]) {
        try Self.corehost(arguments, ["COREHOST_SOCKET": socket])
    }

    public static func corehost(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> (code: Int32, lines: [String]) {
        let command = try RunningProgram("corehost", arguments, environment: environment)
        return (try command.waitForExit(), command.lines)
    }

    /// Open descriptors of a process.
    public static func descriptors(of pid: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    }

    public func inspect(_ id: String) throws -> InspectReply {
        try client().ask(.inspect(id: id), as: InspectReply.self, within: .seconds(10))
    }

    public func client() throws -> ControlClient { try ControlClient(path: socket) }

    public func ps() throws -> [ComponentRow] {
        try client().ask(.ps, as: PsReply.self, within: .seconds(10)).components
    }

    public func row(_ id: String) throws -> ComponentRow {
        guard let row = try ps().first(where: { $0.id == id }) else { throw TestFailure("no component \(id)") }
        return row
    }

    public func call(
        _ app: String, _ service: String, _ method: String, _ arguments: [JSONValue] = [],
        within limit: Duration = .seconds(30)
    ) throws -> JSONValue {
        try client().ask(
            .call(app: app, service: service, method: method, arguments: arguments), as: CallReply.self, within: limit
        ).result
    }

    /// Waits for a line of the supervisor's log about a component.
    @discardableResult
    public func line(
        _ text: String, about id: String? = nil, from start: Int = 0, within limit: Duration = .seconds(30)
    ) throws -> (number: Int, text: String) {
        try program.line(from: start, within: limit) { line in
            line.contains("] \(text)") && (id.map { line.contains("component: \($0)") } ?? true)
        }
    }

    /// Ends it as Ctrl-C does; gives the exit code, and throws if anything of it is left.
    @discardableResult
    public func end(signal: Int32 = 15) throws -> Int32 {
        let children = try Self.children(of: program.pid)
        program.signal(signal)
        let code = try program.waitForExit()
        try checkNothingIsLeft(children)
        return code
    }

    /// Throws if a process of `children` lives, or a socket or lock is there.
    public func checkNothingIsLeft(_ children: [Int32]) throws {
        for child in children where kill(child, 0) == 0 {
            throw TestFailure("process \(child) outlived its supervisor")
        }
        for file in [socket, data + "/supervisor.lock"] where access(file, F_OK) == 0 {
            throw TestFailure("\(file) was left behind")
        }
    }

    /// Pids of components' processes, which its zygote is not.
    public func componentProcesses() throws -> [Int32] {
        try Self.children(of: program.pid).filter { child in
            // One that has gone since was no zygote: that stays.
            let words = try? String(contentsOf: URL(filePath: "/proc/\(child)/cmdline"), encoding: .utf8)
            return words?.contains("\0zygote\0") != true
        }
    }

    /// Pids whose parent is `pid`.
    public static func children(of pid: Int32) throws -> [Int32] {
        let text = try String(contentsOf: URL(filePath: "/proc/\(pid)/task/\(pid)/children"), encoding: .utf8)
        return text.split(separator: " ").compactMap { Int32($0) }
    }
}
