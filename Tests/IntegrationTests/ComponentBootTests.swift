import TestSupport
import Testing
import Wire

@Suite struct ComponentBootTests {
    @Test func saysHelloThenPreloadedThenReady() throws {
        let component = try ComponentFixture(code: "console.info('in', typeof w3n)")
        try component.waitForReady()
        #expect(
            component.reports == [
                .hello(
                    version: wireProtocolVersion, generation: ComponentFixture.generation, pid: UInt32(component.pid)),
                .preloaded, .log(.info, "in object"), .ready,
            ])
    }
}
