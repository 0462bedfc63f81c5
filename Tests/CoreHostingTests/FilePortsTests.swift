import CoreHosting
import Glibc
import JSEngine
import Testing

@Suite struct FilePorts {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func makesItsFolderForTheOwnerAlone() throws {
        try withPorts(folder, base: "new") { _, _ in }
        var found = stat()
        #expect(lstat("\(folder.path)/new", &found) == 0)
        #expect(found.st_mode & 0o7777 == 0o700)
    }

    @Test func saysWhichFolderCannotBeMade() throws {
        let path = "\(folder.path)/missing/fs"
        let error = #expect(throws: FsInjectedFns.FolderError.self) {
            try withPorts(folder, base: "missing/fs") { _, _ in }
        }
        #expect(
            error?.description == "\(path): No such file or directory; make its parent folder writable for this user, "
                + "or choose another data folder with --data")
    }

    @Test func writesAndReadsFiles() throws {
        let result = try onPorts(
            folder,
            """
            await port("fs_writeFile", "a", bytes("first content"), "w");
            await port("fs_writeFile", "a", bytes("second"));
            await port("fs_writeFile", "b", bytes(""), "wx");
            const empty = await port("fs_readFile", "b");
            return [text(await port("fs_readFile", "./a")), empty instanceof Uint8Array, empty.length,
                await failure(port("fs_writeFile", "a", bytes("x"), "wx"))];
            """)
        #expect(result == #"["second",true,0,"file EEXIST a alreadyExists"]"#)
        #expect(try folder.text("fs/a") == "second")
    }

    @Test func tellsWhatStandsAtAPath() throws {
        try folder.write("fs/a", "12345")
        try folder.link("fs/link", to: "a")
        let result = try onPorts(
            folder,
            """
            const file = await port("fs_stat", "a");
            const isTime = ms => Math.abs(ms - Date.now()) < 60000;
            return [file.kind, file.size, file.nlink, file.mode & 0o777, file.blksize > 0, file.blocks > 0, file.ino > 0,
                [file.atimeMs, file.mtimeMs, file.ctimeMs, file.birthtimeMs].every(isTime),
                (await port("fs_stat", "link")).kind, (await port("fs_lstat", "link")).kind,
                (await port("fs_stat", ".")).kind];
            """)
        #expect(result == #"["file",5,1,420,true,true,true,true,"file","link","folder"]"#)
    }

    @Test func listsAFolder() throws {
        try folder.write("fs/b", "")
        try folder.write("fs/ä", "")
        try folder.folder("fs/c")
        let result = try onPorts(
            folder, #"return [(await port("fs_readdir", ".")).sort(), await port("fs_readdir", "c")];"#)
        #expect(result == #"[["b","c","ä"],[]]"#)
    }

    @Test func makesAndRemovesFolders() throws {
        let result = try onPorts(
            folder,
            """
            await port("fs_mkdir", "a");
            await port("fs_mkdir", "b/c/d", true);
            await port("fs_mkdir", "b/c/d", true);
            await port("fs_mkdir", ".", true);
            await port("fs_writeFile", "b/c/file", bytes("x"));
            const failures = [await failure(port("fs_mkdir", "a")), await failure(port("fs_mkdir", "x/y")),
                await failure(port("fs_mkdir", ".")), await failure(port("fs_mkdir", "b/c/file", true)),
                await failure(port("fs_mkdir", "b/c/file/x", true)),
                await failure(port("fs_rmdir", "b")), await failure(port("fs_rmdir", "none", true)),
                await failure(port("fs_rmdir", "b/c/file", true))];
            await port("fs_rmdir", "a");
            await port("fs_rmdir", "b", true);
            return [failures, await port("fs_readdir", ".")];
            """)
        #expect(
            result == #"[["file EEXIST a alreadyExists","file ENOENT x/y notFound","file EEXIST . alreadyExists","#
                + #""file EEXIST b/c/file alreadyExists","file ENOTDIR b/c/file/x notDirectory","#
                + #""file ENOTEMPTY b notEmpty","file ENOENT none notFound","file ENOTDIR b/c/file notDirectory"],[]]"#)
    }

    /// Deeper than a path can be long.
    @Test func removesATreeOfAnyDepthAndWidth() throws {
        try folder.write("outside/keep", "kept")
        let result = try onPorts(
            folder,
            """
            const deep = ["d", ...Array(15).fill("n".repeat(200))].join("/");
            await port("fs_mkdir", deep, true);
            for (let i = 0; i < 3; i += 1) {
                await port("fs_mkdir", "top");
                await port("fs_rename", "d", "top/d");
                await port("fs_mkdir", deep, true);
                await port("fs_rename", "top", deep + "/top");
            }
            await Promise.all(Array.from({ length: 300 }, (_, i) => port("fs_mkdir", `d/wide${i}/inner`, true)));
            await Promise.all(Array.from({ length: 300 }, (_, i) => port("fs_writeFile", `d/wide${i}/f`, bytes("x"))));
            const before = (await port("fs_readdir", "d")).length;
            await port("fs_rmdir", "d", true);
            return [before, await port("fs_readdir", ".")];
            """)
        #expect(result == "[301,[]]")
    }

    @Test func removesLinksAndNotWhatTheyLeadTo() throws {
        try folder.folder("fs/tree")
        try folder.link("fs/tree/out", to: "\(folder.path)/outside")
        try folder.link("fs/out", to: "../outside/secret")
        let result = try onPorts(
            folder,
            """
            await port("fs_unlink", "out");
            const failures = [await failure(port("fs_unlink", "tree")), await failure(port("fs_rmdir", "tree/out", true))];
            await port("fs_rmdir", "tree", true);
            return [failures, await port("fs_readdir", ".")];
            """)
        #expect(result == #"[["file EISDIR tree isDirectory","file ENOTDIR tree/out notDirectory"],[]]"#)
        #expect(try folder.text("outside/secret") == "secret")
    }

    @Test func renames() throws {
        try folder.write("fs/a", "new")
        try folder.write("fs/b", "old")
        try folder.folder("fs/full")
        try folder.write("fs/full/x", "")
        try folder.folder("fs/empty")
        let result = try onPorts(
            folder,
            """
            await port("fs_rename", "a", "b");
            return [await failure(port("fs_rename", "a", "c")), await failure(port("fs_rename", "empty", "full")),
                await failure(port("fs_rename", "b", "empty")), await failure(port("fs_rename", "empty", "b")),
                await failure(port("fs_rename", "b", "none/b")), await failure(port("fs_rename", ".", "x")),
                await failure(port("fs_rename", "b", ".")), (await port("fs_readdir", ".")).sort()];
            """)
        #expect(
            result == #"["file ENOENT a notFound","file ENOTEMPTY full notEmpty","file EISDIR empty isDirectory","#
                + #""file ENOTDIR b notDirectory","file ENOENT none/b notFound","file EPERM . opNotPermitted","#
                + #""file EPERM . opNotPermitted",["b","empty","full"]]"#)
        #expect(try folder.text("fs/b") == "new")
    }

    @Test func givesEachFailureItsCodePathAndFlag() throws {
        try folder.write("fs/a", "")
        try folder.folder("fs/d")
        try folder.link("fs/loop", to: "loop")
        _ = mkfifo("\(folder.path)/fs/pipe", 0o600)
        let result = try onPorts(
            folder,
            """
            const results = [];
            for (const call of [["fs_readFile", "none"], ["fs_readFile", "d"], ["fs_readFile", "a/x"],
                ["fs_readFile", "pipe"], ["fs_open", "pipe", "w"], ["fs_open", "pipe", "r+"], ["fs_readFile", "loop"],
                ["fs_stat", "none"], ["fs_writeFile", "d", bytes("x")], ["fs_open", "none", "r+"],
                ["fs_open", "d", "w"], ["fs_readdir", "a"], ["fs_readFile", "n".repeat(256)],
                ["fs_stat", "."], ["fs_unlink", "."], ["fs_rmdir", "."]]) {
                results.push(await failure(port(...call)));
            }
            return results.join("\\n").replaceAll("n".repeat(256), "nnn");
            """)
        #expect(
            result == """
                "file ENOENT none notFound\\nfile EISDIR d isDirectory\\nfile ENOTDIR a/x notDirectory\\n\
                file ENOTFILE pipe notFile\\nfile ENOTFILE pipe notFile\\nfile ENOTFILE pipe notFile\\n\
                file ELOOP loop\\nfile ENOENT none notFound\\nfile EISDIR d isDirectory\\n\
                file ENOENT none notFound\\nfile EISDIR d isDirectory\\nfile ENOTDIR a notDirectory\\n\
                file ENAMETOOLONG nnn\\nnone\\nfile EPERM . opNotPermitted\\nfile EPERM . opNotPermitted"
                """)
    }

    @Test func refusesArgumentsOfAWrongType() throws {
        let result = try onPorts(
            folder,
            """
            const results = [];
            for (const call of [["fs_stat"], ["fs_readFile", 7], ["fs_writeFile", "a", "text"],
                ["fs_writeFile", "a", bytes("x"), "a"], ["fs_open", "a", "rw"], ["fs_open", "a"],
                ["fs_mkdir", "a", 1], ["fh_write", "3", bytes("x")], ["fh_write", 3, null],
                ["fh_write", 3, bytes("x"), -1], ["fh_write", 3, bytes("x"), 0.5]]) {
                results.push(await port(...call).catch(e => e.badArgument === true && e.message));
            }
            return results;
            """)
        let flags = "r, rs, r+, rs+, w, wx, w+, wx+, a, ax, as, a+, ax+, as+"
        let messages = [
            "fs_stat: path must be a path as a string, not undefined",
            "fs_readFile: path must be a path as a string, not 7",
            #"fs_writeFile: content must be a Uint8Array, not \"text\""#,
            #"fs_writeFile: flag must be one of w, wx, not \"a\""#,
            #"fs_open: flags must be one of \#(flags), not \"rw\""#,
            "fs_open: flags must be one of \(flags), not undefined",
            "fs_mkdir: recursive must be a boolean, not 1",
            #"fh_write: fd must be a whole number from 0 on, not \"3\""#,
            "fh_write: content must be a Uint8Array, not null",
            "fh_write: position must be a whole number from 0 on, not -1",
            "fh_write: position must be a whole number from 0 on, not 0.5",
        ]
        #expect(result == "[" + messages.map { "\"\($0)\"" }.joined(separator: ",") + "]")
        #expect(!folder.exists("fs/a"))
    }
}
