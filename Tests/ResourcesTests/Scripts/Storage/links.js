// Links, and what sub-roots keep inside.
check('links to files and folders are read through', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('d/f', 'text');
    await fs.updateXAttrs('d/f', { set: { tag: 1 } });
    await fs.link('to-file', await fs.writableFile('d/f'));
    await fs.link('in/to-folder', await fs.writableSubRoot('d'));
    await fs.link('to-link', await fs.readonlySubRoot('in'));
    same([await fs.readTxtFile('to-file'), await fs.readTxtFile('in/to-folder/f'),
        await fs.readTxtFile('to-link/to-folder/f')], ['text', 'text', 'text']);
    same(await fs.listFolder(''), [{ name: 'd', isFolder: true }, { name: 'in', isFolder: true },
        { name: 'to-file', isLink: true }, { name: 'to-link', isLink: true }]);
    same(await fs.listFolder('in/to-folder'), [{ name: 'f', isFile: true }]);
    same([(await fs.stat('to-file')).isLink, (await fs.stat('in/to-folder/f')).size], [true, 4]);
    same([decode(await (await fs.getByteSource('to-file')).readNext()),
        await (await fs.readonlyFile('to-file')).readTxt(),
        await (await fs.readonlySubRoot('to-link/to-folder')).readTxtFile('f'), await fs.getXAttr('in/to-folder/f',
            'tag')],
    ['text', 'text', 'text', 1]);
    await refused(fs.link('to-file', await fs.readonlyFile('d/f')), 'EEXIST', 'to-file', 'alreadyExists');
    await refused(fs.deleteFile('to-file'), 'ENOTFILE', 'to-file', 'notFile');
    await fs.deleteLink('to-file');
    same([await fs.checkLinkPresence('to-file'), await fs.readTxtFile('d/f')], [false, 'text']);
});

check('writes go through links that may write', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('d/f', 'text');
    await fs.link('w', await fs.writableSubRoot('d'));
    await fs.link('r', await fs.readonlySubRoot('d'));
    await fs.link('wf', await fs.writableFile('d/f'));
    await fs.link('rf', await fs.readonlyFile('d/f'));
    await fs.writeTxtFile('w/f', 'one');
    same(await fs.readTxtFile('r/f'), 'one');
    await fs.writeTxtFile('wf', 'two');
    await fs.writeTxtFile('wf', 'TW', { truncate: false });
    same(await fs.readTxtFile('d/f'), 'TWo');
    const sink = await fs.getByteSink('w/new/g');
    await sink.splice(0, 0, encode('three'));
    await sink.done();
    const sinkOfLink = await fs.getByteSink('wf', { truncate: false });
    await sinkOfLink.splice(3, 0, encode(' end'));
    await sinkOfLink.done();
    same([await fs.readTxtFile('d/new/g'), await fs.readTxtFile('d/f')], ['three', 'TWo end']);
    await fs.makeFolder('w/made');
    await (await fs.writableSubRoot('w/made')).writeTxtFile('h', '');
    await (await fs.writableFile('w/i')).writeTxt('i');
    await fs.move('w/i', 'w/made/i');
    await fs.copyFile('w/made/i', 'd/j');
    same([await fs.listFolder('d/made'), await fs.readTxtFile('w/j')],
        [[{ name: 'h', isFile: true }, { name: 'i', isFile: true }], 'i']);
    await fs.deleteFile('w/made/h');
    const file = await fs.readonlyFile('d/f');
    for (const [call, path] of [
        [() => fs.writeTxtFile('r/f', 'x'), 'r/f'], [() => fs.writeTxtFile('rf', 'x'), 'rf'],
            [() => fs.getByteSink('r/f'), 'r/f'],
        [() => fs.getByteSink('r/none'), 'r/none'], [() => fs.writableFile('rf'), 'rf'],
            [() => fs.writableSubRoot('r'), 'r'],
        [() => fs.makeFolder('r/x'), 'r/x'], [() => fs.deleteFile('r/f'), 'r/f'], [() => fs.move('r/f', 'x'), 'r/f'],
        [() => fs.move('d/j', 'r/j'), 'r/j'], [() => fs.copyFile('d/j', 'r/j'), 'r/j'], [() => fs.updateXAttrs('rf',
            { set: { a: 1 } }), 'rf'],
        [() => fs.link('r/l', file), 'r/l'], [() => fs.deleteFolder('r/new', true), 'r/new'],
    ]) {
        await refused(call(), 'EPERM', path, 'opNotPermitted');
    }
    await refused(fs.writeTxtFile('wf', 'x', { exclusive: true }), 'EEXIST', 'wf', 'alreadyExists');
    same([await fs.readTxtFile('d/f'), await fs.checkFilePresence('d/j')], ['TWo end', true]);
});

check('a link tells what it leads to', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('d/f', 'text');
    await fs.link('rf', await fs.readonlyFile('d/f'));
    await fs.link('wd', await fs.writableSubRoot('d'));
    const [file, folder] = [await fs.readLink('rf'), await fs.readLink('wd')];
    same([file.readonly, file.isFile, file.isFolder, folder.readonly, folder.isFile, folder.isFolder],
        [true, true, undefined, false, undefined, true]);
    const [f, d] = [await file.target(), await folder.target()];
    same([f.name, f.writable, await f.readTxt(), d.name, d.writable, await d.readTxtFile('f')],
        ['f', false, 'text', 'd', true, 'text']);
    const seenReadonly = await (await fs.readonlySubRoot('')).readLink('wd');
    same([seenReadonly.readonly, (await seenReadonly.target()).writable], [true, false]);
    await fs.deleteFolder('d', true);
    await refused(file.target(), 'ENOENT', 'rf', 'notFound');
    await refused(fs.readTxtFile('rf'), 'ENOENT', 'rf', 'notFound');
    await refused(fs.listFolder('wd'), 'ENOENT', 'wd', 'notFound');
    await fs.makeFolder('d/f');
    await refused(file.target(), 'ENOTFILE', 'rf', 'notFile');
});

