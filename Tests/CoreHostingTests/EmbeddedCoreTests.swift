import Foundation
import JSEngine
import TestSupport
import Testing

/// The embedded core and `device-fs.js` over real files.
@Suite struct EmbeddedCoreOnDisk {
    private func start(_ folder: TemporaryFolder, _ script: String) throws -> String {
        try onTree(
            folder,
            """
            const { makeCryptor } = __platformParts;
            const core = __core3NWeb.Core.make({ dataDir: ".", local: true }, undefined, undefined, makeCryptor, random);
            const userId = await core.start().coreInit;
            const { caps } = core.makeCAPsForApp("a.app", { storage: { appFS: "default" } });
            const fs = await caps.storage.getAppLocalFS();
            \(script)
            """)
    }

    @Test func keepsWhatAppsWriteFromOneStartToTheNext() throws {
        let folder = try TemporaryFolder()
        let first = try start(
            folder,
            """
            await fs.writeTxtFile("notes/one.txt", "erste Notiz: ä");
            await fs.writeJSONFile("notes/two.json", { n: 2 });
            await fs.deleteFile("notes/two.json");
            await fs.makeFolder("tree/of/folders");
            await fs.deleteFolder("tree", true);
            return [userId, await fs.listFolder("notes"), await fs.readTxtFile("none").catch(e => e.notFound),
                await fs.readBytes("notes").catch(e => e.notFile)];
            """)
        #expect(first == #"["user@local",[{"name":"one.txt","isFile":true}],true,true]"#)
        let second = try start(folder, #"return [await fs.readTxtFile("notes/one.txt"), await fs.listFolder()];"#)
        #expect(second == #"["erste Notiz: ä",[{"name":"notes","isFolder":true}]]"#)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/fs/scratch") == [])
    }
}
