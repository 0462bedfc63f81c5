// The capability `system` of one component of a system app: each part is there if the manifest asks for it.
'use strict';
{

const { codePath, appException, Problem, manifestOf } = globalThis.__platformParts;

const isAsked = value => value === 'all' || value === true;

function isPartAsked(apps, part) { return isAsked(apps) || (Array.isArray(apps) && apps.includes(part)); }

/** An observable of what `work(progress)` tells, completed when it resolves. */
function observed(work, observer) {
    let isOver = false;
    const tell = (member, ...args) => { if (!isOver) { observer[member]?.(...args); } };
    work(progress => tell('next', progress)).then(() => tell('complete'), reason => tell('error', reason));
    return () => { isOver = true; };
}

function opener(host) {
    const { apps } = host;
    return {
        listCurrentApps: async () => apps.list().map(({ appDomain, version }) => ({ id: appDomain, version })),
        getAppManifestOfCurrent: async id => apps.find(id)?.manifest,
        getAppFileBytesOfCurrent: async (id, path) => apps.find(id)?.code.read(`app${codePath(path)}`),
        openApp: async (id, entrypoint) => host.openApp(id, entrypoint),
        executeCommand: async (id, command) => host.commands.execute(id, command),
        triggerAllStartupLaunchers: async () => host.triggerStartupLaunchers(apps.list()),
        closeAppsAfterUpdate: async ids => {
            if (!Array.isArray(ids)) {
                throw appException(String(ids), ['badArgument'], 'is no list; give the ids of the apps to close');
            }
            for (const id of ids) {
                const closed = await apps.closeOutdated(id);
                const app = apps.find(id);
                if (closed > 0 && app) { await host.triggerStartupLaunchers([app]); }
            }
        },
    };
}

function installer({ apps }) {
    const { packs } = apps;
    return {
        listBundledApps: async () => packs.bundled.list(),
        addPackFromBundledApps: (id, observer) =>
            observed(progress => apps.addPackFromBundled(id, progress), observer),
        listAllAppsPacks: async () => packs.list(),
        listAppPacks: async id => (await packs.list()).find(pack => pack.id === id)?.versions,
        getAppManifest: async (id, version) => {
            if (!await packs.has(id, version)) { return undefined; }
            try {
                return manifestOf(await packs.codeOf(id, version).text('manifest.json'), id);
            } catch (error) {
                throw error instanceof Problem ? appException(id, ['badAppPack'], error.message) : error;
            }
        },
        getAppFileBytes: async (id, path, version) => {
            if (!await packs.has(id, version)) { return undefined; }
            return packs.codeOf(id, version).read(`app${codePath(path)}`);
        },
        installApp: async (id, version) => apps.install(id, version),
        removeAppPack: async (id, version) => apps.removePack(id, version),
        uninstallApp: async id => apps.uninstall(id),
        watchApps: observer => apps.watch(observer),
    };
}

/**
 * `host` gives `apps` (Apps), `commands` (StartCommands), `openApp(id, entrypoint?)`, `triggerStartupLaunchers(apps)`,
 * `listProcs()`, `listConnectionsToAppServices(id)`, `getCurrentVersion()`, `logout(closePlatform)`, `userLogin` and
 * `autoStartup`, whose members are those of the capability.
 */
function makeSystemCap(asked, host) {
    const cap = {};
    const apps = {};
    if (isPartAsked(asked.apps, 'opener')) { apps.opener = opener(host); }
    if (isPartAsked(asked.apps, 'installer')) { apps.installer = installer(host); }
    if (Object.keys(apps).length > 0) { cap.apps = apps; }
    if (isAsked(asked.monitor)) {
        cap.monitor = {
            listProcs: async () => host.listProcs(),
            listConnectionsToAppServices: async id => host.listConnectionsToAppServices(id),
        };
    }
    if (isAsked(asked.platform)) { cap.platform = { getCurrentVersion: async () => host.getCurrentVersion() }; }
    if (isAsked(asked.logout)) { cap.logout = async closePlatform => host.logout(closePlatform === true); }
    if (isAsked(asked.userLogin)) { cap.userLogin = host.userLogin; }
    if (isAsked(asked.autoStartup)) { cap.autoStartup = host.autoStartup; }
    return Object.keys(cap).length > 0 ? cap : undefined;
}

Object.assign(globalThis.__platformParts, { makeSystemCap });
}
