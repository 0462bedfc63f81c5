internal import Glibc
internal import JSEngine

/// The platform's start with the user's login to the machine: a unit of systemd's manager for that user.
public struct AutoStartup: Sendable, Equatable {
    /// Name of the unit's file; each data folder has its own.
    public let unit: String
    /// The program and its arguments.
    public let command: [String]
    /// `systemd/user` in the user's configuration; nil without a home.
    let folder: String?
    /// The manager's socket; nil without a folder for the user's sockets.
    let manager: String?

    struct Failure: Error, Equatable, ExceptionConvertible, CustomStringConvertible {
        enum Kind: String { case notAvailable, notWritten }
        let kind: Kind
        let description: String

        var exception: RuntimeException {
            RuntimeException(type: "auto-startup", [kind.rawValue: .flag(true), "message": .text(description)])
        }
    }

    /// - Parameters:
    ///   - environment: `XDG_CONFIG_HOME`, `HOME` and `XDG_RUNTIME_DIR` count.
    ///   - name: tells this data folder from others.
    public init(environment: [String: String], name: String, command: [String]) {
        func absolute(_ key: String) -> String? { environment[key].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        unit = "corehost-\(name).service"
        self.command = command
        folder = (absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { $0 + "/.config" }).map { $0 + "/systemd/user" }
        manager = absolute("XDG_RUNTIME_DIR").map { $0 + "/systemd/private" }
    }

    /// Why there is no such start here; nil where there is.
    var obstacle: String? {
        guard let manager else { return "there is no XDG_RUNTIME_DIR, and so no service manager of the user's" }
        guard folder != nil else { return "there is no HOME to write a unit to" }
        return access(manager, F_OK) == 0
            ? nil : "no service manager of the user's runs: \(manager) is not there; systemd starts one with a login"
    }

    var isSet: Bool {
        guard let folder else { return false }
        return faccessat(AT_FDCWD, wants(folder), F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// What `systemctl --user enable` and `disable` do with a unit, which count from the next login on.
    func set(_ isWanted: Bool) throws(Failure) {
        if let obstacle { throw Failure(kind: .notAvailable, description: obstacle) }
        guard let folder else { return }
        guard isWanted else {
            for path in [wants(folder), "\(folder)/\(unit)"] where unlink(path) != 0 && errno != ENOENT {
                throw failure("remove", path)
            }
            return
        }
        try makeFolder("\(folder)/default.target.wants")
        try write(text, to: "\(folder)/\(unit)")
        if symlink("../\(unit)", wants(folder)) != 0, errno != EEXIST { throw failure("link", wants(folder)) }
    }

    /// The unit file.
    var text: String {
        ServiceUnit(owner: .managerOfUser, command: command.map(Self.quoted).joined(separator: " ")).text
    }

    private func wants(_ folder: String) -> String { "\(folder)/default.target.wants/\(unit)" }

    /// As systemd reads a word of a command line: quotes, escapes, no variables and specifiers.
    static func quoted(_ word: String) -> String {
        var text = "\""
        for scalar in word.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "$", "%": text += "\(scalar)\(scalar)"
            case "\u{1}"..."\u{1f}", "\u{7f}":
                text += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    private func makeFolder(_ path: String) throws(Failure) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, 0o700) != 0, errno != EEXIST { throw failure("make", made) }
        }
    }

    private func write(_ text: String, to path: String) throws(Failure) {
        let draft = "\(path).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("write", draft) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw failure("write", draft)
        }
        guard rename(draft, path) == 0 else { throw failure("rename", draft) }
    }

    private func failure(_ what: String, _ path: String) -> Failure {
        Failure(kind: .notWritten, description: "cannot \(what) \(path): \(String(cString: strerror(errno)))")
    }
}
