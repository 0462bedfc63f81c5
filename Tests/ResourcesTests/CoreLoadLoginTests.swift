import Testing

/// Logins as `core-load.js` makes them of a core's surface, with a core of the tests' own.
@Suite struct CoreLoadLoginTests {
    private static let words = #"""
        const fake = fakeCore();
        const { told, users, gates } = fake;
        const disk = new Disk();
        const file = 'platform/autologin';
        const boot = async (more = {}, options = {}) => {
            const platform = await platformUnderTest({ core: fake.Core, disk, ...options });
            return { platform, started: await platform.init(more) };
        };
        const call = (name, arg = {}) => __coreCallAsync(name, arg);
        const report = () => {};
        const signUp = (address, password) => call('signUp', { address, password, report });
        const signIn = (address, password) => call('signIn', { address, password, report });
        const waiting = { login: 'not-logged-in' };
        """#

    private func run(_ script: String) throws {
        try CoreContext.run(try Scripts.test("Scripts/fake-core.js") + Self.words + script)
    }

    @Test func aCoreWaitsForALoginAndALocalOneDoesNot() throws {
        try run(
            #"""
            same((await boot()).started, waiting);
            same(told, ['1 made {"dataDir":"."}', '1 start']);
            same((await boot({ local: true })).started, { login: 'logged-in', userId: 'user@local' });
            same(await __coreCallAsync('getSignedUserIdEventually'), 'user@local');
            """#)
    }

    @Test func whatAStartDoesNotNeedIsEvaluatedOnceAndLeavesNothingBehind() throws {
        try run(
            #"""
            const { platform } = await boot();
            same(platform.lateEvaluations(), 0);
            __coreCall('evaluateRest');
            __coreCall('evaluateRest');
            same(platform.lateEvaluations(), 1);
            same(__coreCall('countTables').connections, 0);
            same([typeof __platformParts, typeof __evaluateRest], ['undefined', 'undefined']);
            """#)
    }

    @Test func aSignUpSignsInAndTellsHowFarItIs() throws {
        try run(
            #"""
            await boot();
            const reports = [];
            const waiter = call('getSignedUserIdEventually');
            const done = await call('signUp', {
                address: 'ada@x.y', password: 'secret', report: what => { reports.push(what); },
            });
            same([done, await waiter, reports], [{ userId: 'ada@x.y' }, 'ada@x.y', ['boot goes on', 100]]);
            holds(told.includes('1 boot unwatched'), 'nothing watches the boot any more');
            const again = await rejection(signUp('bob@x.y', 'secret'));
            same([again.type, again.notNow], ['login', true]);
            """#)
    }

    @Test func passwordsAreJudgedByTheCore() throws {
        try run(
            #"""
            await boot();
            users.set('ada@x.y', 'right');
            same(await signIn('ada@x.y', 'wrong'), { refused: 'wrongPassword' });
            same(await signIn('nobody@x.y', 'right'), { refused: 'unknownUser' });
            same(await signIn('remote@x.y', 'wrong'), { refused: 'wrongPassword' });
            same(await signUp('ada@x.y', 'other'), { refused: 'addressTaken' });
            same(await signIn('A da@X.y', 'right'), { userId: 'ada@x.y' });
            """#)
    }

    @Test func storageElsewhereIsOpenedWhereTheCoreKnowsIt() throws {
        try run(
            #"""
            await boot();
            same(await signIn('remote@x.y', 'remote'), { userId: 'remote@x.y' });
            """#)
    }

    @Test func aSecondLoginMeanwhileIsRefused() throws {
        try run(
            #"""
            await boot();
            users.set('ada@x.y', 'right');
            gates.signIn = Promise.withResolvers();
            const first = signIn('ada@x.y', 'right');
            same((await rejection(signIn('ada@x.y', 'right'))).message, 'a login is under way');
            gates.signIn.resolve();
            same(await first, { userId: 'ada@x.y' });
            """#)
    }

    @Test func aLogoutMakesTheCoreAnewForTheNextUser() throws {
        try run(
            #"""
            await boot();
            await signUp('ada@x.y', 'a');
            await call('logout');
            same(told.slice(-4), ['1 boot unwatched', '1 close', '2 made {"dataDir":"."}', '2 start']);
            const exception = await rejection(
                call('launchComponent', { appDomain: 'a.b', entrypoint: '/c', instance: 0 }));
            holds(exception.runtimeException, 'nothing starts without a user');
            const waiter = call('getSignedUserIdEventually');
            same(await signUp('bob@x.y', 'b'), { userId: 'bob@x.y' });
            same(await waiter, 'bob@x.y');
            same((await call('listUsers')).users, [
                { address: 'ada@x.y', loggedIn: false, autologin: false },
                { address: 'bob@x.y', loggedIn: true, autologin: false },
            ]);
            """#)
    }

    @Test func aLogoutEndsALoginThatIsUnderWay() throws {
        try run(
            #"""
            await boot();
            users.set('ada@x.y', 'right');
            gates.signIn = Promise.withResolvers();
            const first = rejection(signIn('ada@x.y', 'right'));
            const waiter = call('getSignedUserIdEventually');
            await call('logout');
            gates.signIn.resolve();
            same((await first).givenUp, true);
            gates.signIn = undefined;
            same(await signIn('ada@x.y', 'right'), { userId: 'ada@x.y' });
            same(await waiter, 'ada@x.y');
            """#)
    }

    @Test func automaticLoginLetsTheUserInWithTheKeyThatTheCoreGave() throws {
        try run(
            #"""
            await boot();
            await signUp('ada@x.y', 'a');
            same(await call('autologin'), { on: false, user: null });
            same(await call('autologin', { on: true }), { on: true, user: 'ada@x.y' });
            holds(!disk.paths().includes(`${file}.new`), 'no unfinished file');
            holds(!disk.text(file).includes('ada'), 'sealed');
            const { started } = await boot();
            same(started, { login: 'logging-in', userId: 'ada@x.y' });
            same(__coreCall('launchAppFromAndroid', { appDomain: 'startup.app.privacysafe.io' }),
                { connectorId: 'proceed-to-launcher', entrypoint: '' });
            same(await call('finishAutologin', { report }), { userId: 'ada@x.y' });
            same(await call('getSignedUserIdEventually'), 'ada@x.y');
            same(await call('autologin', { on: false }), { on: false, user: null });
            same((await boot()).started, waiting);
            """#)
    }

    @Test func aLogoutEndsAutomaticLogin() throws {
        try run(
            #"""
            await boot();
            await signUp('ada@x.y', 'a');
            await call('autologin', { on: true });
            await call('logout');
            same(await call('autologin'), { on: false, user: null });
            same((await boot()).started, waiting);
            """#)
    }

    @Test func automaticLoginThatCannotBeLeavesTheWayToAPassword() throws {
        try run(
            #"""
            await boot();
            await signUp('ada@x.y', 'a');
            await call('autologin', { on: true });
            // The core's cache is broken at once, and then only when it starts.
            gates.cacheFails = true;
            same((await boot()).started.problem, 'automatic login of ada@x.y failed: the cache is broken');
            gates.cacheFails = false;
            gates.init = Promise.withResolvers();
            same((await boot()).started.login, 'logging-in');
            const end = call('finishAutologin', { report });
            gates.init.reject(new Error('no room'));
            same((await end).problem, 'automatic login failed: no room');
            gates.init = undefined;
            same(await signIn('ada@x.y', 'a'), { userId: 'ada@x.y' });
            """#)
    }

    @Test func withoutTheDevicesKeyThePasswordIsAskedFor() throws {
        try run(
            #"""
            await boot();
            await signUp('ada@x.y', 'a');
            await call('autologin', { on: true });
            const gone = { keystore_decrypt: async () => {
                throw { runtimeException: true, type: 'keystore', keyLost: true, message: 'the key is gone' };
            } };
            const { started } = await boot({}, { ports: gone });
            same(started, { login: 'not-logged-in', problem: 'the automatic login cannot be opened: the key is gone; '
                + 'log in with the password, then set it again with `corehost autologin on`' });
            same(await signIn('ada@x.y', 'a'), { userId: 'ada@x.y' });
            """#)
    }

    @Test func aRunForOneUserDoesNotLetAnotherInAutomatically() throws {
        try run(
            #"""
            await boot();
            await signUp('ada@x.y', 'a');
            await call('autologin', { on: true });
            same((await boot({ expectedUser: 'bob@x.y' })).started.problem,
                'automatic login is set for ada@x.y, and this run is for bob@x.y alone; log in with '
                + '`corehost login bob@x.y`, or run without --user');
            same((await boot({ expectedUser: 'ADA@x.y' })).started, { login: 'logging-in', userId: 'ada@x.y' });
            """#)
    }

    @Test func damagedFilesOfTheAutomaticLoginAreProblemsAndNoMore() throws {
        try run(
            #"""
            await boot();
            disk.nodes.set('platform', 'folder');
            for (const bytes of [new Uint8Array(0), encode('nonsense'), crypto.getRandomValues(new Uint8Array(300))]) {
                disk.nodes.set(file, { bytes });
                const { started } = await boot();
                same(started.login, 'not-logged-in');
                holds(started.problem.startsWith('the automatic login cannot be opened: '), started.problem);
            }
            """#)
    }

    @Test func automaticLoginNeedsAKeyOfTheCore() throws {
        try run(
            #"""
            await boot();
            same((await rejection(call('autologin', { on: true }))).notAvailable, true);
            same(await call('autologin', { on: false }), { on: false, user: null });
            """#)
    }

    /** Where the core is started from the cache, it has nothing to sign in with, and so no list of users. */
    @Test func allUsersAreListedAfterAnAutomaticLoginToo() throws {
        try run(
            #"""
            await boot();
            users.set('bob@x.y', 'b');
            await signUp('ada@x.y', 'a');
            await call('autologin', { on: true });
            await boot();
            await call('finishAutologin', { report });
            told.length = 0;
            const all = [
                { address: 'bob@x.y', loggedIn: false, autologin: false },
                { address: 'ada@x.y', loggedIn: true, autologin: true },
            ];
            const none = { users: all, problems: [] };
            same([await call('listUsers'), await call('listUsers')], [none, none]);
            same(told, ['3 made {"dataDir":"."}', '3 start', '3 close'], 'another core is asked, once');
            """#)
    }

    private static let settings = #"""
        const domain = 'admin.test';
        const adminApp = appFiles(domain, { '/main.js': { capsRequested: { system: { userLogin: 'all' } } } });
        const settingsOf = async (more, Core = fake.Core) => {
            const platform = await platformUnderTest({ core: Core, disk, apps: adminApp, systemApps: [domain] });
            await platform.init(more);
            const w3nOf = async () => (await platform.launch(`${domain}/main.js`)).w3n;
            return { platform, settings: async () => (await w3nOf()).system.userLogin };
        };
        """#

    @Test func anAppSetsAutomaticLoginWithTheUsersPasswordOnly() throws {
        try run(
            Self.settings + #"""
                const { settings } = await settingsOf({});
                await signUp('ada@x.y', 'a');
                const login = await settings();
                same([await login.isAutoLoginAvailable(), await login.isAutoLoginSet()], [true, false]);
                const parts = [];
                for (const password of ['b', '', 'A']) {
                    const refused = await rejection(login.setAutoLogin(password, part => { parts.push(part); }));
                    same([refused.type, refused.wrongPassword, refused.message],
                        ['login', true, 'the password is not that of ada@x.y']);
                }
                same(parts, [100, 100, 100]);
                for (const odd of [undefined, null, 5, {}, ['a']]) {
                    same((await rejection(login.setAutoLogin(odd, () => {}))).badPassword, true);
                }
                same([await login.isAutoLoginSet(), disk.paths().includes(file)], [false, false]);
                await login.setAutoLogin('a', part => { parts.push(part); });
                same([await login.isAutoLoginSet(), parts.length], [true, 4]);
                same((await boot()).started, { login: 'logging-in', userId: 'ada@x.y' });
                """#)
    }

    @Test func onePasswordIsCheckedAtATimeAndALogoutEndsThat() throws {
        try run(
            Self.settings + #"""
                const { settings } = await settingsOf({});
                await signUp('ada@x.y', 'a');
                const login = await settings();
                gates.rootKey = Promise.withResolvers();
                login.setAutoLogin('a').catch(() => {});
                same((await rejection(login.setAutoLogin('a'))).notNow, true);
                await call('logout');
                gates.rootKey.resolve();
                // Both see the key at once, the password's check first.
                await gates.rootKey.promise;
                same((await boot()).started, waiting);
                """#)
    }

    @Test func whereThereIsNoPasswordAppsCannotSetIt() throws {
        try run(
            Self.settings + #"""
                const local = await (await settingsOf({ local: true })).settings();
                same(await local.isAutoLoginAvailable(), false);
                same((await rejection(local.setAutoLogin('a'))).notAvailable, true);
                class Older extends fake.Core {
                    static make(conf) { return new Older(conf); }
                    getRootKey = undefined;
                }
                const { settings } = await settingsOf({}, Older);
                await signUp('ada@x.y', 'a');
                const older = await settings();
                same(await older.isAutoLoginAvailable(), false);
                const { notAvailable, message } = await rejection(older.setAutoLogin('a'));
                same([notAvailable, message], [true, 'this core makes no key of a password; `corehost autologin on` '
                    + 'sets the automatic login']);
                await older.removeAutoLogin();
                """#)
    }

    @Test func urlsNameAnAppAndPerhapsACommand() throws {
        try run(
            #"""
            await boot();
            const before = url => __coreCall('processURLBeforeLogin', { url });
            same(before('w3n://Chat.example.org/open?name=Ada'), { appDomain: 'chat.example.org' });
            for (const url of [
                '', 'chat.example.org', 'https://chat.example.org', 'w3n://', 'w3n://x', 'w3n://a..b', 'w3n://a.b/c/d',
                'w3n://a.b/%ff', 'w3n://user@a.b', 'w3n://a.b:80', ' w3n://a.b', `w3n://a.b/${'x'.repeat(9000)}`, 7,
            ]) {
                const exception = await rejection((async () => before(url))());
                same([url, exception.type, exception.badURL], [url, 'w3n-url', true]);
            }
            """#)
    }

    @Test func pagesOpenOnlyForTheirTime() throws {
        try run(
            #"""
            const page = { 'w.test/manifest.json': JSON.stringify({ appDomain: 'w.test', version: '1.0.0' }),
                'w.test/app/index.html': '<p>' };
            await boot({}, { apps: page });
            const open = appDomain => __coreCall('launchAppFromAndroid', { appDomain });
            same(__coreCall('isBundledApp', { appDomain: 'w.test' }), true);
            same(__coreCall('isBundledApp', { appDomain: 'constructor' }), false);
            same((await rejection((async () => open('w.test'))())).notLoggedIn, true);
            await signUp('ada@x.y', 'a');
            const { connectorId, entrypoint } = open('w.test');
            same(entrypoint, '/index.html');
            same(open('w.test').connectorId, connectorId);
            same((await rejection((async () => open('none.test'))())).componentNotFound, true);
            __coreCall('onComponentClosedInAndroid', { connectorId, cause: 'closed' });
            holds(open('w.test').connectorId !== connectorId, 'a new life');
            await call('logout');
            same(__coreCall('countTables').connectors, 0);
            """#)
    }
}
