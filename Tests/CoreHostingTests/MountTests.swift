import Glibc
import Testing

/// On a file system of 256 KiB in the file ports' folder.
@Suite(.enabled(if: mayMount, "needs the right to mount a tmpfs")) struct Mounts {
    @Test func aFullDiskIsAnErrorAndPasses() throws {
        let result = try onMount(
            """
            await port("fs_writeFile", "m/old", bytes("old content"));
            const tooMuch = new Uint8Array(1 << 20);
            const fd = await port("fs_open", "m/handle", "wx");
            const failures = [await failure(port("fs_writeFile", "m/new", tooMuch)),
                await failure(port("fs_writeFile", "m/old2", tooMuch, "wx")),
                await failure(port("fh_write", fd, tooMuch, 0)), await failure(port("fh_write", fd, bytes("x"), 1 << 18)),
                await failure(port("fs_appendFile", "m/old", bytes("x".repeat(5000))))];
            await port("fh_close", fd);
            for (const name of ["new", "old2", "handle"]) { await port("fs_unlink", `m/${name}`); }
            await port("fs_writeFile", "m/again", bytes("fits"));
            const old = text(await port("fs_readFile", "m/old"));
            return [failures, old.replace(/x*$/, ""), text(await port("fs_readFile", "m/again"))];
            """)
        #expect(
            result == #"[["file ENOSPC m/new","file ENOSPC m/old2","file ENOSPC m/handle","file ENOSPC m/handle","#
                + #""file ENOSPC m/old"],"old content","fits"]"#)
    }

    /// Neither a part of it, nor anything in the place of what was there.
    @Test func aCopyThatDoesNotFitLeavesWhatWasThere() throws {
        let result = try onMount(
            """
            await port("fs_writeFile", "big", new Uint8Array(1 << 20));
            await port("fs_writeFile", "m/old", bytes("old content"));
            const failures = [await failure(port("fs_copyFile", "big", "m/new")),
                await failure(port("fs_copyFile", "big", "m/old", true))];
            await port("fs_copyFile", "m/old", "m/again");
            await port("fs_copyFile", "m/again", "elsewhere");
            return [failures, text(await port("fs_readFile", "m/old")), (await port("fs_readdir", "m")).sort(),
                text(await port("fs_readFile", "elsewhere"))];
            """)
        #expect(
            result == #"[["file ENOSPC m/new","file ENOSPC m/old"],"old content",["again","folder","kept","old"],"#
                + #""old content"]"#)
    }

    @Test func sizesAreExactToTheLastWholeNumber() throws {
        let result = try onMount(
            """
            const most = 2 ** 53 - 1;
            await port("fs_truncate", "m/kept", most);
            const fd = await port("fs_open", "m/kept", "r+");
            await port("fh_write", fd, bytes("end"), most - 3);
            const last = new Uint8Array(8);
            const seen = [(await port("fs_stat", "m/kept")).size === most, await port("fh_read", fd, last, most - 3),
                text(last.subarray(0, 3)), await port("fh_read", fd, last, most)];
            await port("fh_truncate", fd, 4);
            await port("fh_close", fd);
            return [seen, text(await port("fs_readFile", "m/kept"))];
            """)
        #expect(result == #"[[true,3,"end",0],"kept"]"#)
    }

    @Test func aReadOnlyDiskIsAnErrorOfEveryChange() throws {
        let result = try onMount(
            """
            const calls = [["fs_writeFile", "m/kept", bytes("x")], ["fs_open", "m/x", "w"], ["fs_mkdir", "m/x"],
                ["fs_mkdir", "m/x/y", true], ["fs_unlink", "m/kept"], ["fs_rename", "m/kept", "m/x"],
                ["fs_rmdir", "m/folder", true], ["fs_appendFile", "m/kept", bytes("x")], ["fs_truncate", "m/kept", 1],
                ["fs_copyFile", "m/kept", "m/x"], ["fs_symlink", "kept", "m/x"]];
            const codes = [];
            for (const call of calls) { codes.push(await failure(port(...call))); }
            return [codes.map(code => code.split(" ").length + code.split(" ")[1]), text(await port("fs_readFile", "m/kept"))];
            """, readOnly: true)
        let codes = Array(repeating: #""3EROFS""#, count: 11).joined(separator: ",")
        #expect(result == "[[\(codes)],\"kept\"]")
    }

    @Test func aMountPointIsBusyAndNoRenameCrossesIt() throws {
        let result = try onMount(
            """
            await port("fs_writeFile", "a", bytes("a"));
            return [await failure(port("fs_rmdir", "m")), await failure(port("fs_rename", "a", "m/a"))];
            """)
        #expect(result == #"["file EBUSY m busy","file EXDEV a"]"#)
    }
}

private let mayMount: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    let path = "\(folder.path)/fs"
    guard mount("tmpfs", path, "tmpfs", 0, nil) == 0 else { return false }
    return umount(path) == 0
}()

private func onMount(_ script: String, readOnly: Bool = false) throws -> String {
    let folder = try TemporaryFolder()
    try folder.folder("fs/m")
    let path = "\(folder.path)/fs/m"
    guard mount("tmpfs", path, "tmpfs", 0, "size=256k") == 0 else { throw TestFailure("mount: errno \(errno)") }
    defer { umount2(path, Int32(MNT_DETACH)) }
    try folder.write("fs/m/kept", "kept")
    try folder.folder("fs/m/folder")
    try folder.write("fs/m/folder/x", "x")
    if readOnly {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "size=256k") == 0 else {
            throw TestFailure("remount: errno \(errno)")
        }
    }
    return try onPorts(folder, script)
}
