// Reading and writing files and attributes by path.
check('bytes, text and JSON are kept', async () => {
    const { fs, domain } = await emptyFS();
    same([fs.type, fs.writable, fs.name], ['local', true, domain]);
    await fs.writeBytes('a/b/bytes', new Uint8Array([1, 2, 3, 4]));
    same([...await fs.readBytes('/a//./b/bytes')], [1, 2, 3, 4]);
    same([...await fs.readBytes('a/b/bytes', 1, 3)], [2, 3]);
    same([...await fs.readBytes('a/b/bytes', 3, 100)], [4]);
    same([...await fs.readBytes('a/b/bytes', 2)], [3, 4]);
    same(await fs.readBytes('a/b/bytes', 9), undefined);
    await fs.writeTxtFile('text', '\ufeff\u017elu\u0165 \u{1f642}');
    same(await fs.readTxtFile('text'), '\ufeff\u017elu\u0165 \u{1f642}');
    await fs.writeTxtFile('empty', '');
    same([await fs.readTxtFile('empty'), await fs.readBytes('empty')], ['', undefined]);
    await fs.writeJSONFile('json', { x: [1, null], then: 1, __proto__: { y: 1 } });
    same(await fs.readJSONFile('a/../json'), { x: [1, null], then: 1 });
    same(await fs.listFolder(), [{ name: 'a', isFolder: true }, { name: 'empty', isFile: true },
        { name: 'json', isFile: true }, { name: 'text', isFile: true }]);
    same(await fs.listFolder('a/b/'), [{ name: 'bytes', isFile: true }]);
});

check('a megabyte is kept', async () => {
    const { fs } = await emptyFS();
    const bytes = new Uint8Array(1_200_000).map((_, i) => i * 7);
    await fs.writeBytes('big', bytes);
    same((await fs.readBytes('big')).every((byte, i) => byte === bytes[i]), true);
    same([...await fs.readBytes('big', 1_199_998, 2_000_000)], [...bytes.subarray(-2)]);
});

check('stat tells kind, size, times and version', async () => {
    const { fs } = await emptyFS();
    const before = Date.now() - 2000;
    await fs.writeTxtFile('d/f', 'four');
    await fs.writeTxtFile('d/f', 'fours');
    const { mtime, ctime, ...stats } = await fs.stat('d/f');
    same(stats, { isFile: true, writable: true, size: 5, version: 2 });
    holds([mtime, ctime].every(time => time instanceof Date && time >= before && time <= Date.now() + 2000), 'times');
    const folder = await fs.stat('d');
    same([folder.isFolder, folder.writable, folder.size], [true, true, undefined]);
    same((await fs.stat('')).isFolder, true);
    same((await (await fs.readonlySubRoot('d')).stat('f')).writable, false);
});

check('presence is checked by kind', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('d/f', '');
    await fs.link('l', await fs.readonlyFile('d/f'));
    const checks = [];
    for (const path of ['d', 'd/f', 'l', 'none', 'd/f/x', '']) {
        checks.push([path, await fs.checkFolderPresence(path), await fs.checkFilePresence(path),
            await fs.checkLinkPresence(path)].join(' '));
    }
    same(checks, ['d true false false', 'd/f false true false', 'l false false true', 'none false false false',
        'd/f/x false false false', ' true false false']);
    await refused(fs.checkFilePresence('d', true), 'ENOTFILE', 'd', 'notFile');
    await refused(fs.checkFolderPresence('d/f', true), 'ENOTDIR', 'd/f', 'notDirectory');
    await refused(fs.checkLinkPresence('d/f', true), 'EPERM', 'd/f', 'notLink');
    await refused(fs.checkFilePresence('none', true), 'ENOENT', 'none', 'notFound');
});

