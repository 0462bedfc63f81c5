import Testing

/// Files and folders that an app shows to others, through the wire.
@Suite struct FSResourceTests {
    private static let fixture = #"""
        const exposed = {
            settings: { allow: { otherApps: ['b.test'], thisAppComponents: ['/own.js'] }, appStorage: 'local',
                path: '/in/settings.json', itemType: 'file', initValueSrc: '/first.json' },
            folder: { allow: { otherApps: '*' }, appStorage: 'local', path: 'shared', itemType: 'folder' },
            closed: { allow: {}, appStorage: 'local', path: 'x', itemType: 'file' },
        };
        const asking = otherApps => ({ capsRequested: { shell: { fsResource: { thisApp: 'settings', otherApps } } } });
        const all = { 'a.test': ['settings', 'folder', 'closed', 'none'], 'gone.test': 'x' };
        const started = async () => {
            const platform = await platformUnderTest({ apps: {
                ...appFiles('a.test', { '/main.js': { capsRequested: { storage: { appFS: 'default' } } },
                    '/own.js': asking({}), '/other.js': asking({}) }, { exposedFSResources: exposed }),
                'a.test/app/first.json': '{"first":1}',
                ...appFiles('b.test', { '/main.js': asking(all) }), ...appFiles('c.test', { '/main.js': asking(all) }),
            } });
            await platform.init();
            const shellOf = async id => (await platform.launch(id)).w3n.shell;
            const { w3n } = await platform.launch('a.test/main.js');
            return { platform, shellOf, storage: await w3n.storage.getAppLocalFS() };
        };
        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.fixture + script) }

    @Test func aFileIsMadeFromItsFirstValueAndOnlyRead() throws {
        try run(
            #"""
            const { shellOf, storage } = await started();
            const { getFSResource } = await shellOf('b.test/main.js');
            const file = await getFSResource('a.test', 'settings');
            same([await file.readJSON(), file.writable, file.writeJSON], [{ first: 1 }, false, undefined]);
            same(await storage.readJSONFile('in/settings.json'), { first: 1 });
            await storage.writeJSONFile('in/settings.json', { second: 2 });
            const again = await getFSResource('a.test', 'settings');
            same(await again.readJSON(), { second: 2 });
            const own = await (await shellOf('a.test/own.js')).getFSResource(null, 'settings');
            same(await own.readJSON(), { second: 2 });
            """#)
    }

    @Test func aFolderShowsWhatIsInItAndNothingAbove() throws {
        try run(
            #"""
            const { platform, shellOf, storage } = await started();
            const { getFSResource } = await shellOf('b.test/main.js');
            const exception = await rejection(getFSResource('a.test', 'folder'));
            const { type, resourceNotFound, resourceNotInitialized } = exception;
            same([type, resourceNotFound, resourceNotInitialized], ['fs-resource', true, true]);
            await storage.writeTxtFile('shared/f', 'text');
            await storage.writeTxtFile('secret', 'hidden');
            const fs = await getFSResource('a.test', 'folder');
            same([await fs.readTxtFile('f'), fs.writable, fs.writeTxtFile], ['text', false, undefined]);
            same((await rejection(fs.readTxtFile('../secret'))).opNotPermitted, true);
            const component = [...platform.components.values()].find(({ id }) => id === 'b.test/main.js');
            platform.kill(component.connectorId);
            same(await storage.readTxtFile('shared/f'), 'text');
            """#)
    }

    @Test func bothManifestsDecide() throws {
        try run(
            #"""
            const { shellOf } = await started();
            const [b, c] = [await shellOf('b.test/main.js'), await shellOf('c.test/main.js')];
            const other = await shellOf('a.test/other.js');
            for (const [shell, domain, name, flag] of [
                [b, 'a.test', 'closed', 'callerNotAllowed'], [b, 'a.test', 'none', 'resourceNotFound'],
                [b, 'gone.test', 'x', 'resourceNotFound'], [b, 'c.test', 'settings', 'callerNotAllowed'],
                [b, 'a.test', 'unasked', 'callerNotAllowed'], [b, '__proto__', 'x', 'callerNotAllowed'],
                [c, 'a.test', 'settings', 'callerNotAllowed'], [other, null, 'settings', 'callerNotAllowed'],
            ]) {
                const exception = await rejection(shell.getFSResource(domain, name));
                same([exception.type, exception[flag], exception.resourceName], ['fs-resource', true, name],
                    `${domain} ${name}: ${exception.message}`);
            }
            """#)
    }

    @Test func wrongDescriptorsAreProblems() throws {
        try run(
            #"""
            const good = exposed.settings;
            for (const [resource, message] of [
                [7, 'resource r: is 7; make it an object'],
                [{ ...good, allow: '*' }, 'resource r: "allow": is "*"; make it an object'],
                [{ ...good, appStorage: 'cloud' }, 'resource r: "appStorage" is "cloud"; make it "local" or "synced"'],
                [{ ...good, path: undefined }, 'resource r: "path" is nothing; make it a path in the storage'],
                [{ ...good, itemType: 'link' }, 'resource r: "itemType" is "link"; make it "file" or "folder"'],
                [{ ...good, initValueSrc: 1 }, 'resource r: "initValueSrc" is 1; make it a path in the app folder'],
            ]) {
                const platform = await platformUnderTest({
                    apps: appFiles('a.test', { '/main.js': {} }, { exposedFSResources: { r: resource } }) });
                await platform.init();
                same(__coreCall('listComponents').problems.map(problem => problem.message),
                    [`a.test/manifest.json: ${message}`]);
            }
            """#)
    }
}
