import Foundation
import JSEngine
import TestSupport
import Testing

/// The messages of `Vectors/envelopes.json`, made by the public library.
@Suite struct EnvelopeVectorTests {
    private struct Vectors: Decodable {
        struct Case: Decodable { let name: String }
        let cases: [Case]
    }

    static let names: [String] = {
        do {
            let vectors = try JSONDecoder().decode(
                Vectors.self, from: Data(try Scripts.test("Vectors/envelopes.json").utf8))
            return vectors.cases.map(\.name)
        } catch {
            preconditionFailure("Vectors/envelopes.json cannot be read: \(error)")
        }
    }()

    private static func complaints(about name: String, of check: String) throws -> String {
        try withBothSides { engine, _ in
            try engine.load(test: "Scripts/vectors.js")
            engine.global.set("vectors", engine.string(try Scripts.test("Vectors/envelopes.json")))
            engine.global.set("wanted", engine.string(name))
            return try engine.settle("\(check)(JSON.parse(vectors).cases.find(({ name }) => name === wanted))")
        }
    }

    @Test(arguments: names) func messagesDecodeAndEncodeToTheSameBytes(name: String) throws {
        #expect(try Self.complaints(about: name, of: "checkMessages") == "[]")
    }

    @Test(arguments: names) func valuesDecodeAndEncodeToTheSameBytes(name: String) throws {
        #expect(try Self.complaints(about: name, of: "checkValues") == "[]")
    }

    @Test(arguments: names) func theCoreAnswersWithTheSameBytes(name: String) throws {
        #expect(try Self.complaints(about: name, of: "replayInCore") == "[]")
    }

    @Test(arguments: names) func aComponentCallsWithTheSameBytes(name: String) throws {
        #expect(try Self.complaints(about: name, of: "replayInClient") == "[]")
    }
}
