import EventLoop
import JSEngine
import Testing

/// The collector's timers run on the loop of the thread that owns the engine; without that, a context that allocates a
/// little dies within seconds. Each run has a process of its own, and all of them run side by side.
@Suite struct ChurnTests {
    @Test(arguments: 1...10)
    func aContextThatChurnsForTenSecondsOnTheMainThreadSurvives(run: Int) async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run { try churn() }
        }
    }

    @Test(arguments: 1...10)
    func aContextThatChurnsForTenSecondsOnASecondThreadSurvives(run: Int) async {
        await #expect(processExitsWith: .success) {
            try Thread {
                do { try churn() } catch { fatalError("\(error)") }
            }.join()
        }
    }
}

/// Allocates every few milliseconds, with promises and finalizers in play, while the loop waits in between.
private func churn() throws {
    let loop = try Loop(pumpingGLib: true)
    let engine = JSEngineHost(
        label: "churn", loop: loop, console: { _, text in print(text) }, uncaught: { fatalError("\($0): \($1)") })
    engine.registerCommonPorts()
    engine.installDispatcher()
    try engine.evaluate(
        """
        var turns = 0, kept = [];
        const registry = new FinalizationRegistry(() => {});
        async function churn() {
            while (__native.now() < 10000) {
                for (let i = 0; i < 500; i++) {
                    const object = {i, text: 'x'.repeat(i), bytes: new Uint8Array(i)};
                    if (i % 50 === 0) { registry.register(object, i); kept[turns % 100] = object; }
                }
                turns++;
                await __nativeCallDispatch('delay', [5]);
            }
            done();
        }
        """, sourceName: "churn.js")
    engine.global.set(
        "done",
        engine.makeFunction { _ in
            loop.stop()
            return nil
        })
    try engine.evaluate("churn()", sourceName: "churn.js")
    loop.run()
    precondition(engine.global["turns"].integer ?? 0 > 100, "the context did not get its turns")
    engine.close()
    loop.close()
}
