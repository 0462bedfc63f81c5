internal import CSystem
internal import Glibc
internal import JSEngine

/// Why work on a file failed; in JavaScript an exception of type `file`.
struct ConfinedFailure: ExceptionConvertible, Equatable, CustomStringConvertible {
    /// A name from `errno.h`, or `ENOTFILE`: something else stands where a file must.
    let code: String
    /// As the caller gave it; nil where no path is known (a number that stands for no open file).
    let path: String?
    let reason: String

    init(code: String, path: String?, _ reason: String) {
        self.code = code
        self.path = path
        self.reason = reason
    }

    init(errno code: Int32, path: String?) {
        self.init(
            code: chs_errno_name(code).map { String(cString: $0) } ?? "errno \(code)", path: path,
            chs_errno_text(code).map { String(cString: $0) } ?? "the kernel answered \(code)")
    }

    static func notPermitted(_ path: String, _ reason: String) -> ConfinedFailure {
        ConfinedFailure(code: "EPERM", path: path, reason)
    }

    static func notFile(_ path: String) -> ConfinedFailure {
        ConfinedFailure(
            code: "ENOTFILE", path: path, "is neither file nor folder; nothing is read from or written to it")
    }

    var description: String { "\(path.map { "\($0): " } ?? "")\(reason) (\(code))" }

    /// Section 10 of the platform specification; a code that is not there has no flag.
    private static let flagOfCode = [
        "ENOENT": "notFound", "EEXIST": "alreadyExists", "ENOTDIR": "notDirectory", "ENOTFILE": "notFile",
        "EISDIR": "isDirectory", "ENOTEMPTY": "notEmpty", "EPERM": "opNotPermitted", "EBUSY": "busy",
        "EIO": "ioError", "ENOSYS": "notImplemented",
    ]

    var exception: RuntimeException {
        var fields: [String: RuntimeException.Field] = ["code": .text(code), "message": .text(description)]
        if let path { fields["path"] = .text(path) }
        if let flag = Self.flagOfCode[code] { fields[flag] = .flag(true) }
        return RuntimeException(type: "file", fields)
    }
}
