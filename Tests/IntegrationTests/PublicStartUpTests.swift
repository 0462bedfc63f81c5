import TestSupport
import Testing

/// Components that do at their start what the public ones were seen to do, on the embedded core.
@Suite struct PublicStartUpTests {
    private static let storage = #""storage": {"appFS": "default"}"#

    /// Runs an app until its one component has written "started": the lines of its log, and of the supervisor's.
    private func lines(of id: String, _ app: [String: String]) throws -> (component: [String], supervisor: [String]) {
        let supervisor = try RunningSupervisor(apps: app)
        let log = try RunningProgram(
            "corehost", ["logs", "-f", id], environment: ["COREHOST_SOCKET": supervisor.socket])
        try log.line { $0.contains("started") || $0.contains("component ended") }
        let seen = log.lines
        #expect(seen.contains { $0.contains("started") }, "\(seen)")
        #expect(try supervisor.end() == 0)
        return (seen, supervisor.program.lines)
    }

    /// Two services, both storages, a file resource that nobody gives, mail; `log: "all"`, which no library knows.
    @Test func aChatLikeComponentStarts() throws {
        let code = """
            const user = await w3n.mailerid.getUserId();
            const formFactor = await w3n.ui.uiFormFactor();
            const local = await w3n.storage.getAppLocalFS();
            const synced = await w3n.storage.getAppSyncedFS();
            await local.writeTxtFile('db/local.txt', user);
            await synced.writeTxtFile('db/synced.txt', user);
            const resource = await w3n.shell.getFSResource('other.example.org', 'photos').then(
                () => 'given', exception => exception.runtimeException === true);
            for (const service of ['ChatA', 'ChatB']) {
                w3n.rpc.exposeService(service, { next() {}, error: error => { throw error; } });
            }
            const mail = await w3n.mail.inbox.listMsgs().then(() => 'listed', exception => exception.message);
            self.onunhandledrejection = event => console.log('unhandled', event.reason);
            await w3n.log('info', `seen ${user} ${formFactor} ${resource}`);
            console.log(mail);
            console.log('started');
            """
        let domain = "chat.example.org"
        let app = SmallApps.app(
            domain, ["main.mjs": code], services: ["main.mjs": ["ChatA", "ChatB"]],
            caps: """
                {\(Self.storage), "mailerid": true, "mail": {"sendingTo": "all", "receivingFrom": "all"}, \
                "shell": {"fsResource": {"otherApps": {"other.example.org": "photos"}}}, "appRPC": ["ChatA", "ChatB"], "log": "all"}
                """)
        let (lines, supervisor) = try lines(of: "\(domain)/main.mjs", app)
        #expect(supervisor.contains { $0.contains("unknown capabilities log are left out") })
        // By the client, as the platform's log was not asked for.
        #expect(lines.contains { $0.contains("seen user@local desktop true") }, "\(lines)")
        #expect(lines.contains { $0.contains("not available in the embedded core") }, "\(lines)")
    }

    /// Synced storage that is watched, two services of which one is open to all.
    @Test func aContactsLikeComponentStarts() throws {
        let code = """
            const synced = await w3n.storage.getAppSyncedFS();
            const events = [];
            const changed = new Promise(done => {
                synced.watchTree('', 5, { next(event) { events.push(event.type); done(); }, error: done });
            });
            await synced.writeTxtFile('contacts/1.json', '{}');
            await changed;
            const user = await w3n.mailerid.getUserId();
            for (const service of ['Contacts', 'ContactsForAll']) {
                w3n.rpc.exposeService(service, { next() {}, error: error => { throw error; } });
            }
            console.log(user, events.length > 0, 'preflight', await w3n.mail.delivery.preFlight(user).then(
                () => 'done', exception => exception.runtimeException === true));
            console.log('started');
            """
        let domain = "contacts.example.org"
        let app = SmallApps.app(
            domain, ["services.js": code], services: ["services.js": ["Contacts", "ContactsForAll"]],
            caps: #"{\#(Self.storage), "mailerid": true, "mail": {"preflightsTo": "all"}, "log": "all"}"#)
        let lines = try lines(of: "\(domain)/services.js", app).component
        #expect(lines.contains { $0.contains("user@local true preflight true") }, "\(lines)")
    }

    /// Synced storage that is watched, news of the network, one service.
    @Test func aTreasureLikeComponentStarts() throws {
        let code = """
            const synced = await w3n.storage.getAppSyncedFS();
            synced.watchTree('', 3, { next() {}, error: error => { throw error; } });
            const state = await w3n.connectivity.isOnline();
            const stop = w3n.connectivity.watch({ next() {}, error: error => { throw error; } });
            w3n.rpc.exposeService('Notes', { next() {}, error: error => { throw error; } });
            console.log(['online_80%', 'offline_99%'].includes(state), typeof stop);
            console.log('started');
            """
        let domain = "treasure.example.org"
        let app = SmallApps.app(
            domain, ["services.js": code], services: ["services.js": ["Notes"]],
            caps: #"{\#(Self.storage), "connectivity": "check", "log": "all"}"#)
        let lines = try lines(of: "\(domain)/services.js", app).component
        #expect(lines.contains { $0.contains("true function") }, "\(lines)")
    }
}
