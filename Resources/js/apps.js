// The apps that the signed-in user has: those of the apps folder, and those installed from packs. What is installed is
// a file of the platform's own in the user's storage, so one user's choice is nothing to another, and is encrypted.
'use strict';
{

const {
    readApps, bundledApps, appException, isAppDomain, isVersion, compareVersions, isRecord, seen,
} = globalThis.__platformParts;

/** In the user's storage: `{"format": 1, "apps": {<domain>: <version>}}` in this file of this app. */
const storageDomain = 'platform.corehost';
const registryFile = 'installed-apps.json';

/** Apps that are a part of the platform: they come, and are updated, with it. */
const platformsOwn = Object.freeze({
    startup: 'startup.app.privacysafe.io', launcher: 'launcher.app.privacysafe.io',
});

/** How long the components of an app may take to close. */
const maxCloseMillis = 30_000;

const isOwnOfPlatform = domain => Object.values(platformsOwn).includes(domain);

/** Whether an installed version takes the place of the bundled app `code`; of equal ones the bundled stays. */
async function isNewer(version, code) {
    try {
        const bundled = JSON.parse(await code.text('manifest.json')).version;
        return !isVersion(bundled) || compareVersions(version, bundled) > 0;
    } catch {
        // A bundled app that cannot be read is no reason to leave out one that can.
        return true;
    }
}

function installedFrom(value) {
    if (!isRecord(value) || value.format !== 1 || !isRecord(value.apps)) {
        throw new Error(`it holds ${seen(value)}, not the list of installed apps in format 1`);
    }
    const entries = Object.entries(value.apps);
    const wrong = entries.find(([domain, version]) => !isAppDomain(domain) || !isVersion(version));
    if (wrong) { throw new Error(`it has ${seen(wrong)}, which is no app and version`); }
    return new Map(entries);
}

const idOf = ({ appDomain, entrypoint }, instance) =>
    `${appDomain}${entrypoint}${instance === 0 ? '' : `#${instance}`}`;

const notInstalled = (domain, isBundled) => (isBundled
    ? appException(domain, ['errAtUninstall', 'bundledApp'], 'it comes with the platform and stays')
    : appException(String(domain), ['notInstalled'],
        'there is no such app; `listCurrentApps` has those that are'));

class Apps {
    #packs;
    #host;
    #systemApps = new Set(Object.values(platformsOwn));
    #storage;
    #installed = new Map();
    #registryProblem;
    #apps = new Map();
    #components = [];
    #problems = [];
    #observers = new Set();
    #changes = Promise.resolve();

    /**
     * `host` gives `runningOf(component)` (ids of its connectors), `close(connectorIds)` (a promise: they are gone) and
     * `catalogChanged()`, to be called when the components here are others than before.
     */
    constructor(packs, host) {
        this.#packs = packs;
        this.#host = host;
    }

    get components() { return this.#components; }
    get problems() { return this.#problems; }
    get packs() { return this.#packs; }

    find(domain) { return this.#apps.get(domain); }
    list() { return [...this.#apps.values()]; }

    /** Where the present version of an app is from: `bundled` or `pack`; undefined for what is no app here. */
    originOf(domain) { return this.#apps.get(domain)?.origin; }

    /** Before a login: the start-up app alone. What is wrong with it is told to the log. */
    async openStartupApp() {
        const { sources } = await bundledApps();
        await this.#take(sources.filter(({ appDomain }) => appDomain === platformsOwn.startup), []);
        for (const { message } of this.#problems) { console.error(`${platformsOwn.startup}: ${message}`); }
    }

    /** For the user whom `core` has signed in. Rejects only when the apps folder cannot be listed. */
    async open(core, systemApps = []) {
        for (const domain of systemApps) { this.#systemApps.add(domain); }
        await this.#packs.sweep();
        this.#storage = core.makeCAPsForApp(storageDomain, { storage: { appFS: 'default' } });
        this.#registryProblem = undefined;
        try {
            this.#installed = await this.#readRegistry();
        } catch (error) {
            this.#installed = new Map();
            this.#registryProblem = `the user's list of installed apps cannot be read (${error?.message ?? error}); `
                + 'none of them is there, and none can be installed, until it is mended or removed';
        }
        await this.#read();
    }

    /** The user is signed out: nothing of his is kept. */
    close() {
        this.#storage?.close();
        this.#storage = undefined;
        this.#installed = new Map();
        this.#apps = new Map();
        this.#components = [];
        this.#problems = [];
        for (const observer of [...this.#observers]) { observer.complete?.(); }
        this.#observers.clear();
    }

    /** `observer` gets `{type: 'installed' | 'uninstalled' | 'pack-removed', id, version}`. */
    watch(observer) {
        this.#observers.add(observer);
        return () => { this.#observers.delete(observer); };
    }

    addPackFromBundled(domain, progress) {
        return this.#inOrder(() => this.#packs.addFromBundled(domain, progress));
    }

    removePack(domain, version) {
        return this.#inOrder(async () => {
            if (this.#installed.has(domain) && this.#installed.get(domain) === version) {
                throw appException(domain, ['errAtPackRemoval'], `version ${version} is installed; uninstall it first`);
            }
            await this.#packs.remove(domain, version);
            this.#tell('pack-removed', domain, version);
        });
    }

    /** Resolves with `all-done`, or `need-restart` while components of another version run. */
    install(domain, version) {
        return this.#inOrder(async () => {
            await this.#checkInstallable(domain, version);
            const before = this.#installed;
            await this.#change(new Map(before).set(domain, version), before);
            this.#tell('installed', domain, version);
            return this.outdated(domain).length > 0 ? 'need-restart' : 'all-done';
        });
    }

    /** Its components are closed first. */
    uninstall(domain) {
        return this.#inOrder(async () => {
            const version = this.#installed.get(domain);
            if (version === undefined) { throw notInstalled(domain, this.#apps.has(domain)); }
            const before = this.#installed;
            const after = new Map(before);
            after.delete(domain);
            await this.#change(after, before, () => this.closeOutdated(domain));
            this.#tell('uninstalled', domain, version);
        });
    }

    /** Connectors of components of an app that are of no present version of it. */
    outdated(domain) { return this.#host.runningOf(domain, component => !this.#components.includes(component)); }

    async closeOutdated(domain) {
        const connectorIds = this.outdated(domain);
        let timer;
        const tooLong = new Promise((resolve, reject) => {
            const exception = appException(domain, ['notClosed'],
                `its components have not closed in ${maxCloseMillis / 1000} s; \`corehost ps\` shows them`);
            timer = setTimeout(() => reject(exception), maxCloseMillis);
        });
        try {
            await Promise.race([this.#host.close(connectorIds), tooLong]);
        } finally {
            clearTimeout(timer);
        }
        return connectorIds.length;
    }

    /** One change at a time, in the order of the calls. */
    #inOrder(change) {
        const done = this.#changes.then(change);
        this.#changes = done.catch(() => {});
        return done;
    }

    #tell(type, id, version) {
        for (const observer of [...this.#observers]) { observer.next?.({ type, id, version }); }
    }

    async #checkInstallable(domain, version) {
        if (this.#registryProblem) { throw appException(domain, ['errAtInstall'], this.#registryProblem); }
        if (isOwnOfPlatform(domain)) {
            throw appException(domain, ['errAtInstall', 'platformsOwn'],
                'it is a part of the platform and comes with it');
        }
        if (!await this.#packs.has(domain, version)) {
            throw appException(String(domain), ['errAtInstall', 'packNotFound'], `there is no pack of version ${
                seen(version)}; add it with \`addPackFromBundledApps\``);
        }
        const current = this.#apps.get(domain)?.version;
        if (isVersion(current) && compareVersions(version, current) < 0) {
            throw appException(domain, ['errAtInstall', 'olderVersion'],
                `version ${version} is older than ${current}, which is there; uninstall that first`, { version });
        }
        const code = this.#packs.codeOf(domain, version);
        const { apps, problems } = await readApps([{ appDomain: domain, code, origin: 'pack' }], () => true);
        if (!apps.has(domain) || problems.length > 0) {
            throw appException(domain, ['errAtInstall', 'badAppPack'],
                problems.map(({ message }) => message).join('; '));
        }
    }

    /** What is here and what is on disk become `after`, or stay `before`. */
    async #change(after, before, prepare) {
        this.#installed = after;
        try {
            await this.#read();
            await prepare?.();
            await this.#writeRegistry();
        } catch (exception) {
            this.#installed = before;
            await this.#read();
            throw exception;
        }
        this.#host.catalogChanged();
    }

    async #read() {
        const { sources, problems } = await bundledApps();
        if (this.#registryProblem) {
            problems.push({ appDomain: storageDomain, file: registryFile, message: this.#registryProblem });
        }
        const byDomain = new Map(sources.map(source => [source.appDomain, source]));
        for (const [appDomain, version] of this.#installed) {
            const bundled = byDomain.get(appDomain);
            if (bundled && !await isNewer(version, bundled.code)) { continue; }
            if (!await this.#packs.has(appDomain, version)) {
                const file = `${appDomain}/manifest.json`;
                problems.push({ appDomain, file, message: `${file}: version ${version} is installed, but its pack is `
                    + 'gone; install the app again' });
                continue;
            }
            byDomain.set(appDomain, { appDomain, code: this.#packs.codeOf(appDomain, version), origin: 'pack' });
        }
        await this.#take([...byDomain.values()].sort((a, b) => (a.appDomain < b.appDomain ? -1 : 1)), problems);
    }

    async #take(sources, problems) {
        const found = await readApps(sources, domain => this.#systemApps.has(domain));
        this.#keep(found.apps);
        this.#apps = found.apps;
        this.#components = found.components.map(({ appDomain, entrypoint }) =>
            this.#apps.get(appDomain).components.find(component => component.entrypoint === entrypoint));
        this.#problems = [...problems, ...found.problems];
    }

    /** An app that is as before stays the object that it was, so outdated components are told from present ones. */
    #keep(apps) {
        for (const [domain, app] of apps) {
            const last = this.#apps.get(domain);
            const [before, now] = [last, app].map(found => found && JSON.stringify([found.origin, found.manifest]));
            if (before === now) { apps.set(domain, last); }
        }
    }

    async #readRegistry() {
        const fs = await this.#storage.caps.storage.getAppLocalFS();
        if (!await fs.checkFilePresence(registryFile)) { return new Map(); }
        return installedFrom(await fs.readJSONFile(registryFile));
    }

    async #writeRegistry() {
        const fs = await this.#storage.caps.storage.getAppLocalFS();
        await fs.writeJSONFile(registryFile, { format: 1, apps: Object.fromEntries(this.#installed) });
    }
}

Object.assign(globalThis.__platformParts, { Apps, platformsOwn, idOf, notInstalled });
}
