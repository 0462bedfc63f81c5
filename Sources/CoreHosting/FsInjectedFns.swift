internal import CSystem
public import EventLoop
internal import Glibc
public import JSEngine

/// The file ports, over one folder; `Resources/js/device-fs.js` is their JavaScript half. The disk is only touched on
/// worker threads, so every port gives a promise; calls are handed to the workers in their order, and those on one open
/// file are done in that order. Thrown at once are bad arguments, and that nothing is at a path where the kernel knows
/// that without the disk: that is how most calls of a core's start end.
///
/// What is promised: `docs/architecture.md`, "The core's context".
public final class FsInjectedFns {
    let work: PromisedWork
    private let folder: ConfinedFolder
    /// At most one worker copies, whatever is copied: the others stay free.
    private let copies = PromisedWork.Line()
    let opened = ConfinedFiles()
    /// By the numbers that JavaScript has.
    var files: [Int: OpenFile] = [:]
    /// Numbers are never given twice, so one that was kept after its `close` is known as such.
    private var lastNumber = 2

    struct OpenFile {
        let file: ConfinedFile
        let line = PromisedWork.Line()
    }

    /// - Parameter baseDir: made if absent, for the owner alone, in a folder that is there.
    public init(baseDir: String, loop: Loop) throws(FolderError) {
        do {
            folder = try ConfinedFolder(makingIfAbsent: baseDir)
        } catch {
            throw FolderError(path: baseDir, reason: error.reason)
        }
        // Where the system gives no thread for it, libuv's workers do it all.
        work = PromisedWork(loop: loop, lane: try? Lane(on: loop))
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
        registerLinks(on: engine)
        registerCopying(on: engine)
        registerHandles(on: engine)
    }

    /// Waits for what is being done on the disk, gives up the rest, closes every open file. Before the engine is closed.
    public func close() {
        work.close()
        opened.closeAll()
        files = [:]
    }

    private func registerReading(on engine: JSEngineHost) {
        for (port, followingLink) in [(FilePorts.stat, true), (FilePorts.lstat, false)] {
            engine.registerPort(port) { [folder, work] arguments in
                let path = try arguments.text(0)
                if folder.isKnownMissing(path, followingLink: followingLink) {
                    throw ConfinedFailure(errno: ENOENT, path: path).exception
                }
                return work.run(on: arguments.engine) {
                    try folder.info(path, followingLink: followingLink)
                } answer: {
                    $0.value(of: $1)
                }
            }
        }
        engine.registerPort(FilePorts.readdir) { [folder, work] arguments in
            let path = try arguments.text(0)
            return work.run(on: arguments.engine) {
                try folder.names(in: path)
            } answer: { engine, names in
                engine.array(names, engine.string)
            }
        }
        engine.registerPort(FilePorts.readFile) { [folder, work] arguments in
            let path = try arguments.text(0)
            return work.run(on: arguments.engine) {
                try folder.readFile(path)
            } answer: {
                $0.bytes(takingOwnershipOf: $1.take(), count: $1.count)
            }
        }
    }

    private func registerChanges(on engine: JSEngineHost) {
        engine.registerPort(FilePorts.mkdir) { [folder] arguments in
            let (path, recursive) = (try arguments.text(0), arguments.flag(1))
            return self.change(arguments) { try folder.makeFolder(path, recursive: recursive) }
        }
        engine.registerPort(FilePorts.rmdir) { [folder] arguments in
            let (path, recursive) = (try arguments.text(0), arguments.flag(1))
            return self.change(arguments) { try folder.removeFolder(path, recursive: recursive) }
        }
        engine.registerPort(FilePorts.unlink) { [folder] arguments in
            let path = try arguments.text(0)
            return self.change(arguments) { try folder.removeFile(path) }
        }
        engine.registerPort(FilePorts.rename) { [folder] arguments in
            let (old, new) = (try arguments.text(0), try arguments.text(1))
            return self.change(arguments) { try folder.rename(old, to: new) }
        }
    }

