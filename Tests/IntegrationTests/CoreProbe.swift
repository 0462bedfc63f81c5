import Control
import Foundation
import TestSupport

/// The repository's resources with a script behind the last one of the core's context, so that tests look into that
/// context: `corehost call core.probe … METHOD` calls its `methods`.
final class CoreProbe: Sendable {
    let folder = Result { try TemporaryFolder() }
    let path: String

    static let domain = "core.probe"

    /// Members: `countTables`, `spin(millis)` (holds the core's context), `evaluate(text)` (the body of an async function).
    ///
    /// - Parameter before: a script that runs before the core is made.
    init(before: String = "") throws {
        path = try folder.get().path
        let files = FileManager.default
        for name in ["js", "core"] {
            let source = "\(RunningSupervisor.resources)/\(name)"
            try files.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
            for entry in try files.contentsOfDirectory(atPath: source) where entry != "core-load.js" {
                try files.createSymbolicLink(
                    atPath: "\(path)/\(name)/\(entry)", withDestinationPath: "\(source)/\(entry)")
            }
        }
        let last = try String(contentsOfFile: "\(RunningSupervisor.resources)/js/core-load.js", encoding: .utf8)
        try folder.get().write(last + before + Self.script, to: "js/core-load.js")
    }

    private static let script = """

        (() => {
        const AsyncFunction = (async () => {}).constructor;
        const methods = {
            evaluate: text => new AsyncFunction(text)(),
            countTables: () => __coreDispatch.countTables(),
            spin(millis) {
                console.log('the core is busy');
                for (const end = performance.now() + millis; performance.now() < end;);
            },
        };
        const call = globalThis.__coreCallAsync;
        globalThis.__coreCallAsync = async (name, arg) => name === 'callService' && arg.appDomain === '\(domain)'
            ? methods[arg.method](...arg.args) ?? null : call(name, arg);
        })();
        """
}

extension RunningSupervisor {
    /// What the core keeps, by `countTables`; needs a `CoreProbe`'s resources.
    func coreTables() throws -> JSONValue { try call(CoreProbe.domain, "probe", "countTables") }

    /// What `text`, the body of an async function, gives in the core's context; needs a `CoreProbe`'s resources.
    func evaluate(_ text: String) throws -> JSONValue {
        try call(CoreProbe.domain, "probe", "evaluate", [.string(text)])
    }

    func ask(_ request: ControlRequest) throws -> ComponentRow {
        try client().ask(request, as: ComponentReply.self, within: .seconds(60)).component
    }

    func pid(_ id: String) throws -> Int32 {
        guard let pid = try row(id).pid else { throw TestFailure("\(id) has no process") }
        return Int32(pid)
    }

    /// Waits until the component `id` has written `text` to its console.
    func console(_ text: String, of id: String, within limit: Duration = .seconds(30)) throws {
        let client = try client()
        try wait(for: "\"\(text)\" of \(id)", within: limit) {
            let reply = try client.ask(
                .logs(id: nil, lines: 500, follow: false), as: LogsReply.self, within: .seconds(20))
            return reply.lines.map(\.json).contains {
                $0["id"]?.string == id && $0["text"]?.string?.hasPrefix(text) == true
            }
        }
    }

    /// Descriptors that the supervisor has open.
    func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.pid)/fd").count
    }

    /// The same once it has stayed for a while: connections of clients that have gone are closed a moment later.
    func settledDescriptors() throws -> Int {
        var last = try descriptors()
        var same = 0
        try wait(for: "the same number of descriptors") {
            usleep(5000)
            let now = try descriptors()
            same = now == last ? same + 1 : 0
            last = now
            return same == 20
        }
        return last
    }

    /// Its components' processes by state letter of `/proc/<pid>/stat`.
    func childrenByState() throws -> [String: Int] {
        try componentProcesses().reduce(into: [:]) { counts, child in
            // One that has gone since is in no state.
            let stat = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ") gone"
            let state = stat.split(separator: ")").last?.split(separator: " ").first ?? "?"
            counts[String(state), default: 0] += 1
        }
    }

    /// Waits for what no line tells, like the number of descriptors after the last line about them.
    func wait(for what: String, within limit: Duration = .seconds(30), until isTrue: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + limit
        while try !isTrue() {
            guard ContinuousClock.now < deadline else {
                throw TestFailure("not within \(limit): \(what); \(program.lines.suffix(40).joined(separator: "\n"))")
            }
            usleep(2000)
        }
    }
}

/// Something that runs on a thread of its own and gives a value.
final class Background<Value: Sendable>: @unchecked Sendable {
    // Unchecked: `result` is written before `done` is signalled and read after.
    private var result: Result<Value, any Error>?
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            result = Result(catching: body)
            done.signal()
        }
    }

    func value(within limit: Double = 60) throws -> Value {
        guard done.wait(timeout: .now() + limit) == .success, let result else {
            throw TestFailure("a thread of this test has not ended within \(limit) s")
        }
        done.signal()
        return try result.get()
    }

    var isDone: Bool {
        guard done.wait(timeout: .now()) == .success else { return false }
        done.signal()
        return true
    }
}