check('write flags mean what they say', async () => {
    const { fs } = await emptyFS();
    await refused(fs.writeTxtFile('f', 'x', { create: false }), 'ENOENT', 'f', 'notFound');
    await refused(fs.writeTxtFile('d/f', 'x', { create: false }), 'ENOENT', 'd/f', 'notFound');
    same(await fs.checkFolderPresence('d'), false);
    await fs.writeTxtFile('f', 'first', { exclusive: true });
    await refused(fs.writeTxtFile('f', 'x', { exclusive: true }), 'EEXIST', 'f', 'alreadyExists');
    await fs.writeTxtFile('f', 'FI', { truncate: false });
    same(await fs.readTxtFile('f'), 'FIrst');
    await fs.writeTxtFile('f', 'longer than it', { truncate: false, create: undefined });
    same(await fs.readTxtFile('f'), 'longer than it');
    await fs.writeTxtFile('new', 'made', { truncate: false });
    same(await fs.readTxtFile('new'), 'made');
    await fs.writeTxtFile('f', 'gone', { create: false, exclusive: true });
    same(await fs.readTxtFile('f'), 'gone');
    for (const flags of [1, 'create', [], { create: 'yes' }, { exclusive: 1 }, { truncate: {} }]) {
        await refused(fs.writeTxtFile('f', 'x', flags), 'EPERM', 'f', 'badFnCallArguments');
    }
    await fs.writeTxtFile('f', 'kept', null);
    same(await fs.readTxtFile('f'), 'kept');
});

check('two writes onto one content are both in it', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', '0123456789');
    await Promise.all(['a', 'bb', 'ccc', 'dddd'].map(text => fs.writeTxtFile('f', text, { truncate: false })));
    const text = await fs.readTxtFile('f');
    holds(/^(a|bb|ccc|dddd).*456789$/.test(text), `whole writes: ${text}`);
});

check('folders and files are made, removed, moved and copied', async () => {
    const { fs } = await emptyFS();
    await fs.makeFolder('a/b/c');
    await fs.makeFolder('a/b/c');
    await refused(fs.makeFolder('a/b', true), 'EEXIST', 'a/b', 'alreadyExists');
    await fs.makeFolder('');
    await fs.writeTxtFile('a/b/f', 'text');
    await fs.copyFile('a/b/f', 'copies/of/f');
    await refused(fs.copyFile('a/b/f', 'copies/of/f'), 'EEXIST', 'copies/of/f', 'alreadyExists');
    await fs.writeTxtFile('a/b/f', 'other');
    await fs.copyFile('a/b/f', 'copies/of/f', true);
    same(await fs.readTxtFile('copies/of/f'), 'other');
    await refused(fs.copyFile('none', 'x'), 'ENOENT', 'none', 'notFound');
    await refused(fs.copyFile('a', 'x'), 'ENOTFILE', 'a', 'notFile');
    await fs.move('a/b', 'moved/here');
    same(await fs.listFolder('moved/here'), [{ name: 'c', isFolder: true }, { name: 'f', isFile: true }]);
    await refused(fs.move('none', 'x/y'), 'ENOENT', 'none', 'notFound');
    same(await fs.checkFolderPresence('x'), false);
    await refused(fs.move('moved', 'copies'), 'EEXIST', 'copies', 'alreadyExists');
    await refused(fs.move('moved', 'moved/here/inside'), 'EPERM', 'moved/here/inside', 'opNotPermitted');
    await refused(fs.move('', 'x'), 'EPERM', '', 'opNotPermitted');
    await refused(fs.deleteFolder('moved'), 'ENOTEMPTY', 'moved', 'notEmpty');
    await fs.deleteFile('moved/here/f');
    await fs.deleteFolder('moved', true);
    same(await fs.listFolder(''), [{ name: 'a', isFolder: true }, { name: 'copies', isFolder: true }]);
});

