import CoreHosting
import EventLoop
import Foundation
import Glibc
import JSEngine
import TestSupport
import Testing

/// A folder of one test's own with `fs` and `apps` in it; gone with the fixture.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/ports-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp: errno \(errno)") }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        try folder("fs")
        try folder("apps")
        try folder("outside")
        try write("outside/secret", "secret")
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record("\(path) stays: \(error)")
        }
    }

    func folder(_ name: String) throws {
        if mkdir("\(path)/\(name)", 0o755) != 0 { throw TestFailure("mkdir \(name): errno \(errno)") }
    }

    func write(_ name: String, _ text: String) throws {
        guard let file = fopen("\(path)/\(name)", "w") else { throw TestFailure("fopen \(name): errno \(errno)") }
        fputs(text, file)
        fclose(file)
    }

    func link(_ name: String, to target: String) throws {
        if symlink(target, "\(path)/\(name)") != 0 { throw TestFailure("symlink \(name): errno \(errno)") }
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

    func exists(_ name: String) -> Bool {
        var found = stat()
        return lstat("\(path)/\(name)", &found) == 0
    }

    func size(_ name: String) -> Int? {
        var found = stat()
        return lstat("\(path)/\(name)", &found) == 0 ? Int(found.st_size) : nil
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A context with the file ports over `fs` and the assets ports over `apps` of a folder.
func withPorts<Value: Sendable>(
    _ folder: TemporaryFolder, base: String = "fs",
    _ body: @escaping @Sendable (JSEngineHost, FsInjectedFns) throws -> Value
) throws -> Value {
    // The engine's thread lets go of this closure later, even at the process's end: the folder must not go with it.
    let path = folder.path
    return try withEngine { engine, _ in
        let fs = try FsInjectedFns(baseDir: "\(path)/\(base)", loop: engine.loop)
        fs.registerAll(on: engine)
        AssetsInjectedFns(appsFolder: "\(path)/apps", packsFolder: "\(path)/packs", loop: engine.loop)
            .registerAll(on: engine)
        try engine.evaluate(
            """
            const port = async (name, ...args) => __nativeCallDispatch(name, args);
            const text = bytes => String.fromCharCode(...bytes);
            const bytes = text => Uint8Array.from(text, c => c.charCodeAt(0));
            /** What a call is rejected with: its code and flags. */
            const failure = promise => promise.then(() => "none", e => [e.type, e.code, e.path ?? null,
                ...Object.keys(e).filter(key => e[key] === true && key !== "runtimeException")].join(" "));
            """, sourceName: "ports-fixture.js")
        defer { fs.close() }
        return try body(engine, fs)
    }
}

/// What `script`, the body of an async function, returns, as JSON.
func onPorts(_ folder: TemporaryFolder, _ script: String) throws -> String {
    try withPorts(folder) { engine, _ in try engine.settle("(async () => { \(script) })()") }
}
