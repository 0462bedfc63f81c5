// A component that calls every member of its capabilities, and of the objects that they give, in a process of its own.
// Service `Members`: `run()` → `{called, missing}`, `end()` closes the component.
const called = new Set();
const there = new Set();
const originals = new WeakMap();
const original = value => originals.get(value) ?? value;

/** The object with each call noted as `<kind>.<member>`, in its inner objects, too. */
function recorded(kind, object) {
    const copy = {};
    for (const [name, member] of Object.entries(object)) {
        const id = `${kind}.${name}`;
        if (typeof member === 'function') {
            there.add(id);
            copy[name] = (...args) => {
                called.add(id);
                return member(...args.map(original));
            };
        } else {
            copy[name] = typeof member === 'object' && member !== null ? recorded(id, member) : member;
        }
    }
    originals.set(copy, object);
    return copy;
}

const encode = text => new TextEncoder().encode(text);
const decode = bytes => new TextDecoder().decode(bytes);

function same(seen, wanted) {
    const [a, b] = [seen, wanted].map(value => JSON.stringify(value));
    if (a !== b) { throw new Error(`${a}, expected ${b}`); }
}

/** The first value of an observable call that holds; the call is ended then. */
const told = (start, holds = () => true) => new Promise((resolve, reject) => {
    const stop = start({ next: value => { if (holds(value)) { resolve(value); stop(); } }, error: reject });
});

const refusal = promise => promise.then(value => { throw new Error(`not refused: ${value}`); }, exception => exception);

const { closeSelf, ...platform } = w3n;
const own = recorded('w3n', platform);

async function files(fs) {
    await fs.makeFolder('folder');
    const added = told(observer => fs.watchFolder('folder', observer));
    const deep = told(observer => fs.watchTree('', undefined, observer), ({ type }) => type === 'file-change');
    await fs.writeTxtFile('folder/text', 'text');
    const { type, path, entry, src } = await added;
    same([type, path, entry, src], ['entry-addition', 'folder', { name: 'text', isFile: true }, 'local']);
    const changed = told(observer => fs.watchFile('folder/text', observer));
    await fs.writeBytes('folder/text', encode('bytes'));
    same([(await changed).type, (await deep).path], ['file-change', './folder/text']);
    await fs.writeJSONFile('json', { x: 1 });
    same([await fs.readTxtFile('folder/text'), decode(await fs.readBytes('folder/text', 1, 3)),
        await fs.readJSONFile('json')],
        ['bytes', 'yt', { x: 1 }]);
    await fs.updateXAttrs('json', { set: { tag: 'a' } });
    same([await fs.getXAttr('json', 'tag'), await fs.listXAttrs('json')], ['a', ['tag']]);
    const stats = await fs.stat('json');
    same([stats.size, stats.mtime instanceof Date, stats.writable], [7, true, true]);
    same([await fs.checkFilePresence('json'), await fs.checkFolderPresence('json'), await fs.checkLinkPresence('json')],
        [true, false, false]);
    await fs.copyFile('json', 'copy');
    await fs.move('copy', 'moved/copy');
    await fs.copyFolder('moved', 'again');
    await fs.deleteFile('again/copy');
    await fs.deleteFolder('again');
    same((await fs.listFolder('')).map(({ name }) => name), ['folder', 'json', 'moved']);

    await fs.link('link', recorded('File', await fs.readonlyFile('json')));
    const link = recorded('SymLink', await fs.readLink('link'));
    same([link.isFile, link.readonly, (await link.target()).name], [true, true, 'json']);
    await fs.deleteLink('link');

    const source = recorded('FileByteSource', await fs.getByteSource('folder/text'));
    same([await source.getSize(), decode(await source.readNext(2)), await source.getPosition()], [5, 'by', 2]);
    await source.seek(4);
    same([decode(await source.readNext()), decode(await source.readAt(0, 1))], ['s', 'b']);
    const sink = recorded('FileByteSink', await fs.getByteSink('folder/text', { truncate: false }));
    await sink.splice(0, 2, encode('B'));
    await sink.truncate(3);
    same([await sink.getSize(), (await sink.showLayout()).sections.length, await fs.readTxtFile('folder/text')],
        [3, 2, 'bytes']);
    await sink.done();
    same(await fs.readTxtFile('folder/text'), 'Bte');

    const { items, completion } = await fs.select('', { name: '*o*', action: 'include' });
    await completion;
    const found = recorded('FSCollection', items);
    same((await found.getAll()).map(([name]) => name), ['/folder', '/json', '/moved', '/moved/copy']);
    same((await found.get('/json')).isFile, true);
    const first = recorded('FSEntries', await found.entries());
    same((await first.next()).value[0], '/folder');
    await new Promise(complete => { found.watch({ complete }); });
}

async function objects(fs) {
    const file = recorded('File', await fs.writableFile('file'));
    await file.writeTxt('1');
    const changed = told(observer => file.watch(observer));
    await file.writeJSON([1], { set: { tag: 1 } });
    same((await changed).type, 'file-change');
    same([await file.readTxt(), await file.readJSON(), decode(await file.readBytes(0, 1)), (await file.stat()).size],
        ['[1]', [1], '[', 3]);
    await file.updateXAttrs({ set: { other: 2 } });
    same([await file.getXAttr('tag'), await file.listXAttrs()], [1, ['other', 'tag']]);
    await file.writeBytes(encode('bytes'));
    same(decode(await (await file.getByteSource()).readNext()), 'bytes');
    const sink = await file.getByteSink();
    await sink.done('given up');
    await file.copy(recorded('File', await fs.readonlyFile('json')));
    same(await file.readTxt(), '{"x":1}');
    await fs.saveFile(file, 'saved/file');
    await fs.saveFolder(recorded('FS', await fs.readonlySubRoot('saved')), 'saved-too');
    const sub = recorded('FS', await fs.writableSubRoot('saved-too'));
    same([await sub.readTxtFile('file'), sub.name], ['{"x":1}', 'saved-too']);
    await sub.close();
    same((await refusal(sub.listFolder(''))).storageClosed, true);
}

