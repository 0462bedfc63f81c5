import JSEngine
import TestSupport
import Testing

/// The messages of `Vectors/envelopes.json`, made by the public library.
@Suite struct EnvelopeVectorTests {
    /// Gives what each case complains about, under its name.
    private func complaints(of check: String) throws -> String {
        try withBothSides { engine, _ in
            try engine.load(test: "Scripts/vectors.js")
            engine.global.set("vectors", engine.string(try Scripts.test("Vectors/envelopes.json")))
            return try engine.run(
                """
                const { cases } = JSON.parse(vectors);
                const complaints = [];
                for (const test of cases) {
                    for (const text of await \(check)(test)) { complaints.push(`${test.name}: ${text}`); }
                }
                return { cases: cases.length, complaints };
                """)
        }
    }

    /// Each check is a function of `Scripts/vectors.js`.
    @Test(arguments: ["checkMessages", "checkValues", "replayInCore", "replayInClient"])
    func theMessagesOfThePublicLibraryAreOurs(check: String) throws {
        #expect(try complaints(of: check) == #"{"cases":19,"complaints":[]}"#)
    }
}
