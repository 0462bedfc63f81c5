import Testing

/// The page of the start-up app before a login: what its `w3n` has, each member called over the wire from the client's
/// side, with the embedded core behind it. There is no process that shows the page.
@Suite struct StartupPageTests {
    private static let fixture = #"""
        const domain = 'startup.app.privacysafe.io';
        const disk = new Disk();
        const asked = [];
        const page = { [`${domain}/manifest.json`]: JSON.stringify({ appDomain: domain, version: '1.0.0' }),
            [`${domain}/app/index.html`]: '<p>' };
        const started = async (options = {}) => {
            const platform = await platformUnderTest({
                disk, apps: { ...page, ...appFiles('other.test', { '/main.js': {} }) },
                ports: {
                    openExternal: async url => { asked.push(url); },
                    scan_url_qr: async () => {
                        throw { runtimeException: true, type: 'scan-url-qr', notAvailable: true, message: 'no window' };
                    },
                },
                ...options,
            });
            return { platform, started: await platform.init({}) };
        };
        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.fixture + script) }

    @Test func everyMemberIsCalledOverTheWire() throws {
        try run(
            #"""
            const { platform } = await started();
            const { w3n } = await platform.openPage(domain);
            same(Object.keys(w3n).sort(), ['closeSelf', 'enableAutoLogin', 'log', 'myVersion', 'provider', 'scanUrlQR',
                'signIn', 'signUp', 'ui']);
            same([await w3n.myVersion(), await w3n.ui.uiFormFactor()], ['1.0.0', 'desktop']);
            await w3n.provider.openInExternal('https://provider.example');
            same(asked, ['https://provider.example']);
            same((await rejection(w3n.scanUrlQR(['https://']))).notAvailable, true);
            await w3n.enableAutoLogin(true);
            await w3n.enableAutoLogin(false);

            const { signIn, signUp } = w3n;
            same(await signIn.getUsersOnDisk(), []);
            same((await rejection(signIn.startLoginToRemoteStorage('a@b'))).notAvailable, true);
            same((await rejection(signIn.completeLoginAndLocalSetup('p', () => {}))).notAvailable, true);
            same((await rejection(signUp.setSignUpServer('https://server.example'))).notAvailable, true);
            same(await signUp.getAvailableDomains(), ['local']);
            same(await signUp.getAvailableAddresses('ada'), ['ada@local']);
            same(await signUp.isActivated('ada@local'), false);
            same(await signIn.useExistingStorage('ada@local', 'p', () => {}), false);
            const events = [];
            const booted = [signUp, signIn].map(cap => new Promise(complete => {
                cap.watchBoot({ next: ({ message }) => { events.push(message); }, complete });
            }));
            const told = [];
            await signUp.createUserParams('p', percent => { told.push(percent); });
            same([told.at(-1), told.every((part, i) => i === 0 || part >= told[i - 1])], [100, true]);
            same(await signUp.addUser('ada@local'), true);
            await Promise.all(booted);
            same(events.filter(text => text === 'ada@local is signed in').length, 2);
            same(await __coreCallAsync('getSignedUserIdEventually'), 'ada@local');
            // Its time is over; the launcher is next.
            same((await rejection(signIn.useExistingStorage('ada@local', 'p', () => {}))).signedInAlready, true);
            same(__coreCall('listComponents').components.map(({ appDomain }) => appDomain),
                ['other.test', domain]);
            """#)
    }

    @Test func aPageSignsInAndSetsTheAutomaticLogin() throws {
        try run(
            #"""
            const first = (await started()).platform;
            let { w3n } = await first.openPage(domain);
            await w3n.enableAutoLogin();
            await w3n.signUp.createUserParams('p', () => {});
            await w3n.signUp.addUser('ada@local');
            await __coreCallAsync('getSignedUserIdEventually');
            const second = await started();
            same(second.started, { login: 'logging-in', userId: 'ada@local' });
            await __coreCallAsync('finishAutologin', { report() {} });
            same((await __coreCallAsync('autologin')).on, true);
            await __coreCallAsync('logout');

            // The page is there again, and the next user is nobody's by himself.
            ({ w3n } = await second.platform.openPage(domain));
            same(await w3n.signIn.getUsersOnDisk(), ['ada@local']);
            same(await w3n.signIn.useExistingStorage('ada@local', 'q', () => {}), false);
            same(await w3n.signIn.useExistingStorage('ada@local', 'p', () => {}), true);
            await __coreCallAsync('getSignedUserIdEventually');
            same((await __coreCallAsync('autologin')).on, false);
            """#)
    }

    @Test func onlyTheStartUpAppIsThereBeforeALogin() throws {
        try run(
            #"""
            const { platform } = await started();
            const components = () => __coreCall('listComponents').components.map(({ appDomain }) => appDomain);
            same(components(), [domain]);
            const other = await rejection(platform.openPage('other.test'));
            same([other.type, other.notLoggedIn], ['app-manifest', true]);
            const { connectorId } = await platform.openPage(domain);
            // A page that is open already keeps its connector.
            same(__coreCall('launchAppFromAndroid', { appDomain: domain }).connectorId, connectorId);
            """#)
    }

    @Test func aStartUpAppThatIsNoneIsToldToTheLog() throws {
        try run(
            #"""
            const lines = [];
            const { error } = console;
            console.error = line => { lines.push(line); };
            const { platform } = await started({ apps: { ...page, [`${domain}/manifest.json`]: '{' } });
            console.error = error;
            same(lines.length, 1);
            holds(lines[0].startsWith(`${domain}: `), lines[0]);
            same((await rejection(platform.openPage(domain))).componentNotFound, true);
            """#)
    }
}
