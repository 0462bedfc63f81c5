// A platform in one context, for tests of the core's scripts: a disk and an apps folder in memory, and components that
// are functions, each connected by the real client bundle. `sources` (path under Resources → text) is set before.
// `platformUnderTest()` makes a disk and boots a core on it; `boot` again is a start after a kill.
(() => {
'use strict';

const nativeDispatch = globalThis.__nativeCallDispatch;
const decode = bytes => new TextDecoder().decode(bytes);
const encode = text => new TextEncoder().encode(text);
const nextTurn = () => new Promise(resolve => setTimeout(resolve, 0));

const flags = {
    ENOENT: 'notFound', EEXIST: 'alreadyExists', ENOTDIR: 'notDirectory', EISDIR: 'isDirectory', ENOTEMPTY: 'notEmpty',
};
/** What a device's key seals; another device has another. */
const deviceKey = new Uint8Array(32).fill(7);
const failure = (code, path) => ({
    runtimeException: true, type: 'file', code, path: `secret/${path}`, [flags[code]]: true, message: `secret: ${code}`,
});

const clean = path => path.split('/').filter(name => name !== '' && name !== '.').join('/');
const parentOf = path => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Files, folders and links in memory behind the file ports; `trace` has each call that changes something. */
class Disk {
    nodes = new Map([['', 'folder']]);
    trace = [];
    /** Calls until the process is "killed": from then on nothing happens and nothing answers. */
    callsLeft = Infinity;
    #open = new Map();
    #lastFd = 2;

    call(name, args) {
        if (this.callsLeft <= 0) { return new Promise(() => {}); }
        this.callsLeft -= 1;
        const paths = args.map(arg => (typeof arg === 'string' ? clean(arg) : arg));
        return nextTurn().then(() => this[name](...paths));
    }

    /** What a new process finds; this one stays dead. */
    afterKill() {
        this.callsLeft = 0;
        const disk = new Disk();
        for (const [path, node] of this.nodes) {
            disk.nodes.set(path, node === 'folder' ? node : { ...node });
        }
        return disk;
    }

    text(path) { return decode(this.#file(path).bytes); }
    paths() { return [...this.nodes.keys()].sort(); }

    #node(path) {
        const node = this.nodes.get(path);
        if (node) { return node; }
        for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent)) {
            if (this.nodes.get(parent) instanceof Object) { throw failure('ENOTDIR', path); }
        }
        throw failure('ENOENT', path);
    }
    #file(path) {
        const node = this.#node(path);
        if (node === 'folder') { throw failure('EISDIR', path); }
        // Where links of a tree lead to, there is nothing.
        if (node.target !== undefined) { throw failure('ENOENT', path); }
        return node;
    }
    #parent(path) {
        if (this.#node(parentOf(path)) !== 'folder') { throw failure('ENOTDIR', path); }
    }
    #within(path) { return [...this.nodes.keys()].filter(other => other.startsWith(`${path}/`)); }
    #did(name, ...what) { this.trace.push([name, ...what].join(' ')); }

    fs_stat(path) {
        if (this.#node(path)?.target !== undefined) { throw failure('ENOENT', path); }
        return this.fs_lstat(path);
    }
    fs_lstat(path) {
        const node = this.#node(path);
        const size = node === 'folder' ? 0 : (node.bytes ?? node.target).length;
        const kind = node === 'folder' ? 'folder' : node.bytes ? 'file' : 'link';
        return { kind, size, mtimeMs: 1, ctimeMs: 2, atimeMs: 3, birthtimeMs: 4 };
    }
    fs_symlink(target, path) {
        if (this.nodes.has(path)) { throw failure('EEXIST', path); }
        this.#parent(path);
        this.nodes.set(path, { target });
        this.#did('symlink', path);
    }
    fs_readlink(path) {
        const { target } = this.#node(path);
        if (target === undefined) { throw failure('EINVAL', path); }
        return target;
    }
    fs_copyFile(source, target, overwrite) {
        const { bytes } = this.#file(source);
        if (this.nodes.has(target) && !overwrite) { throw failure('EEXIST', target); }
        this.#parent(target);
        this.nodes.set(target, { bytes: bytes.slice() });
        this.#did('copy', source, target);
    }
    fs_readFile(path) { return this.#file(path).bytes.slice(); }
    fs_readdir(path) {
        if (this.#node(path) !== 'folder') { throw failure('ENOTDIR', path); }
        return [...this.nodes.keys()].filter(other => other !== '' && parentOf(other) === path)
            .map(other => other.slice(path === '' ? 0 : path.length + 1));
    }
    fs_mkdir(path, recursive) {
        if (this.nodes.has(path)) {
            if (recursive && this.nodes.get(path) === 'folder') { return; }
            throw failure('EEXIST', path);
        }
        if (recursive && path.includes('/')) { this.fs_mkdir(parentOf(path), true); }
        this.#parent(path);
        this.nodes.set(path, 'folder');
        this.#did('mkdir', path);
    }
    fs_unlink(path) {
        if (this.#node(path) === 'folder') { throw failure('EISDIR', path); }
        this.nodes.delete(path);
        this.#did('unlink', path);
    }
    fs_rmdir(path, recursive) {
        if (this.#node(path) !== 'folder') { throw failure('ENOTDIR', path); }
        const inside = this.#within(path);
        if (inside.length > 0 && !recursive) { throw failure('ENOTEMPTY', path); }
        for (const gone of [...inside, path]) { this.nodes.delete(gone); }
        this.#did('rmdir', path);
    }
    fs_rename(from, to) {
        const node = this.#node(from);
        this.#parent(to);
        if (node !== 'folder' && this.nodes.get(to) === 'folder') { throw failure('EISDIR', to); }
        for (const path of [from, ...this.#within(from)]) {
            this.nodes.set(to + path.slice(from.length), this.nodes.get(path));
            this.nodes.delete(path);
        }
        this.#did('rename', from, to);
    }
    fs_open(path, flag) {
        if (flag.startsWith('w')) {
            if (flag.startsWith('wx') && this.nodes.has(path)) { throw failure('EEXIST', path); }
            this.#parent(path);
            this.nodes.set(path, { bytes: new Uint8Array(0) });
            this.#did('create', path);
        } else {
            if (this.#node(path) !== 'folder') { this.#file(path); }
        }
        this.#lastFd += 1;
        this.#open.set(this.#lastFd, { path, node: this.nodes.get(path) });
        return this.#lastFd;
    }
    #content(fd) {
        const { path, node } = this.#open.get(fd);
        if (node === 'folder') { throw failure('EISDIR', path); }
        return node;
    }
    fh_read(fd, buffer, position) {
        const part = this.#content(fd).bytes.subarray(position, position + buffer.length);
        buffer.set(part);
        return part.length;
    }
    fh_truncate(fd, length) {
        const file = this.#content(fd);
        const bytes = new Uint8Array(length);
        bytes.set(file.bytes.subarray(0, length));
        file.bytes = bytes;
        this.#did('truncate', this.#open.get(fd).path);
    }
    /** Takes half of what it is given, as a full disk or a signal may have it. */
    fh_write(fd, bytes, position) {
        const file = this.#content(fd);
        const taken = bytes.slice(0, Math.ceil(bytes.length / 2));
        const all = new Uint8Array(Math.max(file.bytes.length, position + taken.length));
        all.set(file.bytes);
        all.set(taken, position);
        file.bytes = all;
        this.#did('write', this.#open.get(fd).path);
        return taken.length;
    }
    /** Step by step, and the process may be "killed" between any two. */
    async fs_replaceFile(path, bytes, scratch, isNew) {
        const step = (name, ...args) => this.call(name, args);
        this.#parent(path);
        if (isNew && this.nodes.has(path)) { throw failure('EEXIST', path); }
        const file = await step('fs_open', scratch, 'wx');
        try {
            for (let offset = 0; offset < bytes.length;) {
                offset += await step('fh_write', file, bytes.subarray(offset), offset);
            }
            await step('fh_sync', file);
            await step('fs_rename', scratch, path);
        } catch (exception) {
            await step('fs_unlink', scratch);
            throw exception;
        } finally {
            this.#open.delete(file);
        }
        const folder = await step('fs_open', parentOf(path), 'r');
        await step('fh_sync', folder);
        this.#open.delete(folder);
    }
    fs_readStart(path, buffer) {
        const fd = this.fs_open(path, 'r');
        const count = this.fh_read(fd, buffer, 0);
        if (count === buffer.length) { return { count, fd }; }
        this.#open.delete(fd);
        return { count };
    }
    fh_stat(fd) { return this.fs_stat(this.#open.get(fd).path); }
    fh_sync(fd) { this.#did('sync', this.#open.get(fd).path); }
    fh_close(fd) { this.#open.delete(fd); }
    get openFiles() { return this.#open.size; }
}

/** The folders of apps and of packs: path → text. */
function assetFolders(apps, packs) {
    const inside = (files, folder) =>
        Object.keys(files).filter(path => folder === '' || path.startsWith(`${folder}/`));
    return {
        async assets_readBytes(fromPacks, path, start, end) {
            const files = fromPacks ? packs : apps;
            if (!Object.hasOwn(files, path)) { throw failure('ENOENT', path); }
            return encode(files[path]).slice(start, end);
        },
        async assets_listFolder(fromPacks, folder) {
            const files = fromPacks ? packs : apps;
            const start = folder === '' ? 0 : clean(folder).length + 1;
            const paths = inside(files, clean(folder)).map(path => path.slice(start));
            if (paths.length === 0 && folder !== '') { throw failure('ENOENT', folder); }
            const names = new Set(paths.map(path => path.split('/')[0]));
            return [...names].map(name => {
                const isFolder = !paths.includes(name);
                const path = folder === '' ? name : `${clean(folder)}/${name}`;
                return { name, isFolder, size: isFolder ? 0 : encode(files[path]).length };
            });
        },
    };
}

/** The pack of an app's files, as the packs folder has it; `change(list)` may spoil its `pack.json`. */
async function packFiles(appDomain, version, files, change = () => {}) {
    const list = { format: 1, appDomain, version, files: {} };
    for (const [path, text] of Object.entries(files)) {
        const bytes = encode(text);
        const hash = await nativeDispatch('nacl_hash_sha256', [bytes]);
        list.files[path] = { size: bytes.length, sha256: hash.toHex() };
    }
    change(list);
    const inPack = Object.entries(files).map(([path, text]) => [`${appDomain}/${path}`, text]);
    return { [`${appDomain}/pack.json`]: JSON.stringify(list), ...Object.fromEntries(inPack) };
}

/** An app of one deno component per entry of `components`: entry → fields of its definition. */
function appFiles(appDomain, components, more = {}) {
    const defined = Object.entries(components).map(([entry, fields]) => [entry, { runtime: 'deno', ...fields }]);
    return {
        [`${appDomain}/manifest.json`]: JSON.stringify(
            { appDomain, version: '1.2.3', components: Object.fromEntries(defined), ...more }),
        ...Object.fromEntries(Object.keys(components).map(
            entry => [`${appDomain}/app/${entry.replace(/^\//, '')}`, '// a function here'])),
    };
}

/**
 * `apps`: files of the apps folder. `programs`: `<appDomain>/<entry>` → async (w3n, w3nRPC, connectorId), which stands
 * for the component's code. `core`: a class in the place of the core's own. `onStart(connectorId, id)` may throw what
 * `js_startComponent` rejects with.
 */
async function platformUnderTest(options = {}) {
    const { apps = {}, packs = {}, programs = {}, openCalls, onStart = () => {}, disk = new Disk(), ports = {} } = options;
    const components = new Map();
    const closed = [];
    const protocolErrors = [];
    const catalogs = [];

    async function start(connectorId, appDomain, entrypoint, instance) {
        const id = `${appDomain}${entrypoint}`;
        await onStart(connectorId, id, instance);
        const component = { id, connectorId, isAlive: true, toCore: undefined };
        components.set(connectorId, component);
        globalThis[`__portSend_c-${connectorId}`] = bytes => {
            if (!component.isAlive) { throw { runtimeException: true, type: 'ipc', ipcNotConnected: true }; }
            queueMicrotask(() => component.isAlive && component.receive?.(bytes));
            return component.reads ?? true;
        };
        __coreCall('attachComponentPortToConnector', { connectorId, openCalls });
        component.toCore = bytes => queueMicrotask(() => globalThis[`__portRecv_c-${connectorId}`]?.(bytes));
        await connect(component);
        await programs[id]?.(component.w3n, component.w3nRPC, connectorId);
    }

    async function connect(component) {
        bundle.client.forEach(path => script(`core/${path}`));
        const { ObjectsConnector, msgProtoType, promiseW3Nclient, w3nRPC } = globalThis.__client3NWeb;
        const side = ObjectsConnector.makeClientSide(
            { next: envelope => component.toCore(msgProtoType.pack(envelope)), complete() {}, error() {} },
            {
                subscribe(observer) {
                    component.receive = bytes => observer.next(msgProtoType.unpack(bytes));
                    return { unsubscribe() {} };
                },
            },
            undefined,
            async path => __coreCall('listObjPathInConnector', { connectorId: component.connectorId, path }),
        );
        component.w3n = await promiseW3Nclient(side);
        // In a context of its own a component has one `w3n`, which `serve` takes.
        component.w3nRPC = {
            ...w3nRPC,
            serve(...args) {
                globalThis.w3n = component.w3n;
                return w3nRPC.serve(...args);
            },
        };
    }

    /** A death: nothing runs in the component any more, and the core is told. */
    function kill(connectorId, cause) {
        const component = components.get(connectorId);
        if (!component) { return; }
        component.isAlive = false;
        components.delete(connectorId);
        __coreCall('onComponentClosedInAndroid', { connectorId, cause });
        delete globalThis[`__portSend_c-${connectorId}`];
    }

    const own = {
        ...assetFolders(apps, packs),
        connectivity_isOnline: () => 'network-present',
        keystore_encrypt: async (name, data) => nativeDispatch(
            'nacl_sbox_packWN', [data, nativeDispatch('crypto_random', [24]), deviceKey]),
        keystore_decrypt: async (name, data) => nativeDispatch('nacl_sbox_openWN', [data, deviceKey]).catch(() => {
            throw { runtimeException: true, type: 'keystore', keyName: name, keyLost: true, message: 'key lost' };
        }),
        js_startComponent: start,
        ui_closeAppActivity: async connectorId => {
            closed.push(connectorId);
            await nextTurn();
            kill(connectorId);
        },
        component_catalogChanged: () => { catalogs.push(__coreCall('listComponents').components); },
        component_protocolError: async (connectorId, message) => { protocolErrors.push([connectorId, message]); },
        ...ports,
    };
    const dispatch = (name, args) => {
        if (Object.hasOwn(own, name)) { return own[name](...args); }
        return /^f[sh]_/.test(name) ? disk.call(name, args) : nativeDispatch(name, args);
    };

    // With a dispatcher of its own: what a killed platform still does is nothing to the next one.
    const script = path =>
        new Function('__nativeCallDispatch', `${globalThis.sources[path]}\n//# sourceURL=${path}`)(dispatch);
    const bundle = JSON.parse(globalThis.sources['core/bundle.json']);
    for (const name of ['__core3NWeb', 'platform']) { delete globalThis[name]; }
    script('js/device-fs.js');
    globalThis.__evaluateLater = () => bundle.later.forEach(path => script(`core/${path}`));
    bundle.core.forEach(path => script(`core/${path}`));
    if (options.core) { globalThis.__core3NWeb = { ...globalThis.__core3NWeb, Core: options.core }; }
    const rest = [
        'app-code', 'app-requests', 'app-manifests', 'app-packs', 'apps', 'app-commands', 'core-net', 'core-events',
        'w3n-url', 'rpc-connection', 'rpc-broker', 'start-commands', 'fs-resources', 'notifications', 'shell-cap',
        'system-cap', 'platform-caps',
    ];
    let lateEvaluations = 0;
    globalThis.__evaluateRest = () => {
        lateEvaluations += 1;
        bundle.ipc.forEach(path => script(`core/${path}`));
        rest.forEach(name => script(`js/${name}.js`));
    };
    for (const name of ['core-cryptor', 'autologin', 'core-session', 'core-load']) { script(`js/${name}.js`); }

    return {
        disk, components, closed, protocolErrors, catalogs, kill, lateEvaluations: () => lateEvaluations,
        init: (more = { local: true }) => __coreCallAsync('init', {
            dataDir: '.', platformVersion: '0', formFactor: 'desktop', systemApps: options.systemApps, ...more,
        }),
        /** Opens an app's page, which is a component like any other here. */
        async openPage(appDomain) {
            const { connectorId, entrypoint } = __coreCall('launchAppFromAndroid', { appDomain });
            await start(connectorId, appDomain, entrypoint, 0);
            return components.get(connectorId);
        },
        /** Launches `<appDomain>/<entry>` and waits until its program has run; gives the component. */
        async launch(id) {
            const cut = id.indexOf('/');
            const { connectorId } = __coreCall('launchComponent',
                { appDomain: id.slice(0, cut), entrypoint: id.slice(cut), instance: 0 });
            for (let turn = 0; turn < 100 && !components.get(connectorId)?.w3n; turn += 1) { await nextTurn(); }
            return components.get(connectorId);
        },
    };
}

/** The exception that `promise` rejects with. */
async function rejection(promise) {
    try {
        return fail(`resolved with ${JSON.stringify(await promise)}`);
    } catch (exception) {
        return exception;
    }
}

function fail(message) { throw new Error(message); }

function same(actual, expected, what = 'value') {
    const [a, b] = [actual, expected].map(value => JSON.stringify(value));
    if (a !== b) { fail(`${what}: ${a}, expected ${b}`); }
}

function holds(condition, what) {
    if (!condition) { fail(`does not hold: ${what}`); }
}

/** `random(n)` gives 0 … n-1, the same for the same seed. */
function randomNumbers(seed) {
    let state = seed >>> 0;
    return below => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
    };
}

Object.assign(globalThis, {
    randomNumbers, Disk, appFiles, packFiles, platformUnderTest, rejection, same, holds, nextTurn, encode, decode,
});
})();
