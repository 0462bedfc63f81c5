internal import Glibc

/// The data folder of one supervisor: made if it is missing, held by a lock as long as the supervisor lives.
final class DataFolder {
    let path: String
    private let lock: Int32
    /// The folder itself, locked too: the lock file may be removed by somebody. -1 where folders cannot be locked.
    private let folder: Int32

    enum Failure: Error, CustomStringConvertible {
        case inUse(path: String, holder: String)
        case notUsable(path: String, errno: Int32, call: String)

        var description: String {
            switch self {
            case .inUse(let path, let holder):
                "the data folder \(path) is in use by another supervisor (process \(holder)); stop that one with"
                    + " `corehost shutdown --data \(path)`, or name another folder with --data"
            case .notUsable(let path, let code, let call):
                "the data folder \(path) is not usable: \(call): \(String(cString: strerror(code)));"
                    + " \(Self.remedy(code)), or name another folder with --data"
            }
        }

        private static func remedy(_ code: Int32) -> String {
            switch code {
            case EACCES, EPERM: "give yourself write permission there"
            case EROFS: "mount it writable"
            case ENOSPC, EDQUOT: "free some space there"
            case ENOTDIR, EEXIST, ELOOP: "remove what is in the way"
            default: "mend that"
            }
        }
    }

    init(_ path: String) throws(Failure) {
        self.path = path
        try Self.makeFolder(path)
        lock = try Self.takeLock(path)
        do throws(Failure) {
            folder = try Self.lockFolder(path)
        } catch {
            unlink(Self.lockPath(path))
            close(lock)
            throw error
        }
        let line = "\(getpid())\n"
        _ = ftruncate(lock, 0)
        guard pwrite(lock, line, line.utf8.count, 0) == line.utf8.count else {
            let code = errno
            release()
            throw .notUsable(path: path, errno: code, call: "writing supervisor.lock")
        }
    }

    /// The base of the core's file ports.
    var files: String { path + "/fs" }
    var keys: String { path + "/keys" }
    var logs: String { path + "/logs" }
    var deaths: String { path + "/deaths" }

    /// Lets the next supervisor in. The file goes while the lock is still held, so that nobody locks a file that is no
    /// longer there without seeing it.
    func release() {
        unlink(Self.lockPath(path))
        close(lock)
        if folder >= 0 { close(folder) }
    }

    /// Why the lock file does not keep others out, in words; nil when it does.
    var lockProblem: String? {
        var ours = stat()
        var there = stat()
        guard fstat(lock, &ours) == 0 else { return "its descriptor is closed" }
        guard lstat(Self.lockPath(path), &there) == 0 else {
            return "it is gone: \(String(cString: strerror(errno)))"
        }
        return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino ? nil : "another file has taken its place"
    }

    private static func lockPath(_ path: String) -> String { path + "/supervisor.lock" }

    private static func makeFolder(_ path: String) throws(Failure) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, 0o700) == 0 || errno == EEXIST { continue }
            var status = stat()
            guard stat(made, &status) == 0 else { throw .notUsable(path: path, errno: errno, call: "mkdir \(made)") }
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .notUsable(path: path, errno: errno, call: "stat") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notUsable(path: path, errno: ENOTDIR, call: "stat") }
    }

    private static func takeLock(_ path: String) throws(Failure) -> Int32 {
        while true {
            let lock = open(lockPath(path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard lock >= 0 else { throw .notUsable(path: path, errno: errno, call: "opening supervisor.lock") }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                defer { close(lock) }
                guard code == EWOULDBLOCK else { throw .notUsable(path: path, errno: code, call: "flock") }
                throw .inUse(path: path, holder: holder(lock))
            }
            var ours = stat()
            var there = stat()
            if fstat(lock, &ours) == 0, stat(lockPath(path), &there) == 0, ours.st_ino == there.st_ino { return lock }
            // The one who had it has removed it between our open and our lock.
            close(lock)
        }
    }

    private static func lockFolder(_ path: String) throws(Failure) -> Int32 {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return -1 }
        if flock(folder, LOCK_EX | LOCK_NB) == 0 { return folder }
        let isTaken = errno == EWOULDBLOCK
        close(folder)
        if isTaken { throw .inUse(path: path, holder: "unknown: its supervisor.lock was removed") }
        return -1
    }

    private static func holder(_ lock: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(lock, &bytes, bytes.count, 0)
        let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
        return text.split(separator: "\n").first.map(String.init) ?? "unknown"
    }
}
