// A core's bundle of the tests' own. It shares no code with the embedded core and treats its host as the public library
// is observed to: what it finds otherwise it complains of by name. Messages and bodies are JSON, of no format of the
// platform's: those are the business of the two bundles.
var __core3NWeb = (() => {
'use strict';

// Base URLs of servers of a test, which puts them here; none = nothing of the network is tried.
const webServer = '';
const socketServer = '';

// The public library reads this while it is evaluated.
const fs = globalThis.platform.device_fs;

function must(isSo, what) {
    if (!isSo) { throw new Error(`this host ${what}`); }
}

must(typeof fs?.readFile === 'function', 'has no platform.device_fs while the bundle is evaluated');
must(self === globalThis, 'has a self that is not globalThis');
must(typeof setTimeout === 'function' && typeof queueMicrotask === 'function', 'has no timers');
must(typeof TextEncoder === 'function' && typeof TextDecoder === 'function', 'has no text coding');
must(typeof structuredClone === 'function' && typeof URL === 'function', 'has no structuredClone, or no URL');
must(typeof btoa === 'function' && typeof performance.now() === 'number', 'has no btoa, or no performance');
must(typeof crypto.getRandomValues === 'function', 'has no crypto');

// An own Buffer, as a bundler puts it in.
class Buffer extends Uint8Array {
    static from(source, offset, length) {
        if (typeof source === 'string') { return Buffer.from(new TextEncoder().encode(source).buffer); }
        return source instanceof ArrayBuffer ? new Buffer(source, offset, length) : new Buffer(source);
    }

    toString(encoding = 'utf8') {
        if (encoding === 'base64') { return this.toBase64(); }
        if (encoding === 'hex') { return this.toHex(); }
        return new TextDecoder().decode(this);
    }
}

// MARK: Wasm, in both ways

/** (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)) */
const wasmCode = Uint8Array.of(
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 3, 2, 1, 0,
    7, 7, 1, 3, 0x61, 0x64, 0x64, 0, 0, 10, 9, 1, 7, 0, 0x20, 0, 0x20, 1, 0x6a, 0x0b);
const { add } = new WebAssembly.Instance(new WebAssembly.Module(wasmCode)).exports;

async function checkWasm() {
    const { instance } = await WebAssembly.instantiate(wasmCode);
    must(add(2, 3) === 5 && instance.exports.add(4, 5) === 9, 'computes otherwise in Wasm');
}

const collected = new FinalizationRegistry(() => {});

// MARK: Files, in the shapes that are seen

const outcome = promise => promise.then(() => 'none', exception => exception);

async function mustFail(promise, flag, code, what) {
    const exception = await outcome(promise);
    must(exception.runtimeException === true && exception.type === 'file' && exception[flag] === true
        && exception.code === code, `gives ${what} without the flag ${flag}: ${JSON.stringify(exception)}`);
}

async function checkFiles(folder) {
    await mustFail(fs.stat(folder), 'notFound', 'ENOENT', 'stat of nothing');
    await mustFail(fs.lstat(`${folder}/x`), 'notFound', 'ENOENT', 'lstat of nothing');
    await mustFail(fs.mkdir(`${folder}/a/b`), 'notFound', 'ENOENT', 'mkdir in nothing');
    await fs.mkdir(`${folder}/a/b`, { recursive: true });
    await fs.mkdir(`${folder}/a/b`, { recursive: true });
    await mustFail(fs.mkdir(`${folder}/a`), 'alreadyExists', 'EEXIST', 'mkdir again');
    await fs.mkdir(`${folder}/empty`);
    await fs.writeFile(`${folder}/bytes`, Buffer.from('bytes'));
    await fs.writeFile(`${folder}/once`, Buffer.from('once'), { flag: 'wx' });
    await mustFail(fs.writeFile(`${folder}/once`, Buffer.from('twice'), { flag: 'wx' }), 'alreadyExists', 'EEXIST',
        'writeFile wx of what is there');
    await fs.writeFile(`${folder}/text`, 'gr\u00fcn', { encoding: 'utf8', flag: 'w' });
    await mustFail(fs.writeFile(`${folder}/text`, 'x', { encoding: 'utf8', flag: 'wx' }), 'alreadyExists', 'EEXIST',
        'writeFile wx of a text');
    await fs.appendFile(`${folder}/text`, '!', { encoding: 'utf8' });
    must(await fs.readFile(`${folder}/text`, { encoding: 'utf8' }) === 'gr\u00fcn!', 'reads a text otherwise');
    must((await fs.readFile(`${folder}/bytes`)) instanceof Uint8Array, 'reads bytes as something else');
    await mustFail(fs.readFile(`${folder}/none`), 'notFound', 'ENOENT', 'readFile of nothing');
    await mustFail(fs.readdir(`${folder}/text`), 'notDirectory', 'ENOTDIR', 'readdir of a file');
    await mustFail(fs.stat(`${folder}/text/x`), 'notDirectory', 'ENOTDIR', 'stat below a file');
    await mustFail(fs.unlink(`${folder}/a`), 'isDirectory', 'EISDIR', 'unlink of a folder');
    await mustFail(fs.rmdir(`${folder}/a`), 'notEmpty', 'ENOTEMPTY', 'rmdir of a full folder');
    await checkHandles(folder);
    const [file, dir] = [await fs.stat(`${folder}/text`), await fs.lstat(folder)];
    must(file.isFile() && !file.isDirectory() && !file.isSymbolicLink(), 'has another kind of a file');
    must(file.size === 6, 'has another size of a file');
    must(dir.isDirectory() && !dir.isFile(), 'has other stats of a folder');
    must(file.mtime instanceof Date && file.ctime instanceof Date, 'has no times in stats');
    await fs.rename(`${folder}/text`, `${folder}/a/renamed`);
    must((await fs.readdir(folder)).sort().join() === 'a,bytes,empty,handle,once', 'lists a folder otherwise');
    await fs.unlink(`${folder}/once`);
    await fs.rmdir(`${folder}/empty`);
    await fs.rmdir(`${folder}`, { recursive: true });
    await mustFail(fs.stat(folder), 'notFound', 'ENOENT', 'stat of what was removed');
}

async function checkHandles(folder) {
    await mustFail(fs.open(`${folder}/handle`, 'r'), 'notFound', 'ENOENT', 'open r of nothing');
    await mustFail(fs.open(`${folder}/handle`, 'r+'), 'notFound', 'ENOENT', 'open r+ of nothing');
    const written = await fs.open(`${folder}/handle`, 'wx');
    await written.write(Buffer.from('0123456789'), 0, 10, 0);
    await written.write(Buffer.from('xxAByy'), 2, 2, 4);
    await written.truncate(8);
    await written.sync();
    must((await written.stat()).size === 8, 'has another size of an open file');
    await written.close();
    await mustFail(fs.open(`${folder}/handle`, 'wx'), 'alreadyExists', 'EEXIST', 'open wx of what is there');
    const read = await fs.open(`${folder}/handle`, 'r');
    const buffer = new Buffer(12);
    const { bytesRead } = await read.read(buffer, 2, 10, 3);
    must(bytesRead === 5 && buffer.subarray(2, 7).toString() === '3AB67', 'reads otherwise at a position');
    must((await read.read(buffer, 0, 4, 100)).bytesRead === 0, 'reads something past the end');
    await read.close();
    const again = await fs.open(`${folder}/handle`, 'r+');
    await again.write(Buffer.from('Z'), 0, 1, 0);
    await again.close();
    const anew = await fs.open(`${folder}/handle`, 'w');
    must((await anew.stat()).size === 0, 'keeps what open w should cut');
    await anew.close();
}

// MARK: The network

async function checkRequests(request) {
    const [url, method] = [`${webServer}/made`, 'POST'];
    const made = await request(
        { url, method, responseType: 'json', sessionId: 's1', responseHeaders: ['X-Obj-Version', 'X-None'] },
        'application/json', { some: 'JSON' });
    must(made.status === 201 && made.url === url && made.method === method, 'answers a request in another shape');
    must(made.data.session === 's1' && made.data.type === 'application/json', 'sends other headers');
    must(made.headers.get('x-obj-version') === '7' && made.headers.get('X-None') === null, 'has other reply headers');
    for (const status of [401, 474]) {
        const reply = await request({ url: `${webServer}/status/${status}`, method: 'GET' }).catch(() => ({}));
        must(reply.status === status, `does not give the status ${status} as such`);
    }
    const empty = await request({ url: `${webServer}/empty`, method: 'GET', responseType: 'json' });
    must(empty.status === 200 && empty.data === undefined, 'gives something for an empty JSON body');
    const bytes = await request({ url: `${webServer}/bytes`, method: 'GET', responseType: 'arraybuffer' });
    must(bytes.data instanceof Uint8Array && bytes.data.join() === '1,2,3', 'gives other bytes of a body');
    const put = await request({ url: `${webServer}/status/201`, method: 'PUT' }, 'application/octet-stream',
        [Uint8Array.of(1, 2), Uint8Array.of(3)]);
    must(put.status === 201, 'does not send bytes in several pieces');
    const none = await outcome(request({ url: 'http://127.0.0.1:1/', method: 'GET' }));
    must(none.type === 'connect' && none.connectType === 'http' && none.method === 'GET' && none.url !== undefined,
        'rejects otherwise where nobody listens');
}

async function checkEventSources(openEventSource) {
    const url = `${socketServer}/events`;
    const follow = async code => {
        const { status, data } = await openEventSource({ url, sessionId: 's1', method: 'GET', appPath: '/x' });
        const { comm, watch } = data;
        must(status === 200, 'opens an event source with another status');
        const [messages, states] = [[], []];
        watch({ next: state => states.push(state.type) });
        const end = new Promise(done => {
            comm.subscribe({ next: message => messages.push(message), complete: () => done(1000), error: done });
        });
        comm.postMessage({ close: code });
        const how = await end;
        must(messages.length === 1 && messages[0].asked.close === code, 'carries other messages of an event source');
        must(states[0] === 'connected' && states.at(-1) === 'disconnected', 'watches an event source otherwise');
        return how;
    };
    must(await follow(1000) === 1000, 'does not complete an event source that closes with 1000');
    const exception = await follow(4000);
    must(exception.runtimeException === true && exception.type === 'websocket' && exception.cause.code === 4000,
        'gives another exception for a close code');
    const refused = await openEventSource({ url: `${webServer.replace('http', 'ws')}/status/401`, method: 'GET' });
    must(refused.status === 401 && refused.data === undefined, 'does not give the status of a refused upgrade');
}

async function checkResolver(resolver) {
    const exception = await outcome(resolver.resolveTxt('public.test'));
    must(exception.code === 'ECONNREFUSED' && exception.hostname === 'public.test', 'rejects a look-up otherwise');
}

// MARK: Messages

const toJSON = value => JSON.stringify(value, (_, v) => (v instanceof Uint8Array ? { $b: v.toBase64() } : v));
const fromJSON = text => JSON.parse(text, (_, v) => (
    typeof v?.$b === 'string' ? Buffer.from(Uint8Array.fromBase64(v.$b).buffer) : v));
const packBody = value => (value === undefined ? undefined : Buffer.from(toJSON([value])));
const unpackBody = body => (body ? fromJSON(Buffer.from(body).toString())[0] : undefined);

const msgProtoType = Object.freeze({
    pack: envelope => Buffer.from(toJSON(envelope)),
    unpack(bytes) {
        must(bytes instanceof Buffer, 'hands over a message that is no Buffer of this bundle');
        return fromJSON(bytes.toString());
    },
});

const ipcException = fields => ({ runtimeException: true, type: 'ipc', ...fields });
const errorBody = error =>
    packBody(error?.runtimeException ? { exception: error } : { text: `${error?.message ?? error}` });

class CoreSide {
    #objects = new Map();
    #refs = new Map();
    #cancels = new Map();
    #sink;
    #lastId = 0;

    constructor(sink, source) {
        this.#sink = sink;
        const stop = () => this.#stop();
        source.subscribe({ next: envelope => this.#receive(envelope), complete: stop, error: stop });
    }

    get services() {
        return {
            exposeW3NService: exposed => { this.#objects.set('w3n', { exposed }); },
            exposeDroppableService: (objType, exposed, original) => {
                const ref = { objType, path: [`o${this.#lastId += 1}`] };
                this.#objects.set(ref.path[0], { exposed, original });
                this.#refs.set(original, ref);
                return ref;
            },
            getOriginalObj: ref => this.#objects.get(ref.path[0]).original,
            getObjForTransfer: ref => ({ type: ref.objType, o: this.#objects.get(ref.path[0]).original }),
            findRefIfAlreadyExposed: original => this.#refs.get(original),
            listObj: path => {
                const found = this.#at(path);
                return found && typeof found === 'object' ? Object.keys(found) : null;
            },
        };
    }

    #at(path) {
        return path.slice(1).reduce((found, name) => found?.[name], this.#objects.get(path[0])?.exposed);
    }

    #send(msgType, number, body) {
        this.#sink.next({ headers: { msgType, fnCallNum: { value: number } }, ...(body && { body: { value: body } }) });
    }

    #receive({ headers: { msgType, fnCallNum, path }, body }) {
        const number = fnCallNum?.value;
        if (msgType === 'drop') {
            this.#objects.delete(path[0]);
        } else if (msgType === 'cancel') {
            this.#cancels.get(number)?.();
            this.#cancels.delete(number);
        } else if (msgType === 'start') {
            const fn = this.#at(path);
            if (typeof fn !== 'function') {
                this.#send('error', number, errorBody(ipcException({ callFnNotFound: true, path })));
                return;
            }
            this.#follow(number, fn(body?.value));
        }
    }

    #follow(number, { promise, obs, onCancel } = {}) {
        if (obs) {
            const subscription = obs.subscribe({
                next: value => this.#send('interim', number, value),
                complete: () => this.#send('end', number),
                error: error => this.#send('error', number, errorBody(error)),
            });
            this.#cancels.set(number, () => {
                onCancel?.();
                subscription?.unsubscribe?.();
            });
            return;
        }
        Promise.resolve(promise).then(
            value => this.#send('end', number, value), error => this.#send('error', number, errorBody(error)));
    }

    #stop() {
        for (const cancel of this.#cancels.values()) { cancel(); }
        this.#objects.clear();
    }
}

class ObjectsConnector {
    /** Exactly two parameters, and no caller in what it gives: others are other versions'. */
    static makeCoreSide(fromCore, toCore) {
        return { exposedServices: new CoreSide(fromCore, toCore).services, close() {} };
    }
}

const exposeFunction = fn => body => ({ promise: Promise.resolve(fn(...unpackBody(body) ?? [])).then(packBody) });
const exposeSome = (object, names) => Object.fromEntries(
    names.map(name => [name, exposeFunction((...args) => object[name](...args))]));

function exposeFS(object, services) {
    const exposed = exposeSome(object, ['writeBytes', 'readBytes', 'writeTxtFile', 'readTxtFile', 'listFolder']);
    exposed.writableSubRoot = body => ({
        promise: object.writableSubRoot(...unpackBody(body)).then(inner => packBody(exposeFS(inner, services))),
    });
    return services.exposeDroppableService('FSImpl', exposed, object);
}

const exposeStorage = (storage, services) => ({
    getAppLocalFS: body => ({
        promise: storage.getAppLocalFS(...unpackBody(body) ?? []).then(object => packBody(exposeFS(object, services))),
    }),
});

/** It knows the core's capabilities, and those for which it was lent an exposer; nothing else becomes visible. */
function exposeW3N(services, w3n, extraCAPs) {
    must(typeof services.exposeW3NService === 'function', 'gives exposeW3N no services');
    const exposers = { log: exposeFunction, mailerid: cap => exposeSome(cap, ['getUserId']), storage: exposeStorage };
    const exposed = {};
    for (const [name, expose] of [...Object.entries(exposers), ...Object.entries(extraCAPs ?? {})]) {
        if (w3n[name]) { exposed[name] = expose(w3n[name], services); }
    }
    services.exposeW3NService(exposed);
}

const serviceSideJSONWrap = Object.freeze({
    wrapReqReplyFunc: exposeFunction,
    wrapReqReplySrvMethod: (service, name) => exposeFunction(service[name].bind(service)),
    wrapObservingFunc: fn => () => ({ obs: { subscribe: observer => ({ unsubscribe: fn(observer) }) } }),
});

// MARK: Storage

/** Plain files of one app, in a folder of its own. */
class AppFS {
    #root;
    type = 'local';
    writable = true;
    constructor(root) {
        this.#root = root;
        this.name = root.slice(root.lastIndexOf('/') + 1);
    }

    async #parent(path) {
        const whole = `${this.#root}/${path}`;
        await fs.mkdir(whole.slice(0, whole.lastIndexOf('/')), { recursive: true });
    }

    async checkFilePresence(path) {
        const stats = await fs.stat(`${this.#root}/${path}`).catch(exception => {
            if (exception.notFound) { return undefined; }
            throw exception;
        });
        return stats?.isFile() === true;
    }

    async writeBytes(path, bytes) {
        await this.#parent(path);
        const scratch = `${this.#root}/${path}.${performance.now()}`;
        const file = await fs.open(scratch, 'wx');
        await file.write(bytes, 0, bytes.length, 0);
        await file.sync();
        await file.close();
        await fs.rename(scratch, `${this.#root}/${path}`);
    }

    async readBytes(path, start = 0, end = undefined) {
        const bytes = await fs.readFile(`${this.#root}/${path}`);
        return bytes.slice(start, end);
    }

    writeTxtFile(path, text) { return this.writeBytes(path, Buffer.from(text)); }
    writeJSONFile(path, json) { return this.writeTxtFile(path, JSON.stringify(json)); }
    async readJSONFile(path) { return JSON.parse(await this.readTxtFile(path)); }
    async readTxtFile(path) { return fs.readFile(`${this.#root}/${path}`, { encoding: 'utf8' }); }
    async listFolder(path) { return (await fs.readdir(`${this.#root}/${path}`)).map(name => ({ name, isFile: true })); }
    async writableSubRoot(path) { return new AppFS(`${this.#root}/${path}`); }
}

// MARK: The core

const knownText = Buffer.from('the right key opens this');

class Core {
    #dir;
    #cryptor;
    #closeCryptor;
    #random;
    #userId;
    #signedIn = Promise.withResolvers();
    #saveKey;
    #newUser;
    #parts;

    static make(conf, makeNet, makeResolver, makeCryptor, random) {
        must(conf.dataDir !== undefined && typeof conf.signUpUrl === 'string', 'gives no dataDir or signUpUrl');
        return new Core(conf, makeNet(), makeResolver(), makeCryptor(), random);
    }

    constructor({ dataDir }, net, resolver, { cryptor, close }, random) {
        this.#dir = `${dataDir}/core`;
        this.#cryptor = cryptor;
        this.#closeCryptor = close;
        this.#parts = { net, resolver };
        this.#random = count => {
            const bytes = random(count);
            must(bytes instanceof Buffer, 'gives random bytes that are no Buffer of this bundle');
            must(bytes.length === count, 'gives another number of random bytes');
            must(/^[A-Za-z0-9+/]+=*$/.test(bytes.toString('base64')), 'gives random bytes without base64');
            return bytes;
        };
        // Members of the instance, as the public class has some.
        this.start = saveKey => this.#start(saveKey);
    }

    #start(saveKey) {
        this.#saveKey = saveKey;
        const coreInit = this.#signedIn.promise;
        return {
            capsForStartup: { signIn: this.#signInCap(), signUp: this.#signUpCap() },
            coreInit, coreAppsInit: coreInit.then(() => {}),
        };
    }

    async #prepare() {
        collected.register({}, 'gone');
        await checkWasm();
        if (webServer) {
            await checkRequests(this.#parts.net.request);
            await checkEventSources(this.#parts.net.openEventSource);
            await checkResolver(this.#parts.resolver.resolvers[0]);
        }
        await checkFiles(`${this.#dir}-check-${this.#random(6).toString('hex')}`);
        await fs.mkdir(`${this.#dir}/users`, { recursive: true });
    }

    #folder(address) { return `${this.#dir}/users/${Buffer.from(address).toString('hex')}`; }

    #key(password, salt, progress) {
        return this.#cryptor.scrypt(Buffer.from(password), salt, 10, 8, 1, 32, progress);
    }

    #signUpCap() {
        return Object.freeze({
            setSignUpServer: async () => {},
            getAvailableDomains: async () => ['public.test'],
            getAvailableAddresses: async name => [`${name}@public.test`],
            isActivated: async () => true,
            createUserParams: async (password, progress) => {
                await this.#prepare();
                const salt = this.#random(32);
                const key = await this.#key(password, salt, progress);
                const box = await this.#cryptor.sbox.formatWN.pack(knownText, this.#random(24), key, 'sign-up');
                this.#newUser = { salt, key, box };
            },
            addUser: async address => {
                const { salt, key, box } = this.#newUser;
                await fs.mkdir(this.#folder(address));
                await fs.writeFile(`${this.#folder(address)}/login.json`,
                    JSON.stringify({ address, salt: salt.toString('base64'), box: box.toBase64() }),
                    { encoding: 'utf8', flag: 'wx' });
                await this.#open(address, key);
                return true;
            },
            watchBoot: observer => this.#watchBoot(observer),
        });
    }

    #signInCap() {
        return Object.freeze({
            getUsersOnDisk: async () => {
                const names = await fs.readdir(`${this.#dir}/users`).catch(exception => {
                    if (exception.notFound) { return []; }
                    throw exception;
                });
                return names.map(name => Buffer.from(Uint8Array.fromHex(name).buffer).toString());
            },
            startLoginToRemoteStorage: async () => false,
            completeLoginAndLocalSetup: async () => false,
            useExistingStorage: async (address, password, progress) => {
                const { salt } = await this.#login(address);
                return this.#tryKey(address, await this.#key(password, salt, progress));
            },
            watchBoot: observer => this.#watchBoot(observer),
        });
    }

    async #login(address) {
        const text = await fs.readFile(`${this.#folder(address)}/login.json`, { encoding: 'utf8' });
        const { salt, box } = JSON.parse(text);
        return { salt: Uint8Array.fromBase64(salt), box: Uint8Array.fromBase64(box) };
    }

    async #tryKey(address, key) {
        const { box } = await this.#login(address);
        try {
            await this.#cryptor.sbox.formatWN.open(box, key, 'sign-in');
        } catch (exception) {
            must(exception.failedCipherVerification === true, 'does not say failedCipherVerification');
            return false;
        }
        await this.#open(address, key);
        return true;
    }

    async #open(address, key) {
        this.#userId = address;
        await this.#saveKey?.(address, key);
        this.#signedIn.resolve(address);
    }

    #watchBoot(observer) {
        this.#signedIn.promise.then(() => observer.complete?.(), error => observer.error?.(error));
        return () => {};
    }

    /** Here the public library's promise tells nothing. */
    async startDirectlyFromCache(address, key) {
        if (!await this.#tryKey(address, key)) { return undefined; }
        return { coreInit: this.#signedIn.promise.then(() => {}), watchBoot: observer => this.#watchBoot(observer) };
    }

    async getRootKey(address, password, progress) {
        const { salt, box } = await this.#login(address);
        const key = await this.#key(password, salt, progress);
        return this.#cryptor.sbox.formatWN.open(box, key, 'root key').then(() => key, () => undefined);
    }

    /** `log: "all"` is not known here: only `logToPlatform` makes a log. */
    makeCAPsForApp(appDomain, requested) {
        const caps = {};
        if (requested.storage) {
            caps.storage = {
                getAppLocalFS: async () => new AppFS(`${this.#folder(this.#userId)}/apps/${appDomain}`),
            };
        }
        if (requested.mailerid) { caps.mailerid = { getUserId: async () => this.#userId }; }
        if (requested.logToPlatform === true) { caps.log = async (type, text) => console.log(`${type}: ${text}`); }
        return { caps, close() {} };
    }

    async close() {
        const { net, resolver } = this.#parts;
        must(typeof net === 'object' && typeof resolver === 'object', 'made no net or resolver');
        await this.#closeCryptor();
    }
}

return {
    Core, Buffer,
    makeNetClient: (request, openEventSource) => Object.freeze({ request, openEventSource }),
    makeServiceLocator: (...resolvers) => Object.freeze({ resolvers }),
    ipc: Object.freeze({
        ObjectsConnector, msgProtoType, exposeW3N, exposeStartupW3N: exposeW3N, serviceSideJSONWrap,
    }),
};
})();
