// The embedded core: one local user without a password, and storage of apps on this device.
(() => {
'use strict';

const { fileException, AtomicFiles, WriteOrder, makeAppFS } = globalThis.__embeddedCore;
delete globalThis.__embeddedCore;

const localUserId = 'user@local';
const isDomain = text => typeof text === 'string' && /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text);

/**
 * What it keeps, under `conf.dataDir` (a path of the file ports):
 *
 *     local-user.json                      {"userId"}, made at first use
 *     users/<userId>/apps/<domain>/local/  local storage of an app
 *     scratch/                             writes under way; emptied at start
 */
class Core {
    #fs = globalThis.platform.device_fs;
    #dataDir;
    #files;
    #order = new WriteOrder();
    #userId;

    /** The makers of network, resolver and cryptor serve a core with accounts; this one needs `random(n)` alone. */
    static make(conf, makeNet, makeResolver, makeCryptor, random) { return new Core(conf.dataDir, random); }

    constructor(dataDir, random) {
        this.#dataDir = dataDir;
        this.#files = new AtomicFiles(this.#fs, `${dataDir}/scratch`, random);
    }

    /** There is nothing to sign in to or up for, so `capsForStartup` is empty; `coreInit` gives the user's id. */
    start() {
        const coreInit = this.#openLocalUser();
        return { capsForStartup: {}, coreInit, coreAppsInit: coreInit.then(() => {}) };
    }

    async #openLocalUser() {
        await this.#files.sweep();
        const path = `${this.#dataDir}/local-user.json`;
        const text = await this.#fs.readFile(path, { encoding: 'utf8' }).catch(exception => {
            if (exception.notFound) { return undefined; }
            throw exception;
        });
        if (text === undefined) {
            await this.#files.write(path, new TextEncoder().encode(JSON.stringify({ userId: localUserId })), false);
        }
        this.#userId = text === undefined ? localUserId : userIdIn(text, path);
        return this.#userId;
    }

    /** Capabilities of a component by its manifest's `capsRequested`; `close` ends what they gave out. */
    makeCAPsForApp(appDomain, requestedCAPs) {
        const caps = {};
        let isOpen = true;
        if (requestedCAPs.mailerid) { caps.mailerid = { getUserId: async () => this.#userId }; }
        if (requestedCAPs.storage) {
            const localDomains = domainsOfLocalFS(appDomain, requestedCAPs.storage.appFS);
            const isOpenForApp = () => isOpen;
            caps.storage = {
                getAppLocalFS: async (appName = appDomain) => {
                    if (localDomains.includes(appName)) { return this.#localFS(appName, isOpenForApp); }
                    throw {
                        runtimeException: true, type: 'storage', notAllowedToOpenFS: true,
                        appDomain: String(appName),
                        message: `${appDomain} may not open the local storage of ${appName}; list it under `
                            + '"storage.appFS" of "capsRequested" in the manifest',
                    };
                },
            };
        }
        return { caps, close() { isOpen = false; } };
    }

    async #localFS(domain, isOpenForApp) {
        const root = `${this.#dataDir}/users/${this.#userId}/apps/${domain}/local`;
        await this.#order.run(root, () => this.#files.makeFolder(root));
        return makeAppFS({
            fs: this.#fs, files: this.#files, order: this.#order, root, name: domain, isOpenForApp,
        });
    }
}

/** An app's own domain, and those that its manifest lists with local storage. */
function domainsOfLocalFS(appDomain, appFS) {
    const listed = Array.isArray(appFS) ? appFS : [];
    const isLocal = entry => isDomain(entry?.domain) && ['local', 'synced-n-local'].includes(entry.storage);
    return [appDomain, ...listed.filter(isLocal).map(entry => entry.domain)];
}

function userIdIn(text, path) {
    try {
        const { userId } = JSON.parse(text);
        if (typeof userId === 'string' && userId !== '' && !userId.includes('/')) { return userId; }
    } catch {
        // Not JSON is told in the same words as JSON without a user id.
    }
    throw fileException('EIO', path, `no user id in ${JSON.stringify(text.slice(0, 80))}; restore it from a backup `
        + 'or, if nothing in the data folder is needed, remove it');
}

globalThis.__core3NWeb = Object.assign(globalThis.__core3NWeb ?? {}, { Core });
})();
