// Who may open which storage.
const refusedStorage = async promise => {
    const exception = await rejection(promise);
    same([exception.runtimeException, exception.type, exception.notAllowedToOpenFS], [true, 'storage', true],
        JSON.stringify(exception));
    return exception;
};

check('an app opens its own storage, and what its manifest lists', async () => {
    const appFS = [{ domain: 'l.test', storage: 'local' }, { domain: 's.test', storage: 'synced' },
        { domain: 'b.test', storage: 'synced-n-local' }, { domain: '../x', storage: 'local' }];
    const { storage } = await storageOf({ domain: 'own.test', requested: { appFS } });
    same(Object.keys(storage), ['getAppLocalFS', 'getAppSyncedFS']);
    const opened = [];
    for (const [call, ...domains] of [['getAppLocalFS', undefined, 'own.test', 'l.test', 'b.test'],
        ['getAppSyncedFS', undefined, 'own.test', 's.test', 'b.test']]) {
        for (const domain of domains) {
            const fs = await storage[call](domain);
            await fs.writeTxtFile('f', `${call} ${domain}`);
            opened.push([fs.type, fs.name].join(' '));
        }
    }
    same(opened, ['local own.test', 'local own.test', 'local l.test', 'local b.test', 'synced own.test',
        'synced own.test',
        'synced s.test', 'synced b.test']);
    const l = await (await storageOf({ domain: 'l.test' })).storage.getAppLocalFS();
    same(await l.readTxtFile('f'), 'getAppLocalFS l.test');
    for (const [call, domain] of [['getAppLocalFS', 's.test'], ['getAppSyncedFS', 'l.test'], ['getAppLocalFS',
        'd.test'],
        ['getAppLocalFS', '..'], ['getAppLocalFS', ''], ['getAppLocalFS', '../x'], ['getAppLocalFS', 5],
        ['getAppLocalFS', {}], ['getAppLocalFS', ['own.test']], ['getAppLocalFS', '__proto__']]) {
        const exception = await refusedStorage(storage[call](domain));
        holds(exception.message.includes('own.test'), exception.message);
    }
    const other = await storageOf({ domain: 'other.test', requested: { appFS: 'default' } });
    await other.storage.getAppLocalFS('other.test');
    await refusedStorage(other.storage.getAppLocalFS('own.test'));
});

check('user and system storage are there for who asked, as he asked', async () => {
    same(Object.keys((await storageOf({ domain: 'none.test' })).storage), ['getAppLocalFS', 'getAppSyncedFS']);
    const { storage } = await storageOf({ domain: 'files.test', requested: {
        userFS: 'all', sysFS: [{ type: 'local', path: 'shared/part' }, { type: 'device', writable: true }],
    } });
    const { item, isFolder, location } = await storage.getUserFS('synced');
    same([isFolder, item.type, item.writable, item.name, location.storageUse, location.storageType, location.path],
        [true, 'synced', true, '', 'user', 'synced', '']);
    await item.writeTxtFile('docs/f', 'text');
    const inner = (await storage.getUserFS('synced', 'docs')).item;
    same([await inner.readTxtFile('f'), inner.name], ['text', 'docs']);
    const system = await storage.getSysFS('local');
    same([system.item.writable, await system.item.listFolder('')], [false, []]);
    await refused(system.item.readTxtFile('../x'), 'EPERM', '../x', 'opNotPermitted');
    for (const call of [() => storage.getSysFS('synced'), () => storage.getSysFS('device'),
        () => storage.getUserFS('device'),
        () => storage.getUserFS(), () => storage.getUserFS({}), () => storage.getUserFS('__proto__')]) {
        await refusedStorage(call());
    }
    const readonly = await storageOf({ domain: 'reads.test', requested: { userFS: [{ type: 'synced' }] } });
    const folder = (await readonly.storage.getUserFS('synced')).item;
    same([folder.writable, await folder.readTxtFile('docs/f'), typeof folder.writeTxtFile], [false, 'text',
        'undefined']);
    await refusedStorage(readonly.storage.getUserFS('local'));
});

check('trees of apps, kinds and uses are apart', async () => {
    const { storage } = await storageOf({ domain: 'apart.test', requested: { userFS: 'all', sysFS: 'all' } });
    const all = [await storage.getAppLocalFS(), await storage.getAppSyncedFS(), (await storage.getUserFS('local')).item,
        (await storage.getSysFS('local')).item, (await storage.getSysFS('synced')).item];
    for (const [i, fs] of all.entries()) { await fs.writeTxtFile('mine', `${i}`); }
    const texts = [];
    for (const fs of all) { texts.push(await fs.readTxtFile('mine')); }
    same(texts, ['0', '1', '2', '3', '4']);
});

check('an object of a component that has ended answers no more, whoever has it', async () => {
    const { storage, die } = await storageOf({ domain: 'ended.test' });
    const fs = await storage.getAppLocalFS();
    await fs.writeTxtFile('f', 'x');
    const original = await embedded.makeStorageCap({
        appDomain: 'ended.test', requested: {}, treeOf, isOpen: () => isOpen }).storage.getAppLocalFS();
    let isOpen = true;
    const [file, source] = [await original.readonlyFile('f'), await original.getByteSource('f')];
    isOpen = false;
    await refused(original.readTxtFile('f'), 'EPERM', 'f', 'storageClosed');
    await refused(file.readTxt(), 'EPERM', 'f', 'storageClosed');
    await refused(source.readNext(), 'EPERM', 'f', 'storageClosed');
    die();
});
