// File objects, and file systems of folders.
check('a file object has all of a file', async () => {
    const { fs } = await emptyFS();
    const file = await fs.writableFile('d/f');
    same([file.name, file.isNew, file.writable, await fs.checkFilePresence('d/f')], ['f', true, true, false]);
    await refused(file.readTxt(), 'ENOENT', 'f', 'notFound');
    await file.writeTxt('text', { set: { tag: 1 } });
    same([await file.readTxt(), await file.getXAttr('tag'), await file.listXAttrs()], ['text', 1, ['tag']]);
    await file.writeBytes(new Uint8Array([1, 2, 3]), { set: { other: 2 }, remove: ['tag'] });
    same([[...await file.readBytes(1)], [...await file.readBytes(0, 2)], await file.readBytes(5),
        await file.listXAttrs()],
        [[2, 3], [1, 2], undefined, ['other']]);
    await file.writeJSON({ x: 1 });
    same([await file.readJSON(), (await file.stat()).size, (await file.stat()).version], [{ x: 1 }, 7, 3]);
    holds((await file.stat()).mtime instanceof Date, 'a date');
    await file.updateXAttrs({ set: { late: [true] } });
    same(await file.getXAttr('late'), [true]);
    const sink = await file.getByteSink();
    await sink.splice(0, 0, encode('by sink'));
    await sink.done();
    const onto = await file.getByteSink(false);
    await onto.splice(2, 1, encode('-'));
    await onto.done(undefined, { remove: ['late'] });
    same([await fs.readTxtFile('d/f'), await file.listXAttrs()], ['by-sink', ['other']]);
    const source = await file.getByteSource();
    same(decode(await source.readNext()), 'by-sink');
    const other = await fs.writableFile('other');
    await other.copy(file);
    same([await fs.readTxtFile('other'), other.isNew], ['by-sink', true]);
    same((await fs.writableFile('d/f')).isNew, false);
    const events = [];
    const stop = file.watch({ next: event => events.push(event) });
    await file.writeTxt('x');
    await until(() => events.length > 0, 'an event');
    same(events, [{ type: 'file-change', path: 'f', newVersion: 7, src: 'local' }]);
    stop();
});

check('a readonly file has the reading half', async () => {
    const { fs } = await emptyFS();
    await fs.writeTxtFile('f', 'text');
    const file = await fs.readonlyFile('f');
    same([file.writable, await file.readTxt()], [false, 'text']);
    for (const name of ['writeTxt', 'writeBytes', 'writeJSON', 'updateXAttrs', 'getByteSink', 'copy']) {
        same([typeof file[name], typeof file.v[name]], ['undefined', 'undefined'], name);
    }
    const { clientSide, fs: other } = await emptyFS();
    await other.writeTxtFile('f', 'text');
    const ref = clientSide.caller.srvRefOf(await other.readonlyFile('f'));
    for (const path of [['writeTxt'], ['v', 'writeTxt'], ['constructor'], ['v', 'constructor'], ['close']]) {
        const exception = await rejection(clientSide.caller.startPromiseCall([...ref.path, ...path]));
        holds(exception.callFnNotFound || exception.objectNotFound, `${path} is not there`);
    }
});

check('a readonly file system has the reading half', async () => {
    const { fs, clientSide } = await emptyFS();
    await fs.writeTxtFile('d/f', 'text');
    const sub = await fs.readonlySubRoot('d');
    same([sub.type, sub.writable, sub.name, await sub.readTxtFile('f')], ['local', false, 'd', 'text']);
    const ref = clientSide.caller.srvRefOf(sub);
    for (const name of ['writeTxtFile', 'writeBytes', 'writeJSONFile', 'makeFolder', 'deleteFile', 'deleteFolder',
        'move',
        'copyFile', 'copyFolder', 'saveFile', 'saveFolder', 'link', 'deleteLink', 'updateXAttrs', 'getByteSink',
        'writableFile', 'writableSubRoot']) {
        same(typeof sub[name], 'undefined', name);
        holds((await rejection(clientSide.caller.startPromiseCall([...ref.path, name]))).callFnNotFound, name);
    }
    for (const name of ['writeTxtFile', 'archiveCurrent']) {
        holds((await rejection(clientSide.caller.startPromiseCall([...ref.path, 'v', name]))).callFnNotFound, name);
    }
    same([(await sub.readonlySubRoot('')).name, (await (await sub.readonlyFile('f')).stat()).writable], ['d', false]);
});

check('a sub-root sees its folder as the root', async () => {
    const { fs, domain } = await emptyFS();
    const sub = await fs.writableSubRoot('a/b');
    same([sub.name, sub.writable, await fs.checkFolderPresence('a/b')], ['b', true, true]);
    await sub.writeTxtFile('/f', 'text');
    same([await fs.readTxtFile('a/b/f'), (await fs.writableSubRoot('')).name], ['text', domain]);
    await refused(sub.deleteFolder('', true), 'EPERM', '', 'opNotPermitted');
    await refused(sub.move('', 'x'), 'EPERM', '', 'opNotPermitted');
    const inner = await sub.writableSubRoot('c');
    await inner.writeTxtFile('../f', 'x').catch(exception => same([exception.code, exception.path], ['EPERM', '../f']));
    await fs.deleteFolder('a', true);
    await refused(sub.listFolder(''), 'ENOENT', '', 'notFound');
    await sub.writeTxtFile('f', 'made anew');
    same(await fs.readTxtFile('a/b/f'), 'made anew');
});
