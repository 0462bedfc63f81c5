// The `storage` capability of one component.
'use strict';
{

const { Holdings, makeFS, isRecord } = globalThis.__embeddedCore;

const isDomain = text => typeof text === 'string' && /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text);

function notAllowed(appDomain, fields, message) {
    const text = `${appDomain} ${message}`;
    return { runtimeException: true, type: 'storage', notAllowedToOpenFS: true, ...fields, message: text };
}

/** An app's own domain, and those that its manifest lists with storage of that type. */
function domainsOf(appDomain, appFS, type) {
    const listed = Array.isArray(appFS) ? appFS : [];
    const isOfType = entry => isDomain(entry?.domain) && [type, 'synced-n-local'].includes(entry.storage);
    return [appDomain, ...listed.filter(isOfType).map(({ domain }) => domain)];
}

/** `{writable, path}` of the user's or system's storage of `type` by the manifest; undefined when it is not in there. */
function settingOf(setting, type) {
    if (setting === 'all') { return { writable: true, path: '' }; }
    const found = Array.isArray(setting) && setting.find(entry => isRecord(entry)
        && [type, 'synced-n-local'].includes(entry.type ?? entry.storage));
    if (!found) { return undefined; }
    return { writable: found.writable === true, path: typeof found.path === 'string' ? found.path : '' };
}

/**
 * `requested` is `storage` of the manifest's `capsRequested`: `{appFS?, userFS?, sysFS?}`, the latter two `"all"` or a
 * list of `{type, writable?, path?}`. `treeOf(kind, domain?)` gives a tree or a promise of one; kinds are `local` and
 * `synced` of a domain, and `user-…`, `system-…`. `isOpen()` is false once the component has ended; `close` then gives
 * up what it holds open.
 */
function makeStorageCap({ appDomain, requested, treeOf, isOpen }) {
    const holdings = new Holdings();

    const homeOf = async (type, ...kind) => ({ type, tree: await treeOf(...kind), holdings, isOpen });

    const appFSOpener = type => async (appName = appDomain) => {
        const domain = appName ?? appDomain;
        if (!domainsOf(appDomain, requested.appFS, type).includes(domain)) {
            throw notAllowed(appDomain, { appDomain: typeof domain === 'string' ? domain.slice(0, 256) : undefined },
                `may not open the ${type} storage of that app; list it under "storage.appFS" of "capsRequested" in the `
                    + 'manifest');
        }
        return makeFS(await homeOf(type, type, domain), [], domain, true);
    };

    const commonFSOpener = (use, setting) => async (type, path) => {
        const allowed = ['local', 'synced'].includes(type) ? settingOf(setting, type) : undefined;
        if (!allowed) {
            throw notAllowed(appDomain, {},
                `may not open that storage of the ${use}; ask for "local" or "synced" where the manifest has it`);
        }
        const whole = makeFS(await homeOf(type, `${use}-${type}`), [], '', true);
        const folder = await whole.writableSubRoot(allowed.path);
        const inside = typeof path === 'string' ? path : '';
        const item = allowed.writable ? await folder.writableSubRoot(inside)
            : await folder.readonlySubRoot(inside);
        return { isFolder: true, item, location: { fs: item, path: '', storageUse: use, storageType: type } };
    };

    const storage = { getAppLocalFS: appFSOpener('local'), getAppSyncedFS: appFSOpener('synced') };
    if (requested.userFS) { storage.getUserFS = commonFSOpener('user', requested.userFS); }
    if (requested.sysFS) { storage.getSysFS = commonFSOpener('system', requested.sysFS); }
    return { storage, close: () => holdings.close(), holdings };
}

Object.assign(globalThis.__embeddedCore, { makeStorageCap });
}
