internal import Glibc

extension ConfinedFolder {
    /// Bytes of a file in one read: an array of JavaScript takes no more than that.
    static let mostBytesRead = 2 << 30

    func readFile(_ given: String) throws(ConfinedFailure) -> ConfinedBytes {
        let path = try ConfinedPath(given)
        let file = try openContent(path, O_RDONLY)
        let info = try file.info(given)
        if info.kind == .folder { throw ConfinedFailure(errno: EISDIR, path: given) }
        guard info.size <= Self.mostBytesRead else {
            throw ConfinedFailure(
                code: "EFBIG", path: given, "has \(info.size) bytes; one read gives at most \(Self.mostBytesRead)")
        }
        // One byte more than the file has: the read that meets the end of the file needs a place, too.
        let bytes = try ConfinedBytes(capacity: info.size + 1, given)
        try bytes.fill(from: file.number, most: Self.mostBytesRead, given)
        return bytes
    }

    /// The file has `content` and nothing else afterwards; with `exclusive` there must be none before. A failure may
    /// leave a part of the content.
    func writeFile(_ given: String, _ content: ConfinedContent, exclusive: Bool) throws(ConfinedFailure) {
        let file = try open(given, O_WRONLY | O_CREAT | (exclusive ? O_EXCL : O_TRUNC))
        _ = try file.write(content, at: nil)
        try file.close()
    }

    /// A failure may leave a part of the content behind what was there.
    func appendFile(_ given: String, _ content: ConfinedContent) throws(ConfinedFailure) {
        let file = try open(given, O_WRONLY | O_CREAT | O_APPEND)
        _ = try file.write(content, at: nil)
        try file.close()
    }

    /// What is cut off is gone; what is added is zeros.
    func truncate(_ given: String, to length: Int) throws(ConfinedFailure) {
        let file = try open(given, O_WRONLY)
        try file.truncate(to: length)
        try file.close()
    }

    /// A new file is for the owner alone. Folders can be opened for reading, so that they can be synced.
    func open(_ given: String, _ flags: Int32) throws(ConfinedFailure) -> ConfinedFile {
        let path = try ConfinedPath(given)
        return ConfinedFile(takingOwnershipOf: try openContent(path, flags), path: given)
    }

    /// Pipes, sockets and devices are refused, and never waited for.
    func openContent(_ path: ConfinedPath, _ flags: Int32) throws(ConfinedFailure) -> ConfinedDescriptor {
        let mode: UInt64 = flags & O_CREAT == 0 ? 0 : 0o600
        let descriptor = try open(path, flags | O_NONBLOCK | O_NOCTTY, mode: mode)
        let kind = try descriptor.info(path.given).kind
        guard kind == .file || kind == .folder else { throw .notFile(path.given) }
        return descriptor
    }
}
