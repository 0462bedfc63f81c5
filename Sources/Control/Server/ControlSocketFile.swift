internal import Glibc

/// The socket file of a server: its folder (0700), the file (0600), and its removal.
struct ControlSocketFile {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Binds a new socket at `path`. A socket there that nobody listens at any more is replaced.
    /// - Returns: the file and the descriptor, which the caller owns.
    static func bind(at path: String) throws(ControlSocketError) -> (file: ControlSocketFile, descriptor: Int32) {
        guard path.utf8.count <= UnixSocket.maxPathBytes else {
            throw ControlSocketError(path: path, reason: .pathTooLong(bytes: path.utf8.count))
        }
        try prepareFolder(of: path)
        try removeStale(path)
        do throws(UnixSocket.Failure) {
            let descriptor = try UnixSocket.make()
            do throws(UnixSocket.Failure) {
                try UnixSocket.bind(descriptor, to: path)
                // Nobody can connect before `listen`, so nobody sees the mode that it had before.
                var status = stat()
                if chmod(path, 0o600) != 0 { throw UnixSocket.Failure(errno: errno, call: "chmod") }
                if lstat(path, &status) != 0 { throw UnixSocket.Failure(errno: errno, call: "stat") }
                return (ControlSocketFile(path: path, device: status.st_dev, inode: status.st_ino), descriptor)
            } catch {
                close(descriptor)
                throw error
            }
        } catch {
            throw ControlSocketError(path: path, reason: .os(errno: error.errno, call: error.call))
        }
    }

    /// Removes the file unless another has taken its place.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
        unlink(path)
    }

    /// Why clients do not find this socket, in words; nil when they do.
    var problem: String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return "it is gone: \(String(cString: strerror(errno)))" }
        guard status.st_dev == device, status.st_ino == inode else { return "another file has taken its place" }
        if status.st_uid != geteuid() { return "it belongs to uid \(status.st_uid)" }
        if status.st_mode & 0o777 != 0o600 { return "its mode is \(String(status.st_mode & 0o777, radix: 8)), not 600" }
        return nil
    }

    /// Whether it is worth making anew.
    var isGone: Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_dev != device || status.st_ino != inode
    }

    var folder: String { path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "." }

    private static func prepareFolder(of path: String) throws(ControlSocketError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let folder = String(path[..<slash])
        var status = stat()
        if stat(folder, &status) != 0 {
            // Only the last part is made: its parent is the user's runtime folder, /run or the data folder.
            if mkdir(folder, 0o700) != 0, errno != EEXIST {
                throw ControlSocketError(path: path, reason: .os(errno: errno, call: "mkdir \(folder)"))
            }
            return
        }
        if status.st_uid != geteuid(), status.st_uid != 0 {
            throw ControlSocketError(path: path, reason: .folderOfAnother(folder: folder, uid: status.st_uid))
        }
        // Whoever may write to the folder could put a socket of his own in this one's place, unless it has the sticky
        // bit, as /tmp does.
        if status.st_mode & 0o022 != 0, status.st_mode & S_ISVTX == 0 {
            throw ControlSocketError(path: path, reason: .folderOpenToOthers(folder: folder))
        }
    }

    private static func removeStale(_ path: String) throws(ControlSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw ControlSocketError(path: path, reason: .notASocket) }
        do throws(UnixSocket.Failure) {
            close(try UnixSocket.connect(to: path))
        } catch {
            guard error.errno == ECONNREFUSED || error.errno == ENOENT else {
                throw ControlSocketError(path: path, reason: .os(errno: error.errno, call: error.call))
            }
            unlink(path)
            return
        }
        throw ControlSocketError(path: path, reason: .inUse)
    }
}
