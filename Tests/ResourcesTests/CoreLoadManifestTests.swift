import Testing

/// Manifests of the apps folder: what is listed, and what each problem says.
@Suite struct CoreLoadManifestTests {
    private func run(_ script: String) throws { try CoreContext.run(script) }

    @Test func listsStartUpComponentsFirstInManifestOrder() throws {
        try run(
            #"""
            const platform = await platformUnderTest({ apps: {
                ...appFiles('b.test', { '/x.js': {}, '/y.js': {}, 'z.js': {} },
                    { launchOnSystemStartup: [{ component: '/y.js' }, { component: 'z.js' }] }),
                ...appFiles('a.test', { '/main.js': { services: { S: {}, T: {} }, forOneConnectionOnly: true,
                    restart: 'transient' } }),
                'README.md': 'no app',
                '.hidden/manifest.json': 'no app either',
            } });
            await platform.init();
            const { components, problems } = __coreCall('listComponents');
            same(problems, []);
            same(components.map(c => [c.appDomain + c.entrypoint, c.startup]), [['b.test/y.js', true],
                ['b.test/z.js', true], ['a.test/main.js', false], ['b.test/x.js', false]]);
            same(components[2], { appDomain: 'a.test', version: '1.2.3', entrypoint: '/main.js', runtime: 'deno',
                restart: 'transient', startup: false, perConnection: true, services: ['S', 'T'] });
            """#)
    }

    @Test func theSimpleFormIsOnePage() throws {
        try run(
            #"""
            const platform = await platformUnderTest({ apps: {
                'a.test/manifest.json': JSON.stringify({ appDomain: 'a.test', version: '1', windowOpts: {} }),
                'a.test/app/index.html': '<html>',
            } });
            await platform.init();
            const { components } = __coreCall('listComponents');
            same(components.map(c => [c.entrypoint, c.runtime]), [['/index.html', 'web-gui']]);
            const exception = await rejection(__coreCallAsync('launchComponent',
                { appDomain: 'a.test', entrypoint: '/index.html', instance: 0 }));
            same([exception.type, exception.wrongComponentType], ['app-manifest', true]);
            """#)
    }

    @Test func eachProblemNamesWhatIsThereAndWhatToDoAndStopsNobodyElse() throws {
        try run(
            #"""
            const bad = {
                missing: [undefined, 'is missing; add it or remove the folder'],
                text: ['hello', 'is not JSON:'],
                list: ['[1]', 'holds [1]; make it an object'],
                domain: [{ appDomain: 'other' }, '"appDomain" is "other" in folder "domain"; give both the same name'],
                nodomain: [{ appDomain: undefined }, '"appDomain" is nothing; make it a string: the reversed domain'],
                version: [{ version: 3 }, '"version" is 3; make it a string like "1.0.0"'],
                name: [{ name: [] }, '"name" is []; make it a string'],
                components: [{ components: [] }, '"components" is []; make it an object of components by entry path'],
                startup: [{ launchOnSystemStartup: {} }, '"launchOnSystemStartup" is {}; make it a list'],
                unknown: [{ launchOnSystemStartup: [{ component: '/none.js' }] },
                    '"launchOnSystemStartup" has "/none.js", which is no usable deno component of this app; '
                    + 'name one of its components: ["/main.js"]'],
                runtime: [{ components: { '/x.js': { runtime: 'node' } } },
                    'component /x.js: "runtime" is "node"; make it "deno" (headless) or "web-gui"'],
                definition: [{ components: { '/x.js': 7 } }, 'component /x.js: is 7; make it an object'],
                path: [{ components: { '/../x.js': { runtime: 'deno' } } },
                    'component "/../x.js" is no path inside the app folder; name a file like "/main.js"'],
                restart: [{ components: { '/x.js': { runtime: 'deno', restart: 'often' } } },
                    'component /x.js: "restart" is "often"; make it "permanent", "transient" or "temporary"'],
                services: [{ components: { '/x.js': { runtime: 'deno', services: { S: { otherApps: 'all' } } } } },
                    'component /x.js: service S: "otherApps" is "all"; make it "*" or a list of strings'],
                twice: [{ components: { '/main.js': { runtime: 'deno', services: { S: {} } },
                    '/x.js': { runtime: 'deno', services: { S: {} } } } },
                    'component /x.js: service S is already that of /main.js; give it another name'],
                caps: [{ components: { '/x.js': { runtime: 'deno', capsRequested: { otherAppsRPC: ['b'] } } } },
                    'component /x.js: capsRequested: "otherAppsRPC" is ["b"]; make it a list of {"app", "service"}'],
                appfs: [{ components: { '/x.js': { runtime: 'deno', capsRequested: { storage: { appFS: 'all' } } } } },
                    'capsRequested: storage: "appFS" is "all"; make it "default" or a list of {"domain", "storage"}'],
            };
            const apps = appFiles('good.test', { '/main.js': {} });
            for (const [domain, [manifest]] of Object.entries(bad)) {
                const files = appFiles(domain, { '/main.js': {} });
                const path = `${domain}/manifest.json`;
                if (typeof manifest === 'object') {
                    files[path] = JSON.stringify({ ...JSON.parse(files[path]), ...manifest });
                } else if (manifest === undefined) {
                    delete files[path];
                } else {
                    files[path] = manifest;
                }
                Object.assign(apps, files, { [`${domain}/app/x.js`]: '//' });
            }
            const platform = await platformUnderTest({ apps });
            await platform.init();
            const { components, problems } = __coreCall('listComponents');
            holds(components.some(c => c.appDomain === 'good.test'), 'the good app is there');
            holds(components.some(c => c.appDomain + c.entrypoint === 'twice/main.js'), 'so is a good component');
            same(problems.map(({ appDomain }) => appDomain), Object.keys(bad).sort());
            for (const { appDomain, file, message } of problems) {
                same(file, `${appDomain}/manifest.json`);
                holds(message.startsWith(`${file}: `), message);
                holds(message.includes(bad[appDomain][1]), `${appDomain}: ${message}`);
            }
            """#)
    }

    /// One field of a good manifest, anywhere in it, becomes a random value: nothing throws, and good apps stay.
    @Test(arguments: 1...2) func noManifestStopsTheOthers(seed: Int) throws {
        try run(
            "const seed = \(seed);\n"
                + #"""
                const random = randomNumbers(seed);
                const good = () => ({
                    appDomain: 'bad.test', version: '1', name: 'x', launchOnSystemStartup: [{ component: '/main.js' }],
                    components: { '/main.js': { runtime: 'deno', forOneConnectionOnly: false,
                        services: { S: { otherApps: ['a'], thisAppComponents: '*' } },
                        capsRequested: { appRPC: ['S'], otherAppsRPC: [{ app: 'a', service: 'b' }], logToPlatform: true,
                            storage: { appFS: [{ domain: 'a', storage: 'local' }] } } } },
                });
                const values = [null, true, -1, 1e300, '', '/', '..', '__proto__', [], {}, [null], [[]], { a: null },
                    JSON.parse('{"__proto__": {"runtime": "deno"}}')];
                const placesIn = value => (typeof value !== 'object' || value === null ? []
                    : Object.keys(value).flatMap(key => [[value, key], ...placesIn(value[key])]));
                for (let run = 0; run < 40; run += 1) {
                    const manifest = good();
                    const places = placesIn(manifest);
                    const [holder, key] = places[random(places.length)];
                    holder[key] = values[random(values.length)];
                    const text = JSON.stringify(manifest);
                    const platform = await platformUnderTest({ apps: {
                        ...appFiles('bad.test', { '/main.js': {} }), 'bad.test/manifest.json': text,
                        ...appFiles('good.test', { '/main.js': {} }),
                    } });
                    await platform.init();
                    const { components, problems } = __coreCall('listComponents');
                    const what = `seed ${seed}: ${text} has ${JSON.stringify(problems)}`;
                    holds(components.some(({ appDomain }) => appDomain === 'good.test'), what);
                    for (const { appDomain, message } of problems) {
                        same([appDomain, message.includes('manifest.json: cannot be read')], ['bad.test', false], what);
                    }
                    for (const { appDomain, entrypoint, runtime } of components) {
                        if (runtime === 'deno') { await platform.launch(appDomain + entrypoint); }
                    }
                }
                """#)
    }

    @Test func entryFilesAreCheckedAndTheirStartFails() throws {
        try run(
            #"""
            const apps = appFiles('a.test', { '/gone.js': {}, '/empty.js': {}, '/in/folder.js': {}, '/ok.js': {} });
            delete apps['a.test/app/gone.js'];
            apps['a.test/app/empty.js'] = '';
            const platform = await platformUnderTest({ apps });
            await platform.init();
            const { components, problems } = __coreCall('listComponents');
            same(components.length, 4);
            same(problems.map(({ file, message }) => [file, message]), [
                ['a.test/app/gone.js',
                    'a.test/app/gone.js: is missing; add it, or correct "components" in the manifest'],
                ['a.test/app/empty.js', "a.test/app/empty.js: is empty; put the component's code there"]]);
            const { connectorId } = __coreCall('launchComponent',
                { appDomain: 'a.test', entrypoint: '/gone.js', instance: 0 });
            const size = path => __coreCallAsync('getFileSizeInAppCodeFS', { connectorId, path });
            same([await size('/in/folder.js'), await size('/empty.js')], [18, 0]);
            for (const [path, flag] of [['/gone.js', 'notFound'], ['/none/x.js', 'notFound'], ['/in', 'notFile'],
                ['/../manifest.json', 'opNotPermitted']]) {
                same((await rejection(size(path)))[flag], true, path);
            }
            const bytes = await __coreCallAsync('readBytesFromFileInAppCodeFS',
                { connectorId, path: '/ok.js', start: 5, end: 13 });
            same(decode(bytes), 'function');
            """#)
    }

    @Test func aMissingAppsFolderStopsTheBoot() throws {
        try run(
            #"""
            const gone = { runtimeException: true, type: 'file', code: 'ENOENT', notFound: true };
            const platform = await platformUnderTest({ ports: { assets_listFolder: async () => { throw gone; } } });
            same(await rejection(platform.init()), gone);
            """#)
    }

    @Test func unknownComponentsCannotBeLaunched() throws {
        try run(
            #"""
            const platform = await platformUnderTest();
            await platform.init();
            const exception = await rejection(__coreCallAsync('launchComponent',
                { appDomain: 'a.test', entrypoint: '/x.js', instance: 0 }));
            same([exception.type, exception.componentNotFound, exception.domain, exception.entrypoint],
                ['app-manifest', true, 'a.test', '/x.js']);
            """#)
    }
}
