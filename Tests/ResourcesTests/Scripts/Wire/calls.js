// How functions, objects inside objects and results, promises and dates cross.
const clientOf = async (w3n, extra) => {
    const joined = pair(w3n, extra);
    return { ...joined, w3n: await client.promiseW3Nclient(joined.clientSide) };
};
const OBJ_TYPE = Symbol.for('w3n obj_type');

check('a function is told the values on the way, in order, before the result comes', async () => {
    const { w3n, sent } = await clientOf({ signIn: {
        async useExistingStorage(address, pass, progress) {
            for (const percent of [10, 50, 100]) { progress(percent, { address }); }
            return pass === 'right';
        },
    } });
    const seen = [];
    const tell = (percent, info) => { seen.push([percent, info.address]); };
    same(await w3n.signIn.useExistingStorage('a@b', 'right', tell), true);
    same(seen, [[10, 'a@b'], [50, 'a@b'], [100, 'a@b']]);
    same(sent.slice(-5), ['start', 'interim', 'interim', 'interim', 'end']);
    same(await w3n.signIn.useExistingStorage('a@b', 'wrong', () => {}), false);
});

check('the function may be left out, and stands where its member has it', async () => {
    const { w3n } = await clientOf({
        signIn: { completeLoginAndLocalSetup: async (pass, progress) => `${pass} ${typeof progress}` },
        signUp: { async createUserParams(pass, progress) { progress(1); return `${pass}`; } },
    });
    same(await w3n.signIn.completeLoginAndLocalSetup('p'), 'p function');
    same(await w3n.signUp.createUserParams('p'), 'p');
});

check('a call with a function is rejected as others are', async () => {
    const { w3n, clientSide } = await clientOf({ signIn: {
        async useExistingStorage(address, pass, progress) {
            progress(1);
            if (pass === 'never') { return new Promise(() => {}); }
            throw { runtimeException: true, type: 'mine', code: 7 };
        },
    } });
    same((await rejection(w3n.signIn.useExistingStorage('a', 'b', () => {}))).code, 7);
    const open = rejection(w3n.signIn.useExistingStorage('a', 'never', () => {}));
    await turn();
    clientSide.close();
    same((await open).connectorStop, true);
});

check('a number in use is replaced for a call with a function, too', async () => {
    const { w3n, receiveInCore } = await clientOf({
        signIn: { async useExistingStorage(a, b, progress) { progress(a); return b; } },
        mailerid: { getUserId: () => new Promise(() => {}) },
    });
    for (let num = 1; num < 20; num += 1) {
        receiveInCore(core.msgProtoType.pack(envelope('start', num, ['w3n', 'mailerid', 'getUserId'])));
    }
    const seen = [];
    same(await w3n.signIn.useExistingStorage('told', 'result', value => seen.push(value)), 'result');
    same(seen, ['told']);
});

check('an argument from outside never stands where an observer is expected', async () => {
    const seen = [];
    const watch = (observer, ...more) => { seen.push(typeof observer.next, more.length); observer.complete(); };
    const { send, replies } = loneCore({ connectivity: { watch }, rpc: { exposeService(service, observer) {
        seen.push(service === undefined, typeof observer.next);
        observer.complete();
    } } });
    send(envelope('start', 1, ['w3n', 'connectivity', 'watch'], core.valuesSequence.pack([{ next: 1 }, 'more'])));
    send(envelope('start', 2, ['w3n', 'rpc', 'exposeService']));
    await turn();
    same(seen, ['function', 0, true, 'function']);
    same(replies.map(reply => reply.msgType), ['end', 'end']);
});

check('objects of methods inside an object, with its writable half', async () => {
    const makeFS = writable => ({ type: 'synced', name: 'n', writable, v: {
        readTxtFile: async path => ({ txt: path, version: 3 }), writeTxtFile: async () => 4,
        sync: { status: async () => ({ state: 'unsynced' }), upload: async () => 5 },
    } });
    const { w3n } = await clientOf({ storage: {
        getAppSyncedFS: () => makeFS(true), getAppLocalFS: () => makeFS(false), getUserFS: () => ({ plain: 1 }),
    } });
    const fs = await w3n.storage.getAppSyncedFS();
    same(await fs.v.readTxtFile('p'), { txt: 'p', version: 3 });
    same([await fs.v.writeTxtFile(), await fs.v.sync.status(), await fs.v.sync.upload()],
        [4, { state: 'unsynced' }, 5]);
    holds(Object.isFrozen(fs) && Object.isFrozen(fs.v) && Object.isFrozen(fs.v.sync), 'frozen');
    const readonly = await w3n.storage.getAppLocalFS();
    const { v } = readonly;
    same([typeof v.readTxtFile, typeof v.writeTxtFile, typeof v.sync.upload],
        ['function', 'undefined', 'undefined']);
    same(await w3n.storage.getUserFS(), { plain: 1 });
});