check('what cannot be is refused by its code, with the path of the caller alone', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('folder/file', 'not json');
    await fs.writeBytes('odd', new Uint8Array([0xff, 0xfe]));
    for (const [call, path, code, flag] of [
        [() => fs.readBytes('none/x'), 'none/x', 'ENOENT', 'notFound'],
        [() => fs.readTxtFile('folder'), 'folder', 'ENOTFILE', 'notFile'],
        [() => fs.getByteSource('folder'), 'folder', 'ENOTFILE', 'notFile'],
        [() => fs.getByteSink('folder'), 'folder', 'EISDIR', 'isDirectory'],
        [() => fs.writeTxtFile('folder', ''), 'folder', 'EISDIR', 'isDirectory'],
        [() => fs.writeTxtFile('folder', '', { truncate: false }), 'folder', 'EISDIR', 'isDirectory'],
        [() => fs.writeTxtFile('', ''), '', 'EISDIR', 'isDirectory'],
        [() => fs.writeTxtFile('folder/file/x', ''), 'folder/file/x', 'ENOTDIR', 'notDirectory'],
        [() => fs.listFolder('folder/file'), 'folder/file', 'ENOTDIR', 'notDirectory'],
        [() => fs.listFolder('none'), 'none', 'ENOENT', 'notFound'],
        [() => fs.deleteFile('folder'), 'folder', 'ENOTFILE', 'notFile'],
        [() => fs.deleteFile('none'), 'none', 'ENOENT', 'notFound'],
        [() => fs.deleteFolder('folder/file'), 'folder/file', 'ENOTDIR', 'notDirectory'],
        [() => fs.deleteFolder('folder'), 'folder', 'ENOTEMPTY', 'notEmpty'],
        [() => fs.deleteFolder('/', true), '/', 'EPERM', 'opNotPermitted'],
        [() => fs.deleteFolder('folder/..', true), 'folder/..', 'EPERM', 'opNotPermitted'],
        [() => fs.deleteLink('folder'), 'folder', 'EPERM', 'notLink'],
        [() => fs.readLink('folder/file'), 'folder/file', 'EPERM', 'notLink'],
        [() => fs.readLink('none'), 'none', 'ENOENT', 'notFound'],
        [() => fs.readonlyFile('folder'), 'folder', 'ENOTFILE', 'notFile'],
        [() => fs.readonlySubRoot('folder/file'), 'folder/file', 'ENOTDIR', 'notDirectory'],
        [() => fs.writableFile('folder'), 'folder', 'ENOTFILE', 'notFile'],
        [() => fs.writableFile('none', { create: false }), 'none', 'ENOENT', 'notFound'],
        [() => fs.writableFile('odd', { exclusive: true }), 'odd', 'EEXIST', 'alreadyExists'],
        [() => fs.writableSubRoot('none', { create: false }), 'none', 'ENOENT', 'notFound'],
        [() => fs.writableSubRoot('folder', { exclusive: true }), 'folder', 'EEXIST', 'alreadyExists'],
        [() => fs.writableSubRoot('odd'), 'odd', 'EEXIST', 'alreadyExists'],
        [() => fs.stat('none'), 'none', 'ENOENT', 'notFound'],
        [() => fs.readJSONFile('folder/file'), 'folder/file', 'EIO', 'parsingError'],
        [() => fs.readTxtFile('odd'), 'odd', 'EIO', 'parsingError'],
        [() => fs.getXAttr('none', 'a'), 'none', 'ENOENT', 'notFound'],
        [() => fs.updateXAttrs('none', { set: { a: 1 } }), 'none', 'ENOENT', 'notFound'],
        [() => fs.move('odd', 'folder/file/x'), 'folder/file/x', 'ENOTDIR', 'notDirectory'],
    ]) {
        await refused(call(), code, path, flag);
    }
});

check('a closed file system answers no more; what came of it does', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('d/f', 'text');
    const [sub, file, source] = [await fs.writableSubRoot('d'), await fs.readonlyFile('d/f'),
        await fs.getByteSource('d/f')];
    await fs.close();
    await fs.close();
    await refused(fs.readTxtFile('d/f'), 'EPERM', 'd/f', 'storageClosed');
    await refused(fs.writeTxtFile('d/g', ''), 'EPERM', 'd/g', 'storageClosed');
    same([await sub.readTxtFile('f'), await file.readTxt(), decode(await source.readNext())], ['text', 'text', 'text']);
});

