// Reading the apps folder: manifests in, components and problems out. `core-load.js` takes `readApps` from here.
(() => {
'use strict';

/** Entry files above this are refused, here and at the start. */
const maxEntryFileBytes = 32 * 1024 * 1024;

const knownCaps = new Set([
    'appRPC', 'otherAppsRPC', 'storage', 'logToPlatform', 'mailerid', 'keyrings', 'mail', 'shell', 'connectivity',
    'system', 'mediaDevices', 'connectToExternal',
]);

const isRecord = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = value => typeof value === 'string';
const isTextList = value => Array.isArray(value) && value.every(isText);
const isAnyOrList = value => value === undefined || value === '*' || isTextList(value);
const optional = test => value => value === undefined || test(value);

function seen(value) {
    const text = value === undefined ? 'nothing' : JSON.stringify(value);
    return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** What is wrong with an app or a component of it; the reader goes on with the next one. */
class Problem extends Error {}

/** Throws when `holder[field]` does not pass `test`; `wanted` says what to write there. */
function expect(holder, field, test, wanted, where = '') {
    const value = Object.hasOwn(holder, field) ? holder[field] : undefined;
    if (test(value)) { return value; }
    throw new Problem(`${where}"${field}" is ${seen(value)}; make it ${wanted}`);
}

/** Manifests may leave out the leading slash of an entry path. */
const slashed = path => (path.startsWith('/') ? path : `/${path}`);

function entrypointFrom(path) {
    const entrypoint = slashed(path);
    const names = entrypoint.slice(1).split('/');
    if (names.some(name => name === '' || name === '.' || name === '..') || /[\0\\#]/.test(entrypoint)) {
        throw new Problem(`component ${seen(path)} is no path inside the app folder; name a file like "/main.js", `
            + 'without "#" or "\\"');
    }
    return entrypoint;
}

function servicesFrom(definition, where) {
    const services = new Map();
    for (const [name, rule] of Object.entries(expect(definition, 'services', optional(isRecord),
        'an object of services by name', where) ?? {})) {
        const inService = `${where}service ${name}: `;
        if (!isRecord(rule)) { throw new Problem(`${inService}is ${seen(rule)}; make it an object`); }
        const wanted = '"*" or a list of strings';
        services.set(name, {
            thisAppComponents: expect(rule, 'thisAppComponents', isAnyOrList, wanted, inService),
            otherApps: expect(rule, 'otherApps', isAnyOrList, wanted, inService),
        });
    }
    return services;
}

function capsFrom(definition, where) {
    const caps = expect(definition, 'capsRequested', optional(isRecord), 'an object', where) ?? {};
    const inCaps = `${where}capsRequested: `;
    expect(caps, 'appRPC', optional(isTextList), 'a list of service names', inCaps);
    expect(caps, 'otherAppsRPC', optional(list => Array.isArray(list)
        && list.every(entry => isRecord(entry) && isText(entry.app) && isText(entry.service))),
    'a list of {"app", "service"}', inCaps);
    const storage = expect(caps, 'storage', optional(isRecord), 'an object', inCaps);
    if (storage) {
        expect(storage, 'appFS', optional(fs => fs === 'default' || (Array.isArray(fs)
            && fs.every(entry => isRecord(entry) && isText(entry.domain) && isText(entry.storage)))),
        '"default" or a list of {"domain", "storage"}', `${inCaps}storage: `);
    }
    expect(caps, 'logToPlatform', optional(value => typeof value === 'boolean'), 'true or false', inCaps);
    const unknown = Object.keys(caps).filter(name => !knownCaps.has(name));
    if (unknown.length > 0) {
        console.warn(`${inCaps}unknown capabilities ${unknown.join(', ')} are left out; known are ${
            [...knownCaps].join(', ')}`);
    }
    return caps;
}

function componentFrom(app, path, definition) {
    const entrypoint = entrypointFrom(path);
    const where = `component ${entrypoint}: `;
    if (!isRecord(definition)) { throw new Problem(`${where}is ${seen(definition)}; make it an object`); }
    const runtime = expect(definition, 'runtime', value => ['deno', 'web-gui'].includes(value),
        '"deno" (headless) or "web-gui"', where);
    const restart = expect(definition, 'restart',
        optional(value => ['permanent', 'transient', 'temporary'].includes(value)),
        '"permanent", "transient" or "temporary"', where);
    return {
        appDomain: app.appDomain, version: app.version, entrypoint, runtime, restart, startup: false,
        services: servicesFrom(definition, where),
        perConnection: expect(definition, 'forOneConnectionOnly', optional(value => typeof value === 'boolean'),
            'true or false', where) ?? false,
        caps: capsFrom(definition, `${app.appDomain}, ${where}`),
    };
}

function appFrom(text, folder) {
    let manifest;
    try {
        manifest = JSON.parse(text);
    } catch (error) {
        throw new Problem(`is not JSON: ${error.message}; correct it there`);
    }
    if (!isRecord(manifest)) { throw new Problem(`holds ${seen(manifest)}; make it an object`); }
    const appDomain = expect(manifest, 'appDomain', isText, 'a string: the reversed domain of the app');
    if (appDomain !== folder) {
        throw new Problem(`"appDomain" is ${seen(appDomain)} in folder ${seen(folder)}; give both the same name`);
    }
    expect(manifest, 'version', isText, 'a string like "1.0.0"');
    for (const field of ['name', 'description', 'icon']) { expect(manifest, field, optional(isText), 'a string'); }
    expect(manifest, 'components', optional(isRecord), 'an object of components by entry path');
    expect(manifest, 'launchOnSystemStartup', optional(Array.isArray), 'a list of {"component", "name"}');
    return manifest;
}

/** The simple form of a manifest has no components and means one page. */
const componentsOf = app => app.components
    ?? { '/index.html': { runtime: 'web-gui', capsRequested: app.capsRequested } };

/** In words, to stand behind the file's path; undefined when all is well. */
async function entryFileProblem({ appDomain, entrypoint }) {
    try {
        const size = await codeFileSize(appDomain, entrypoint);
        if (size === 0) { return "is empty; put the component's code there"; }
        if (size > maxEntryFileBytes) {
            return `has ${size} bytes; the limit is ${maxEntryFileBytes}, so split or minify it`;
        }
        return undefined;
    } catch (exception) {
        return exception.notFound ? 'is missing; add it, or correct "components" in the manifest'
            : `cannot be read (${exception.code ?? exception.message}); make it a file that can be`;
    }
}

/** Size in bytes of a file in an app's code folder. Rejects with a `file` exception when there is none. */
async function codeFileSize(appDomain, path) {
    const cut = path.lastIndexOf('/');
    const failure = (code, flag) => ({
        runtimeException: true, type: 'file', code, path, [flag]: true,
        message: `no file ${path} in app ${appDomain}`,
    });
    const folder = `${appDomain}/app${path.slice(0, cut)}`;
    const entries = await __nativeCallDispatch('assets_listFolder', [false, folder]).catch(exception => {
        throw exception.notFound || exception.notDirectory ? failure('ENOENT', 'notFound') : exception;
    });
    const entry = entries.find(({ name }) => name === path.slice(cut + 1));
    if (!entry) { throw failure('ENOENT', 'notFound'); }
    if (entry.isFolder) { throw failure('ENOTFILE', 'notFile'); }
    // A link that cannot be followed: reading it says why.
    if (entry.problem) { await __nativeCallDispatch('assets_readBytes', [false, `${appDomain}/app${path}`, 0, 0]); }
    return entry.size;
}

/** Reads one app: adds its components and problems to `found`. */
async function readApp(folder, found) {
    const problem = message => found.problems.push({
        appDomain: folder, file: `${folder}/manifest.json`, message: `${folder}/manifest.json: ${message}`,
    });
    let app;
    try {
        app = appFrom(await manifestText(folder), folder);
    } catch (error) {
        return problem(messageOf(error));
    }
    const components = new Map();
    const refused = new Set();
    const serviceOwners = new Map();
    for (const [path, definition] of Object.entries(componentsOf(app))) {
        try {
            const component = componentFrom(app, path, definition);
            for (const name of component.services.keys()) {
                if (serviceOwners.has(name)) {
                    throw new Problem(`component ${component.entrypoint}: service ${name} is already that of ${
                        serviceOwners.get(name)}; give it another name`);
                }
            }
            for (const name of component.services.keys()) { serviceOwners.set(name, component.entrypoint); }
            components.set(component.entrypoint, component);
        } catch (error) {
            refused.add(slashed(path));
            problem(messageOf(error));
        }
    }
    const startup = [];
    for (const item of app.launchOnSystemStartup ?? []) {
        const entrypoint = slashed(String(item?.component));
        const component = components.get(entrypoint);
        if (refused.has(entrypoint)) { continue; }
        if (!component || component.runtime !== 'deno') {
            problem(`"launchOnSystemStartup" has ${seen(item?.component)}, which is no usable deno component of `
                + `this app; name one of its components: ${seen([...components.keys()])}`);
        } else if (!component.startup) {
            component.startup = true;
            startup.push(component);
        }
    }
    const rest = [...components.values()].filter(component => !component.startup);
    found.startup.push(...startup);
    found.onDemand.push(...rest);
    for (const component of [...startup, ...rest]) {
        const message = await entryFileProblem(component);
        const file = `${folder}/app${component.entrypoint}`;
        if (message) { found.problems.push({ appDomain: folder, file, message: `${file}: ${message}` }); }
    }
}

async function manifestText(folder) {
    const path = `${folder}/manifest.json`;
    const bytes = await __nativeCallDispatch('assets_readBytes', [false, path]).catch(exception => {
        throw exception.notFound ? new Problem('is missing; add it or remove the folder') : exception;
    });
    try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
        throw new Problem('is not UTF-8 text; save it as UTF-8');
    }
}

const messageOf = error => (error instanceof Problem ? error.message : `cannot be read: ${error.message ?? error}`);

/**
 * Reads all apps, by name of their folders. Components come start-up ones first, each kind in manifest order.
 * Rejects only when the apps folder itself cannot be listed; everything else is one of `problems`.
 */
async function readApps() {
    const entries = await __nativeCallDispatch('assets_listFolder', [false, '']);
    const isApp = ({ name, isFolder }) => isFolder && !name.startsWith('.');
    const folders = entries.filter(isApp).map(({ name }) => name).sort();
    const found = { startup: [], onDemand: [], problems: [] };
    for (const { name, problem } of entries) {
        if (problem === undefined || name.startsWith('.')) { continue; }
        const message = `${name}: is a link that cannot be followed (${problem}); put the app's folder itself there, `
            + 'or remove the link';
        found.problems.push({ appDomain: name, file: name, message });
    }
    for (const folder of folders) { await readApp(folder, found); }
    return { components: [...found.startup, ...found.onDemand], problems: found.problems };
}

globalThis.__platformParts = { readApps, codeFileSize };
})();
