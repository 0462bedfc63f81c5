// Versioned halves.
check('writes give versions, reads tell them', async () => {
    const { fs } = await emptyFS('getAppSyncedFS');
    const { v } = fs;
    same([fs.type, typeof v.sync.status], ['synced', 'function']);
    same([await v.writeTxtFile('f', 'one'), await v.writeTxtFile('f', 'two'), await v.writeBytes('g', encode('x')),
        await v.writeJSONFile('f', { n: 3 })], [1, 2, 1, 3]);
    same([await v.readTxtFile('f'), await v.readJSONFile('f')], [{ txt: '{"n":3}', version: 3 }, { json: { n: 3 },
        version: 3 }]);
    const { bytes, version } = await v.readBytes('f', 1, 4);
    same([decode(bytes), version, (await v.readBytes('f', 10)).bytes], ['"n"', 3, undefined]);
    const { src, version: read } = await v.getByteSource('f');
    same([decode(await src.readNext(3)), read], ['{"n', 3]);
    const { sink, version: written } = await v.getByteSink('f');
    same(written, 4);
    await sink.done();
    same((await v.stat('f')).version, 4);
    same(await v.updateXAttrs('f', { set: { tag: 1 } }), 5);
    same([await v.getXAttr('f', 'tag'), await v.listXAttrs('f')], [{ attr: 1, version: 5 }, { lst: ['tag'],
        version: 5 }]);
    same(await v.listFolder(''), { lst: [{ name: 'f', isFile: true }, { name: 'g', isFile: true }], version: 1 });
});

check('a write onto another version than was meant is a mismatch', async () => {
    const { fs } = await emptyFS('getAppSyncedFS');
    const { v } = fs;
    await v.writeTxtFile('f', 'one');
    same(await v.writeTxtFile('f', 'two', { currentVersion: 1 }), 2);
    await refused(v.writeTxtFile('f', 'x', { currentVersion: 1 }), 'EPERM', 'f', 'versionMismatch');
    await refused(v.writeTxtFile('f', 'x', { currentVersion: 3, truncate: false }), 'EPERM', 'f', 'versionMismatch');
    await refused(v.writeTxtFile('new', 'x', { currentVersion: 1 }), 'EPERM', 'new', 'versionMismatch');
    await refused(v.getByteSink('f', { currentVersion: 1 }), 'EPERM', 'f', 'versionMismatch');
    const { sink } = await v.getByteSink('f', { currentVersion: 2, truncate: false });
    await v.writeTxtFile('f', 'three');
    await refused(sink.done(), 'EPERM', 'f', 'versionMismatch');
    same([await v.readTxtFile('f'), await scratchFiles()], [{ txt: 'three', version: 3 }, []]);
    for (const currentVersion of [-1, 1.5, '1', {}, NaN]) {
        if (Number.isNaN(currentVersion)) { continue; }
        await refused(v.writeTxtFile('f', 'x', { currentVersion }), 'EPERM', 'f', 'badFnCallArguments');
    }
});

check('archived versions are read, and go with their file', async () => {
    const { fs } = await emptyFS('getAppSyncedFS');
    const { v } = fs;
    await v.writeTxtFile('f', 'one');
    await fs.updateXAttrs('f', { set: { tag: 'old' } });
    same(await v.archiveCurrent('f'), 2);
    await v.writeTxtFile('f', 'three');
    await fs.updateXAttrs('f', { set: { tag: 'new' } });
    same(await v.listVersions('f'), { current: 4, archived: [2] });
    same([await v.readTxtFile('f', { archivedVersion: 2 }), await v.getXAttr('f', 'tag', { archivedVersion: 2 }),
        await v.listXAttrs('f', { archivedVersion: 2 })],
    [{ txt: 'one', version: 2 }, { attr: 'old', version: 2 }, { lst: ['tag'], version: 2 }]);
    const { src, version } = await v.getByteSource('f', { archivedVersion: 2 });
    same([decode(await src.readNext()), decode(await src.readAt(0, 1)), version], ['one', 'o', 2]);
    const { size, version: seen, isFile } = await v.stat('f', { archivedVersion: 2 });
    same([size, seen, isFile], [3, 2, true]);
    await fs.move('f', 'moved');
    same(await v.readTxtFile('moved', { archivedVersion: 2 }), { txt: 'one', version: 2 });
    same(await v.archiveCurrent('moved', 4), 4);
    await refused(v.archiveCurrent('moved', 3), 'EPERM', 'moved', 'versionMismatch');
    await refused(v.readTxtFile('moved', { archivedVersion: 3 }), 'ENOENT', 'moved', 'notFound');
    for (const flags of [{ archivedVersion: -1 }, { archivedVersion: '../2' }, { archivedVersion: {} }, 5]) {
        await refused(v.readTxtFile('moved', flags), 'EPERM', 'moved', 'badFnCallArguments');
    }
    await refused(v.readTxtFile('moved', { remoteVersion: 1 }), 'ENOSYS', 'moved', 'remoteNotSet');
    await refused(v.listFolder('', { archivedVersion: 1 }), 'ENOSYS', '', 'notImplemented');
    await refused(v.archiveCurrent('moved', 'x'), 'EPERM', 'moved', 'badFnCallArguments');
    await refused(v.listVersions('none'), 'ENOENT', 'none', 'notFound');
});

