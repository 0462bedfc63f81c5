// Files and folders of an app's storage that it shows to other components, by "exposedFSResources" of its manifest.
// What a caller gets is read-only.
'use strict';
{

const { isRequested, isCallerAllowed, codePath } = globalThis.__platformParts;

function resourceException(caller, appDomain, resourceName, flags, message) {
    return {
        runtimeException: true, type: 'fs-resource', resourceAppDomain: appDomain, resourceName,
        requestingAppDomain: caller.appDomain, requestingComponent: caller.entrypoint,
        ...Object.fromEntries(flags.map(flag => [flag, true])),
        message: `resource ${resourceName} of ${appDomain}: ${message}`,
    };
}

/** One connector's way to resources: what it opened of other apps' storage is closed with it. */
class FSResources {
    #host;
    #caller;
    #storages = new Map();

    /** `host` gives `findApp(domain)` and `makeCAPsForApp(domain, requestedCAPs)` of the core. */
    constructor(host, caller) {
        this.#host = host;
        this.#caller = caller;
    }

    close() {
        for (const { close } of this.#storages.values()) { close(); }
        this.#storages.clear();
    }

    /** A file, or a file system of a folder. `appDomain` null = the caller's own app. */
    async get(appDomain, name) {
        const domain = String(appDomain ?? this.#caller.appDomain);
        const isOwn = domain === this.#caller.appDomain;
        const fail = (flags, message) => {
            throw resourceException(this.#caller, domain, String(name), flags, message);
        };
        const from = `${this.#caller.appDomain}${this.#caller.entrypoint}`;
        if (!isRequested(this.#caller.caps.shell?.fsResource, isOwn, domain, name)) {
            fail(['callerNotAllowed', 'notAllowed'],
                `${from} does not ask for it; add it to "shell.fsResource" of its "capsRequested"`);
        }
        const app = this.#host.findApp(domain);
        const resource = app?.fsResources.get(name);
        if (!resource) {
            fail(['resourceNotFound'], app ? 'the app exposes none of that name' : 'there is no such app');
        }
        if (!isCallerAllowed(resource.allow, isOwn, this.#caller)) {
            fail(['callerNotAllowed', 'notAllowed'], `${from} may not see it; "exposedFSResources" of the app decides`);
        }
        const fs = await this.#storageOf(domain, resource.appStorage);
        if (!await this.#isThere(fs, resource)) {
            if (!resource.initValueSrc || resource.itemType !== 'file') {
                fail(['resourceNotFound', 'resourceNotInitialized'], 'the app has put nothing there yet');
            }
            await this.#initialize(fs, app, resource);
        }
        return resource.itemType === 'file' ? fs.readonlyFile(resource.path) : fs.readonlySubRoot(resource.path);
    }

    async #storageOf(domain, kind) {
        const key = `${kind} ${domain}`;
        if (!this.#storages.has(key)) {
            this.#storages.set(key, this.#host.makeCAPsForApp(domain, { storage: { appFS: 'default' } }));
        }
        const { storage } = this.#storages.get(key).caps;
        return kind === 'local' ? storage.getAppLocalFS() : storage.getAppSyncedFS();
    }

    #isThere(fs, { itemType, path }) {
        return itemType === 'file' ? fs.checkFilePresence(path) : fs.checkFolderPresence(path);
    }

    /** The first value comes from the app's code folder; one that was put there meanwhile stays. */
    async #initialize(fs, app, { path, initValueSrc }) {
        const bytes = await app.code.read(`app${codePath(initValueSrc)}`);
        try {
            await fs.writeBytes(path, bytes, { create: true, exclusive: true });
        } catch (exception) {
            if (!exception?.alreadyExists) { throw exception; }
        }
    }
}

Object.assign(globalThis.__platformParts, { FSResources });
}
