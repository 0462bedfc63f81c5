// Before the core bundle: what the embedded core finds in the core's context. `storageOf(options)` is the storage of
// one component as it sees it, over the wire; `options`: {domain, requested}. Trees are kept for all components.
(() => {
'use strict';

globalThis.__platformParts = {};

/** `core.js` takes the parts away; tests keep them. */
const parts = {};
Object.defineProperty(globalThis, '__embeddedCore', {
    configurable: true,
    get: () => parts,
    set: value => Object.assign(parts, value),
});

const random = count => __nativeCallDispatch('crypto_random', [count]);
const keys = new Map();
const trees = new Map();
let ready;

/** The tree of a kind; the same one for all, as in a core. */
globalThis.treeOf = async (kind, domain = '') => {
    const { cryptor } = parts.cryptor ??= globalThis.__platformParts.makeCryptor();
    const files = parts.files ??= new parts.AtomicFiles(platform.device_fs, 'scratch', random);
    await (ready ??= files.sweep());
    const name = `${kind} ${domain}`;
    if (!keys.has(name)) { keys.set(name, random(32)); }
    if (!trees.has(name)) {
        trees.set(name, parts.openTree({
            fs: platform.device_fs, files, cryptor, random, place: `trees/${kind}-${domain}`,
            keyOf: use => cryptor.hash.keyed(new TextEncoder().encode(use), keys.get(name), 32),
        }));
    }
    return trees.get(name);
};

globalThis.storageOf = async ({ domain = 'a.test', requested = {} } = {}) => {
    let isOpen = true;
    const cap = parts.makeStorageCap({ appDomain: domain, requested, treeOf, isOpen: () => isOpen });
    const joined = pair({ storage: cap.storage });
    const { storage } = await client.promiseW3Nclient(joined.clientSide);
    /** The component's death, as the platform sees it. */
    const die = () => {
        isOpen = false;
        joined.toCore.complete();
        cap.close();
    };
    return { storage, holdings: cap.holdings, die, ...joined };
};

/** A new app's local storage, empty. */
let count = 0;
globalThis.emptyFS = async (open = 'getAppLocalFS') => {
    count += 1;
    const component = await storageOf({ domain: `app-${count}.test` });
    return { ...component, domain: `app-${count}.test`, fs: await component.storage[open]() };
};

globalThis.embedded = parts;
globalThis.encode = text => new TextEncoder().encode(text);
globalThis.decode = bytes => new TextDecoder().decode(bytes);

/** `promise` is rejected with a `file` exception of that code, with the path, and the flags named. */
globalThis.refused = async (promise, code, path, ...flags) => {
    const exception = await promise.then(
        value => { throw new Error(`not refused: ${JSON.stringify(value)}, ${code} ${path}`); }, reason => reason);
    if (exception instanceof Error) { throw exception; }
    same([exception.runtimeException, exception.type, exception.code, exception.path], [true, 'file', code, path],
        JSON.stringify(exception));
    for (const flag of flags) { same(exception[flag], true, `${flag} of ${JSON.stringify(exception)}`); }
    holds(typeof exception.message === 'string' && exception.message.startsWith(`${path}:`),
        `a message in ${JSON.stringify(exception)}`);
    return exception;
};

/** What stands in the folder for scratch files. */
globalThis.scratchFiles = () => platform.device_fs.readdir('scratch');
})();