check('files have versioned halves', async () => {
    const { fs } = await emptyFS('getAppSyncedFS');
    const file = await fs.writableFile('f');
    const { v } = file;
    same([await v.writeTxt('one'), await v.writeBytes(encode('two')), await v.writeJSON([3], { set: { tag: 1 } })], [1,
        2, 3]);
    same([await v.readTxt(), await v.readJSON(), await v.getXAttr('tag'), await v.listXAttrs()],
        [{ txt: '[3]', version: 3 }, { json: [3], version: 3 }, { attr: 1, version: 3 }, { lst: ['tag'], version: 3 }]);
    same([decode((await v.readBytes(0, 2)).bytes), (await v.stat()).version], ['[3', 3]);
    same([await v.archiveCurrent(), await v.updateXAttrs({ remove: ['tag'] })], [3, 4]);
    same([await v.listVersions(), await v.readTxt({ archivedVersion: 3 })],
        [{ current: 4, archived: [3] }, { txt: '[3]', version: 3 }]);
    const { src } = await v.getByteSource({ archivedVersion: 3 });
    same(decode(await src.readNext()), '[3]');
    const { sink, version } = await v.getByteSink(false, 4);
    await sink.splice(0, 0, encode('!'));
    await sink.done();
    same([version, await v.readTxt()], [5, { txt: '![3]', version: 5 }]);
    await refused(v.getByteSink(true, 4), 'EPERM', 'f', 'versionMismatch');
    await fs.writeTxtFile('g', 'other');
    same([await v.copy(await fs.readonlyFile('g')), await v.readTxt()], [6, { txt: 'other', version: 6 }]);
    same((await v.sync.status()).state, 'unsynced');
    await refused(v.sync.upload(), 'ENOSYS', 'f', 'notImplemented');
});

check('sync tells that nothing is synced, and refuses the rest in words', async () => {
    const { fs } = await emptyFS('getAppSyncedFS');
    await fs.writeTxtFile('d/f', 'x');
    const { sync } = fs.v;
    same([await sync.status('d/f'), await sync.status('d'), await sync.isRemoteVersionOnDisk('d/f', 1)],
        [{ state: 'unsynced', local: { latest: 1 } }, { state: 'unsynced', local: {} }, 'none']);
    await refused(sync.status('none'), 'ENOENT', 'none', 'notFound');
    const names = Object.keys(sync).filter(name => !['status', 'isRemoteVersionOnDisk',
        'whenConnected'].includes(name));
    same(names.length, 12);
    for (const name of names) {
        const { message } = await refused(sync[name]('d/f'), 'ENOSYS', 'd/f', 'notImplemented');
        holds(message.includes('not available in the embedded core'), message);
    }
    same((await rejection(sync.whenConnected())).notImplemented, true);
    const readonly = (await fs.readonlySubRoot('d')).v.sync;
    same([typeof readonly.status, typeof readonly.upload], ['function', 'undefined']);
});

check('local storage has versions without sync', async () => {
    const { fs } = await emptyFS();
    same([await fs.v.writeTxtFile('f', 'x'), fs.v.sync], [1, undefined]);
});

check('folders have no versions of their own, and say so', async () => {
    const { fs } = await emptyFS('getAppSyncedFS');
    await fs.writeTxtFile('folder/f', '1');
    same([await fs.v.listFolder('folder'), await fs.v.listVersions('folder')],
        [{ lst: [{ name: 'f', isFile: true }], version: 1 }, { archived: [] }]);
    await refused(fs.v.listFolder('folder', { archivedVersion: 1 }), 'ENOSYS', 'folder', 'notImplemented');
    await refused(fs.v.archiveCurrent('folder'), 'ENOTFILE', 'folder', 'notFile');
    // What is in it has versions, wherever the folder is moved to.
    await fs.v.archiveCurrent('folder/f');
    await fs.writeTxtFile('folder/f', '2');
    await fs.move('folder', 'other');
    same(await fs.v.readTxtFile('other/f', { archivedVersion: 1 }), { txt: '1', version: 1 });
});
