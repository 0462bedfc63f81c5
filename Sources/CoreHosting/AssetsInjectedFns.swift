public import EventLoop
internal import Glibc
public import JSEngine

/// The ports that read bundled apps and packs: `assets_readBytes(fromPacks, path, start?, end?)` and
/// `assets_listFolder(fromPacks, path)`, both promises. Paths are relative to one of the two folders, which is `""`
/// itself. The folders are opened for each call: they may come, go and be replaced while the platform runs.
public final class AssetsInjectedFns {
    /// Bytes that one call reads at most.
    public static let mostBytesRead = 64 << 20

    private let appsFolder: String
    private let packsFolder: String
    private let work: PromisedWork

    public init(appsFolder: String, packsFolder: String, loop: Loop) {
        self.appsFolder = appsFolder
        self.packsFolder = packsFolder
        work = PromisedWork(loop: loop)
    }

    /// Before the engine is closed.
    func close() { work.close() }

    public func registerAll(on engine: JSEngineHost) {
        engine.registerPort(CorePorts.readAsset) { [self] arguments in
            let folder = arguments.flag(0) ? packsFolder : appsFolder
            let path = try arguments.text(1)
            let start = arguments.optionalWhole(2) ?? 0
            let end = arguments.optionalWhole(3)
            if let end, start > end { throw arguments.bad(2, "\(start) is behind end \(end)") }
            return work.run(on: arguments.engine) {
                try read(path, in: folder, start..<(end ?? .max))
            } answer: {
                $0.bytes(takingOwnershipOf: $1.take(), count: $1.count)
            }
        }
        engine.registerPort(CorePorts.listAssets) { [self] arguments in
            let folder = arguments.flag(0) ? packsFolder : appsFolder
            let path = try arguments.text(1)
            return work.run(on: arguments.engine) {
                try list(path, in: folder)
            } answer: { engine, entries in
                engine.array(entries) { engine.value(of: $0) }
            }
        }
    }
}

/// The exception's path is the caller's; the message of one about the folder itself names the folder.
private func open(_ folder: String, _ path: String) throws(ConfinedFailure) -> ConfinedFolder {
    do throws(ConfinedFailure) {
        return try ConfinedFolder(at: folder)
    } catch {
        throw ConfinedFailure(code: error.code, path: path, "the folder \(folder) cannot be opened: \(error.reason)")
    }
}

private func read(_ given: String, in folder: String, _ range: Range<Int>) throws -> ConfinedBytes {
    let file = try open(folder, given).openContent(try ConfinedPath(given), O_RDONLY)
    let info = try file.info(given)
    if info.kind == .folder { throw ConfinedFailure(errno: EISDIR, path: given) }
    let size = info.size
    let wanted = range.clamped(to: 0..<size).count
    guard wanted <= AssetsInjectedFns.mostBytesRead else {
        throw RuntimeException.badArgument(
            port: CorePorts.readAsset.name,
            "\(given): \(wanted) bytes were asked for, one call reads at most \(AssetsInjectedFns.mostBytesRead)")
    }
    let bytes = try ConfinedBytes(capacity: wanted, given)
    try bytes.fill(from: file.number, at: range.lowerBound, most: wanted, given)
    return bytes
}

private struct AssetsEntry: Sendable {
    let name: String
    var isFolder = false
    /// Bytes of a file; 0 for anything else.
    var size = 0
    /// Why a link cannot be followed.
    var problem: String?
}

/// Sorted by name, byte by byte. A link is what it leads to.
private func list(_ given: String, in folder: String) throws(ConfinedFailure) -> [AssetsEntry] {
    let opened = try open(folder, given)
    let path = given.isEmpty ? "." : given
    var entries: [AssetsEntry] = []
    do throws(ConfinedFailure) {
        for name in try opened.names(in: path) {
            if let entry = try opened.entry(name, in: path) { entries.append(entry) }
        }
    } catch {
        throw ConfinedFailure(code: error.code, path: given, error.reason)
    }
    return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
}

extension ConfinedFolder {
    /// Nil for what has gone meanwhile.
    fileprivate func entry(_ name: String, in folder: String) throws(ConfinedFailure) -> AssetsEntry? {
        let path = "\(folder)/\(name)"
        do throws(ConfinedFailure) {
            let info = try info(path, followingLink: true)
            return AssetsEntry(name: name, isFolder: info.kind == .folder, size: info.kind == .file ? info.size : 0)
        } catch let whyNotFollowed {
            do throws(ConfinedFailure) {
                _ = try info(path, followingLink: false)
                return AssetsEntry(name: name, problem: whyNotFollowed.reason)
            } catch {
                if error.code == "ENOENT" { return nil }
                throw error
            }
        }
    }
}

extension JSEngineHost {
    fileprivate func value(of entry: AssetsEntry) -> JSValue {
        let object = makeObject()
        object.set("name", string(entry.name))
        object.set("isFolder", boolean(entry.isFolder))
        object.set("size", number(Double(entry.size)))
        if let problem = entry.problem { object.set("problem", string(problem)) }
        return object
    }
}
