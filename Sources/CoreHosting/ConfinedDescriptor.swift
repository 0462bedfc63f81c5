internal import CSystem
internal import Glibc

/// An open descriptor and its only owner: closed when it goes out of scope.
struct ConfinedDescriptor: ~Copyable {
    let number: Int32

    init(takingOwnershipOf number: Int32) { self.number = number }

    /// The caller must close it.
    consuming func take() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { Glibc.close(number) }

    func info(_ path: String) throws(ConfinedFailure) -> ConfinedInfo { try ConfinedInfo(of: number, path) }
}

/// What `stat` and `lstat` tell. Times are milliseconds since the epoch.
struct ConfinedInfo: Sendable {
    enum Kind: String {
        case file, folder, link, other
    }

    let raw: chs_file_info

    /// Of an open descriptor.
    init(of number: Int32, _ path: String) throws(ConfinedFailure) {
        var info = chs_file_info()
        guard chs_stat(number, &info) == 0 else { throw ConfinedFailure(errno: errno, path: path) }
        raw = info
    }

    var size: Int { Int(clamping: raw.size) }

    func isSame(as other: ConfinedInfo) -> Bool { raw.ino == other.raw.ino && raw.device == other.raw.device }

    var kind: Kind {
        switch raw.mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .other
        }
    }
}

/// The result of a system call that is not -1; the call is made again when a signal interrupts it.
func confinedCall<Result: SignedInteger>(
    _ path: String?, _ call: () -> Result
) throws(ConfinedFailure) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw ConfinedFailure(errno: code, path: path) }
    }
}
