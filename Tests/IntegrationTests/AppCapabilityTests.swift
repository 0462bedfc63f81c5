import Control
import Foundation
import TestSupport
import Testing

/// Every member of `shell` and `system`, called by components in processes.
@Suite struct AppCapabilityTests {
    private static let evaluating = """
        const AsyncFunction = (async () => {}).constructor;
        w3nRPC.serve('Run', { evaluate: text => new AsyncFunction(text)() });
        """

    private static func manifest(
        _ domain: String, caps: String, component: String = "", more: String = ""
    ) -> String {
        """
        {"appDomain": "\(domain)", "version": "1.0.0", "name": "Test"\(more), "components": {"/main.js": {
          "runtime": "deno", "capsRequested": \(caps), "services": {"Run": {}}\(component)}}}
        """
    }

    /// `asking.test` asks for all of `shell`; `giving.test` has commands and shared files.
    private static let shellApps: [String: String] = [
        "asking.test/manifest.json": manifest(
            "asking.test",
            caps: #"""
                {"shell": {"startAppCmds": {"otherApps": {"giving.test": ["show"]}},
                 "fsResource": {"otherApps": {"giving.test": ["settings", "folder"]}}, "userNotifications": true,
                 "openURL": [{"schema": "https", "domain": "example.org"}], "openDashboard": true}}
                """#),
        "asking.test/app/main.js": evaluating,
        "giving.test/manifest.json": manifest(
            "giving.test", caps: #"{"storage": {"appFS": "default"}}"#,
            component: #", "startCmds": {"show": {"otherApps": ["asking.test"]}}"#,
            more: #"""
                , "exposedFSResources": {
                  "settings": {"allow": {"otherApps": "*"}, "appStorage": "local", "path": "s.json", "itemType": "file",
                   "initValueSrc": "first.json"},
                  "folder": {"allow": {"otherApps": "*"}, "appStorage": "synced", "path": "shared",
                   "itemType": "folder"}}
                """#),
        "giving.test/app/main.js": """
        \(evaluating)
        globalThis.seen = [];
        seen.push(await w3n.shell.getStartedCmd());
        w3n.shell.watchStartCmds({ next: command => { seen.push(command); } });
        """,
        "giving.test/app/first.json": #"{"first": 1}"#,
        "launcher.app.privacysafe.io/manifest.json": #"{"appDomain": "launcher.app.privacysafe.io", "version": "1"}"#,
        "launcher.app.privacysafe.io/app/index.html": "<html>",
    ]

    private static let bothSeen = """
        while (seen.length < 2) { await new Promise(resolve => setTimeout(resolve, 5)); }
        return seen;
        """

    private func run(_ supervisor: RunningSupervisor, _ domain: String, _ text: String) throws -> String {
        JSONWriter.text(try supervisor.call(domain, "Run", "evaluate", [.string(text)]))
    }

    @Test func shellCommandsAndSharedFiles() throws {
        let supervisor = try RunningSupervisor(apps: Self.shellApps)
        #expect(try supervisor.row("giving.test/main.js").state == "down")
        let command = "await w3n.shell.startAppWithParams('giving.test', 'show', 1, { a: 'b' });"
        _ = try run(supervisor, "asking.test", command)
        #expect(try supervisor.row("giving.test/main.js").state == "running")
        _ = try run(supervisor, "asking.test", command)
        let given = #"{"cmd":"show","params":[1,{"a":"b"}]}"#
        #expect(try run(supervisor, "giving.test", Self.bothSeen) == "[\(given),\(given)]")
        #expect(
            try run(
                supervisor, "asking.test",
                """
                const file = await w3n.shell.getFSResource('giving.test', 'settings');
                return [await file.readJSON(), file.writable, typeof file.writeJSON];
                """) == #"[{"first":1},false,"undefined"]"#)
        #expect(
            try run(
                supervisor, "asking.test",
                "return w3n.shell.getFSResource('giving.test', 'folder').catch(e => [e.type, e.resourceNotFound])")
                == #"["fs-resource",true]"#)
        _ = try run(
            supervisor, "giving.test",
            "await (await w3n.storage.getAppSyncedFS()).writeTxtFile('shared/f', 'text', { create: true })")
        #expect(
            try run(
                supervisor, "asking.test",
                """
                const fs = await w3n.shell.getFSResource('giving.test', 'folder');
                return [await fs.readTxtFile('f'), fs.writable, await fs.listFolder('')];
                """) == #"["text",false,[{"name":"f","isFile":true}]]"#)
        #expect(try supervisor.end() == 0)
    }

    @Test func shellNotificationsURLsAndTheDashboard() throws {
        let supervisor = try RunningSupervisor(apps: Self.shellApps)
        #expect(
            try run(
                supervisor, "asking.test",
                """
                const { userNotifications } = w3n.shell;
                const events = [];
                const stop = userNotifications.watch({ next: event => { events.push(event.type); } });
                const id = await userNotifications.addNotification({ title: 'Ada', body: 'writes' });
                const [{ title }] = await userNotifications.listNotifications();
                await userNotifications.removeNotification(id);
                stop();
                return [title, await userNotifications.listNotifications(), events];
                """) == #"["Ada",[],["shown","closed"]]"#)
        try supervisor.line("asking.test/main.js notifies the user: Ada: writes")
        // Without a desktop there is no program for it; without the manifest's leave nobody is asked.
        #expect(
            try run(
                supervisor, "asking.test",
                """
                const open = url => w3n.shell.openURL(url).catch(e => [e.type, e.noHandler, e.urlNotAllowed]);
                return [await open('https://example.org/'), await open('https://other.example/')];
                """) == #"[["open-external",true,null],["shell",null,true]]"#)
        _ = try run(supervisor, "asking.test", "await w3n.shell.openDashboard()")
        try supervisor.line("a window was asked for", about: "launcher.app.privacysafe.io/index.html")
        #expect(try supervisor.end() == 0)
    }

    @Test func systemApps() throws {
        let platform = try AppPlatform(
            packs: SmallApps.app("b.test", ["main.js": SmallApps.echo], services: ["main.js": ["Echo"]]),
            apps: Self.shellApps)
        let seen = try platform.evaluate(
            """
            const { opener, installer } = w3n.system.apps;
            const seen = [];
            const events = [];
            const stop = installer.watchApps({ next: ({ type }) => { events.push(type); } });
            const progress = await new Promise((resolve, reject) => {
                const all = [];
                installer.addPackFromBundledApps('b.test', {
                    next: value => all.push(value), complete: () => resolve(all), error: reject });
            });
            seen.push(progress.at(-1));
            seen.push(await installer.listBundledApps(), await installer.listAllAppsPacks());
            seen.push(await installer.listAppPacks('b.test'));
            seen.push((await installer.getAppManifest('b.test', '1.0.0')).appDomain);
            seen.push((await installer.getAppFileBytes('b.test', 'main.js', '1.0.0')).length > 100);
            seen.push(await installer.installApp('b.test', '1.0.0'));
            seen.push((await opener.listCurrentApps()).length);
            seen.push((await opener.getAppManifestOfCurrent('b.test')).version);
            seen.push((await opener.getAppFileBytesOfCurrent('b.test', 'main.js')).length > 100);
            await opener.openApp('b.test', '/main.js');
            await opener.openApp('launcher.app.privacysafe.io');
            await opener.executeCommand('giving.test', { cmd: 'show', params: [] });
            await opener.triggerAllStartupLaunchers();
            await opener.closeAppsAfterUpdate(['b.test']);
            seen.push((await w3n.system.monitor.listProcs()).map(({ appId }) => appId).sort());
            seen.push((await w3n.system.monitor.listConnectionsToAppServices('admin.test')).length);
            await installer.uninstallApp('b.test');
            await installer.removeAppPack('b.test', '1.0.0');
            stop();
            seen.push(events, Object.keys(await w3n.system.platform.getCurrentVersion()));
            return seen;
            """)
        #expect(
            JSONWriter.text(seen)
                == #"[{"numOfFiles":2,"numOfProcessed":2},[{"id":"b.test","version":"1.0.0"}],"#
                + #"[{"id":"b.test","versions":["1.0.0"]}],["1.0.0"],"b.test",true,"all-done",5,"1.0.0",true,"#
                + #"["admin.test","b.test","giving.test"],1,["installed","uninstalled","pack-removed"],"#
                + #"["platform","bundle","apps","app-packs","runtimes"]]"#)
        #expect(try platform.supervisor.end() == 0)
    }

    @Test func aSystemAppWithoutTheConfigurationsLeaveHasNoSystem() throws {
        let supervisor = try RunningSupervisor(
            apps: SmallApps.app(
                "a.test", ["main.js": Self.evaluating], services: ["main.js": ["Run"]],
                caps: #"{"system": {"apps": "all"}, "teleport": true}"#))
        try supervisor.line("a.test, component /main.js: capsRequested: \"system\" is left out")
        try supervisor.line("a.test, component /main.js: capsRequested: unknown capabilities teleport are left out")
        #expect(
            try run(supervisor, "a.test", "return Object.keys(w3n).sort()")
                == #"["closeSelf","log","myVersion","rpc","ui"]"#)
        #expect(try supervisor.end() == 0)
    }
}
