// Who has an account here, and how one comes to the keys of one's storage.
'use strict';
{

const { folderException } = globalThis.__embeddedCore;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

const format = 1;
const localAddress = 'user@local';
/** The device's key that seals addresses. */
const deviceKeyName = 'users';
const scryptParameters = Object.freeze({ logN: 17, r: 3, p: 1 });
/** What is sealed has this length at least, so that an address does not show by its. */
const paddedLength = 512;
/** Not secret: finds what was changed by accident. */
const sumKey = encoder.encode('sum of an account, not a secret.');

const toJSONBytes = value => encoder.encode(JSON.stringify(value).padEnd(paddedLength));
const fromJSONBytes = bytes => JSON.parse(decoder.decode(bytes));

const unreadable = (place, failure) => `${place}/account.json: this device cannot read whose it is (${
    failure.message}); the user can sign in with address and password`;

/**
 * Accounts are folders `users/<random digits>/` with an `account.json`, base64 for bytes:
 *
 *     format       1
 *     forDevice    {address}, of a local user also {key}, sealed by the device's key; null where that was not there
 *     scrypt       {logN, r, p, salt}; not of a local user, who has no password
 *     forPassword  {address, key}, a secret box under what scrypt makes of the password
 *     forKey       {address}, a secret box under a key that is made from the user's
 *     sum          BLAKE2b of the rest
 *
 * `key` is the user's master key of 32 bytes; a user is `{address, place, key}`, place being the folder.
 */
class Accounts {
    #fs;
    #files;
    #cryptor;
    #random;
    #folder;
    #shown;

    /** `shown(path)` is what people are told of a path. */
    constructor({ fs, files, cryptor, random, folder, shown }) {
        this.#fs = fs;
        this.#files = files;
        this.#cryptor = cryptor;
        this.#random = random;
        this.#folder = folder;
        this.#shown = shown;
    }

    /** Addresses of users with a password that this device's key can read, sorted. */
    async addresses() {
        const { accounts } = await this.#read();
        const addresses = accounts.filter(({ account }) => account.forPassword).map(({ address }) => address);
        return [...new Set(addresses.filter(address => address !== undefined))].sort();
    }

    /** Accounts that are not listed, and why: texts. */
    async problems() {
        const { accounts, damaged } = await this.#read();
        const unread = accounts.filter(({ account, failure }) => account.forPassword && failure);
        return [
            ...damaged.map(({ message }) => message),
            ...unread.map(({ place, failure }) => unreadable(this.#shown(place), failure)),
        ];
    }

    async isTaken(address) {
        const { accounts } = await this.#read();
        return accounts.some(known => known.address === address);
    }

    /** What `create` needs of a password: `{scrypt, passwordKey}`. */
    async parametersFor(password, progress) {
        const scrypt = { ...scryptParameters, salt: this.#random(32).toBase64() };
        return { scrypt, passwordKey: await this.#derive(password, scrypt, progress) };
    }

    /** A new user, on disk; `passwordKey` is overwritten. */
    async create(address, { scrypt, passwordKey }) {
        const key = this.#random(32);
        const sealed = toJSONBytes({ address, key: key.toBase64() });
        const account = {
            format,
            forDevice: await this.#sealedByDevice({ address }),
            scrypt,
            forPassword: await this.#boxed(sealed, passwordKey),
            forKey: await this.#boxed(toJSONBytes({ address }), await this.#checkKey(key)),
        };
        passwordKey.fill(0);
        sealed.fill(0);
        const place = await this.#write(account);
        return { address, place, key };
    }

    /**
     * The user with this address and password, undefined when there is none: that takes as long as a right one.
     * Accounts whose address this device cannot read are tried too, and sealed for it when they open.
     */
    async openWithPassword(address, password, progress) {
        const { accounts, damaged } = await this.#read();
        const candidates = accounts.filter(known => known.account.forPassword
            && (known.address === address || known.address === undefined));
        const tries = candidates.length > 0 ? candidates : [{ account: await this.#nobody() }];
        for (const [i, { place, account, address: listed }] of tries.entries()) {
            const part = percent => progress?.(Math.floor((100 * i + percent) / tries.length));
            const passwordKey = await this.#derive(password, account.scrypt, part);
            const content = await this.#unboxed(account.forPassword, passwordKey);
            passwordKey.fill(0);
            const found = content && fromJSONBytes(content);
            content?.fill(0);
            if (found?.address !== address) { continue; }
            if (i + 1 < tries.length) { progress?.(100); }
            if (listed === undefined) { await this.#sealForDevice(place, account, address); }
            return { address, place, key: Uint8Array.fromBase64(found.key) };
        }
        if (candidates.length === 0 && damaged.length > 0) { throw damaged[0]; }
        return undefined;
    }

    /** The user with this address whose master key `key` is, undefined when there is none. */
    async openWithKey(address, key) {
        const { accounts } = await this.#read();
        const checkKey = await this.#checkKey(key);
        for (const { place, account } of accounts) {
            const content = account.forKey && await this.#unboxed(account.forKey, checkKey);
            if (content && fromJSONBytes(content).address === address) { return { address, place, key: key.slice() }; }
        }
        return undefined;
    }

    /** The one user without a password, made when there is none. */
    async openLocal() {
        const { accounts, damaged } = await this.#read();
        const local = accounts.find(({ account }) => !account.forPassword);
        if (!local && damaged.length > 0) { throw damaged[0]; }
        if (!local) {
            const key = this.#random(32);
            const content = toJSONBytes({ address: localAddress, key: key.toBase64() });
            const forDevice = await this.#byDevice('encrypt', content);
            const place = await this.#write({ format, forDevice: forDevice.toBase64() });
            return { address: localAddress, place, key };
        }
        if (local.failure) {
            const place = this.#shown(local.place);
            throw folderException('keyLost', `${place}/account.json`, 'the device\'s key does not open it: '
                + `${local.failure.message}. Bring that key back, or remove ${place} with all that is in it`);
        }
        return { address: local.address, place: local.place, key: Uint8Array.fromBase64(local.content.key) };
    }

    // ---- files

    /** `{accounts: [{place, account, address?, content?, failure?}], damaged: [exception]}`. */
    async #read() {
        let names;
        try {
            names = await this.#fs.readdir(this.#folder);
        } catch (exception) {
            if (exception.notFound) { return { accounts: [], damaged: [] }; }
            throw exception;
        }
        const accounts = [];
        const damaged = [];
        for (const name of names.sort()) {
            const place = `${this.#folder}/${name}`;
            try {
                const account = await this.#accountAt(`${place}/account.json`);
                // A folder without one is what an interrupted sign-up leaves.
                if (account) { accounts.push({ place, account, ...await this.#readByDevice(place, account) }); }
            } catch (exception) {
                if (exception.type !== 'data-folder') { throw exception; }
                console.error(exception.message);
                damaged.push(exception);
            }
        }
        return { accounts, damaged };
    }

    async #accountAt(place) {
        const path = this.#shown(place);
        let text;
        try {
            text = await this.#fs.readFile(place, { encoding: 'utf8' });
        } catch (exception) {
            if (exception.notFound || exception.notDirectory) { return undefined; }
            throw exception;
        }
        const remedy = 'restore it from a backup; without one, what the user has stored cannot be read any more';
        let account;
        try {
            account = JSON.parse(text);
        } catch {
            throw folderException('damaged', path, `is not JSON; ${remedy}`);
        }
        if (Number.isSafeInteger(account?.format) && account.format > format) {
            throw folderException('newerFormat', path, `has format ${account.format}, made by a newer version; this `
                + `one knows up to ${format}: use the newer version`);
        }
        if (account?.format !== format || account.sum !== await this.#sumOf(account)) {
            throw folderException('damaged', path, `was changed or is not whole; ${remedy}`);
        }
        return account;
    }

    async #write(account) {
        const place = `${this.#folder}/${this.#random(16).toHex()}`;
        await this.#writeAt(place, account);
        return place;
    }

    async #writeAt(place, account) {
        const text = JSON.stringify({ ...account, sum: await this.#sumOf(account) }, undefined, 4);
        await this.#files.write(`${place}/account.json`, encoder.encode(`${text}\n`), true);
    }

    async #sumOf({ format: number, forDevice, scrypt, forPassword, forKey }) {
        const { logN, r, p, salt } = scrypt ?? {};
        const bytes = encoder.encode(JSON.stringify([number, forDevice, logN, r, p, salt, forPassword, forKey]));
        return (await this.#cryptor.hash.keyed(bytes, sumKey, 16)).toBase64();
    }

    // ---- the device's key

    async #byDevice(what, bytes) { return __nativeCallDispatch(`keystore_${what}`, [deviceKeyName, bytes]); }

    /** `{address, content}`, or `{failure}` where this device cannot read it. */
    async #readByDevice(place, { forDevice, forPassword }) {
        if (forDevice === null) { return { failure: { message: 'it was never sealed for this device' } }; }
        try {
            const content = fromJSONBytes(await this.#byDevice('decrypt', Uint8Array.fromBase64(forDevice)));
            return { address: content.address, content };
        } catch (failure) {
            if (failure.type !== 'keystore' || failure.stopped) { throw failure; }
            if (forPassword) { console.warn(unreadable(this.#shown(place), failure)); }
            return { failure };
        }
    }

    async #sealedByDevice(content) {
        try {
            return (await this.#byDevice('encrypt', toJSONBytes(content))).toBase64();
        } catch (failure) {
            if (failure.type !== 'keystore' || failure.stopped) { throw failure; }
            console.warn(`the user will not be listed on this device, but can sign in: ${failure.message}`);
            return null;
        }
    }

    async #sealForDevice(place, account, address) {
        const forDevice = await this.#sealedByDevice({ address });
        if (forDevice !== null) { await this.#writeAt(place, { ...account, forDevice }); }
    }

    // ---- keys

    async #derive(password, { logN, r, p, salt }, progress) {
        return this.#cryptor.scrypt(
            password, Uint8Array.fromBase64(salt), logN, r, p, 32, percent => progress?.(percent));
    }

    /** An account that no password opens. */
    async #nobody() {
        return {
            scrypt: { ...scryptParameters, salt: this.#random(32).toBase64() },
            forPassword: this.#random(24 + 16 + paddedLength).toBase64(),
        };
    }

    #checkKey(key) { return this.#cryptor.hash.keyed(encoder.encode('account'), key, 32); }

    async #boxed(bytes, key) {
        return (await this.#cryptor.sbox.formatWN.pack(bytes, this.#random(24), key)).toBase64();
    }

    async #unboxed(base64, key) {
        try {
            return await this.#cryptor.sbox.formatWN.open(Uint8Array.fromBase64(base64), key);
        } catch (exception) {
            if (exception.failedCipherVerification) { return undefined; }
            throw exception;
        }
    }
}

Object.assign(globalThis.__embeddedCore, { Accounts });
}