check('links in a circle end with an exception', async () => {
    const { fs } = await emptyFS();
    const [a, b] = [await fs.writableSubRoot('a'), await fs.writableSubRoot('b')];
    await fs.deleteFolder('a');
    await fs.link('a', b);
    await fs.deleteFolder('b');
    await fs.link('b', a);
    await fs.link('c/inside', await fs.writableSubRoot('c'));
    for (const call of ['readTxtFile', 'listFolder', 'getByteSink', 'readonlySubRoot']) {
        same((await refused(fs[call]('a'), 'ELOOP', 'a')).message.includes('circle'), true);
    }
    await refused(fs.writeTxtFile('a/x', ''), 'ELOOP', 'a/x');
    await fs.writeTxtFile('c/inside/inside/inside/f', 'deep');
    same(await fs.readTxtFile('c/f'), 'deep');
    await refused((await fs.readLink('a')).target(), 'ELOOP', 'a');
});

check('a sub-root never reaches above its root', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('secret/f', 'secret');
    await fs.writeTxtFile('inner/deep/f', 'mine');
    await fs.link('inner/out', await fs.readonlySubRoot('secret'));
    await fs.link('inner/out-file', await fs.writableFile('secret/f'));
    await fs.link('inner/up', await fs.writableSubRoot(''));
    await fs.link('inner/in', await fs.writableSubRoot('inner/deep'));
    for (const sub of [await fs.readonlySubRoot('inner'), await fs.writableSubRoot('inner')]) {
        same([sub.name, await sub.readTxtFile('in/f'), await sub.readTxtFile('/deep/f')], ['inner', 'mine', 'mine']);
        for (const path of ['out/f', 'out-file', 'up/secret/f', 'up/inner/deep/f', '../secret/f',
            'deep/../../secret/f']) {
            await refused(sub.readTxtFile(path), 'EPERM', path, 'opNotPermitted');
            await refused(sub.getByteSource(path), 'EPERM', path, 'opNotPermitted');
        }
        await refused(sub.listFolder('up'), 'EPERM', 'up', 'opNotPermitted');
        await refused(sub.readonlySubRoot('out'), 'EPERM', 'out', 'opNotPermitted');
        await refused((await sub.readLink('out')).target(), 'EPERM', 'out', 'opNotPermitted');
        await refused(sub.select('up', { name: '*', action: 'include' }), 'EPERM', 'up', 'opNotPermitted');
    }
    const sub = await fs.writableSubRoot('inner');
    for (const [call, path] of [
        [() => sub.writeTxtFile('out-file', 'x'), 'out-file'], [() => sub.writeTxtFile('up/x', 'x'), 'up/x'],
        [() => sub.getByteSink('up/x'), 'up/x'], [() => sub.writableFile('out-file'), 'out-file'],
            [() => sub.move('deep', '../x'), '../x'],
        [() => sub.move('up/secret', 'x'), 'up/secret'], [() => sub.deleteFolder('up/secret', true), 'up/secret'],
        [() => sub.deleteFolder('deep/..', true), 'deep/..'], [() => sub.copyFile('out-file', 'x'), 'out-file'],
        [() => sub.copyFolder('out', 'x'), 'out'], [() => sub.makeFolder('up/x'), 'up/x'],
    ]) {
        await refused(call(), 'EPERM', path, 'opNotPermitted');
    }
    same([await fs.readTxtFile('secret/f'), await sub.checkFilePresence('x')], ['secret', false]);
});

check('a sub-root whose folder becomes a link leads nowhere else', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('secret/f', 'secret');
    const sub = await fs.writableSubRoot('inner');
    const file = await sub.writableFile('f');
    await fs.deleteFolder('inner');
    await fs.link('inner', await fs.writableSubRoot('secret'));
    await refused(sub.readTxtFile('f'), 'EPERM', 'f', 'opNotPermitted');
    await refused(sub.writeTxtFile('f', 'x'), 'EPERM', 'f', 'opNotPermitted');
    await refused(file.writeTxt('x'), 'EPERM', 'f', 'opNotPermitted');
    same(await fs.readTxtFile('secret/f'), 'secret');
});

check('links stay in their file system, and give no more than their target did', async () => {
    const one = await emptyFS();
    const two = await emptyFS();
    await two.fs.writeTxtFile('f', '');
    for (const target of [1, 'f', {}, null, undefined, [await one.fs.writableSubRoot('d')], one.fs.v]) {
        await refused(one.fs.link('l', target), 'EPERM', 'l', 'badFnCallArguments');
    }
    const local = (await storageOf({ domain: one.domain })).storage;
    const synced = await local.getAppSyncedFS();
    const invalid = await rejection(one.fs.link('l', synced));
    same([invalid.type, invalid.invalidReference ?? invalid.badFnCallArguments], ['file', true]);
    const both = await (await storageOf({ domain: one.domain })).storage;
    const [a, b] = [await both.getAppLocalFS(), await both.getAppSyncedFS()];
    await refused(a.link('l', b), 'EPERM', 'l', 'notLinkableFolder');
    await b.writeTxtFile('f', '');
    await refused(a.link('l', await b.readonlyFile('f')), 'EPERM', 'l', 'notLinkableFile');
    await a.link('r', await a.readonlySubRoot(''));
    await refused(a.writeTxtFile('r/x', ''), 'EPERM', 'r/x', 'opNotPermitted');
});
