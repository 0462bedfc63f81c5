import Foundation
import JSEngine
import TestSupport

/// The scripts of the checkout, and those of these tests.
enum Scripts {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    static let resources = tests.appending(path: "../../Resources")

    static func resource(_ path: String) throws -> String {
        try String(contentsOf: resources.appending(path: path), encoding: .utf8)
    }

    static func test(_ path: String) throws -> String {
        try String(contentsOf: tests.appending(path: path), encoding: .utf8)
    }

    /// The files of a bundle of `core/bundle.json`, of those the ones in `ipc/` and `client/`: what comes from
    /// elsewhere needs a platform.
    static func bundle(_ name: String) throws -> [String] {
        try wholeBundle(name).filter { $0.hasPrefix("core/ipc/") || $0.hasPrefix("core/client/") }
    }

    /// All files of a bundle.
    static func wholeBundle(_ name: String) throws -> [String] {
        let data = Data(try resource("core/bundle.json").utf8)
        let bundles = try JSONDecoder().decode([String: [String]].self, from: data)
        return (bundles[name] ?? []).map { "core/\($0)" }
    }
}

extension JSEngineHost {
    func load(resource path: String) throws {
        try evaluate(try Scripts.resource(path), sourceName: path)
    }

    func load(test path: String) throws {
        try evaluate(try Scripts.test(path), sourceName: path)
    }
}

/// A context with the globals of every context.
func withGlobals<Value: Sendable>(
    _ body: @escaping @Sendable (JSEngineHost, EngineLog) throws -> Value
) throws -> Value {
    try withEngine { engine, log in
        engine.provideScripts { try Scripts.resource("js/\($0)") }
        try engine.load(resource: "js/common-preload.js")
        return try body(engine, log)
    }
}

/// A context with both sides of the envelope protocol: `core`, `client`, and what `Scripts/pair.js` makes of them.
func withBothSides<Value: Sendable>(
    _ body: @escaping @Sendable (JSEngineHost, EngineLog) throws -> Value
) throws -> Value {
    try withGlobals { engine, log in
        for side in ["ipc", "client"] {
            for path in try Scripts.bundle(side) { try engine.load(resource: path) }
        }
        try engine.load(test: "Scripts/pair.js")
        return try body(engine, log)
    }
}

extension JSEngineHost {
    /// Runs `body` as the body of an async function; the JSON of what it returns.
    func run(_ body: String) throws -> String {
        try settle("(async () => {\n\(body)\n})()")
    }
}