check('an inner object keeps the object that it is of from being dropped', async () => {
    const closed = [];
    class Source {
        get [OBJ_TYPE]() { return 'FileByteSource'; }
        async readNext() { return new Uint8Array([1]); }
        close() { closed.push('source'); }
    }
    const { w3n } = await clientOf({ storage: { getAppSyncedFS: () => ({ type: 'synced', v: {
        getByteSource: async () => ({ src: new Source(), version: 2 }),
    } }) } });
    const { v } = await w3n.storage.getAppSyncedFS();
    for (let i = 0; i < 5; i += 1) { await turn(); collectGarbage(); }
    const { src, version } = await v.getByteSource('x');
    same([hexOf(await src.readNext()), version, closed], ['01', 2, []]);
});

check('one message has one object for one original, and a promise inside a result settles later', async () => {
    const file = { get [OBJ_TYPE]() { return 'File'; }, name: 'f', writable: false, readTxt: async () => 'text' };
    let finish;
    const completion = new Promise((resolve, reject) => { finish = { resolve, reject }; });
    const { w3n } = await clientOf({ storage: { getUserFS: async () => ({ items: [file, { file }], completion }) } });
    const { items, completion: ours } = await w3n.storage.getUserFS();
    holds(items[0] === items[1].file && ours instanceof Promise, 'one proxy, one promise');
    same(await items[0].readTxt(), 'text');
    let isOver = false;
    ours.then(() => { isOver = true; });
    await turn();
    same(isOver, false);
    finish.resolve();
    await ours;
    const again = await w3n.storage.getUserFS();
    holds(again.items[0] !== items[0], 'another message, another reference');
});

check('a promise inside a result that fails is no unhandled rejection', async () => {
    const completion = Promise.reject({ runtimeException: true, type: 'file', busy: true });
    const { w3n } = await clientOf({ storage: { getUserFS: async () => ({ completion }) } });
    const result = await w3n.storage.getUserFS();
    await turn();
    same((await rejection(result.completion)).busy, true);
});

check('times of stat are dates', async () => {
    const stat = async () => ({ isFile: true, size: 3, mtime: new Date(1500), ctime: new Date(1000), writable: true });
    const { w3n } = await clientOf({ storage: { getAppLocalFS: () => ({ type: 'local', stat, v: { stat } }) } });
    const fs = await w3n.storage.getAppLocalFS();
    const stats = await fs.stat('x');
    holds(stats.mtime instanceof Date && stats.mtime.getTime() === 1500 && stats.ctime.getTime() === 1000, 'dates');
    holds((await fs.v.stat('x')).mtime instanceof Date, 'dates of v');
});

check('an iterator can be iterated', async () => {
    let count = 0;
    const next = async () => ((count += 1) > 2 ? { done: true } : { done: false, value: count });
    const entries = async () => ({ next });
    const collection = { get [OBJ_TYPE]() { return 'FSCollection'; }, entries };
    const { w3n } = await clientOf({ storage: { getUserFS: async () => collection } });
    const seen = [];
    for await (const value of await (await w3n.storage.getUserFS()).entries()) { seen.push(value); }
    same(seen, [1, 2]);
});

check('what is closed on drop is closed with its last reference', async () => {
    const closed = [];
    const connection = { close() { closed.push(1); }, makeRequestReplyCall: async () => 'alive' };
    const { w3n, clientSide, sent } = await clientOf({ rpc: { thisApp: () => connection } });
    const kept = await w3n.rpc.thisApp('S');
    await (async () => { for (let i = 0; i < 20; i += 1) { await w3n.rpc.thisApp('S'); } })();
    await until(async () => {
        collectGarbage();
        await turn();
        return sent.includes('drop');
    }, 'a drop');
    await turn();
    same([closed, await kept.makeRequestReplyCall('m')], [[], 'alive']);
    clientSide.close();
    same(closed, [1]);
});

check('what a call gives after the end of its connection is closed at once', async () => {
    const closed = [];
    let give;
    const { w3n, clientSide } = await clientOf({ rpc: { thisApp: () => new Promise(resolve => { give = resolve; }) } });
    const call = rejection(w3n.rpc.thisApp('S'));
    await turn();
    clientSide.close();
    same((await call).connectorStop, true);
    give({ close() { closed.push(1); } });
    await turn();
    same(closed, [1]);
});

check('an observer in the core learns when too much waits for the component', async () => {
    const answers = [];
    let observer;
    const toCore = subject();
    let isOpen = true;
    const fromCore = { next: () => isOpen, error() {}, complete() {} };
    const side = core.ObjectsConnector.makeCoreSide(fromCore, toCore);
    core.exposeW3N(side, { connectivity: { watch: given => { observer = given; return () => answers.push('end'); } } });
    toCore.next(envelope('start', 1, ['w3n', 'connectivity', 'watch']));
    answers.push(observer.next(1));
    isOpen = false;
    answers.push(observer.next(2));
    isOpen = true;
    toCore.next(envelope('cancel', 1));
    answers.push(observer.next(3));
    same(answers, [true, false, 'end', false]);
});
