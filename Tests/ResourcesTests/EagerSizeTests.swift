import Testing

@Suite struct EagerSizeTests {
    /// Evaluating costs a component's start some 70 µs per KiB, and no cache of the engine helps.
    @Test func whatAComponentEvaluatesAtItsStartStaysSmall() throws {
        let paths = ["js/common-preload.js", "js/app-preload.js"] + (try Scripts.bundle("client"))
        let bytes = try paths.reduce(0) { try $0 + Scripts.resource($1).utf8.count }
        #expect(bytes < 60_000)
    }

    /// One character beyond Latin-1, in a comment, too, makes the engine keep the whole script with two bytes for each.
    @Test func whatAComponentEvaluatesAtItsStartIsASCII() throws {
        for path in ["js/common-preload.js", "js/app-preload.js"] + (try Scripts.bundle("client")) {
            let odd = try Scripts.resource(path).unicodeScalars.first { !$0.isASCII }
            #expect(odd == nil, "\(path)")
        }
    }
}