check('attributes are kept with files and folders', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', 'text');
    await fs.makeFolder('d');
    for (const path of ['f', 'd']) {
        same(await fs.listXAttrs(path), []);
        await fs.updateXAttrs(path, { set: { tag: ['a', 1], bytes: new Uint8Array([1, 2]), __proto__x: null } });
        same(await fs.listXAttrs(path), ['__proto__x', 'bytes', 'tag']);
        same(await fs.getXAttr(path, 'tag'), ['a', 1]);
        same([...await fs.getXAttr(path, 'bytes')], [1, 2]);
        same(await fs.getXAttr(path, '__proto__x'), null);
        for (const name of ['none', '__proto__', 'constructor']) { same(await fs.getXAttr(path, name), undefined); }
        await fs.updateXAttrs(path, { set: { tag: 2 }, remove: ['bytes', 'none'] });
        same([await fs.getXAttr(path, 'tag'), await fs.listXAttrs(path)], [2, ['__proto__x', 'tag']]);
    }
    same(await fs.readTxtFile('f'), 'text');
    await fs.writeTxtFile('f', 'other');
    same([await fs.getXAttr('f', 'tag'), await fs.readTxtFile('f')], [2, 'other']);
    for (const changes of [undefined, null, 1, [], { set: 1 }, { set: [] }, { remove: 'tag' }, { remove: [1] },
        { set: { '': 1 } }, { set: { ['x'.repeat(1025)]: 1 } }, { remove: Array(300).fill('a') },
            { set: { '\ud800': 1 } }]) {
        await refused(fs.updateXAttrs('f', changes), 'EPERM', 'f', 'badFnCallArguments');
    }
    await refused(fs.updateXAttrs('f', { set: { big: 'x'.repeat(300_000) } }), 'EPERM', 'f', 'opNotPermitted');
    await refused(fs.getXAttr('f', 5), 'EPERM', 'f', 'badFnCallArguments');
    same(await fs.getXAttr('f', 'tag'), 2);
});

check('changes of one path happen in the order of their calls', async () => {
    const { fs, domain } = await emptyFS();
    const other = await (await storageOf({ domain })).storage.getAppLocalFS();
    const texts = Array.from({ length: 20 }, (_, i) => 'x'.repeat(20 - i) + i);
    const ended = [];
    await Promise.all(texts.map(async (text, i) => {
        await (i % 2 ? fs : other).writeTxtFile('f', text);
        ended.push(i);
    }));
    same([ended, await fs.readTxtFile('f')], [texts.map((_, i) => i), texts.at(-1)]);
    for (const [steps, path, text] of [
        [['writeTxtFile f 1', 'deleteFile f', 'writeTxtFile f 2'], 'f', '2'],
        [['writeTxtFile d/f 1', 'deleteFolder d true', 'writeTxtFile d/g 2'], 'd/g', '2'],
        [['writeTxtFile a 1', 'move a b', 'writeTxtFile a 2', 'move b c', 'deleteFile a', 'move c a'], 'a', '1'],
        [['writeTxtFile g 1', 'copyFile g h true', 'writeTxtFile g 2', 'copyFile h i', 'deleteFile h'], 'i', '1'],
        [['makeFolder x', 'deleteFolder x', 'writeTxtFile x 1', 'updateXAttrs x', 'move x y'], 'y', '1'],
        [['writeTxtFile s 1', 'writeJSONFile s 2', 'writeBytes s', 'writeTxtFile s 4'], 's', '4'],
    ]) {
        await Promise.all(steps.map(step => {
            const [name, ...args] = step.split(' ').map(arg => (arg === 'true' ? true : arg));
            if (name === 'updateXAttrs') { args.push({ set: { tag: 1 } }); }
            if (name === 'writeBytes') { args.push(new Uint8Array(1)); }
            return fs[name](...args);
        }));
        same(await fs.readTxtFile(path), text, steps.join(', '));
    }
});