    private func registerContent(on engine: JSEngineHost) {
        engine.registerPort(FilePorts.writeFile) { [folder, work] arguments in
            let path = try arguments.text(0)
            let content = ConfinedContent(arguments.bytes(1))
            let isExclusive = try arguments.optionalText(2) == "wx"
            return work.run(on: arguments.engine, keeping: content.isInPlace ? arguments[1] : nil) {
                try folder.writeFile(path, content, exclusive: isExclusive)
            } answer: { engine, _ in
                engine.undefined
            }
        }
        engine.registerPort(FilePorts.appendFile) { [folder, work] arguments in
            let path = try arguments.text(0)
            let content = ConfinedContent(arguments.bytes(1))
            return work.run(on: arguments.engine, keeping: content.isInPlace ? arguments[1] : nil) {
                try folder.appendFile(path, content)
            } answer: { engine, _ in
                engine.undefined
            }
        }
        engine.registerPort(FilePorts.truncate) { [folder] arguments in
            let (path, length) = (try arguments.text(0), arguments.whole(1))
            return self.change(arguments) { try folder.truncate(path, to: length) }
        }
        engine.registerPort(FilePorts.open) { [folder, work, opened, unowned self] arguments in
            let path = try arguments.text(0)
            guard let flags = OpenFlags.bits(try arguments.text(1)) else {
                throw arguments.bad(1, "are none of open's, but \(arguments.seen(1))")
            }
            return work.run(on: arguments.engine) {
                let file = try folder.open(path, flags)
                opened.add(file)
                return file
            } answer: { engine, file in
                engine.number(Double(self.number(for: file)))
            }
        }
        engine.registerPort(FilePorts.readStart) { [folder, work, opened, unowned self] arguments in
            let (path, room) = (try arguments.text(0), ConfinedRoom(arguments.bytes(1)))
            return work.run(
                on: arguments.engine, keeping: arguments[1], takes: .copying(bytes: room.bytes.count)
            ) {
                let start = try folder.readStart(path, into: room)
                if let rest = start.rest { opened.add(rest) }
                return start
            } answer: { engine, start in
                let object = engine.makeObject()
                object.set("count", engine.number(Double(start.count)))
                if let rest = start.rest { object.set("fd", engine.number(Double(self.number(for: rest)))) }
                return object
            }
        }
        engine.registerPort(FilePorts.replaceFile) { [folder, work] arguments in
            let (path, scratch, isNew) = (try arguments.text(0), try arguments.text(2), arguments.flag(3))
            let content = ConfinedContent(arguments.bytes(1))
            return work.run(on: arguments.engine, keeping: content.isInPlace ? arguments[1] : nil, takes: .long) {
                try folder.replaceFile(path, content, scratch: scratch, isNew: isNew)
            } answer: { engine, replaced in
                if let replaced { work.runUnanswered { replaced.letGo() } }
                return engine.undefined
            }
        }
    }

    private func number(for file: ConfinedFile) -> Int {
        lastNumber += 1
        files[lastNumber] = OpenFile(file: file)
        return lastNumber
    }

    private func registerLinks(on engine: JSEngineHost) {
        engine.registerPort(FilePorts.symlink) { [folder] arguments in
            let (target, path) = (try arguments.text(0), try arguments.text(1))
            return self.change(arguments) { try folder.makeLink(path, to: target) }
        }
        engine.registerPort(FilePorts.readlink) { [folder, work] arguments in
            let path = try arguments.text(0)
            return work.run(on: arguments.engine) {
                try folder.linkTarget(path)
            } answer: {
                $0.string($1)
            }
        }
    }

    private func registerCopying(on engine: JSEngineHost) {
        engine.registerPort(FilePorts.copyFile) { [folder] arguments in
            let (source, target, overwrite) = (try arguments.text(0), try arguments.text(1), arguments.flag(2))
            return self.copy(on: arguments.engine) {
                try ConfinedCopy(from: source, to: target, overwrite: overwrite, in: folder)
            }
        }
    }

    /// One step, whose promise is that of the next one.
    private func copy(on engine: JSEngineHost, _ copy: @escaping @Sendable () throws -> ConfinedCopy) -> JSValue {
        work.run(on: engine, in: copies, takes: .long) {
            let copy = try copy()
            return try copy.step() ? nil : copy
        } answer: { engine, unfinished in
            guard let unfinished else { return engine.undefined }
            return self.copy(on: engine) { unfinished }
        }
    }

    private func change(_ arguments: PortArguments, _ body: @escaping @Sendable () throws -> Void) -> JSValue {
        work.run(on: arguments.engine, body) { engine, _ in engine.undefined }
    }
}
