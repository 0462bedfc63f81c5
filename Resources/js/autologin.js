// What lets a user in without a password when the platform starts: the key of his storage, sealed by the device's key.
// `core-session.js` takes `Autologin` and `overwrite` from here.
'use strict';
{

const keyName = 'autologin';
const maxBytes = 64 * 1024;

/** In JSON, `{"$bytes": "<base64>"}` stands for bytes. */
const toJSON = value => JSON.stringify(
    value, (key, member) => (member instanceof Uint8Array ? { $bytes: member.toBase64() } : member));
const fromJSON = text => JSON.parse(text, (key, member) => (
    typeof member?.$bytes === 'string' ? Uint8Array.fromBase64(member.$bytes) : member));

/** Overwrites the bytes in a storage key: one array, or members of an object. */
function overwrite(key) {
    if (key instanceof Uint8Array) {
        key.fill(0);
    } else if (typeof key === 'object' && key !== null) {
        for (const member of Object.values(key)) { overwrite(member); }
    }
}

/**
 * One file, `<dataDir>/platform/autologin`: the device key's box of `{"userId", "storageKey"}`. Its storage key is what
 * the core has given, bytes or a value with bytes in it. The file is there as long as automatic login is on.
 */
class Autologin {
    #fs = globalThis.platform.device_fs;
    #folder;
    #path;
    /** What the core gave at the last sign-in: it can be kept as long as that user is signed in. */
    #held;

    constructor(dataDir) {
        this.#folder = `${dataDir}/platform`;
        this.#path = `${this.#folder}/${keyName}`;
    }

    /** `{entry?: {userId, storageKey}, problem?}`; neither where automatic login is off. */
    async read() {
        let sealed;
        try {
            sealed = await this.#fs.readFile(this.#path);
        } catch (exception) {
            if (exception.notFound) { return {}; }
            return { problem: `the file of the automatic login cannot be read: ${exception.message}` };
        }
        try {
            const opened = await __nativeCallDispatch('keystore_decrypt', [keyName, sealed]);
            const { userId, storageKey } = fromJSON(new TextDecoder('utf-8', { fatal: true }).decode(opened));
            opened.fill(0);
            if (typeof userId !== 'string' || storageKey === undefined) { throw new TypeError('it has no user'); }
            return { entry: { userId, storageKey } };
        } catch (exception) {
            return {
                problem: `the automatic login cannot be opened: ${exception.message}; log in with the password, then `
                    + 'set it again with `corehost autologin on`',
            };
        }
    }

    hold(userId, storageKey) {
        this.forget();
        this.#held = { userId, storageKey: copy(storageKey) };
    }

    /** From the core, at a sign-in: a user whose automatic login is on, or is wanted, gets his new key kept. */
    async renew(userId, storageKey, isWanted) {
        this.hold(userId, storageKey);
        if (isWanted || (await this.read()).entry?.userId === userId) { await this.#write(); }
    }

    /** The user has left: what was held is overwritten. */
    forget() {
        overwrite(this.#held?.storageKey);
        this.#held = undefined;
    }

    /** Rejects when the core has given no key of the signed-in user. */
    async set(userId) {
        if (this.#held === undefined || this.#held.userId !== userId) {
            throw {
                runtimeException: true, type: 'login', notAvailable: true,
                message: 'this core has given no key for an automatic login; log out and in again, with the password',
            };
        }
        await this.#write();
    }

    /** Harmless where it is off. */
    async remove() {
        try {
            await this.#fs.unlink(this.#path);
        } catch (exception) {
            if (!exception.notFound) { throw exception; }
            return;
        }
        await this.#syncFolder();
    }

    async #write() {
        const plain = new TextEncoder().encode(toJSON(this.#held));
        if (plain.length > maxBytes) { throw new TypeError(`the key for automatic login has ${plain.length} bytes`); }
        const sealed = await __nativeCallDispatch('keystore_encrypt', [keyName, plain]);
        plain.fill(0);
        await this.#fs.mkdir(this.#folder, { recursive: true });
        // The old file or the new one, whatever ends this.
        const fresh = `${this.#path}.new`;
        const file = await this.#fs.open(fresh, 'w');
        try {
            for (let done = 0; done < sealed.length;) {
                done += (await file.write(sealed, done, sealed.length - done, done)).bytesWritten;
            }
            await file.sync();
        } finally {
            await file.close();
        }
        await this.#fs.rename(fresh, this.#path);
        await this.#syncFolder();
    }

    async #syncFolder() {
        const folder = await this.#fs.open(this.#folder, 'r');
        try {
            await folder.sync();
        } finally {
            await folder.close();
        }
    }
}

/** The core overwrites its own when the user leaves. Not by way of a text, which could not be overwritten. */
function copy(key) {
    if (key instanceof Uint8Array) { return new Uint8Array(key); }
    if (typeof key !== 'object' || key === null) { return key; }
    return Object.fromEntries(Object.entries(key).map(([name, member]) => [name, copy(member)]));
}

Object.assign(globalThis.__platformParts, { Autologin, overwrite });
}
