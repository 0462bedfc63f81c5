// Before the scripts of the embedded core: what they find in the core's context, and what tests of them use.
(() => {
'use strict';

globalThis.__platformParts = {};
/** The device's key store, whose key is this one here. */
const deviceKey = new Uint8Array(32).fill(7);
const dispatch = globalThis.__nativeCallDispatch;
const device = {
    keystore_encrypt: (name, data) => dispatch('nacl_sbox_packWN', [data, random(24), deviceKey]),
    keystore_decrypt: (name, data) => dispatch('nacl_sbox_openWN', [data, deviceKey]).catch(() => {
        throw { runtimeException: true, type: 'keystore', keyName: name, keyLost: true, message: 'the key is lost' };
    }),
};
globalThis.__nativeCallDispatch = (name, args) =>
    (Object.hasOwn(device, name) ? device[name](...args) : dispatch(name, args));
const random = n => __nativeCallDispatch('crypto_random', [n]);

/** `core.js` takes the parts away; tests keep them. */
const parts = {};
Object.defineProperty(globalThis, '__embeddedCore', {
    configurable: true,
    get: () => parts,
    set: value => Object.assign(parts, value),
});

const kept = new Map();

/** The tree `name` of one user, over the disk; the same keys each time. `fs` stands for the device's files. */
function treeAt(name = 'tree', fs = platform.device_fs) {
    const { cryptor } = __platformParts.makeCryptor();
    if (!kept.has(name)) { kept.set(name, random(32)); }
    const files = new parts.AtomicFiles(fs, 'scratch', random);
    const tree = parts.openTree({
        fs, files, cryptor, random, place: `trees/${name}`,
        keyOf: use => cryptor.hash.keyed(encode(use), kept.get(name), 32),
    });
    return { tree, ready: files.sweep() };
}

const encode = text => new TextEncoder().encode(text);
const decode = bytes => new TextDecoder().decode(bytes);
const rejection = promise => promise.then(
    value => { throw new Error(`resolved with ${JSON.stringify(value)}`); }, exception => exception);
const textAt = async (tree, names, options) => {
    const reader = await tree.open(names, options);
    const text = decode(await reader.read(0, reader.size));
    await reader.close();
    return text;
};

function same(actual, expected, what = 'value') {
    const [a, b] = [actual, expected].map(value => JSON.stringify(value));
    if (a !== b) { throw new Error(`${what}: ${a}, expected ${b}`); }
}

function holds(condition, what) {
    if (!condition) { throw new Error(`does not hold: ${what}`); }
}

Object.assign(globalThis, {
    device, nativeDispatch: dispatch, random, treeAt, encode, decode, rejection, textAt, same, holds,
    embeddedParts: parts,
});
})();
