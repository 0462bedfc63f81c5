import Control
import Foundation
import TestSupport
import Testing

/// The platform's end while the cryptor's threads derive keys; calls of the core beside them are in `FileLoadTests`.
@Suite struct CryptorLoadTests {
    @Test func platformEndsDuringFourDerivations() throws {
        let probe = try CoreProbe()
        let supervisor = try RunningSupervisor(apps: [:], resources: probe.path)
        _ = try supervisor.call(CoreProbe.domain, "probe", "evaluate", [.string(Self.derive(4, lanes: 300))])
        let start = ContinuousClock.now
        #expect(try supervisor.end() == 0)
        let took = ContinuousClock.now - start
        print("shutdown during 4 derivations: \(took)")
        #expect(took < .seconds(2))
    }

    /// Starts so many derivations of 0.2 s per lane and does not wait for them.
    private static func derive(_ count: Int, lanes: Int) -> String {
        """
        globalThis.workLeft = \(count);
        for (let i = 0; i < \(count); i += 1) {
            const bytes = new Uint8Array(16).fill(i);
            __nativeCallDispatch("nacl_scrypt", [bytes, bytes, 17, 3, \(lanes), 32]).then(() => { workLeft -= 1; });
        }
        """
    }
}
