import Testing

/// App packs: what is installed, what is refused, and what is left behind.
@Suite struct AppPackTests {
    private static let fixture = #"""
        const system = { capsRequested: { system: { apps: 'all', monitor: 'all', platform: 'all' } } };
        const admin = { ...appFiles('admin.test', { '/main.js': system }) };
        const inPack = (domain, version, components, more) => {
            const prefix = `${domain}/`;
            const files = appFiles(domain, components, { version, ...more });
            return Object.fromEntries(Object.entries(files).map(([path, text]) => [path.slice(prefix.length), text]));
        };
        let core;
        const started = async (packs, options = {}) => {
            const platform = await platformUnderTest({ apps: admin, packs, systemApps: ['admin.test'], ...options });
            const { Core } = globalThis.__core3NWeb;
            const { make } = Core;
            Core.make = (...args) => (core = make.apply(Core, args));
            await platform.init();
            const { w3n } = await platform.launch('admin.test/main.js');
            return { platform, ...w3n.system.apps };
        };
        const add = (installer, id) => new Promise((resolve, reject) => {
            const progress = [];
            installer.addPackFromBundledApps(id, {
                next: value => progress.push(value), complete: () => resolve(progress), error: reject });
        });
        const flagsOf = exception => [exception.type,
            ...Object.keys(exception).filter(key => exception[key] === true && key !== 'runtimeException')];
        const kept = disk => disk.paths()
            .filter(path => path.startsWith('app-packs/') && path !== 'app-packs/.staging');
        const packOf = (domain, version, components, more) =>
            packFiles(domain, version, inPack(domain, version, components, more));
        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.fixture + script) }

    @Test func aPackIsAddedInstalledStartedAndUninstalled() throws {
        try run(
            #"""
            const packs = await packOf('b.test', '1.0.0', { '/main.js': { services: { S: {} } } });
            const { platform, opener, installer } = await started(packs);
            same(await installer.listBundledApps(), [{ id: 'b.test', version: '1.0.0' }]);
            same([await installer.listAllAppsPacks(), await opener.listCurrentApps()],
                [[], [{ id: 'admin.test', version: '1.2.3' }]]);
            const events = [];
            installer.watchApps({ next: event => events.push(event) });
            const progress = await add(installer, 'b.test');
            same([progress.length, progress[0].fileInProgress, progress.at(-1)],
                [3, 'manifest.json', { numOfFiles: 2, numOfProcessed: 2 }]);
            same(await add(installer, 'b.test'), []);
            same(await installer.listAllAppsPacks(), [{ id: 'b.test', versions: ['1.0.0'] }]);
            same(await installer.listAppPacks('b.test'), ['1.0.0']);
            same(await opener.getAppManifestOfCurrent('b.test'), undefined);
            same((await installer.getAppManifest('b.test', '1.0.0')).appDomain, 'b.test');
            same(decode(await installer.getAppFileBytes('b.test', 'main.js', '1.0.0')), '// a function here');
            same(await installer.installApp('b.test', '1.0.0'), 'all-done');
            same(await opener.listCurrentApps(),
                [{ id: 'admin.test', version: '1.2.3' }, { id: 'b.test', version: '1.0.0' }]);
            same((await opener.getAppManifestOfCurrent('b.test')).version, '1.0.0');
            same(decode(await opener.getAppFileBytesOfCurrent('b.test', '/main.js')), '// a function here');
            same((await rejection(opener.getAppFileBytesOfCurrent('b.test', '../manifest.json'))).opNotPermitted, true);
            same(platform.catalogs.map(list => list.map(c => c.appDomain)), [['admin.test', 'b.test']]);
            const { connectorId } = await platform.launch('b.test/main.js');
            same(await __coreCallAsync('getFileSizeInAppCodeFS', { connectorId, path: '/main.js' }), 18);
            const read = path =>
                __coreCallAsync('readBytesFromFileInAppCodeFS', { connectorId, path, start: 3, end: 11 });
            same(decode(await read('/main.js')), 'a functi');
            const missing = await rejection(read('/none.js'));
            same([missing.notFound, missing.path, missing.message.includes('app-packs')], [true, 'app/none.js', false]);
            same((await rejection(installer.removeAppPack('b.test', '1.0.0'))).errAtPackRemoval, true);
            await installer.uninstallApp('b.test');
            same([platform.closed, platform.components.has(connectorId)], [[connectorId], false]);
            same(platform.catalogs.at(-1).map(c => c.appDomain), ['admin.test']);
            same(flagsOf(await rejection(installer.uninstallApp('b.test'))), ['app-init', 'notInstalled']);
            same(flagsOf(await rejection(installer.uninstallApp('admin.test'))),
                ['app-init', 'errAtUninstall', 'bundledApp']);
            await installer.removeAppPack('b.test', '1.0.0');
            same(await installer.listAllAppsPacks(), []);
            same(events.map(({ type }) => type), ['installed', 'uninstalled', 'pack-removed']);
            """#)
    }

    @Test func whatIsInstalledIsThereAfterARestartForThatUser() throws {
        try run(
            #"""
            const disk = new Disk();
            const packs = await packOf('b.test', '1.0.0', { '/main.js': {} });
            const first = await started(packs, { disk });
            await add(first.installer, 'b.test');
            await first.installer.installApp('b.test', '1.0.0');
            const again = await started({}, { disk });
            same((await again.opener.listCurrentApps()).map(({ id }) => id), ['admin.test', 'b.test']);
            same(__coreCall('listComponents').problems, []);
            await again.platform.launch('b.test/main.js');
            await disk.call('fs_rmdir', ['app-packs/b.test/1.0.0', true]);
            await started({}, { disk });
            same(__coreCall('listComponents').problems.map(({ message }) => message),
                ['b.test/manifest.json: version 1.0.0 is installed, but its pack is gone; install the app again']);
            """#)
    }

    @Test func anUpdateSwitchesAtOnceAndOldComponentsAreClosedWhenAsked() throws {
        try run(
            #"""
            const startup = { launchOnSystemStartup: [{ component: '/main.js' }] };
            const packOfVersion = version => packOf('b.test', version, { '/main.js': {} }, startup);
            const packs = await packOfVersion('1.9.0');
            const { platform, opener, installer } = await started(packs);
            await add(installer, 'b.test');
            await installer.installApp('b.test', '1.9.0');
            const old = await platform.launch('b.test/main.js');
            for (const name of Object.keys(packs)) { delete packs[name]; }
            Object.assign(packs, await packOfVersion('1.10.0'));
            await add(installer, 'b.test');
            same(await installer.listAllAppsPacks(), [{ id: 'b.test', versions: ['1.9.0', '1.10.0'] }]);
            same(await installer.installApp('b.test', '1.10.0'), 'need-restart');
            const current = async () => (await opener.getAppManifestOfCurrent('b.test')).version;
            same([await old.w3n.myVersion(), await current()], ['1.9.0', '1.10.0']);
            await opener.closeAppsAfterUpdate(['b.test']);
            same(platform.closed, [old.connectorId]);
            const now = [...platform.components.values()].find(({ id }) => id === 'b.test/main.js');
            same(await now.w3n.myVersion(), '1.10.0');
            same(flagsOf(await rejection(installer.installApp('b.test', '1.9.0'))),
                ['app-init', 'errAtInstall', 'olderVersion']);
            same(await current(), '1.10.0');
            """#)
    }

    @Test func badPacksAreRefusedByNameAndNothingIsLeft() throws {
        try run(
            #"""
            const files = () => inPack('b.test', '1.0.0', { '/main.js': {}, '/in/deep.js': {} });
            const cases = {
                hashMismatch: list => { list.files['app/main.js'].sha256 = '0'.repeat(64); },
                sizeMismatch: list => { list.files['app/in/deep.js'].size += 1; },
                fileMissing: list => { list.files['app/gone.js'] = list.files['app/main.js']; },
                fileExtra: list => { delete list.files['app/main.js']; },
                domainMismatch: list => { list.appDomain = 'c.test'; },
                manifestMismatch: list => { list.version = '2.0.0'; },
                badPackFile: list => { list.format = 2; },
                tooBig: list => { list.files['app/main.js'].size = 2 ** 40; },
            };
            const checks = Object.entries(cases);
            for (const path of ['../evil.js', 'app/../../evil.js', '/app/x', 'app//x', 'app/./x', 'other/x', 'app',
                'app/a\\b', 'app/a\0b', `app/${'x/'.repeat(20)}y`, `app/${'x'.repeat(300)}`, '']) {
                checks.push(['pathLeaves', list => { list.files[path] = list.files['app/main.js']; }]);
            }
            for (const version of ['', '..', '1/2', '1.0.0-', '1.0.0-..', 'v1', 7, null, `1.${'9'.repeat(80)}`]) {
                checks.push(['badPackFile', list => { list.version = version; }]);
            }
            const [zeros, letters] = ['0'.repeat(64), 'F'.repeat(64)];
            for (const facts of [null, 7, {}, { size: -1, sha256: zeros }, { size: 1.5, sha256: zeros },
                { size: 1, sha256: letters }, { size: 1, sha256: '0' }]) {
                checks.push(['badPackFile', list => { list.files['app/main.js'] = facts; }]);
            }
            const other = { 'manifest.json': JSON.stringify({ appDomain: 'c.test', version: '1.0.0' }) };
            for (const [flag, change, more] of [...checks, ['manifestMismatch', () => {}, other],
                ['manifestMismatch', () => {}, { 'manifest.json': '{' }]]) {
                const packs = await packFiles('b.test', '1.0.0', { ...files(), ...more }, change);
                const { platform, installer, opener } = await started(packs);
                const exception = await rejection(add(installer, 'b.test'));
                same(flagsOf(exception), ['app-init', 'badAppPack', flag], exception.message);
                same([exception.appDomain, kept(platform.disk)], ['b.test', []], flag);
                same(flagsOf(await rejection(installer.installApp('b.test', '1.0.0'))),
                    ['app-init', 'errAtInstall', 'packNotFound']);
                same((await opener.listCurrentApps()).length, 1);
            }
            for (const text of ['{', '[]', 'null', '7', '{"format": 1}']) {
                const { installer } = await started({ 'b.test/pack.json': text });
                same((await rejection(add(installer, 'b.test'))).badAppPack, true, text);
                same(await installer.listBundledApps(), []);
            }
            for (const id of ['none.test', '..', '', 'B.test', '../b.test', 7, null, '.staging']) {
                const { installer } = await started({});
                same(flagsOf(await rejection(add(installer, id))), ['app-init', 'noBundledPack'], String(id));
                for (const version of ['1.0.0', '..', undefined]) {
                    same((await rejection(installer.installApp(id, version))).errAtInstall, true);
                    same((await rejection(installer.removeAppPack(id, version))).packNotFound, true);
                    same(await installer.getAppManifest(id, version), undefined);
                }
            }
            """#)
    }

    @Test func oneVersionHasOneContent() throws {
        try run(
            #"""
            const files = inPack('b.test', '1.0.0', { '/main.js': {} });
            const packs = await packFiles('b.test', '1.0.0', files);
            const { installer } = await started(packs);
            const refused = async (id, version) => {
                await add(installer, id);
                return rejection(installer.installApp(id, version));
            };
            await add(installer, 'b.test');
            Object.assign(packs, await packFiles('b.test', '1.0.0', { ...files, 'app/main.js': '// another' }));
            same(flagsOf(await rejection(add(installer, 'b.test'))), ['app-init', 'badAppPack', 'versionExists']);
            const own = 'launcher.app.privacysafe.io';
            Object.assign(packs, await packOf(own, '1.0.0', { '/main.js': {} }),
                await packOf('admin.test', '1.0.0', { '/main.js': {} }),
                await packOf('c.test', '1', { '/main.js': { runtime: 'node' } }));
            same(flagsOf(await refused(own, '1.0.0')), ['app-init', 'errAtInstall', 'platformsOwn']);
            same((await refused('admin.test', '1.0.0')).olderVersion, true);
            const exception = await refused('c.test', '1');
            same(flagsOf(exception), ['app-init', 'errAtInstall', 'badAppPack']);
            holds(exception.message.includes('"runtime" is "node"'), exception.message);
            """#)
    }

    /// The process is killed at each call of the file ports, on the way from a pack to an installed app.
    @Test func aKillAtAnyCallLeavesAWholePackOrNone() throws {
        try run(
            #"""
            const packs = await packOf('b.test', '1.0.0', { '/main.js': {}, '/in/x.js': {} });
            const whole = ['', '/app', '/app/in', '/app/in/x.js', '/app/main.js', '/manifest.json', '/pack.json']
                .map(path => `app-packs/b.test/1.0.0${path}`);
            const outcomes = new Set();
            for (let calls = 0, isDone = false; !isDone; calls += 1) {
                const { platform: { disk }, installer } = await started(packs);
                disk.callsLeft = calls;
                const work = add(installer, 'b.test').then(() => installer.installApp('b.test', '1.0.0'));
                isDone = await Promise.race([work.then(() => true), (async () => {
                    for (let turn = 0; turn < 400 && disk.callsLeft > 0; turn += 1) { await nextTurn(); }
                    return disk.callsLeft > 0 ? work.then(() => true) : false;
                })()]);
                const next = await started({}, { disk: disk.afterKill() });
                const there = kept(next.platform.disk).filter(path => path !== 'app-packs/b.test');
                same(there, there.length === 0 ? [] : whole, `after ${calls} calls`);
                const isInstalled = (await next.opener.listCurrentApps()).length === 2;
                holds(!isInstalled || there.length > 0, `installed only if there, after ${calls} calls`);
                same(__coreCall('listComponents').problems, []);
                outcomes.add(`${there.length > 0} ${isInstalled}`);
            }
            same([...outcomes].sort(), ['false false', 'true false', 'true true']);
            """#)
    }

    @Test func versionsAreOrderedByTheirNumbers() throws {
        try run(
            #"""
            const versions = ['0.9', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2',
                '1.0.0-beta.11', '1.0.0', '1.0.1', '1.2', '1.10', '1.10.0.1', '2'];
            const packs = {};
            const { installer } = await started(packs);
            for (const version of [...versions].reverse()) {
                Object.assign(packs, await packOf('b.test', version, { '/main.js': {} }));
                await add(installer, 'b.test');
            }
            same(await installer.listAppPacks('b.test'), versions);
            """#)
    }

    @Test func aSpoiltListOfInstalledAppsIsToldAndNothingIsInstalledOverIt() throws {
        try run(
            #"""
            const packs = await packOf('b.test', '1.0.0', { '/main.js': {} });
            for (const text of ['{', '[]', '{"format":2,"apps":{}}', '{"format":1,"apps":{"..":"1.0.0"}}',
                '{"format":1,"apps":{"b.test":"../../x"}}']) {
                const disk = new Disk();
                const first = await started(packs, { disk });
                await add(first.installer, 'b.test');
                await first.installer.installApp('b.test', '1.0.0');
                const { storage } = core.makeCAPsForApp('platform.corehost', { storage: { appFS: 'default' } }).caps;
                await (await storage.getAppLocalFS()).writeTxtFile('installed-apps.json', text);
                const { opener, installer } = await started(packs, { disk });
                same((await opener.listCurrentApps()).length, 1, text);
                const [problem] = __coreCall('listComponents').problems;
                holds(problem.message.includes("the user's list of installed apps cannot be read"), problem.message);
                same((await rejection(installer.installApp('b.test', '1.0.0'))).errAtInstall, true);
            }
            """#)
    }
}
