internal import CProbe
internal import Control
internal import Foundation
internal import Glibc

/// A supervisor with one component for each kind of death.
public final class DeathRig: Sendable {
    public let supervisor: RunningSupervisor
    public let kinds: [DeathKind]
    private let copy: InstalledCopy
    private let folder: TemporaryFolder

    /// What stands in place of a script, for programs that cannot be started.
    static let noProgram = "<none>"
    static let noRight = "<no right>"
    static let noFormat = "<no format>"
    static let loop = "<loop>"

    /// - Parameters:
    ///   - kinds: all with the real program, or all with a script in its place.
    ///   - restart: what follows each death by rule.
    public init(_ kinds: [DeathKind], restart: String = "temporary") throws {
        self.kinds = kinds
        folder = try TemporaryFolder()
        copy = try InstalledCopy(in: folder)
        for kind in kinds { try Self.write(kind, to: folder) }
        let load = DeathKind("load", "", nil, "", .starting)
        try Self.write(load, to: folder)
        let policies = kinds.map { kind in
            #""\#(kind.name).death": {"restart": "\#(restart)"\#(kind.policy.isEmpty ? "" : ", " + kind.policy)}"#
        }
        supervisor = try RunningSupervisor(
            apps: [:], configuration: "{\"components\": {\(policies.joined(separator: ", "))}}",
            resources: try Self.resources(in: folder), folder: folder, program: copy.corehost)
    }

    private static func write(_ kind: DeathKind, to folder: TemporaryFolder) throws {
        let app = "apps/\(kind.name).death"
        try folder.write(
            """
            {"appDomain": "\(kind.name).death", "version": "1.0.0", "name": "Test", "description": "test",
             "icon": "i.png", "components": {"/e.mjs": {"runtime": "deno", "capsRequested": {}, "services":
             {"Die": {"thisAppComponents": "*", "otherApps": "*"}}}}, "launchOnSystemStartup": []}
            """, to: "\(app)/manifest.json")
        switch kind.code {
        case .text(let text): try folder.write(text, to: "\(app)/app/e.mjs")
        case .bytes(let bytes): try folder.write(bytes, to: "\(app)/app/e.mjs")
        case .missing: try folder.write("", to: "\(app)/app/other.mjs")
        case .tooLarge:
            let path = try folder.write("", to: "\(app)/app/e.mjs")
            guard truncate(path, 40 << 20) == 0 else { throw TestFailure("truncate: errno \(errno)") }
        case .folder: try folder.write("", to: "\(app)/app/e.mjs/other")
        }
    }

    /// With a core whose ports can be called from here.
    private static func resources(in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/resources"
        let files = FileManager.default
        try files.createDirectory(atPath: path + "/js", withIntermediateDirectories: true)
        try files.createSymbolicLink(
            atPath: path + "/core", withDestinationPath: RunningSupervisor.resources + "/core")
        for name in try files.contentsOfDirectory(atPath: RunningSupervisor.resources + "/js")
        where name != "core-load.js" {
            try files.createSymbolicLink(
                atPath: "\(path)/js/\(name)", withDestinationPath: "\(RunningSupervisor.resources)/js/\(name)")
        }
        let script = try String(contentsOfFile: RunningSupervisor.resources + "/js/core-load.js", encoding: .utf8)
        try folder.write(
            script + """

                (() => {
                const dispatch = globalThis.__nativeCallDispatch;
                const call = globalThis.__coreCallAsync;
                globalThis.__coreCallAsync = async (name, arg) => name === 'callService' && arg.appDomain === 'core.death'
                    ? dispatch(arg.method, arg.args) ?? null : call(name, arg);
                })();
                """, to: "resources/js/core-load.js")
        return path
    }

    func domain(of id: String) -> String { String(id.prefix { $0 != "/" }) }

    /// Calls a port of the core.
    func askCore(_ port: String, _ argument: String) throws -> JSONValue {
        try supervisor.call("core.death", "ports", port, [.string(argument)])
    }

    func background(_ work: @escaping @Sendable () -> Void) { Foundation.Thread.detachNewThread(work) }

    func makeFault(_ pid: Int32) throws {
        let error = chp_make_foreign_fault(pid)
        guard error == 0 else { throw TestFailure("ptrace of \(pid): errno \(error)") }
    }

    // MARK: One death

    /// Brings one about. Nil when its verdict is right, else what it is.
    public func die(_ kind: DeathKind) throws -> String? {
        if let script = kind.script { try replaceProgram(script) }
        let id = "\(kind.name).death/e.mjs"
        let client = try supervisor.client()
        func inspect() throws -> InspectReply {
            try client.ask(.inspect(id: id), as: InspectReply.self, within: .seconds(30))
        }
        func life() throws -> DeathKind.Life? {
            let row = try inspect().component
            guard let pid = row.pid, let connector = row.connector else { return nil }
            return DeathKind.Life(rig: self, id: id, pid: Int32(pid), connector: connector)
        }
        let before = try inspect().lastExit?.generation ?? 0
        switch kind.manner {
        case .running(let act):
            _ = try client.ask(.start(id: id), as: ComponentReply.self, within: .seconds(60))
            guard let life = try life() else { throw TestFailure("\(id) does not run") }
            try act(life)
        case .starting:
            // The refusal is the death that is looked at below.
            _ = try? client.ask(.start(id: id), as: ComponentReply.self, within: .seconds(60))
        case .whileStarting(let act):
            background { [supervisor] in
                _ = try? supervisor.client().ask(.start(id: id), as: ComponentReply.self, within: .seconds(60))
            }
            var found = try life()
            while found == nil { found = try life() }
            if let found { try act(found) }
        }
        var last = try inspect().lastExit
        for _ in 0..<3000 where last?.generation ?? 0 <= before {
            usleep(10_000)
            last = try inspect().lastExit
        }
        guard let last, last.generation > before else { return "\(kind.name): no end within 30 s" }
        if last.generation == before + 1, last.cause == kind.cause, last.message.contains(kind.words),
            kind.certainty == nil || last.certainty == kind.certainty
        {
            return nil
        }
        return "\(kind.name): not \(kind.cause), \(kind.certainty ?? "-"), \"\(kind.words)\", but \(last.cause),"
            + " \(last.certainty), \"\(last.message)\" (generation \(last.generation) after \(before))"
    }

    private func replaceProgram(_ script: String) throws {
        switch script {
        case Self.noProgram: unlink(copy.component)
        case Self.noRight:
            try folder.write("#!/bin/sh\n", to: "bin/none")
            rename(folder.path + "/bin/none", copy.component)
        case Self.noFormat:
            try folder.write("\u{1}\u{2}\u{3}\u{4} no program", to: "bin/none")
            chmod(folder.path + "/bin/none", 0o755)
            rename(folder.path + "/bin/none", copy.component)
        case Self.loop:
            unlink(copy.component)
            symlink(copy.component, copy.component)
        default: try copy.replaceComponent(byScript: script)
        }
    }

    /// Has a component compute and answer all the time, until the supervisor ends.
    public func beginLoad() {
        background { [supervisor] in
            while true {
                do {
                    _ = try supervisor.call("load.death", "Die", "burn", [20])
                } catch { return }
            }
        }
    }
}
