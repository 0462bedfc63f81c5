// A system app's component that calls every member of `shell` and `system`, in a process of its own. Service `Members`:
// `run(wrong, right)`, two passwords of which the second is the user's, → `{called, missing}`; `end(closesPlatform)`
// logs the user out.
const called = new Set();
const there = new Set();

/** The object with each call noted as `<kind>.<member>`, in its inner objects, too. */
function recorded(kind, object) {
    return Object.fromEntries(Object.entries(object).map(([name, member]) => {
        const id = `${kind}.${name}`;
        if (typeof member !== 'function') { return [name, recorded(id, member)]; }
        there.add(id);
        return [name, (...args) => {
            called.add(id);
            return member(...args);
        }];
    }));
}

function same(seen, wanted) {
    const [a, b] = [seen, wanted].map(value => JSON.stringify(value));
    if (a !== b) { throw new Error(`${a}, expected ${b}`); }
}

const refusal = promise => promise.then(value => { throw new Error(`not refused: ${value}`); }, exception => exception);

const { logout } = w3n.system;
const shell = recorded('shell', w3n.shell);
const system = recorded('system', w3n.system);

async function packs() {
    const { opener, installer } = system.apps;
    const events = [];
    const stop = installer.watchApps({ next: ({ type }) => { events.push(type); } });
    await new Promise((complete, error) => { installer.addPackFromBundledApps('b.test', { complete, error }); });
    same(await installer.listBundledApps(), [{ id: 'b.test', version: '1.0.0' }]);
    same(await installer.listAllAppsPacks(), [{ id: 'b.test', versions: ['1.0.0'] }]);
    same(await installer.listAppPacks('b.test'), ['1.0.0']);
    same((await installer.getAppManifest('b.test', '1.0.0')).appDomain, 'b.test');
    same((await installer.getAppFileBytes('b.test', 'main.js', '1.0.0')).length > 0, true);
    same(await installer.installApp('b.test', '1.0.0'), 'all-done');
    same((await opener.listCurrentApps()).some(({ id }) => id === 'b.test'), true);
    same((await opener.getAppManifestOfCurrent('b.test')).version, '1.0.0');
    same((await opener.getAppFileBytesOfCurrent('b.test', 'main.js')).length > 0, true);
    await opener.openApp('b.test', '/main.js');
    await opener.executeCommand('giving.test', { cmd: 'show', params: [] });
    await opener.triggerAllStartupLaunchers();
    await opener.closeAppsAfterUpdate(['b.test']);
    same((await system.monitor.listProcs()).map(({ appId }) => appId).sort(), ['admin.test', 'b.test', 'giving.test']);
    same((await system.monitor.listConnectionsToAppServices('admin.test')).length, 1);
    await installer.uninstallApp('b.test');
    await installer.removeAppPack('b.test', '1.0.0');
    stop();
    same(events, ['installed', 'uninstalled', 'pack-removed']);
    same(Object.keys(await system.platform.getCurrentVersion()),
        ['platform', 'bundle', 'apps', 'app-packs', 'runtimes']);
}

async function logins(wrong, right) {
    const { userLogin } = system;
    same([await userLogin.isAutoLoginAvailable(), await userLogin.isAutoLoginSet()], [true, false]);
    const told = [];
    const refused = await refusal(userLogin.setAutoLogin(wrong, part => { told.push(part); }));
    // As much work as for the right one.
    same([refused.type, refused.wrongPassword, told.at(-1)], ['login', true, 100]);
    same(await userLogin.isAutoLoginSet(), false);
    await userLogin.setAutoLogin(right, part => { told.push(part); });
    same(await userLogin.isAutoLoginSet(), true);
    await userLogin.removeAutoLogin();
    same(await userLogin.isAutoLoginSet(), false);
}

async function starts() {
    const { autoStartup } = system;
    same([await autoStartup.isAutoStartupAvailable(), await autoStartup.isAutoStartupSet()], [true, false]);
    await autoStartup.setAutoStartup(true);
    same(await autoStartup.isAutoStartupSet(), true);
    await autoStartup.setAutoStartup(false);
    same(await autoStartup.isAutoStartupSet(), false);
}

async function shellCalls() {
    await shell.startAppWithParams('giving.test', 'show', 1);
    same(await shell.getStartedCmd(), undefined);
    const later = new Promise(next => { shell.watchStartCmds({ next }); });
    await shell.startAppWithParams(null, 'self', 2);
    same(await later, { cmd: 'self', params: [2] });
    same(await (await shell.getFSResource('giving.test', 'settings')).readJSON(), { first: 1 });
    const { userNotifications } = shell;
    const shown = new Promise(next => { userNotifications.watch({ next }); });
    const id = await userNotifications.addNotification({ title: 'Ada', body: 'writes' });
    same((await shown).type, 'shown');
    same((await userNotifications.listNotifications()).length, 1);
    await userNotifications.removeNotification(id);
    // Without a desktop there is no program for it.
    same((await refusal(shell.openURL('https://example.org/'))).noHandler, true);
    await shell.openDashboard();
}

async function run(wrong, right) {
    await packs();
    await shellCalls();
    await logins(wrong, right);
    await starts();
    called.add('system.logout');
    return { called: [...called].sort(), missing: [...there].filter(id => !called.has(id)) };
}

w3nRPC.serve('Members', {
    run: (...passwords) => run(...passwords).catch(error => {
        throw error instanceof Error ? `${error.message}\n${error.stack}` : error;
    }),
    end: async closesPlatform => { setTimeout(() => logout(closesPlatform), 0); },
});
