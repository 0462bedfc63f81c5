import TestSupport
import Testing
import Wire

/// A short run of what `scripts/fuzz-wire` does at length.
@Suite struct FuzzTests {
    @Test func mutatedStreamsNeverGiveMoreThanWasSent() {
        let seed = SeededRandom.seed(for: "mutatedStreamsNeverGiveMoreThanWasSent")
        var random = SeededRandom(seed: seed)
        var encoder = FrameEncoder(generation: 1)
        let frames = encoder.frame(.envelope, Array(0..<40)) + encoder.frame(.listRequest) + encoder.frame(.bye, [7])
        let reports =
            ComponentReport.log(.info, "text").encoded() + ComponentReport.ready.encoded()
            + ComponentReport.failure(FailureReport(kind: .syntax, message: "m", file: "f", line: 1)).encoded()
            + ComponentReport.confined(SandboxReport(walls: [.files], missing: [.init(.scopes, "why")])).encoded()
        let boot = ComponentOrder.boot(
            BootOrder(
                generation: 1, appDomain: "a", entrypoint: "/b", connectorId: "c", resources: "d", code: [1, 2],
                frameLimit: 9, callReportedAfter: 1, callEndedAfter: 2,
                sandbox: SandboxOrder(filter: [7, 7], user: nil)))
        for _ in 0..<30_000 {
            let bytes = mutated(frames, &random)
            let decoder = FrameDecoder(generation: 1, limit: 4096)
            var read: [ReadFrame] = []
            try? decoder.read(bytes[...], into: &read)  // an error is as good an end as none
            let size = read.reduce(0) { $0 + FrameHeader.size + $1.body.count }
            if size > bytes.count { Issue.record("seed \(seed): \(size) bytes of frames out of \(bytes)") }

            var messages: [ComponentReport] = []
            try? ControlDecoder<ComponentReport>().read(mutated(reports, &random)[...], into: &messages)
            var orders: [ComponentOrder] = []
            try? ControlDecoder<ComponentOrder>().read(mutated(boot.encoded(), &random)[...], into: &orders)
        }
    }

    private func mutated(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
