internal import JSEngine

/// The file ports as declared. Paths are relative to the ports' folder; what is promised of paths and of open files
/// is in `docs/architecture.md`, "The core's context".
enum FilePorts {
    private static let path = PortSignature.Parameter("path", .path)
    private static let file = PortSignature.Parameter("fd", .whole(0...PortSignature.Kind.largest))
    private static let content = PortSignature.Parameter("content", .bytes)
    private static let position = PortSignature.Parameter(
        "position", .whole(0...PortSignature.Kind.largest), isOptional: true)
    private static let length = PortSignature.Parameter("length", .whole(0...PortSignature.Kind.largest))
    private static let recursive = PortSignature.Parameter("recursive", .flag, isOptional: true)

    private static let nothing = "promise of nothing"
    private static let info = """
        promise of `{kind: "file"|"folder"|"link"|"other", size, blocks, blksize, ino, mode, nlink, atimeMs, mtimeMs, \
        ctimeMs, birthtimeMs}`
        """

    static let stat = signature("fs_stat", [path], gives: info, "What a path leads to, through links.")
    static let lstat = signature("fs_lstat", [path], gives: info, "The same without following a link at the end.")
    static let readdir = signature("fs_readdir", [path], gives: "promise of names", "Names in a folder, unordered.")
    static let readFile = signature("fs_readFile", [path], gives: "promise of `Uint8Array`", "A whole file.")
    static let mkdir = signature(
        "fs_mkdir", [path, recursive], gives: nothing, "Makes a folder, with `recursive` its parents too.")
    static let rmdir = signature(
        "fs_rmdir", [path, recursive], gives: nothing, "Removes a folder, with `recursive` what is in it too.")
    static let unlink = signature("fs_unlink", [path], gives: nothing, "Removes a file or a link.")
    static let rename = signature(
        "fs_rename", [.init("oldPath", .path), .init("newPath", .path)], gives: nothing,
        "Renames, replacing a file that is there.")
    static let writeFile = signature(
        "fs_writeFile", [path, content, .init("flag", .choice(["w", "wx"]), isOptional: true)], gives: nothing,
        "Writes a whole file; `wx` only if there is none.")
    static let appendFile = signature(
        "fs_appendFile", [path, content], gives: nothing, "Writes behind what is there; makes a file if there is none.")
    static let truncate = signature(
        "fs_truncate", [path, length], gives: nothing, "Cuts a file, or lengthens it with zeros.")
    static let copyFile = signature(
        "fs_copyFile",
        [.init("source", .path), .init("target", .path), .init("overwrite", .flag, isOptional: true)], gives: nothing,
        "Copies a file in pieces; all of it is at the target at once, and on the disk, or nothing is.")
    static let symlink = signature(
        "fs_symlink", [.init("target", .path), path], gives: nothing,
        "Makes a link at `path`; `target` is read from where the link stands, and stays inside the folder.")
    static let readlink = signature("fs_readlink", [path], gives: "promise of a string", "The target of a link.")
    static let open = signature(
        "fs_open", [path, .init("flags", .choice(OpenFlags.names))], gives: "promise of a number",
        "Opens a file with Node's flags; a folder with `r`, for `fh_sync`.")
    static let read = signature(
        "fh_read", [file, .init("buffer", .bytes), position], gives: "promise of the number of bytes",
        "Fills the buffer in place, from `position` or where the file's own position is, as far as the file goes.")
    static let replaceFile = signature(
        "fs_replaceFile", [path, content, .init("scratch", .path), .init("isNew", .flag, isOptional: true)],
        gives: nothing,
        "Puts a file at `path` in one step: written at `scratch`, where nothing is yet, synced, renamed, its folder synced."
            + " With `isNew` nothing may be at `path`."
    )
    static let readStart = signature(
        "fs_readStart", [path, .init("buffer", .bytes)], gives: "promise of `{count, fd?}`",
        "Fills the buffer in place from the beginning of a file; if that fills it, `fd` is the file, opened for reading."
    )
    static let fileStat = signature("fh_stat", [file], gives: info, "What the open file is.")
    static let truncateFile = signature(
        "fh_truncate", [file, length], gives: nothing, "Cuts the open file, or lengthens it with zeros.")
    static let write = signature(
        "fh_write", [file, content, position], gives: "promise of the number of bytes",
        "Writes all, at `position` or where the file's own position is.")
    static let sync = signature("fh_sync", [file], gives: nothing, "Returns once all is on the disk.")
    static let close = signature("fh_close", [file], gives: nothing, "Closes; the number is never given again.")

    static let group = PortGroup(
        "File system",
        [
            stat, lstat, appendFile, copyFile, mkdir, open, readdir, readFile, readlink, readStart, rename, replaceFile,
            rmdir, symlink, truncate, unlink, writeFile, close, read, fileStat, sync, truncateFile, write,
        ])

    private static func signature(
        _ name: String, _ parameters: [PortSignature.Parameter], gives result: String, _ meaning: String
    ) -> PortSignature {
        PortSignature(name, parameters, gives: result, throws: "`file`", meaning)
    }
}
