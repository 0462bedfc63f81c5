import Foundation
import TestSupport
import Testing

@Suite struct FileModel {
    /// `Scripts/file-model.js` has the model and the operations; a difference names the operation.
    @Test func tenThousandRandomOperationsGiveWhatTheModelGives() throws {
        let seed = SeededRandom.seed(for: "file model")
        let folder = try TemporaryFolder()
        let result = try onDeviceFs(
            folder, scripts: ["file-model.js"],
            """
            const counts = await compareWithModel(randomNumbers(Number(\(seed)n & 0xffffffffn)), 10_000);
            return Object.entries(counts).filter(([, { done, failed }]) => done < 5 || failed < 5).map(([call]) => call);
            """)
        // Every call has succeeded and failed several times; syncing fails on closed files alone.
        #expect(result == "[]", "too few of these were tried")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/outside") == ["secret"])
    }
}
