internal import CSystem
internal import Glibc

/// A file on its way to become another's copy, a piece at a time, so that a big one can be given up and lets others have
/// their turn. Until the last step nothing of it is at the target; then all of it is, and on the disk.
///
/// The new file has no name where the file system can do that (`O_TMPFILE`), so a process that is killed leaves nothing.
/// Elsewhere it has a name of its own beside the target, and is removed when the copy is not finished.
///
/// Unchecked: steps are done one after the other, by one worker each.
final class ConfinedCopy: @unchecked Sendable {
    /// Bytes of one step: some milliseconds.
    static let piece = 8 << 20

    private let sourcePath: String
    private let targetPath: String
    private let overwrite: Bool
    private let source: ConfinedDescriptor
    private let parent: ConfinedDescriptor
    private let name: String
    private let file: ConfinedDescriptor
    /// Where the new file, or a link to it, stands until it is at its place; nil where it stands nowhere.
    private var temporaryName: String?
    private var done = 0
    /// copy_file_range(2) does not work between these two; bytes go through memory.
    private var throughMemory = false

    /// - Parameter overwrite: replaces a file or a link that stands at the target, else they are EEXIST. A link is
    ///   replaced itself.
    init(
        from sourcePath: String, to targetPath: String, overwrite: Bool, in folder: ConfinedFolder
    ) throws(ConfinedFailure) {
        self.sourcePath = sourcePath
        self.targetPath = targetPath
        self.overwrite = overwrite
        source = try folder.openContent(try ConfinedPath(sourcePath), O_RDONLY)
        if try source.info(sourcePath).kind == .folder { throw ConfinedFailure(errno: EISDIR, path: sourcePath) }
        let target = try ConfinedPath(targetPath)
        guard let name = target.name else {
            throw ConfinedFailure(errno: overwrite ? EISDIR : EEXIST, path: targetPath)
        }
        self.name = name
        parent = try folder.openParent(of: target)
        try Self.requireRoom(for: name, in: parent.number, overwrite, targetPath)
        let (number, temporaryName) = try Self.newFile(in: parent.number, targetPath)
        file = ConfinedDescriptor(takingOwnershipOf: number)
        self.temporaryName = temporaryName
    }

    deinit { removeTemporary() }

    /// True once the copy is at the target.
    func step() throws(ConfinedFailure) -> Bool {
        guard let data = try nextData() else {
            try finish()
            return true
        }
        if !throughMemory { try copyInKernel(data) }
        if throughMemory { try copyThroughMemory(data) }
        // The disk keeps pace, and the last step has little left to wait for. A file system that cannot do that, and any
        // failure, is met again there.
        _ = chs_write_out(file.number, data.lowerBound, data.count)
        return false
    }

    // MARK: Content

    /// The next bytes to copy, holes left out; nil at the end.
    private func nextData() throws(ConfinedFailure) -> Range<Int>? {
        var (start, end) = (0, 0)
        let found = try confinedCall(sourcePath) { chs_next_data(source.number, done, &start, &end) }
        return found == 0 ? nil : start..<min(end, start + Self.piece)
    }

    private func copyInKernel(_ data: Range<Int>) throws(ConfinedFailure) {
        done = data.lowerBound
        while done < data.upperBound {
            let count =
                chs_disk_write(Int32(CHS_DISK_DATA.rawValue)) == 0
                ? chs_copy_range(source.number, file.number, done, data.upperBound - done) : -1
            // Shorter than it was: the end has been met, and `finish` sees the size.
            if count == 0 {
                done = data.upperBound
                return
            }
            if count > 0 {
                done += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM:
                throughMemory = true
                return
            default: throw ConfinedFailure(errno: errno, path: targetPath)
            }
        }
    }

    private func copyThroughMemory(_ data: Range<Int>) throws(ConfinedFailure) {
        done = max(done, data.lowerBound)
        let bytes = try ConfinedBytes(capacity: data.upperBound - done, sourcePath)
        try bytes.fill(from: source.number, at: done, most: data.upperBound - done, sourcePath)
        var written = 0
        while written < bytes.count {
            written += try confinedCall(targetPath) {
                guard chs_disk_write(Int32(CHS_DISK_DATA.rawValue)) == 0 else { return -1 }
                return pwrite(file.number, bytes.start.map { $0 + written }, bytes.count - written, done + written)
            }
        }
        done = data.upperBound
    }

    // MARK: The end

    private func finish() throws(ConfinedFailure) {
        let size = try source.info(sourcePath).size
        _ = try confinedCall(targetPath) { ftruncate(file.number, size) }
        _ = try confinedCall(targetPath) { fsync(file.number) }
        if overwrite {
            try replaceTarget()
        } else {
            try link(as: name)
            removeTemporary()
        }
    }

    private func replaceTarget() throws(ConfinedFailure) {
        let standing: String
        if let temporaryName {
            standing = temporaryName
        } else {
            standing = Self.newName()
            try link(as: standing)
            temporaryName = standing
        }
        _ = try confinedCall(targetPath) { renameat(parent.number, standing, parent.number, name) }
        temporaryName = nil
    }

    /// Fails with EEXIST where something stands.
    private func link(as name: String) throws(ConfinedFailure) {
        if let temporaryName {
            _ = try confinedCall(targetPath) { linkat(parent.number, temporaryName, parent.number, name, 0) }
        } else {
            // open(2): a file without a name gets one by its descriptor's path.
            let open = "/proc/self/fd/\(file.number)"
            _ = try confinedCall(targetPath) { linkat(AT_FDCWD, open, parent.number, name, AT_SYMLINK_FOLLOW) }
        }
    }

    private func removeTemporary() {
        guard let temporaryName else { return }
        // Nobody is left to be told; what stays is a file with a name that says what it is.
        unlinkat(parent.number, temporaryName, 0)
        self.temporaryName = nil
    }

    // MARK: The beginning

    /// Tells early, before anything is copied, what the last step would find.
    private static func requireRoom(
        for name: String, in parent: Int32, _ overwrite: Bool, _ path: String
    ) throws(ConfinedFailure) {
        var found = stat()
        guard fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return }
            throw ConfinedFailure(errno: errno, path: path)
        }
        if !overwrite { throw ConfinedFailure(errno: EEXIST, path: path) }
        switch found.st_mode & S_IFMT {
        case S_IFREG, S_IFLNK: return
        case S_IFDIR: throw ConfinedFailure(errno: EISDIR, path: path)
        default: throw .notFile(path)
        }
    }

    private static func newFile(in parent: Int32, _ path: String) throws(ConfinedFailure) -> (Int32, String?) {
        let nameless = chs_open_nameless(parent, 0o600)
        if nameless != -1 { return (nameless, nil) }
        guard [EOPNOTSUPP, EISDIR, ENOENT].contains(errno) else { throw ConfinedFailure(errno: errno, path: path) }
        let name = newName()
        let number = try confinedCall(path) {
            openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        return (number, name)
    }

    private static func newName() -> String { ".copy-\(String(UInt64.random(in: 0 ... .max), radix: 16))" }
}
