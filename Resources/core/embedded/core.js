// The embedded core: users of this device, and their storage, encrypted on it.
'use strict';
{

const parts = globalThis.__embeddedCore;
const {
    AtomicFiles, Accounts, prepareDataFolder, shownIn, makeStartUpCaps, canonicalAddress, passwordBytes,
    accountException,
} = parts;
delete globalThis.__embeddedCore;
const evaluateLater = globalThis.__evaluateLater;
delete globalThis.__evaluateLater;

/** `{openTree, makeStorageCap}`: storage, whose scripts nobody needs before a user has signed in. */
function storageParts() {
    if (!parts.makeStorageCap) {
        globalThis.__embeddedCore = parts;
        evaluateLater();
        delete globalThis.__embeddedCore;
    }
    return parts;
}

const encoder = new TextEncoder();

/** What an app may ask of `mail`, and only a core with servers gives. */
const withServersOnly = {
    'mail.inbox': ['getMsg', 'listMsgs', 'removeMsg', 'subscribe'],
    'mail.delivery': [
        'addMsg', 'currentState', 'listMsgs', 'observeAllDeliveries', 'observeDelivery', 'preFlight', 'rmMsg',
    ],
};

const notAvailable = group => Object.fromEntries(withServersOnly[group].map(name => [name, async () => {
    throw {
        runtimeException: true, type: 'core', notAvailable: true,
        message: `${group}.${name} is not available in the embedded core; run a core with servers for it`,
    };
}]));

/**
 * `conf` is `{dataDir, shownDir?, local?}`: a path of the file ports, how people know that folder, and whether its one
 * user without a password is signed in at once. Under `dataDir` are:
 *
 *     format.json               of the data folder
 *     users/<digits>/           account.json (accounts.js), and a folder of `trees/` per file system (tree.js)
 *     scratch/                  what is under way; emptied at start
 */
class Core {
    #fs = globalThis.platform.device_fs;
    #isLocal;
    #random;
    #cryptor;
    #closeCryptor;
    #files;
    #accounts;
    #opened;
    #startUp;
    #saveStorageKey;
    #user;
    #trees = new Map();
    #signedIn = Promise.withResolvers();
    #bootEvents = [];
    #bootObservers = new Set();
    #isClosed = false;

    /** The makers of network and resolver serve a core with servers. */
    static make(conf, makeNet, makeResolver, makeCryptor, random) { return new Core(conf, makeCryptor, random); }

    constructor({ dataDir, shownDir, local = false }, makeCryptor, random) {
        this.#isLocal = local;
        this.#random = random;
        ({ cryptor: this.#cryptor, close: this.#closeCryptor } = makeCryptor());
        const [fs, cryptor] = [this.#fs, this.#cryptor];
        const files = new AtomicFiles(fs, `${dataDir}/scratch`, random);
        this.#files = files;
        const shown = shownIn(dataDir, shownDir);
        this.#accounts = new Accounts({ fs, files, cryptor, random, folder: `${dataDir}/users`, shown });
        this.#opened = prepareDataFolder(fs, files, dataDir, shown);
        this.#startUp = makeStartUpCaps({
            accounts: () => this.#opened.then(() => this.#accounts),
            enter: user => this.#enter(user),
            isSignedIn: () => this.#user !== undefined || this.#isClosed,
            watchBoot: observer => this.#watchBoot(observer),
        });
        // Whoever waits for a user gets these as well; nobody may be waiting yet.
        this.#signedIn.promise.catch(() => {});
        this.#opened.catch(exception => this.#signedIn.reject(exception));
    }

    // ---- start

    /**
     * Gives what a user signs in and up with, at once, and promises the user's id; a data folder that cannot be used
     * rejects it. `saveStorageKeyForAutologin(userId, key)` gets the key that `startDirectlyFromCache` takes.
     */
    start(saveStorageKeyForAutologin) {
        this.#saveStorageKey = saveStorageKeyForAutologin;
        const coreInit = this.#signedIn.promise;
        const coreAppsInit = coreInit.then(() => {});
        coreAppsInit.catch(() => {});
        if (!this.#isLocal) {
            const { signIn, signUp } = this.#startUp;
            return { capsForStartup: { signIn, signUp }, coreInit, coreAppsInit };
        }
        this.#opened.then(() => this.#accounts.openLocal()).then(user => this.#enter(user)).catch(
            exception => this.#signedIn.reject(exception));
        return { capsForStartup: {}, coreInit, coreAppsInit };
    }

    /** Promises `{coreInit, watchBoot}` with the user signed in; undefined when the key is not this user's. */
    async startDirectlyFromCache(userId, storageKey) {
        await this.#opened;
        const user = await this.#accounts.openWithKey(canonicalAddress(userId), storageKey);
        if (!user) { return undefined; }
        await this.#enter(user);
        return { coreInit: this.#signedIn.promise, watchBoot: observer => this.#watchBoot(observer) };
    }

    /** Beyond the public surface: rejects when the data folder cannot be used. */
    prepare() { return this.#opened; }

    /** Beyond it, too: what is needed sooner or later, at a moment at which nobody waits. */
    evaluateRest() { storageParts(); }

    /** Beyond it, too: why users are not listed, as texts. */
    getUserProblems() { return this.#opened.then(() => this.#accounts.problems()); }

    /** Addresses of the users here; beyond the public surface, for who starts from the cache and has no `capsForStartup`. */
    getUsersOnDisk() { return this.#opened.then(() => this.#accounts.addresses()); }

    async #enter(user) {
        if (this.#user || this.#isClosed) {
            user.key.fill(0);
            throw accountException('signedInAlready', 'a user is signed in, or the core was closed; start it anew');
        }
        this.#user = user;
        this.#startUp.forget();
        this.#boot(50, `keys of ${user.address} are open`);
        try {
            await this.#saveStorageKey?.(user.address, user.key.slice());
        } catch (error) {
            console.error('the key for automatic login was not kept:', error);
        }
        this.#boot(100, `${user.address} is signed in`);
        for (const observer of this.#bootObservers) { observer.complete?.(); }
        this.#signedIn.resolve(user.address);
    }

    // ---- boot events: {message, coreInit: percent}

    #boot(coreInit, message) {
        const event = { message, coreInit };
        this.#bootEvents.push(event);
        for (const observer of this.#bootObservers) { observer.next?.(event); }
    }

    /** Earlier events first; completes when the user is signed in. */
    #watchBoot(observer) {
        for (const event of this.#bootEvents) { observer.next?.(event); }
        if (this.#user) {
            observer.complete?.();
            return () => {};
        }
        this.#bootObservers.add(observer);
        return () => { this.#bootObservers.delete(observer); };
    }

    // ---- what a signed in user's apps get

    /** Capabilities of a component by its manifest's `capsRequested`; `close` ends what they gave out. */
    makeCAPsForApp(appDomain, requested) {
        const { address } = this.#requireUser();
        const caps = {};
        const closeFns = [];
        const getUserId = async () => address;
        if (requested.mailerid) { caps.mailerid = { getUserId }; }
        if (requested.mail) {
            caps.mail = { getUserId, inbox: notAvailable('mail.inbox'), delivery: notAvailable('mail.delivery') };
        }
        let isOpen = true;
        if (requested.storage) {
            const { storage, close } = storageParts().makeStorageCap({
                appDomain, requested: requested.storage, treeOf: (kind, domain) => this.#treeOf(kind, domain),
                isOpen: () => isOpen && !this.#isClosed,
            });
            caps.storage = storage;
            closeFns.push(close);
        }
        return {
            caps,
            close() {
                isOpen = false;
                for (const close of closeFns) { close(); }
            },
        };
    }

    /** `{treeOf(kind, domain?)}` for the platform's own use. */
    getStorages() { return Object.freeze({ treeOf: (kind, domain) => this.#treeOf(kind, domain) }); }

    /**
     * The key that `startDirectlyFromCache` takes, for its receiver to overwrite; undefined when the password is not
     * this user's, after the time that the right one takes.
     */
    async getRootKey(userId, password, progress) {
        this.#requireUser();
        const bytes = passwordBytes(password);
        try {
            return (await this.#accounts.openWithPassword(canonicalAddress(userId), bytes, progress))?.key;
        } finally {
            bytes.fill(0);
        }
    }

    #requireUser() {
        if (this.#user && !this.#isClosed) { return this.#user; }
        throw accountException('notSignedIn', 'no user is signed in; sign in first');
    }

    /** The one tree of a kind, `local`, `synced` (each of an app's domain), `user-local`, `system-synced`, … */
    #treeOf(kind, domain = '') {
        const { place, key } = this.#requireUser();
        const label = `${kind} ${domain}`;
        const known = this.#trees.get(label);
        if (known) { return known; }
        const keyOf = (use, length = 32) => this.#cryptor.hash.keyed(
            encoder.encode(JSON.stringify([use, kind, domain])), key, length);
        const tree = storageParts().openTree({
            fs: this.#fs, files: this.#files, cryptor: this.#cryptor, random: this.#random, keyOf,
            place: keyOf('place', 16).then(digits => `${place}/trees/${digits.toHex()}`),
        });
        this.#trees.set(label, tree);
        return tree;
    }

    // ---- the end, and what the device does

    /** Ends what a user has here: changes under way are finished, trees closed, keys overwritten. */
    async close() {
        if (this.#isClosed) { return; }
        this.#isClosed = true;
        this.#startUp.forget();
        // The next core empties the scratch folder, where the data folder's own file may be under way. That it could not be
        // used has been told by then.
        await this.#opened.catch(() => {});
        await Promise.all([...this.#trees.values()].map(tree => tree.close()));
        this.#user?.key.fill(0);
        this.#signedIn.reject(accountException('closed', 'the core was closed'));
        await this.#closeCryptor();
    }

    /** Nothing is open that a sleeping machine would break. */
    async onDeviceSystemSuspend() {}
    async onDeviceSystemResume() {}
    /** No servers, so nothing to tell of connections with them. */
    connectivityEvents = Object.freeze({});
}

globalThis.__core3NWeb = Object.assign(globalThis.__core3NWeb ?? {}, { Core });
}
