import Foundation
import Testing

/// Local storage of apps, over the real file ports, and over a disk in memory that can stop at any call.
@Suite struct CoreLoadStorageTests {
    private static let oneApp = #"""
        const apps = appFiles('a.test', { '/main.js': { capsRequested: { storage: { appFS: 'default' } } } });
        const turns = async count => { for (let i = 0; i < count; i += 1) { await nextTurn(); } };
        const started = async (disk = globalThis.nativeDisk) => {
            const platform = await platformUnderTest({ apps, disk });
            await platform.init();
            return { platform, fs: await (await platform.launch('a.test/main.js')).w3n.storage.getAppLocalFS() };
        };
        """#

    enum Files: CaseIterable { case inMemory, onDisk }

    private func run(_ script: String, _ files: Files = .inMemory) throws {
        switch files {
        case .inMemory:
            try CoreContext.run(Self.oneApp + script)
        case .onDisk:
            let folder = FileManager.default.temporaryDirectory.appending(path: "corehost-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }  // what stays is in the system's temporary folder
            try CoreContext.run(Self.oneApp + script, filesIn: folder.path)
        }
    }

    @Test(arguments: Files.allCases) func keepsBytesTextAndJSON(_ files: Files) throws {
        try run(
            #"""
            const { fs } = await started();
            await fs.writeBytes('a/b/bytes', new Uint8Array([1, 2, 3, 4]));
            same([...await fs.readBytes('/a//./b/bytes')], [1, 2, 3, 4]);
            same([...await fs.readBytes('a/b/bytes', 1, 3)], [2, 3]);
            same([...await fs.readBytes('a/b/bytes', 3, 100)], [4]);
            same(await fs.readBytes('a/b/bytes', 9) ?? 'nothing', 'nothing');
            await fs.writeTxtFile('text', 'žluť 🙂');
            same(await fs.readTxtFile('text'), 'žluť 🙂');
            await fs.writeJSONFile('json', { x: [1, null] });
            same(await fs.readJSONFile('a/../json'), { x: [1, null] });
            same(await fs.listFolder(), [
                { name: 'a', isFolder: true }, { name: 'json', isFile: true }, { name: 'text', isFile: true }]);
            same([await fs.checkFilePresence('text'), await fs.checkFilePresence('a'),
                await fs.checkFolderPresence('a'), await fs.checkFolderPresence('none')], [true, false, true, false]);
            same((await fs.stat('a/b/bytes')).size, 4);
            await fs.deleteFile('text');
            await fs.deleteFolder('a', true);
            same((await fs.listFolder('')).map(({ name }) => name), ['json']);
            same([fs.type, fs.writable, fs.name], ['local', true, 'a.test']);
            """#, files)
    }

    @Test(arguments: Files.allCases) func writeFlagsMeanWhatTheySay(_ files: Files) throws {
        try run(
            #"""
            const { fs } = await started();
            same((await rejection(fs.writeTxtFile('f', 'x', { create: false }))).notFound, true);
            await fs.writeTxtFile('f', 'first', { exclusive: true });
            same((await rejection(fs.writeTxtFile('f', 'x', { exclusive: true }))).alreadyExists, true);
            await fs.writeTxtFile('f', 'FI', { truncate: false });
            same(await fs.readTxtFile('f'), 'FIrst');
            await fs.writeTxtFile('f', 'gone', { create: false });
            same(await fs.readTxtFile('f'), 'gone');
            """#, files)
    }

    @Test(arguments: Files.allCases) func exceptionsHaveTheFlagOfTheirCodeAndTheCallersPath(_ files: Files) throws {
        try run(
            #"""
            const { fs } = await started();
            await fs.writeTxtFile('folder/file', 'not json');
            const flagsOf = { ENOENT: 'notFound', ENOTFILE: 'notFile', EISDIR: 'isDirectory', ENOTDIR: 'notDirectory',
                ENOTEMPTY: 'notEmpty', EEXIST: 'alreadyExists', EPERM: 'opNotPermitted', EIO: 'ioError' };
            for (const [call, path, code] of [
                [() => fs.readBytes('none/x'), 'none/x', 'ENOENT'],
                [() => fs.readTxtFile('folder'), 'folder', 'ENOTFILE'],
                [() => fs.writeTxtFile('folder', ''), 'folder', 'EISDIR'],
                [() => fs.writeTxtFile('folder/file/x', ''), 'folder/file/x', 'ENOTDIR'],
                [() => fs.listFolder('folder/file'), 'folder/file', 'ENOTDIR'],
                [() => fs.deleteFile('folder'), 'folder', 'ENOTFILE'],
                [() => fs.deleteFolder('folder/file'), 'folder/file', 'ENOTDIR'],
                [() => fs.deleteFolder('folder'), 'folder', 'ENOTEMPTY'],
                [() => fs.makeFolder('folder', true), 'folder', 'EEXIST'],
                [() => fs.deleteFolder('/', true), '/', 'EPERM'],
                [() => fs.readBytes('../x'), '../x', 'EPERM'],
                [() => fs.writeTxtFile('a/../../b.test/x', ''), 'a/../../b.test/x', 'EPERM'],
                [() => fs.readBytes('x\0y'), 'x\0y', 'EPERM'],
                [() => fs.readJSONFile('folder/file'), 'folder/file', 'EIO'],
                [() => fs.readBytes('folder/file', 5, 2), 'folder/file', 'EPERM'],
                [() => fs.checkFilePresence('none', true), 'none', 'ENOENT'],
                [() => fs.checkFilePresence('folder', true), 'folder', 'ENOTFILE'],
            ]) {
                const exception = await rejection(call());
                same([exception.type, exception.code, exception.path], ['file', code, path]);
                same(exception[flagsOf[code]], true, code);
                holds(!JSON.stringify(exception).includes('secret'), `nothing native in ${JSON.stringify(exception)}`);
            }
            """#, files)
    }

    @Test func aWriteIsMadeBesideSyncedAndPutInPlace() throws {
        try run(
            #"""
            const disk = new Disk();
            const { fs } = await started(disk);
            disk.trace.length = 0;
            await fs.writeTxtFile('f', 'four');
            const steps = disk.trace.slice(disk.trace.findIndex(step => step.startsWith('create')));
            const scratch = steps[0].split(' ')[1];
            holds(scratch.startsWith('scratch/'), `written beside: ${scratch}`);
            const [, , file] = steps.find(step => step.startsWith('rename')).split(' ');
            const folder = file.slice(0, file.lastIndexOf('/'));
            holds(/^users\/[0-9a-f]{32}\/trees\/[0-9a-f]{32}\/files$/.test(folder), `in a tree: ${file}`);
            same(steps.filter(step => !step.startsWith('write')),
                [`create ${scratch}`, `sync ${scratch}`, `rename ${scratch} ${file}`, `sync ${folder}`]);
            const written = steps.lastIndexOf(`write ${scratch}`);
            holds(written > 0 && written < steps.indexOf(`sync ${scratch}`), 'written before it is synced');
            same(await fs.readTxtFile('f'), 'four');
            // Nobody waits for the end of a close.
            await turns(3);
            same(disk.openFiles, 0);
            """#)
    }

    @Test func aKillAtAnyCallLeavesOldOrNewContentAndNothingElse() throws {
        try run(
            #"""
            for (let calls = 1; ; calls += 1) {
                const killed = new Disk();
                const first = await started(killed);
                await first.fs.writeTxtFile('folder/f', 'old');
                killed.callsLeft = calls;
                let isAnswered = false;
                first.fs.writeTxtFile('folder/f', 'new').then(() => { isAnswered = true; });
                while (killed.callsLeft > 0 && !isAnswered) { await nextTurn(); }
                await nextTurn();
                const disk = killed.afterKill();
                const second = await started(disk);
                const text = await second.fs.readTxtFile('folder/f');
                holds(text === 'new' || (text === 'old' && !isAnswered), `after ${calls} calls: ${text}`);
                same(await second.fs.listFolder('folder'), [{ name: 'f', isFile: true }]);
                same(disk.paths().filter(path => path.startsWith('scratch/')), [], `leftovers after ${calls} calls`);
                if (isAnswered) { holds(calls > 5, 'the kill came in between'); break; }
            }
            """#)
    }

    @Test func aFailedWriteLeavesTheOldContentAndNoScratchFile() throws {
        try run(
            #"""
            const disk = new Disk();
            const { fs } = await started(disk);
            await fs.writeTxtFile('f', 'old');
            disk.fh_sync = () => { throw { runtimeException: true, type: 'file', code: 'EIO', ioError: true }; };
            const exception = await rejection(fs.writeTxtFile('f', 'new'));
            same([exception.ioError, exception.path], [true, 'f']);
            same(await fs.readTxtFile('f'), 'old');
            await turns(3);
            same(disk.openFiles, 0);
            same(disk.paths().filter(path => path.startsWith('scratch/')), []);
            """#)
    }

    @Test(arguments: Files.allCases) func writesOfOnePathEndInTheOrderOfTheirCalls(_ files: Files) throws {
        try run(
            #"""
            const { platform, fs } = await started();
            const other = await [...platform.components.values()][0].w3n.storage.getAppLocalFS();
            const ended = [];
            const texts = Array.from({ length: 20 }, (_, i) => 'x'.repeat(20 - i) + i);
            await Promise.all(texts.map(async (text, i) => {
                await (i % 2 ? fs : other).writeTxtFile('f', text);
                ended.push(i);
            }));
            same(ended, texts.map((_, i) => i));
            same(await fs.readTxtFile('f'), texts.at(-1));
            await Promise.all([fs.writeTxtFile('d/f', '1'), fs.deleteFolder('d', true), fs.writeTxtFile('d/g', '2')]);
            same(await fs.listFolder('d'), [{ name: 'g', isFile: true }]);
            """#, files)
    }

    @Test func anAppOpensItsOwnStorageAndWhatItsManifestLists() throws {
        try CoreContext.run(
            #"""
            const appFS = [{ domain: 'b.a.test', storage: 'local' }, { domain: 'c.a.test', storage: 'synced' },
                { domain: 'other.test', storage: 'local' }];
            const apps = appFiles('a.test', { '/main.js': { capsRequested: { storage: { appFS } } } });
            const platform = await platformUnderTest({ apps });
            await platform.init();
            const { w3n, connectorId } = await platform.launch('a.test/main.js');
            const fs = await w3n.storage.getAppLocalFS('b.a.test');
            await fs.writeTxtFile('f', 'shared');
            const own = await w3n.storage.getAppLocalFS();
            same([await fs.readTxtFile('f'), await own.checkFilePresence('f')], ['shared', false]);
            for (const domain of ['c.a.test', 'other.test', 'd.test', '..', '']) {
                const exception = await rejection(w3n.storage.getAppLocalFS(domain));
                same([exception.type, exception.notAllowedToOpenFS], ['storage', true], domain);
            }
            await fs.close();
            same((await rejection(fs.readTxtFile('f'))).opNotPermitted, true);
            """#)
    }

    @Test func theLocalUserIsMadeOnceAndKept() throws {
        try CoreContext.run(
            #"""
            const disk = new Disk();
            const signedIn = { login: 'logged-in', userId: 'user@local' };
            same(await (await platformUnderTest({ disk })).init(), signedIn);
            const account = disk.paths().filter(path => path.endsWith('/account.json'));
            same([disk.text('format.json'), account.length], ['{"format":2}', 1]);
            const platform = await platformUnderTest({ disk });
            const start = platform.init();
            const waiting = __coreCallAsync('getSignedUserIdEventually');
            same(await start, signedIn);
            same([await waiting, disk.paths().filter(path => path.endsWith('/account.json'))], ['user@local', account]);
            """#)
    }

    /// Random changes, several at once, and a kill at a random call: what was answered is there, and what was not is
    /// there whole or not at all.
    @Test(arguments: 1...4) func whatWasAnsweredSurvivesAKill(seed: Int) throws {
        try run(
            "const seed = \(seed);\n"
                + #"""
                const random = randomNumbers(seed);
                let disk = new Disk();
                const paths = ['a', 'b', 'd/a', 'd/b', 'd/e/a'];
                // Path → contents it may have: that of the last answered change, and of those after it.
                const allowed = new Map(paths.map(path => [path, [{ text: undefined }]]));
                for (let life = 0; life < 4; life += 1) {
                    const { fs } = await started(disk);
                    for (const path of paths) {
                        const text = await fs.readTxtFile(path).catch(({ notFound }) => (notFound ? undefined : 'bad'));
                        holds(allowed.get(path).some(entry => entry.text === text),
                            `seed ${seed}, life ${life}: ${path} has ${text} of ${JSON.stringify(allowed.get(path))}`);
                        allowed.set(path, [{ text }]);
                    }
                    disk.callsLeft = 20 + random(100);
                    for (let step = 0; step < 30 && disk.callsLeft > 0; step += 1) {
                        const path = paths[random(paths.length)];
                        const text = random(4) === 0 ? undefined : `life ${life}, step ${step}`;
                        const entry = { text };
                        allowed.get(path).push(entry);
                        const change = text === undefined ? fs.deleteFile(path) : fs.writeTxtFile(path, text);
                        const answered = () => { allowed.get(path).splice(0, allowed.get(path).indexOf(entry)); };
                        change.then(answered, ({ notFound }) => { if (notFound) { answered(); } });
                        if (random(3) === 0) { await turns(random(20)); }
                    }
                    await turns(200);
                    disk = disk.afterKill();
                }
                """#)
    }
}
