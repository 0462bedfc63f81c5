import CoreHosting
import Foundation
import Glibc
import JSEngine
import TestSupport
import Testing

@Suite struct Copies {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func copiesAFileAndKeepsWhatIsThere() throws {
        try folder.folder("fs/d")
        let result = try onDeviceFs(
            folder,
            """
            await fs.writeFile("a", "content");
            await fs.writeFile("old", "old content, longer");
            await fs.copyFile("a", "d/b");
            await fs.writeFile("a", "changed");
            await fs.writeFile("empty", "");
            await fs.copyFile("empty", "none");
            const failures = [await failure(fs.copyFile("a", "old")), await failure(fs.copyFile("a", "old", false)),
                await failure(fs.copyFile("none", "x/y")), await failure(fs.copyFile("missing", "x")),
                await failure(fs.copyFile("d", "x")), await failure(fs.copyFile("a", "d", true)),
                await failure(fs.copyFile("a", "d")), await failure(fs.copyFile("a", ".", true)),
                await failure(fs.copyFile("a", "."))];
            await fs.copyFile("a", "old", true);
            await fs.copyFile("a", "a", true);
            return [failures, await fs.readFile("d/b", "utf8"), await fs.readFile("old", "utf8"),
                await fs.readFile("a", "utf8"), (await fs.stat("none")).size, (await fs.readdir(".")).sort(),
                (await fs.stat("old")).mode.toString(8)];
            """)
        #expect(
            result == #"[["file EEXIST old alreadyExists","file EEXIST old alreadyExists","file ENOENT x/y notFound","#
                + #""file ENOENT missing notFound","file EISDIR d isDirectory","file EISDIR d isDirectory","#
                + #""file EEXIST d alreadyExists","file EISDIR . isDirectory","file EEXIST . alreadyExists"],"#
                + #""content","changed","changed",0,["a","d","empty","none","old"],"100600"]"#)
    }

    @Test func replacesALinkAndNotWhatItLeadsTo() throws {
        try folder.write("fs/a", "new")
        try folder.write("fs/kept", "kept")
        try folder.link("fs/inside", to: "kept")
        try folder.link("fs/out", to: "../outside/secret")
        _ = mkfifo("\(folder.path)/fs/pipe", 0o600)
        let result = try onDeviceFs(
            folder,
            """
            const failures = [await failure(fs.copyFile("a", "inside")), await failure(fs.copyFile("out", "x")),
                await failure(fs.copyFile("pipe", "x")), await failure(fs.copyFile("a", "pipe", true))];
            await fs.copyFile("a", "inside", true);
            await fs.copyFile("a", "out", true);
            return [failures, (await fs.lstat("inside")).isFile(), await fs.readFile("kept", "utf8"),
                await fs.readFile("out", "utf8")];
            """)
        #expect(
            result
                == #"[["file EEXIST inside alreadyExists","file EPERM out opNotPermitted","file ENOTFILE pipe notFile","#
                + #""file ENOTFILE pipe notFile"],true,"kept","new"]"#)
        #expect(try folder.text("outside/secret") == "secret")
    }

    @Test func copiesBigFilesInPiecesAndLetsOthersHaveTheirTurn() throws {
        let result = try onDeviceFs(
            folder,
            """
            const piece = new Uint8Array(1 << 20);
            const file = await fs.open("big", "w");
            for (let i = 0; i < 128; i += 1) {
                piece.fill(i + 1);
                await file.write(piece, 0, piece.length - (i === 127 ? 3 : 0), null);
            }
            await file.close();
            let isCopied = false;
            const copies = ["x", "y", "z"].map(name => fs.copyFile("big", name).then(() => { isCopied = true; }));
            await fs.writeFile("small", "small");
            const seen = [await fs.readFile("small", "utf8"), isCopied, (await fs.readdir(".")).sort()];
            await Promise.all(copies);
            const handle = await fs.open("y", "r");
            const buffer = new Uint8Array(1 << 20);
            for (let i = 0; i < 128; i += 1) {
                const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
                if (bytesRead !== buffer.length - (i === 127 ? 3 : 0)) { throw new Error(`${bytesRead} at ${i}`); }
                if (!buffer.subarray(0, bytesRead).every(byte => byte === i + 1)) { throw new Error(`piece ${i}`); }
            }
            await handle.close();
            return [seen, (await fs.stat("z")).size];
            """)
        #expect(result == "[[\"small\",false,[\"big\",\"small\"]],\((128 << 20) - 3)]")
    }

    @Test func keepsHoles() throws {
        let result = try onDeviceFs(
            folder,
            """
            const size = 5 * 2 ** 30 + 7;
            const file = await fs.open("sparse", "w");
            await file.truncate(size);
            await file.write(new TextEncoder().encode("in the middle"), 0, 13, 3 * 2 ** 30);
            await file.close();
            await fs.copyFile("sparse", "copy");
            const copy = await fs.open("copy", "r");
            const text = new Uint8Array(13);
            await copy.read(text, 0, 13, 3 * 2 ** 30);
            const { size: copied, blocks } = await copy.stat();
            await copy.close();
            return [copied === size, blocks < 1000, new TextDecoder().decode(text)];
            """)
        #expect(result == #"[true,true,"in the middle"]"#)
    }

    /// The end of the ports comes while one copy is at a piece and another waits for its next one: both are given up, and
    /// nothing of them stays.
    @Test func aCopyThatIsGivenUpLeavesNothing() throws {
        let path = folder.path
        let ended = try withPorts(folder) { engine, fs in
            _ = try engine.settle(#"port("fs_writeFile", "big", new Uint8Array(64 << 20).fill(1))"#)
            _ = try engine.settle(#"port("fs_writeFile", "old", bytes("old"))"#)
            try engine.evaluate(
                """
                var ended = 0;
                port("fs_copyFile", "big", "new").then(() => ended += 1, () => ended += 1);
                port("fs_copyFile", "big", "old", true).then(() => ended += 1, () => ended += 1);
                """, sourceName: "test.js")
            // Each has opened its source and its new file.
            #expect(engine.turn(until: { descriptors(in: "\(path)/fs/") == 4 }))
            fs.close()
            // The loop lets go of what a worker was at.
            #expect(engine.turn(until: { descriptors(in: "\(path)/fs/") == 0 }))
            return try engine.evaluate("String(ended)", sourceName: "test.js").text ?? ""
        }
        #expect(ended == "0")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/fs").sorted() == ["big", "old"])
        #expect(try folder.text("fs/old") == "old")
    }
}
