import Testing

@Suite struct EagerSizeTests {
    /// Evaluating costs a component's start some 70 µs per KiB, and no cache of the engine helps.
    @Test func whatAComponentEvaluatesAtItsStartStaysSmall() throws {
        let paths = ["js/common-preload.js", "js/app-preload.js"] + (try Scripts.bundle("client"))
        let bytes = try paths.reduce(0) { try $0 + Scripts.resource($1).utf8.count }
        #expect(bytes < 60_000)
    }
}
