// The core's half of the trial that `corehost core check` makes of a pair of bundles, after `core/contract/core.js`.
// __trial = {
//   steps: names in order, run(name) -> Promise<{notTried?: why, rows?}>: rejects when the step failed
//   listObj(path) -> names or null: what the client's side may call }
// The native side sets __portSend_c-trial before, and __trialParts = {contract, Core: the bundle's own}.
'use strict';
{

const { contract: { rowsOf, coreMembers, started: startedSurface, kindOf }, Core } = globalThis.__trialParts;
const { makeCryptor, makeNetwork, openEventSource } = globalThis.__platformParts;
const bundle = globalThis.__core3NWeb;
const { ipc, Buffer } = bundle;

/** No server is ever asked: what needs one is told apart by its `connect` exception. */
const nowhere = 'https://127.0.0.1:1';
const appDomain = 'check.corehost.test';
const password = 'correct horse battery staple';
const text = 'gr\u00fc\u00df dich, \u4e16\u754c \u{1f600}';
const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff);

const seen = { address: undefined, userId: undefined, storageKey: undefined };
let core;
let boot;
let app;
let side;

function random(numOfBytes) {
    const plain = __nativeCallDispatch('crypto_random', [numOfBytes]);
    return Buffer ? Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength) : plain;
}

function expect(isSo, what) {
    if (!isSo) { throw new Error(what); }
}

const shown = value => (typeof value === 'string' ? JSON.stringify(value) : kindOf(value));

function make() {
    const { makeNet, makeResolver } = makeNetwork(bundle, openEventSource, [`${nowhere}/dns-query`]);
    core = Core.make({ dataDir: '.', signUpUrl: `${nowhere}/signup/` }, makeNet, makeResolver, makeCryptor, random);
}

async function start() {
    boot = await core.start(async (userId, key) => { seen.storageKey = key; });
    // Each is awaited in a step of its own; until then a rejection is nobody's.
    for (const promise of [boot?.coreInit, boot?.coreAppsInit]) { promise?.catch?.(() => {}); }
}

async function signUp() {
    const { signUp: capability } = boot.capsForStartup;
    let addresses;
    try {
        addresses = await capability.getAvailableAddresses('checker');
    } catch (exception) {
        if (!['connect', 'http-request'].includes(exception?.type) && !exception?.hostname) { throw exception; }
        return { notTried: 'a sign-up needs the servers of this core, and the check asks none' };
    }
    expect(Array.isArray(addresses), `getAvailableAddresses gives ${shown(addresses)}, not an array`);
    seen.address = addresses[0] ?? 'checker@check.test';
    const progress = [];
    await capability.createUserParams(password, part => progress.push(part));
    expect(progress.every(part => typeof part === 'number' && part >= 0 && part <= 100),
        `createUserParams tells of progress ${JSON.stringify(progress.slice(0, 5))}, not of numbers from 0 to 100`);
    const isAdded = await capability.addUser(seen.address);
    expect(isAdded === true, `addUser(${JSON.stringify(seen.address)}) gives ${shown(isAdded)}, not true`);
    return {};
}

async function coreInit() {
    // After a start from the cache the library's may tell nothing.
    const userId = await boot.coreInit ?? (boot.capsForStartup ? undefined : seen.userId);
    expect(typeof userId === 'string' && userId !== '', `coreInit gives ${shown(userId)}, not a user's id`);
    expect(seen.userId === undefined || seen.userId === userId, `coreInit gives another user's id, ${shown(userId)}`);
    seen.userId = userId;
}

function capabilities() {
    app = core.makeCAPsForApp(appDomain, { storage: { appFS: 'default' }, mailerid: true, logToPlatform: true });
    expect(kindOf(app?.caps) === 'object', `makeCAPsForApp gives caps of kind ${kindOf(app?.caps)}`);
    expect(typeof app.close === 'function', `makeCAPsForApp gives close of kind ${kindOf(app.close)}`);
    expect(typeof app.caps.storage?.getAppLocalFS === 'function', 'caps.storage has no function getAppLocalFS');
}

const sameBytes = (a, b) => a?.length === b.length && b.every((byte, i) => a[i] === byte);

