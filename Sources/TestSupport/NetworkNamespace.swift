internal import Foundation
internal import Glibc

/// A network of a test's own around a supervisor: without a link at first, and changed by `ip`.
public final class NetworkNamespace: Sendable {
    private let folder: TemporaryFolder

    /// A program to be started in the place of `corehost`.
    public let program: String

    /// Nil where the kernel gives none to this user, or where programs are missing; the reason is printed.
    public init?() throws {
        let check = try RunningProgram(
            "/usr/bin/env", ["sh", "-c", "unshare -rn true && command -v ip nsenter"], environment: Self.environment)
        guard try check.waitForExit() == 0 else {
            print("no network namespace here, so the network is not changed in this test: \(check.lines)")
            return nil
        }
        folder = try TemporaryFolder()
        program = try folder.write(
            """
            #!/bin/sh
            PATH=/usr/sbin:/usr/bin:/sbin:/bin
            exec unshare -rn "\(RunningProgram.folder)/corehost" "$@"
            """, to: "corehost-in-namespace")
        chmod(program, 0o755)
    }

    private static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    /// Runs `ip` with these arguments in the network of the process `pid`.
    public func ip(_ arguments: String, of pid: Int32) throws {
        let command = try RunningProgram(
            "/usr/bin/nsenter",
            ["-t", "\(pid)", "-U", "-n", "--preserve-credentials", "ip"]
                + arguments.split(separator: " ").map(String.init),
            environment: Self.environment)
        guard try command.waitForExit() == 0 else { throw TestFailure("ip \(arguments): \(command.lines)") }
    }
}
