internal import EventLoop
internal import Glibc
internal import JSEngine
internal import PlatformScripts
internal import Supervision

/// Why a script or a step of the check failed, in words.
struct CheckFailure: Error {
    let reason: String
}

/// One context of the check, with one half of the pair.
final class CheckContext {
    let engine: JSEngineHost
    private let half: PlatformScripts.Bundle
    private let scripts: PlatformScripts
    private let limit: Duration
    private let ended: CheckEnd
    private let tell: (CheckProgress) -> Void

    init(
        _ half: PlatformScripts.Bundle, on loop: Loop, _ scripts: PlatformScripts, _ limit: Duration,
        _ ended: CheckEnd, _ tell: @escaping (CheckProgress) -> Void
    ) {
        self.half = half
        self.scripts = scripts
        self.limit = limit
        self.ended = ended
        self.tell = tell
        engine = JSEngineHost(
            label: "\(half) of the check", loop: loop, console: { _, _ in },
            uncaught: { kind, error in
                let what = kind == .error ? "uncaught error" : "unhandled rejection"
                tell(
                    .found(
                        .step(
                            CheckedStep(
                                name: "\(what), the \(half)'s side", status: .noted, milliseconds: nil,
                                note: "\(error)"))))
            })
        engine.watchLongCalls { call in
            if ended.isHere { return "nobody waits for it any more" }
            guard call.duration >= limit else { return nil }
            let place = call.stack()?.split(separator: "\n").first
            return "one call ran for \(limit.text)\(place.map { ", at the end in \($0)" } ?? "")"
        }
        engine.lookAtCalls(that: limit)
        engine.registerCommonPorts()
        engine.provideScripts { try scripts.text("js/\($0)") }
    }

    /// Evaluates the half and tells of its names; false when it cannot be used.
    func load() -> Bool {
        do throws(CheckFailure) {
            try evaluate("js/common-preload.js")
            if half == .core { try evaluate("js/device-fs.js") }
            var files: [CheckedBundle.File] = []
            for name in try listed() {
                // What fits the half in throws where a name is missing: the names come first.
                if name == "core/contract/\(half).js" {
                    tell(.found(.bundle(CheckedBundle(half: half.rawValue, files: files))))
                    guard try isComplete() else { return false }
                    try keepForTrial()
                }
                let took = try evaluate(name)
                if name.hasPrefix(PlatformScripts.bundlePrefix) { files.append(try file(name, took)) }
            }
            return true
        } catch {
            tell(
                .found(
                    .step(
                        CheckedStep(
                            name: "evaluate the \(half) bundle", status: .failed, milliseconds: nil, note: error.reason)
                    )))
            return false
        }
    }

    private func listed() throws(CheckFailure) -> [String] {
        do {
            if half == .core { try scripts.provideLater(on: engine) }
            return try scripts.files(of: half, with: engine)
        } catch {
            throw CheckFailure(reason: "\(error)")
        }
    }

    private func file(_ name: String, _ milliseconds: Double) throws(CheckFailure) -> CheckedBundle.File {
        var status = stat()
        guard stat(scripts.path(of: name), &status) == 0 else { throw CheckFailure(reason: "\(name): errno \(errno)") }
        return CheckedBundle.File(
            name: String(name.dropFirst(PlatformScripts.bundlePrefix.count)), bytes: Int(status.st_size),
            milliseconds: milliseconds)
    }

    /// Milliseconds that it took.
    @discardableResult
    private func evaluate(_ name: String) throws(CheckFailure) -> Double {
        tell(.begins("evaluate \(name)"))
        do {
            let text = try scripts.text(name)
            let start = engine.loop.now
            try engine.evaluate(text, sourceName: name)
            return Double(engine.loop.now - start) / 1e6
        } catch {
            throw CheckFailure(reason: "\(error)".contains(name) ? "\(error)" : "\(name): \(error)")
        }
    }

    // MARK: Names

    /// What is taken away, or wrapped, when the core is fitted in.
    private func keepForTrial() throws(CheckFailure) {
        guard half == .core else { return }
        do {
            try engine.evaluate(
                """
                globalThis.__trialParts = { contract: __bundleContract, Core: __core3NWeb.Core };
                globalThis.__platformParts = {};
                """, sourceName: "check")
        } catch {
            throw CheckFailure(reason: "\(error)")
        }
    }

    private var globalName: String { half == .core ? "__core3NWeb" : "__client3NWeb" }

    /// Tells of each name that the half must have at once; true when none is missing.
    private func isComplete() throws(CheckFailure) -> Bool {
        let root = engine.global[globalName]
        var status = CheckedName.Status.ok
        var note: String?
        if !root.isObject {
            status = root.isUndefined ? .missing : .wrongKind
            note = try noteOnGlobal()
        }
        let global = CheckedName(name: globalName, expected: "object", status: status, seen: nil, note: note)
        let rows = try settle(
            "__bundleContract.rowsOf(__bundleContract[name], globalThis.\(globalName))", name: "\(half)")
        let names = [global] + names(rows, of: globalName)
        for name in names { tell(.found(.name(name))) }
        return names.allSatisfy { $0.status == .ok || $0.status == .absent }
    }

    private func noteOnGlobal() throws(CheckFailure) -> String? {
        let isDeclared = try settle("typeof \(globalName) !== 'undefined'", name: "").boolean == true
        return isDeclared
            ? "it is a const, let or class of a script, which is no member of globalThis; assign it, or use var" : nil
    }

    func names(_ rows: JSValue, of owner: String) -> [CheckedName] {
        (0..<(rows["length"].integer ?? 0)).map { index in
            let row = rows[index]
            return CheckedName(
                name: "\(owner).\(row["name"].string ?? "?")", expected: row["expected"].string ?? "?",
                status: row["status"].string.flatMap(CheckedName.Status.init(rawValue:)) ?? .missing,
                seen: row["seen"].string, note: row["note"].string)
        }
    }

    // MARK: The trial

    /// Loads what uses the half, which is fitted in by now.
    func prepareTrial(_ names: [String]) throws(CheckFailure) {
        for name in names { try evaluate(name) }
    }

    /// The value of an expression over `name`, or what its promise gives; waits for it as long as a step may take.
    func settle(_ expression: String, name: String) throws(CheckFailure) -> JSValue {
        var outcome: Result<JSReference, CheckFailure>?
        let fulfilled = engine.makeFunction { arguments in
            outcome = .success(JSReference(arguments[0]))
            return nil
        }
        let rejected = engine.makeFunction { arguments in
            outcome = .failure(CheckFailure(reason: "\(JSError(arguments[0]))"))
            return nil
        }
        do {
            let start = try engine.evaluate(
                "(name, fulfilled, rejected) => { (async () => (\(expression)))().then(fulfilled, rejected); }",
                sourceName: "check")
            try engine.call(start, [engine.string(name), fulfilled, rejected])
        } catch {
            throw CheckFailure(reason: "\(error)")
        }
        wait { outcome != nil }
        guard let outcome else { throw CheckFailure(reason: "no answer after \(limit.text)") }
        return try outcome.get().value
    }

    private func wait(until condition: () -> Bool) {
        var hasPassed = false
        let timer = Timer(on: engine.loop)
        timer.start(after: limit) { hasPassed = true }
        while !condition(), !hasPassed, !ended.isHere { engine.loop.runOnce() }
        timer.close()
    }
}