async function write() {
    const fs = await app.caps.storage.getAppLocalFS();
    await fs.writeTxtFile('core/text', text);
    await fs.writeBytes('core/bytes', bytes);
    await check(fs, 'core');
}

async function check(fs, folder) {
    const readText = await fs.readTxtFile(`${folder}/text`);
    expect(readText === text, `a text is read as ${JSON.stringify(readText)}, written was ${JSON.stringify(text)}`);
    const read = await fs.readBytes(`${folder}/bytes`);
    expect(sameBytes(read, bytes), `${bytes.length} bytes are read otherwise than they were written`);
}

/** Connects the core's side with the client's, as `core-load.js` does it for a component. */
function expose() {
    const portSend = globalThis['__portSend_c-trial'];
    let incoming;
    side = ipc.ObjectsConnector.makeCoreSide(
        { next: envelope => { portSend(ipc.msgProtoType.pack(envelope)); }, error() {}, complete() {} },
        { subscribe: observer => { incoming = observer; return { unsubscribe() {} }; } });
    const w3n = {
        ...app.caps,
        myVersion: async () => '1.2.3',
        closeSelf: async () => {},
        ui: { uiFormFactor: async () => 'desktop' },
        connectivity: {
            isOnline: async () => 'offline_99%',
            watch(observer) {
                observer.next({ isOnline: false });
                observer.complete();
                return () => {};
            },
        },
    };
    ipc.exposeW3N(side, w3n);
    globalThis['__portRecv_c-trial'] = received => incoming.next(ipc.msgProtoType.unpack(received));
}

async function seeClientsFiles() {
    await check(await app.caps.storage.getAppLocalFS(), 'client');
}

async function close() {
    app?.close();
    app = undefined;
    await core.close();
}

async function rootKey() {
    if (typeof core.getRootKey !== 'function') { return { notTried: 'the core has no getRootKey' }; }
    const wrong = await core.getRootKey(seen.userId, `${password}, but no`, () => {});
    expect(wrong === undefined, `getRootKey with a wrong password gives ${shown(wrong)}, not undefined`);
    seen.storageKey = await core.getRootKey(seen.userId, password, () => {});
    expect(seen.storageKey !== undefined, 'getRootKey with the right password gives nothing');
    return {};
}

async function startFromCache() {
    if (!seen.storageKey) { return { notTried: 'start gave saveStorageKeyForAutologin no key' }; }
    make();
    boot = await core.startDirectlyFromCache(seen.userId, seen.storageKey);
    expect(kindOf(boot) === 'object', `startDirectlyFromCache gives ${shown(boot)}`);
    await again();
    return {};
}

async function signIn() {
    make();
    await start();
    const capability = boot.capsForStartup.signIn;
    const users = await capability.getUsersOnDisk();
    expect(Array.isArray(users) && users.includes(seen.userId), `getUsersOnDisk does not give ${shown(seen.userId)}`);
    const isIn = await capability.useExistingStorage(seen.address, `${password}, but no`, () => {});
    expect(isIn === false, `useExistingStorage with a wrong password gives ${shown(isIn)}, not false`);
    const isRight = await capability.useExistingStorage(seen.address, password, () => {});
    expect(isRight === true, `useExistingStorage with the right password gives ${shown(isRight)}, not true`);
    await again();
}

/** What another life of the core finds. */
async function again() {
    await coreInit();
    capabilities();
    await check(await app.caps.storage.getAppLocalFS(), 'client');
    await close();
}

const steps = {
    'Core.make'() {
        make();
        return { rows: rowsOf(coreMembers, core) };
    },
    async start() {
        await start();
        return { rows: rowsOf(startedSurface, boot) };
    },
    'sign-up': signUp,
    coreInit,
    coreAppsInit: () => boot.coreAppsInit,
    getRootKey: rootKey,
    makeCAPsForApp: capabilities,
    'storage, the core\'s side': write,
    'exposeW3N, makeCoreSide': expose,
    'the client\'s files, on the core\'s side': seeClientsFiles,
    close,
    startDirectlyFromCache: startFromCache,
    'sign-in': signIn,
};

globalThis.__trial = Object.freeze({
    async run(name) {
        const { notTried, rows } = await steps[name]() ?? {};
        return { notTried, rows };
    },
    listObj: path => side?.exposedServices.listObj(path) ?? null,
});
}
