import Testing

/// The capability `shell` through the wire: commands, shared files, notifications, URLs.
@Suite struct ShellTests {
    private static let commands = #"""
        const commandApps = rule => ({
            ...appFiles('a.test', { '/main.js': { capsRequested: { shell: { startAppCmds: {
                thisApp: 'own', otherApps: { 'b.test': ['show', 'other'], 'gone.test': 'x' } } } } },
                '/own.js': { startCmds: { own: { thisAppComponents: ['main.js'] }, closed: {} } } }),
            ...appFiles('b.test', { '/work.js': { startCmds: { show: rule, other: { otherApps: ['c.test'] } } } }),
        });
        const seen = [];
        const watching = async w3n => {
            seen.push(['started', await w3n.shell.getStartedCmd()]);
            w3n.shell.watchStartCmds({ next: command => seen.push(['watched', command]) });
        };
        const settle = async () => { for (let turn = 0; turn < 20; turn += 1) { await nextTurn(); } };
        """#

    @Test func aCommandStartsItsComponentAndLaterOnesAreWatched() throws {
        try CoreContext.run(
            Self.commands
                + #"""
                const platform = await platformUnderTest({
                    apps: commandApps({ otherApps: '*' }),
                    programs: { 'b.test/work.js': watching, 'a.test/own.js': watching },
                });
                await platform.init();
                const { w3n } = await platform.launch('a.test/main.js');
                same(Object.keys(w3n.shell), ['startAppWithParams']);
                await w3n.shell.startAppWithParams('b.test', 'show', 1, { deep: ['x'] });
                await settle();
                same(seen, [['started', { cmd: 'show', params: [1, { deep: ['x'] }] }]]);
                await w3n.shell.startAppWithParams('b.test', 'show');
                await w3n.shell.startAppWithParams(null, 'own', 2);
                await settle();
                same(seen.slice(1),
                    [['watched', { cmd: 'show', params: [] }], ['started', { cmd: 'own', params: [2] }]]);
                same([...platform.components.values()].map(({ id }) => id),
                    ['a.test/main.js', 'b.test/work.js', 'a.test/own.js']);
                """#)
    }

    @Test func listsOfBothSidesDecideWhoGivesACommand() throws {
        try CoreContext.run(
            Self.commands
                + #"""
                const platform = await platformUnderTest({ apps: commandApps({ otherApps: ['c.test'] }) });
                await platform.init();
                const { w3n } = await platform.launch('a.test/main.js');
                const failed = async (...args) => {
                    const exception = await rejection(w3n.shell.startAppWithParams(...args));
                    return [exception.type, exception.command, ...Object.keys(exception).filter(
                        key => exception[key] === true && key !== 'runtimeException')];
                };
                same(await failed('b.test', 'show'), ['shell-command', 'show', 'callerNotAllowed']);
                same(await failed('b.test', 'hidden'), ['shell-command', 'hidden', 'cmdNotAllowed']);
                same(await failed('c.test', 'show'), ['shell-command', 'show', 'cmdNotAllowed']);
                same(await failed('__proto__', 'show'), ['shell-command', 'show', 'cmdNotAllowed']);
                same(await failed(null, 'closed'), ['shell-command', 'closed', 'cmdNotAllowed']);
                same(await failed('gone.test', 'x'), ['app-manifest', 'x', 'commandNotFound']);
                same(await failed(null, 'own', 'x'.repeat(300_000)), ['shell-command', 'own', 'badParams']);
                same(platform.components.size, 1);
                """#)
    }

    @Test func commandsThatNobodyTakesAreBoundedAndAFailedStartLeavesNone() throws {
        try CoreContext.run(
            Self.commands
                + #"""
                let isRefused = true;
                const platform = await platformUnderTest({
                    apps: commandApps({ otherApps: '*' }),
                    onStart(connectorId, id) {
                        if (id === 'b.test/work.js' && isRefused) {
                            throw { runtimeException: true, type: 'component', quarantined: true, message: 'no' };
                        }
                    },
                });
                await platform.init();
                const { w3n } = await platform.launch('a.test/main.js');
                same((await rejection(w3n.shell.startAppWithParams('b.test', 'show'))).quarantined, true);
                same(__coreCall('countTables').waitingCommands, 0);
                isRefused = false;
                await w3n.shell.startAppWithParams('b.test', 'show');
                for (let i = 0; i < 64; i += 1) { await w3n.shell.startAppWithParams('b.test', 'show', i); }
                same((await rejection(w3n.shell.startAppWithParams('b.test', 'show'))).tooManyWaiting, true);
                """#)
    }

    @Test func notificationsAreListedWatchedRemovedAndBounded() throws {
        try CoreContext.run(
            #"""
            const asking = { capsRequested: { shell: { userNotifications: true } } };
            const platform = await platformUnderTest({ apps: {
                ...appFiles('a.test', { '/main.js': asking, '/other.js': asking }),
                ...appFiles('b.test', { '/main.js': asking }),
            } });
            await platform.init();
            const { w3n, connectorId } = await platform.launch('a.test/main.js');
            const mine = w3n.shell.userNotifications;
            const others = (await platform.launch('b.test/main.js')).w3n.shell.userNotifications;
            const events = [];
            const stop = mine.watch({ next: event => events.push(event) });
            await nextTurn();
            const id = await mine.addNotification({ title: 'Ada', body: 'hello', focusAppWindow: true });
            const [listed] = await mine.listNotifications();
            same([listed.id, listed.title, listed.body, listed.focusAppWindow], [id, 'Ada', 'hello', true]);
            same(await others.listNotifications(), []);
            await others.removeNotification(id);
            same((await mine.listNotifications()).length, 1);
            await mine.removeNotification(id);
            await mine.removeNotification(id);
            same(await mine.listNotifications(), []);
            await nextTurn();
            same(events, [{ type: 'shown', notificationId: id }, { type: 'closed', notificationId: id }]);
            stop();
            for (let i = 0; i < 150; i += 1) { await mine.addNotification({ body: 'x'.repeat(5000) }); }
            const all = await mine.listNotifications();
            same([all.length, all[0].id, all[0].body.length], [100, id + 51, 2001]);
            for (const bad of [undefined, {}, { title: 7 }, { title: '', body: '' }]) {
                same((await rejection(mine.addNotification(bad))).badNotification, true);
            }
            platform.kill(connectorId);
            const { w3n: again } = await platform.launch('a.test/other.js');
            same((await again.shell.userNotifications.listNotifications()).length, 100);
            """#)
    }

    @Test func onlyURLsThatTheManifestListsAreOpened() throws {
        try CoreContext.run(
            #"""
            const opened = [];
            const started = async openURL => {
                const platform = await platformUnderTest({
                    apps: appFiles('a.test', { '/main.js': { capsRequested: { shell: { openURL } } } }),
                    ports: { openExternal: url => { opened.push(url); } },
                });
                await platform.init();
                return (await platform.launch('a.test/main.js')).w3n.shell;
            };
            const some = await started([
                { schema: 'https', domain: 'example.org', subdomains: ['www'] },
                { schema: 'https', domain: 'all.example', subdomains: ['*'] }, { schema: 'mailto', anyDomain: true }]);
            const good = ['https://example.org/a?b#c', 'https://www.example.org', 'https://a.b.all.example/',
                'mailto:a@b.c'];
            for (const url of good) { await some.openURL(url); }
            same(opened, good);
            for (const url of ['http://example.org', 'https://evil.org/', 'https://x.example.org',
                'https://notexample.org', 'https://example.org@evil.org/',
                'https://evilall.example', 'file:///etc/passwd', 'javascript:1']) {
                same((await rejection(some.openURL(url))).urlNotAllowed, true, url);
            }
            for (const url of ['', 'no url', null, 7]) { same((await rejection(some.openURL(url))).badURL, true); }
            same(opened.length, good.length);
            const all = await started('all');
            await all.openURL('http://anything.example');
            same((await rejection(all.openURL('file:///etc/passwd'))).urlNotAllowed, true);
            """#)
    }

    @Test func theDashboardIsTheLauncher() throws {
        try CoreContext.run(
            #"""
            const windows = [];
            const asking = { capsRequested: { shell: { openDashboard: true } } };
            const started = async more => {
                const platform = await platformUnderTest({
                    apps: { ...appFiles('a.test', { '/main.js': asking }), ...more },
                    ports: { ui_startAppActivity: (connectorId, domain, path) => { windows.push(domain + path); } },
                });
                await platform.init();
                return (await platform.launch('a.test/main.js')).w3n.shell;
            };
            same((await rejection((await started({})).openDashboard())).notInstalled, true);
            const domain = 'launcher.app.privacysafe.io';
            const shell = await started({
                [`${domain}/manifest.json`]: JSON.stringify({ appDomain: domain, version: '1' }),
                [`${domain}/app/index.html`]: '<html>',
            });
            await shell.openDashboard();
            same(windows, [`${domain}/index.html`]);
            """#)
    }
}
