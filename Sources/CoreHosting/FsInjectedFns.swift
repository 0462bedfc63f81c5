internal import CSystem
public import EventLoop
internal import Glibc
public import JSEngine

/// The file ports that the embedded core uses, over one folder; `Resources/js/device-fs.js` is their JavaScript half.
/// The disk is only touched on worker threads, so every port gives a promise; calls are handed to the workers in their
/// order, and those on one open file are done in that order. Arguments of a wrong type are thrown at once.
///
/// What is promised: `docs/architecture.md`, "The core's context".
public final class FsInjectedFns {
    let work: ConfinedWork
    private let folder: ConfinedFolder
    let opened = ConfinedFiles()
    /// By the numbers that JavaScript has.
    var files: [Int: OpenFile] = [:]
    /// Numbers are never given twice, so one that was kept after its `close` is known as such.
    private var lastNumber = 2

    struct OpenFile {
        let file: ConfinedFile
        let line = ConfinedWork.Line()
    }

    /// - Parameter baseDir: made if absent, for the owner alone, in a folder that is there.
    public init(baseDir: String, loop: Loop) throws(FolderError) {
        do {
            folder = try ConfinedFolder(makingIfAbsent: baseDir)
        } catch {
            throw FolderError(path: baseDir, reason: error.reason)
        }
        work = ConfinedWork(loop: loop)
    }

    /// The folder of the file ports cannot be used.
    public struct FolderError: Error, Equatable, CustomStringConvertible {
        public let path: String
        public let reason: String

        public var description: String {
            "\(path): \(reason); make its parent folder writable for this user, or choose another data folder with --data"
        }
    }

    public func registerAll(on engine: JSEngineHost) {
        registerReading(on: engine)
        registerChanges(on: engine)
        registerContent(on: engine)
        registerHandles(on: engine)
    }

    /// Waits for what is being done on the disk, gives up the rest, closes every open file. Before the engine is closed.
    public func close() {
        work.close()
        opened.closeAll()
        files = [:]
    }

    private func registerReading(on engine: JSEngineHost) {
        for (port, followingLink) in [("fs_stat", true), ("fs_lstat", false)] {
            engine.registerPort(port) { [folder, work] arguments in
                let path = try arguments.path(0, port)
                return work.run(on: arguments.engine) {
                    try folder.info(path, followingLink: followingLink)
                } answer: {
                    $0.value(of: $1)
                }
            }
        }
        engine.registerPort("fs_readdir") { [folder, work] arguments in
            let path = try arguments.path(0, "fs_readdir")
            return work.run(on: arguments.engine) {
                try folder.names(in: path)
            } answer: { engine, names in
                engine.array(names.map { engine.string($0) })
            }
        }
        engine.registerPort("fs_readFile") { [folder, work] arguments in
            let path = try arguments.path(0, "fs_readFile")
            return work.run(on: arguments.engine) {
                try folder.readFile(path)
            } answer: {
                $0.bytes(takingOwnershipOf: $1.take(), count: $1.count)
            }
        }
    }

    private func registerChanges(on engine: JSEngineHost) {
        engine.registerPort("fs_mkdir") { [folder] arguments in
            let (path, recursive) = (try arguments.path(0, "fs_mkdir"), try arguments.flag(1, "fs_mkdir"))
            return self.change(arguments) { try folder.makeFolder(path, recursive: recursive) }
        }
        engine.registerPort("fs_rmdir") { [folder] arguments in
            let (path, recursive) = (try arguments.path(0, "fs_rmdir"), try arguments.flag(1, "fs_rmdir"))
            return self.change(arguments) { try folder.removeFolder(path, recursive: recursive) }
        }
        engine.registerPort("fs_unlink") { [folder] arguments in
            let path = try arguments.path(0, "fs_unlink")
            return self.change(arguments) { try folder.removeFile(path) }
        }
        engine.registerPort("fs_rename") { [folder] arguments in
            let (old, new) = (try arguments.path(0, "fs_rename"), try arguments.path(1, "fs_rename"))
            return self.change(arguments) { try folder.rename(old, to: new) }
        }
    }

    private func registerContent(on engine: JSEngineHost) {
        engine.registerPort("fs_writeFile") { [folder, work] arguments in
            let port = "fs_writeFile"
            let path = try arguments.path(0, port)
            let content = try arguments.content(1, port)
            let flag = arguments[2].isUndefined ? "w" : arguments[2].string
            guard let flag, flag == "w" || flag == "wx" else {
                throw RuntimeException.badArgument(
                    port: port, "the flag must be \"w\" or \"wx\", not \(arguments.seen(2))")
            }
            return work.run(on: arguments.engine, keeping: content.isInPlace ? arguments[1] : nil) {
                try folder.writeFile(path, content, exclusive: flag == "wx")
            } answer: { engine, _ in
                engine.undefined
            }
        }
        engine.registerPort("fs_open") { [folder, work, opened, unowned self] arguments in
            let path = try arguments.path(0, "fs_open")
            guard let name = arguments[1].string, let flags = openFlags(name) else {
                throw RuntimeException.badArgument(
                    port: "fs_open",
                    "the flags must be r, w or a with s, x, + as Node has them, not \(arguments.seen(1))")
            }
            return work.run(on: arguments.engine) {
                let file = try folder.open(path, flags)
                opened.add(file)
                return file
            } answer: { engine, file in
                self.lastNumber += 1
                self.files[self.lastNumber] = OpenFile(file: file)
                return engine.number(Double(self.lastNumber))
            }
        }
    }

    private func change(_ arguments: JSArguments, _ body: @escaping @Sendable () throws -> Void) -> JSValue {
        work.run(on: arguments.engine, body) { engine, _ in engine.undefined }
    }
}

/// Node's flags of `open`; nil for what is none of them.
private func openFlags(_ text: String) -> Int32? {
    switch text {
    case "r": O_RDONLY
    case "rs": O_RDONLY | O_SYNC
    case "r+": O_RDWR
    case "rs+": O_RDWR | O_SYNC
    case "w": O_WRONLY | O_CREAT | O_TRUNC
    case "wx": O_WRONLY | O_CREAT | O_TRUNC | O_EXCL
    case "w+": O_RDWR | O_CREAT | O_TRUNC
    case "wx+": O_RDWR | O_CREAT | O_TRUNC | O_EXCL
    case "a": O_WRONLY | O_CREAT | O_APPEND
    case "ax": O_WRONLY | O_CREAT | O_APPEND | O_EXCL
    case "as": O_WRONLY | O_CREAT | O_APPEND | O_SYNC
    case "a+": O_RDWR | O_CREAT | O_APPEND
    case "ax+": O_RDWR | O_CREAT | O_APPEND | O_EXCL
    case "as+": O_RDWR | O_CREAT | O_APPEND | O_SYNC
    default: nil
    }
}
