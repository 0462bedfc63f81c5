internal import Glibc

extension ConfinedFolder {
    /// Puts a file with `content` at `path`, in the place of a file or link there: all of it at once, and on the disk when
    /// this returns. Until then it stands at `scratch`, a path on the same file system where nothing is. A failure leaves
    /// what was at `path`, and nothing at `scratch`; only where it is the folder's own sync that fails is the new file
    /// there, and perhaps not for good.
    func replaceFile(_ given: String, _ content: ConfinedContent, scratch: String) throws(ConfinedFailure) {
        let (path, scratchPath) = (try ConfinedPath(given), try ConfinedPath(scratch))
        try inParent(of: path) { (parent, name) throws(ConfinedFailure) in
            // The parent's descriptor stands for the place alone, and cannot be synced.
            let folder = ConfinedDescriptor(
                takingOwnershipOf: try confinedCall(given) { openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
            try inParent(of: scratchPath) { (scratchParent, scratchName) throws(ConfinedFailure) in
                let file = try open(scratch, O_WRONLY | O_CREAT | O_EXCL)
                do throws(ConfinedFailure) {
                    _ = try file.write(content, at: nil)
                    try file.sync()
                    try file.close()
                    _ = try confinedCall(given) { renameat(scratchParent, scratchName, parent, name) }
                } catch {
                    // The failure is the news.
                    unlinkat(scratchParent, scratchName, 0)
                    throw error
                }
            }
            _ = try confinedCall(given) { fsync(folder.number) }
        }
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
