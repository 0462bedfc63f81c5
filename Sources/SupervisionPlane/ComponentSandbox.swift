internal import Confinement
internal import Control
internal import Glibc
internal import SandboxPolicy
internal import Wire

/// What all components are confined by, made once.
struct ComponentSandbox {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Nil: `--no-sandbox`.
    let order: SandboxOrder?
    /// What this kernel, or the way the supervisor was started, does not give.
    let missing: [SandboxReport.Missing]

    init(_ options: RunOptions) throws {
        guard options.isSandboxed else {
            order = nil
            missing = []
            return
        }
        var missing = SandboxSurvey.missing()
        let filter = missing.contains { $0.wall == .systemCalls } ? [] : try SystemCallFilter.program()
        order = SandboxOrder(filter: filter, user: try Self.user(options, &missing))
        self.missing = missing
    }

    /// Who components are when the supervisor is root; nil: who it is.
    private static func user(
        _ options: RunOptions, _ missing: inout [SandboxReport.Missing]
    ) throws(Failure) -> SandboxOrder.User? {
        guard geteuid() == 0 else {
            guard options.componentUser == nil else {
                throw Failure(
                    description: "--component-user: only root can give components another user; leave it out")
            }
            return nil
        }
        if options.allowsRootComponents, options.componentUser == nil {
            missing.append(.init(.componentUser, "components run as root, as --allow-root-components says"))
            return nil
        }
        let name = options.componentUser ?? "nobody"
        guard let entry = getpwnam(name) else {
            throw Failure(
                description: "components cannot run as \(name), there is no such user; name another one with"
                    + " --component-user, or run corehost as an ordinary user")
        }
        guard entry.pointee.pw_uid != 0 || options.allowsRootComponents else {
            throw Failure(
                description: "components do not run as root: name another user with --component-user, or say"
                    + " --allow-root-components")
        }
        let user = SandboxOrder.User(id: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
        guard UserNamespace.has(user) else {
            let reason = "this root's user namespace has no user \(name)"
            guard options.componentUser == nil else {
                throw Failure(description: "--component-user: \(reason); leave it out, or map that user")
            }
            missing.append(.init(.componentUser, reason))
            return nil
        }
        return user
    }

    /// For `status`.
    var summary: String {
        guard order != nil else { return "off: components can do all that this user can (--no-sandbox)" }
        return missing.isEmpty ? "on" : "degraded: " + missing.map(Self.text).joined(separator: "; ")
    }

    /// `landlock-network: the kernel has version 3 of Landlock, and 4 is needed (Linux 6.7)`.
    static func text(_ missing: SandboxReport.Missing) -> String { "\(missing.wall.name): \(missing.reason)" }
}
