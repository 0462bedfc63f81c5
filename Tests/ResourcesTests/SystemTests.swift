import Testing

/// The capability `system`: who has which part of it, and what the parts but installing say and do.
@Suite struct SystemTests {
    private static let fixture = #"""
        const started = async (system, options = {}) => {
            const platform = await platformUnderTest({
                systemApps: ['admin.test'], ...options,
                apps: { ...appFiles('admin.test', { '/main.js': { capsRequested: { system } } }), ...options.apps },
            });
            await platform.init();
            return { platform, w3n: (await platform.launch('admin.test/main.js')).w3n };
        };
        const settle = async () => { for (let turn = 0; turn < 20; turn += 1) { await nextTurn(); } };
        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.fixture + script) }

    @Test func aSystemAppHasThePartsThatItAsksFor() throws {
        try run(
            #"""
            const keys = value => (typeof value === 'object' ? Object.fromEntries(
                Object.entries(value).map(([key, member]) => [key, keys(member)])) : 'function');
            const names = ['listCurrentApps', 'getAppManifestOfCurrent', 'getAppFileBytesOfCurrent', 'openApp',
                'executeCommand', 'triggerAllStartupLaunchers', 'closeAppsAfterUpdate'];
            const opener = Object.fromEntries(names.map(name => [name, 'function']));
            const monitor = { listProcs: 'function', listConnectionsToAppServices: 'function' };
            for (const [asked, given] of [
                [{ apps: ['opener'] }, { apps: { opener } }],
                [{ apps: ['downloader'] }, undefined],
                [{ monitor: true }, { monitor }],
                [{ monitor: 'all', platform: true }, { monitor, platform: { getCurrentVersion: 'function' } }],
                [{ monitor: false }, undefined],
                [{}, undefined],
            ]) {
                const { w3n } = await started(asked);
                same(w3n.system && keys(w3n.system), given, JSON.stringify(asked));
            }
            const { w3n } = await started({ apps: 'all' });
            same(Object.keys(w3n.system.apps), ['opener', 'installer']);
            """#)
    }

    @Test func nobodyElseHasIt() throws {
        try run(
            #"""
            const all = { apps: 'all', monitor: 'all', platform: 'all', logout: true, userLogin: 'all' };
            const warnings = [];
            const { warn } = console;
            console.warn = message => warnings.push(message);
            const { w3n } = await started(all, { systemApps: ['other.test', 'min.test', 'x.admin.test'] });
            console.warn = warn;
            same(w3n.system, undefined);
            same(warnings, ['admin.test, component /main.js: capsRequested: "system" is left out: only system apps '
                + 'have it; the configuration\'s "systemApps" can name this one']);
            const domain = 'startup.app.privacysafe.io';
            const platform = await platformUnderTest({
                apps: appFiles(domain, { '/main.js': { capsRequested: { system: { monitor: 'all' } } } }) });
            await platform.init();
            same(Object.keys((await platform.launch(`${domain}/main.js`)).w3n.system), ['monitor']);
            """#)
    }

    @Test func wrongRequestsAreProblemsAndUnknownOnesWarnings() throws {
        try run(
            #"""
            const problems = async capsRequested => {
                const platform = await platformUnderTest({ systemApps: ['a.test'],
                    apps: appFiles('a.test', { '/main.js': { capsRequested } }) });
                await platform.init();
                return __coreCall('listComponents').problems.map(({ message }) => message);
            };
            const where = 'a.test/manifest.json: component /main.js: capsRequested: ';
            for (const [caps, message] of [
                [{ system: 7 }, '"system" is 7; make it an object'],
                [{ system: { apps: ['openers'] } },
                    'system: "apps" is ["openers"]; make it "all" or a list of "opener", "installer", "downloader"'],
                [{ system: { logout: 'yes' } }, 'system: "logout" is "yes"; make it "all", true or false'],
                [{ shell: [] }, '"shell" is []; make it an object'],
                [{ shell: { userNotifications: 'all' } }, 'shell: "userNotifications" is "all"; make it true or false'],
                [{ shell: { startAppCmds: 'x' } },
                    'shell: "startAppCmds" is "x"; make it an object with "thisApp" or "otherApps"'],
                [{ shell: { fsResource: { otherApps: { 'b.test': 7 } } } }, 'shell: fsResource: "otherApps" is '
                    + '{"b.test":7}; make it an object of names, or lists of names, by app domain'],
                [{ shell: { openURL: ['https://x'] } }, 'shell: "openURL" is ["https://x"]; make it "all" or a list '
                    + 'of {"schema", "domain", "subdomains"} or {"schema", "anyDomain"}'],
            ]) {
                same(await problems(caps), [where + message]);
            }
            const warnings = [];
            const { warn } = console;
            console.warn = message => warnings.push(message);
            same(await problems({ shell: { openFile: 'all' }, system: { magic: 1, monitor: 'all' }, flight: true,
                storage: { appFS: [{ domain: 'b.test', storage: 'local' }] } }), []);
            console.warn = warn;
            const from = 'a.test, component /main.js: capsRequested: ';
            same(warnings.map(text => text.slice(0, text.indexOf('; '))), [
                `${from}shell: unknown or not served here: openFile`,
                `${from}system: unknown or not served here: magic`,
                `${from}unknown capabilities flight are left out`,
                `${from}storage: "b.test" is another app's`]);
            """#)
    }

    @Test func theMonitorTellsWhatRunsAndWhoIsConnected() throws {
        try run(
            #"""
            const { platform, w3n: { system: { monitor } } } = await started({ monitor: 'all' }, {
                apps: {
                    ...appFiles('a.test', { '/caller.js': { capsRequested: { appRPC: ['One'],
                        otherAppsRPC: [{ app: 'b.test', service: 'Many' }] } },
                        '/one.js': { services: { One: { thisAppComponents: '*' } }, forOneConnectionOnly: true } }),
                    ...appFiles('b.test', { '/many.js': { services: { Many: { otherApps: '*' } } } }),
                },
                programs: {
                    'a.test/one.js': (w3n, w3nRPC) => w3nRPC.serve('One', { f: async () => 1 }),
                    'b.test/many.js': (w3n, w3nRPC) => w3nRPC.serve('Many', { f: async () => 1 }),
                },
            });
            const { w3n } = await platform.launch('a.test/caller.js');
            const connections = [await w3n.rpc.thisApp('One'), await w3n.rpc.thisApp('One'),
                await w3n.rpc.otherAppsRPC('b.test', 'Many')];
            same(await monitor.listProcs(), [
                ['admin.test', '/main.js', 1], ['a.test', '/caller.js', 1], ['a.test', '/one.js', 2],
                ['b.test', '/many.js', 1],
            ].map(([appId, entrypoint, numOfInstances]) =>
                ({ appId, version: '1.2.3', entrypoint, runtime: 'deno', numOfInstances })));
            same(await monitor.listConnectionsToAppServices('a.test'), Array(2).fill(
                { service: 'One', entrypoint: '/one.js', caller: { thisAppComponent: '/caller.js' } }));
            same(await monitor.listConnectionsToAppServices('b.test'), [{ service: 'Many', entrypoint: '/many.js',
                caller: { otherApp: { appId: 'a.test', component: '/caller.js' } } }]);
            same(await monitor.listConnectionsToAppServices('none.test'), undefined);
            await connections[2].close();
            same(await monitor.listConnectionsToAppServices('b.test'), []);
            """#)
    }

    @Test func theOpenerStartsComponentsCommandsAndLaunchers() throws {
        try run(
            #"""
            const windows = [];
            const commands = [];
            const { platform, w3n: { system: { apps: { opener } } } } = await started({ apps: ['opener'] }, {
                apps: {
                    ...appFiles('a.test', { '/start.js': {}, '/cmd.js': { startCmds: { run: {}, both: {} } } }, {
                        launchOnSystemStartup: [{ component: '/start.js' }, { startCmd: { cmd: 'run', params: [1] } },
                            { startCmd: { cmd: 'none' } }, { startCmd: 'run' }] }),
                    'page.test/manifest.json': JSON.stringify({ appDomain: 'page.test', version: '1' }),
                    'page.test/app/index.html': '<html>',
                },
                programs: { 'a.test/cmd.js': async w3n => {
                    commands.push(await w3n.shell.getStartedCmd());
                    w3n.shell.watchStartCmds({ next: command => commands.push(command) });
                } },
                ports: { ui_startAppActivity: (connectorId, domain, path) => { windows.push(domain + path); } },
            });
            const running = () => [...platform.components.values()].map(({ id }) => id).slice(1);
            await opener.triggerAllStartupLaunchers();
            await settle();
            same([running(), commands], [['a.test/start.js', 'a.test/cmd.js'], [{ cmd: 'run', params: [1] }]]);
            await opener.triggerAllStartupLaunchers();
            await opener.executeCommand('a.test', { cmd: 'both', params: ['x'] });
            await settle();
            same([running().length, commands.slice(1).map(({ cmd }) => cmd)], [2, ['run', 'both']]);
            await opener.openApp('page.test');
            await opener.openApp('a.test', '/start.js');
            same([windows, running().length], [['page.test/index.html'], 2]);
            same((await rejection(opener.openApp('a.test'))).componentNotFound, true);
            same((await rejection(opener.openApp('none.test'))).notInstalled, true);
            same((await rejection(opener.executeCommand('a.test', { cmd: 'none', params: [] }))).commandNotFound, true);
            for (const bad of [undefined, 'run', { cmd: 7 }, { cmd: 'run', params: 'x' }]) {
                same((await rejection(opener.executeCommand('a.test', bad))).badParams, true);
            }
            same((await rejection(opener.closeAppsAfterUpdate('a.test'))).badArgument, true);
            await opener.closeAppsAfterUpdate(['a.test', 'none.test']);
            same(platform.closed, []);
            const shown = __coreCall('listComponents').problems.map(({ message }) => message);
            holds(shown.length === 2 && shown[0].includes('command "none", which no usable component')
                && shown[1].includes('"startCmd" is "run"; make it {"cmd", "params"}'), JSON.stringify(shown));
            """#)
    }

    @Test func theVersionsOfWhatIsThere() throws {
        try run(
            #"""
            const packs = await packFiles('b.test', '3.0', { 'manifest.json': '{}' });
            const { w3n } = await started({ platform: 'all' }, { packs });
            same(await w3n.system.platform.getCurrentVersion(), {
                platform: '0', bundle: '0', apps: { 'admin.test': '1.2.3' },
                'app-packs': { 'b.test': '3.0' }, runtimes: {},
            });
            """#)
    }
}
