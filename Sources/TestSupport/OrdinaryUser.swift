internal import Glibc

/// The user `nobody`, for tests that run as root and want a program to run as somebody who is not.
public struct OrdinaryUser: Sendable {
    public let id: UInt32
    public let group: UInt32

    private static let setpriv = "/usr/bin/setpriv"

    /// Nil: the tests do not run as root, or the machine has no such user or nothing that makes one of a process.
    public static let nobody: OrdinaryUser? = {
        guard geteuid() == 0, access(setpriv, X_OK) == 0, let entry = getpwnam("nobody") else { return nil }
        return OrdinaryUser(id: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }()

    /// What runs `program` as this user, with the process that it is started as.
    public func command(_ program: String) -> [String] {
        [Self.setpriv, "--reuid=\(id)", "--regid=\(group)", "--clear-groups", program]
    }

    /// Writes a program that is `program` as this user.
    public func script(for program: String, in folder: TemporaryFolder) throws -> String {
        let words = command(program).map { "'\($0)'" }.joined(separator: " ")
        let path = try folder.write("#!/bin/sh\nexec \(words) \"$@\"\n", to: "as-nobody")
        guard chmod(path, 0o755) == 0 else { throw TestFailure("\(path): errno \(errno)") }
        return path
    }

    /// Gives the folder away, so that this user may write in it.
    public func own(_ folder: TemporaryFolder) throws {
        guard chown(folder.path, id, group) == 0 else { throw TestFailure("\(folder.path): errno \(errno)") }
    }
}
