internal import CSystem
internal import Glibc
internal import Synchronization

extension ConfinedFolder {
    /// Puts a file with `content` at `path`, in the place of a file or link there: all of it at once, and on the disk when
    /// this returns. Until then it stands at `scratch`, a path on the same file system where nothing is. A failure leaves
    /// what was at `path`, and nothing at `scratch`; only where it is the folder's own sync that fails is the new file
    /// there, and perhaps not for good. Nil where nothing was at `path`. With `isNew` what is there is EEXIST, before anything
    /// is written.
    func replaceFile(
        _ given: String, _ content: ConfinedContent, scratch: String, isNew: Bool
    ) throws(ConfinedFailure) -> ReplacedFile? {
        let (path, scratchPath) = (try ConfinedPath(given), try ConfinedPath(scratch))
        guard let name = path.name else { throw Self.isTheFolderItself(given) }
        let folder = try openParent(of: path, toSync: true)
        if isNew { try Self.requireNothing(at: name, in: folder.number, given) }
        let replaced = try inParent(of: scratchPath) { (scratchParent, scratchName) throws(ConfinedFailure) in
            let number = try confinedCall(scratch) {
                openat(scratchParent, scratchName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            }
            let file = ConfinedFile(takingOwnershipOf: ConfinedDescriptor(takingOwnershipOf: number), path: scratch)
            do throws(ConfinedFailure) {
                _ = try file.write(content, at: nil)
                try file.sync()
                try file.close()
                let replaced = ReplacedFile(at: name, in: folder.number)
                _ = try confinedCall(given) { renameat(scratchParent, scratchName, folder.number, name) }
                return replaced
            } catch {
                // The failure is the news.
                unlinkat(scratchParent, scratchName, 0)
                throw error
            }
        }
        _ = try confinedCall(given) { fsync(folder.number) }
        return replaced
    }

    private static func requireNothing(
        at name: String, in folder: Int32, _ given: String
    ) throws(ConfinedFailure) {
        var found = stat()
        if fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 { throw ConfinedFailure(errno: EEXIST, path: given) }
        if errno != ENOENT { throw ConfinedFailure(errno: errno, path: given) }
    }

    /// Fills `room` from the beginning of a file as far as that goes; gives the open file if it may have more.
    func readStart(
        _ given: String, into room: ConfinedRoom
    ) throws(ConfinedFailure) -> (count: Int, rest: ConfinedFile?) {
        let descriptor = try openContent(try ConfinedPath(given), O_RDONLY)
        if try descriptor.info(given).kind == .folder { throw ConfinedFailure(errno: EISDIR, path: given) }
        let file = ConfinedFile(takingOwnershipOf: descriptor, path: given)
        let count = try file.read(into: room, at: 0)
        return (count, count < room.bytes.count ? nil : file)
    }
}

/// Keeps what a file was put in place of, which has no name any more. The kernel frees its room when it is let go of, which
/// takes some 0.2 ms, so whoever waits for the new file need not wait for that.
final class ReplacedFile: Sendable {
    /// -1 once let go of.
    private let place: Atomic<Int32>

    /// Nil where nothing is.
    fileprivate init?(at name: String, in folder: Int32) {
        let number = chs_open_place_beneath(folder, name, UInt64(O_NOFOLLOW))
        if number == -1 { return nil }
        place = Atomic(number)
    }

    deinit { letGo() }

    func letGo() {
        let number = place.exchange(-1, ordering: .relaxed)
        if number != -1 { Glibc.close(number) }
    }
}
