import Control
import Foundation
import TestSupport

/// A supervisor with accounts, and words about its users.
struct Accounts {
    let supervisor: RunningSupervisor

    init(
        apps: [String: String]? = Accounts.oneApp, options: [String] = [], resources: String? = nil,
        folder: TemporaryFolder? = nil, configuration: String? = nil, environment: [String: String] = [:]
    ) throws {
        supervisor = try RunningSupervisor(
            apps: apps, configuration: configuration, resources: resources ?? RunningSupervisor.resources,
            options: options, isLocal: false, folder: folder, environment: environment)
    }

    static let oneApp = SmallApps.app("e.test", ["e.mjs": SmallApps.echo], services: ["e.mjs": ["Echo"]])

    /// Runs `command` with a file that holds the password.
    func corehost(_ command: String, _ address: String, _ password: String) throws -> (code: Int32, lines: [String]) {
        try RunningSupervisor.corehost(
            [command, address, "--password-file", try passwordFile(password)], ["COREHOST_SOCKET": supervisor.socket])
    }

    /// The same, not waited for.
    func begin(_ command: String, _ address: String, _ password: String) throws -> RunningProgram {
        try RunningProgram(
            "corehost", [command, address, "--password-file", try passwordFile(password)],
            environment: ["COREHOST_SOCKET": supervisor.socket])
    }

    func passwordFile(_ password: String) throws -> String {
        let path = try supervisor.folder.write(password + "\n", to: "password-\(UUID().uuidString)")
        chmod(path, 0o600)
        return path
    }

    func status() throws -> StatusReply {
        try supervisor.client().ask(.status, as: StatusReply.self, within: .seconds(10))
    }

    func users() throws -> [UsersReply.User] {
        try supervisor.client().ask(.users, as: UsersReply.self, within: .seconds(10)).users
    }
}

/// Resources whose core holds every password's work back until `release`.
struct HeldLogins {
    private let probe: CoreProbe
    private let go: String

    var resources: String { probe.path }

    init() throws {
        probe = try CoreProbe(
            before: """

                (() => {
                const dispatch = globalThis.__nativeCallDispatch;
                const isLetGo = async () => (await dispatch('assets_listFolder', [false, '']))
                    .some(({ name }) => name === '.go');
                globalThis.__nativeCallDispatch = (name, args) => name !== 'nacl_scrypt' ? dispatch(name, args)
                    : (async () => {
                        console.info('a login is held');
                        while (!await isLetGo()) { await dispatch('delay', [5]); }
                        return dispatch(name, args);
                    })();
                })();
                """)
        go = ".go"
    }

    /// Waits until a login has come to its password's work.
    func wait(_ accounts: Accounts, from start: Int = 0) throws {
        try accounts.supervisor.program.line(from: start) { $0.contains("a login is held") }
    }

    func release(_ accounts: Accounts) throws { try accounts.supervisor.folder.write("", to: "apps/\(go)") }
}