async function versions({ v }, { v: ofFile }, given) {
    same(await v.writeTxtFile('v', 'one'), 1);
    same(await v.archiveCurrent('v', 1), 1);
    same([await v.writeBytes('v', encode('two'), { currentVersion: 1 }), await v.writeJSONFile('v', [3]),
        await v.updateXAttrs('v', { set: { tag: 1 } })], [2, 3, 4]);
    same((await refusal(v.writeTxtFile('v', 'x', { currentVersion: 1 }))).versionMismatch, true);
    same([await v.readTxtFile('v', { archivedVersion: 1 }), await v.readJSONFile('v'), (await v.readBytes('v', 0,
        1)).version],
        [{ txt: 'one', version: 1 }, { json: [3], version: 4 }, 4]);
    same([await v.getXAttr('v', 'tag'), await v.listXAttrs('v'), await v.listVersions('v'),
        (await v.stat('v')).version],
        [{ attr: 1, version: 4 }, { lst: ['tag'], version: 4 }, { current: 4, archived: [1] }, 4]);
    same([(await v.listFolder('')).lst.length > 0, decode(await (await v.getByteSource('v')).src.readNext())], [true,
        '[3]']);
    const { sink, version } = await v.getByteSink('v');
    await sink.done();
    same(version, 5);

    same([await ofFile.writeTxt('one'), await ofFile.archiveCurrent(), await ofFile.writeBytes(encode('two')),
        await ofFile.writeJSON([3]), await ofFile.updateXAttrs({ set: { tag: 1 } })], [1, 1, 2, 3, 4]);
    same([await ofFile.readTxt({ archivedVersion: 1 }), await ofFile.readJSON(), (await ofFile.readBytes()).version,
        await ofFile.getXAttr('tag'), await ofFile.listXAttrs(), await ofFile.listVersions(),
            (await ofFile.stat()).size],
    [{ txt: 'one', version: 1 }, { json: [3], version: 4 }, 4, { attr: 1, version: 4 }, { lst: ['tag'], version: 4 },
        { current: 4, archived: [1] }, 3]);
    same(decode(await (await ofFile.getByteSource()).src.readNext()), '[3]');
    await (await ofFile.getByteSink()).sink.done();
    same(await ofFile.copy(given), 6);
}

async function sync(sync, path) {
    same([(await sync.status(...path)).state, await sync.isRemoteVersionOnDisk(...path, 1)], ['unsynced', 'none']);
    for (const name of Object.keys(sync).filter(each => !['status', 'isRemoteVersionOnDisk'].includes(each))) {
        same((await refusal(sync[name](...path))).notImplemented, true);
    }
}

/** A service of its own, called from here through the platform. */
async function calls() {
    const served = new Promise((resolve, reject) => {
        const stop = own.rpc.exposeService('Peer', { next: given => {
            const connection = recorded('IncomingRPCConnection', given);
            connection.watch({
                next: ({ msgType, callNum, method, data }) => {
                    if (msgType !== 'start') { return; }
                    if (method === 'watch') { connection.send({ callNum, callStatus: 'interim', data }); }
                    connection.send({ callNum, callStatus: 'end', data });
                },
                complete: () => connection.close().then(() => { stop(); resolve(); }, reject),
            });
        }, error: reject });
    });
    const connection = recorded('RPCConnection', await own.rpc.thisApp('Peer'));
    same([...(await connection.makeRequestReplyCall('call', { bytes: new Uint8Array([1, 2]) })).bytes], [1, 2]);
    await told(observer => connection.startObservableCall('watch', { bytes: new Uint8Array([3]) }, observer));
    await connection.close();
    await served;
    const other = await own.rpc.otherAppsRPC('other.test', 'Echo');
    same((await other.makeRequestReplyCall('echo', undefined)) === undefined, true);
    await other.close();
}

async function run() {
    same([typeof await own.mailerid.getUserId(), await own.myVersion(), await own.ui.uiFormFactor()],
        ['string', '1.0.0', 'desktop']);
    same(['online_80%', 'offline_99%'].includes(await own.connectivity.isOnline()), true);
    own.connectivity.watch({})();
    await own.log('info', 'members are called', { n: 1 });
    const local = recorded('FS', await own.storage.getAppLocalFS());
    await files(local);
    await objects(local);
    const synced = recorded('FS', await own.storage.getAppSyncedFS('members.test'));
    const file = recorded('File', await synced.writableFile('file'));
    await versions(synced, file, recorded('File', await local.readonlyFile('json')));
    await sync(synced.v.sync, ['v']);
    await sync(file.v.sync, []);
    same([(await own.storage.getUserFS('local')).item.type, (await own.storage.getSysFS('synced')).item.type],
        ['local', 'synced']);
    same((await refusal(own.storage.getAppLocalFS('other.test'))).notAllowedToOpenFS, true);
    await calls();
    called.add('w3n.closeSelf');
    return { called: [...called].sort(), missing: [...there].filter(id => !called.has(id)) };
}

w3nRPC.serve('Members', {
    run: () => run().catch(error => { throw error instanceof Error ? `${error.message}\n${error.stack}` : error; }),
    end: async () => { setTimeout(closeSelf, 0); },
});
