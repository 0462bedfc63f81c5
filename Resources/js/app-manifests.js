// Reading apps: manifests in; apps, components and problems out. `readApps` and `manifestOf` are for the scripts above.
'use strict';
{

const {
    bundledCode, Problem, expect, seen, isRecord, isText, optional, allowedCallers, capsFrom, startCommand,
} = globalThis.__platformParts;

/** Entry files above this are refused, here and at the start. */
const maxEntryFileBytes = 32 * 1024 * 1024;

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

/** Services, or commands, by name: who may call each. */
function calledByName(definition, field, kind, where) {
    const found = new Map();
    const rules = expect(definition, field, optional(isRecord), `an object of ${kind}s by name`, where) ?? {};
    for (const [name, rule] of Object.entries(rules)) {
        found.set(name, allowedCallers(rule, `${where}${kind} ${name}: `));
    }
    return found;
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
        appDomain: app.appDomain, version: app.manifest.version, entrypoint, runtime, restart, startup: false,
        services: calledByName(definition, 'services', 'service', where),
        perConnection: expect(definition, 'forOneConnectionOnly', optional(value => typeof value === 'boolean'),
            'true or false', where) ?? false,
        commands: calledByName(definition, 'startCmds', 'command', where),
        caps: capsFrom(definition, app, where),
        code: app.code,
    };
}

/** Files and folders of an app's storage that it shows to others: name → descriptor. */
function fsResourcesFrom(manifest) {
    const resources = new Map();
    for (const [name, resource] of Object.entries(manifest.exposedFSResources ?? {})) {
        const where = `resource ${name}: `;
        if (!isRecord(resource)) { throw new Problem(`${where}is ${seen(resource)}; make it an object`); }
        resources.set(name, {
            allow: allowedCallers(resource.allow, `${where}"allow": `),
            appStorage: expect(resource, 'appStorage', value => ['local', 'synced'].includes(value),
                '"local" or "synced"', where),
            path: expect(resource, 'path', isText, 'a path in the storage', where),
            itemType: expect(resource, 'itemType', value => ['file', 'folder'].includes(value),
                '"file" or "folder"', where),
            initValueSrc: expect(resource, 'initValueSrc', optional(isText), 'a path in the app folder', where),
        });
    }
    return resources;
}

/** A manifest's text as an object whose top has the right form. Throws `Problem`. */
function manifestOf(text, appDomain) {
    let manifest;
    try {
        manifest = JSON.parse(text);
    } catch (error) {
        throw new Problem(`is not JSON: ${error.message}; correct it there`);
    }
    if (!isRecord(manifest)) { throw new Problem(`holds ${seen(manifest)}; make it an object`); }
    const stated = expect(manifest, 'appDomain', isText, 'a string: the reversed domain of the app');
    if (/(^|\.)corehost$/.test(stated)) {
        throw new Problem(`"appDomain" is ${seen(stated)}, a name of the platform's own; take another`);
    }
    if (stated !== appDomain) {
        throw new Problem(`"appDomain" is ${seen(stated)} in folder ${seen(appDomain)}; give both the same name`);
    }
    expect(manifest, 'version', isText, 'a string like "1.0.0"');
    for (const field of ['name', 'description', 'icon']) { expect(manifest, field, optional(isText), 'a string'); }
    expect(manifest, 'components', optional(isRecord), 'an object of components by entry path');
    expect(manifest, 'launchers', optional(Array.isArray), 'a list of {"component", "name"}');
    expect(manifest, 'launchOnSystemStartup', optional(Array.isArray), 'a list of {"component", "name"}');
    expect(manifest, 'exposedFSResources', optional(isRecord), 'an object of resources by name');
    return manifest;
}

/** The simple form of a manifest has no components and means one page. */
const componentsOf = manifest => manifest.components
    ?? { '/index.html': { runtime: 'web-gui', capsRequested: manifest.capsRequested } };

/** In words, to stand behind the file's path; undefined when all is well. */
async function entryFileProblem({ code, entrypoint }) {
    try {
        const size = await code.size(`app${entrypoint}`);
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

/** Components whose definitions are right; the names of the others go to `refused`. */
function componentsFrom(app, refused, problem) {
    const components = new Map();
    const owners = new Map();
    for (const [path, definition] of Object.entries(componentsOf(app.manifest))) {
        try {
            const component = componentFrom(app, path, definition);
            const names = [...component.services.keys()].map(name => `service ${name}`)
                .concat([...component.commands.keys()].map(name => `command ${name}`));
            for (const name of names) {
                if (owners.has(name)) {
                    throw new Problem(`component ${component.entrypoint}: ${name} is already that of ${
                        owners.get(name)}; give it another name`);
                }
            }
            for (const name of names) { owners.set(name, component.entrypoint); }
            components.set(component.entrypoint, component);
        } catch (error) {
            refused.add(slashed(path));
            problem(messageOf(error));
        }
    }
    return components;
}

/** What `launchOnSystemStartup` names: components in its order, and commands. */
function startupOf(manifest, components, refused, problem) {
    const startup = { components: [], commands: [] };
    const commands = new Set([...components.values()].flatMap(({ commands: own }) => [...own.keys()]));
    for (const item of manifest.launchOnSystemStartup ?? []) {
        if (item?.startCmd !== undefined) {
            try {
                const command = startCommand(item.startCmd, '"launchOnSystemStartup": ');
                if (!commands.has(command.cmd)) {
                    throw new Problem(`"launchOnSystemStartup" has command ${seen(command.cmd)}, which no usable `
                        + 'component has in its "startCmds"; add it there');
                }
                startup.commands.push(command);
            } catch (error) {
                problem(messageOf(error));
            }
            continue;
        }
        const entrypoint = slashed(String(item?.component));
        const component = components.get(entrypoint);
        if (refused.has(entrypoint)) { continue; }
        if (!component || component.runtime !== 'deno') {
            problem(`"launchOnSystemStartup" has ${seen(item?.component)}, which is no usable deno component of `
                + `this app; name one of its components: ${seen([...components.keys()])}`);
        } else if (!component.startup) {
            component.startup = true;
            startup.components.push(component);
        }
    }
    return startup;
}

/** Reads one app: adds it, its components and its problems to `found`. */
async function readApp({ appDomain, code, origin }, isSystemApp, found) {
    const problem = message => found.problems.push({
        appDomain, file: `${appDomain}/manifest.json`, message: `${appDomain}/manifest.json: ${message}`,
    });
    let manifest;
    let fsResources;
    try {
        manifest = manifestOf(await manifestText(code), appDomain);
        fsResources = fsResourcesFrom(manifest);
    } catch (error) {
        return problem(messageOf(error));
    }
    const refused = new Set();
    const app = { appDomain, version: manifest.version, manifest, code, origin, isSystem: isSystemApp(appDomain) };
    const components = componentsFrom(app, refused, problem);
    const startup = startupOf(manifest, components, refused, problem);
    const rest = [...components.values()].filter(component => !component.startup);
    found.startup.push(...startup.components);
    found.onDemand.push(...rest);
    found.apps.set(appDomain, {
        ...app, fsResources, components: [...startup.components, ...rest], startupCommands: startup.commands,
    });
    for (const component of [...startup.components, ...rest]) {
        const message = await entryFileProblem(component);
        const file = `${appDomain}/app${component.entrypoint}`;
        if (message) { found.problems.push({ appDomain, file, message: `${file}: ${message}` }); }
    }
}

async function manifestText(code) {
    try {
        return await code.text('manifest.json');
    } catch (exception) {
        if (exception.notFound) { throw new Problem('is missing; add it or remove the folder'); }
        throw exception instanceof TypeError ? new Problem('is not UTF-8 text; save it as UTF-8') : exception;
    }
}

const messageOf = error => (error instanceof Problem ? error.message : `cannot be read: ${error.message ?? error}`);

/**
 * The apps of the apps folder, by name: `{sources: [{appDomain, code, origin}], problems}`. Rejects only when the
 * folder itself cannot be listed.
 */
async function bundledApps() {
    const entries = await __nativeCallDispatch('assets_listFolder', [false, '']);
    const isApp = ({ name, isFolder }) => isFolder && !name.startsWith('.');
    const sources = entries.filter(isApp).map(({ name }) => name).sort()
        .map(appDomain => ({ appDomain, code: bundledCode(appDomain), origin: 'bundled' }));
    const problems = [];
    for (const { name, problem } of entries) {
        if (problem === undefined || name.startsWith('.')) { continue; }
        const message = `${name}: is a link that cannot be followed (${problem}); put the app's folder itself there, `
            + 'or remove the link';
        problems.push({ appDomain: name, file: name, message });
    }
    return { sources, problems };
}

/**
 * Reads apps: `{apps: Map by domain, components, problems}`. Components come start-up ones first, each kind in the
 * order of the sources and their manifests. Whatever is wrong is one of the problems.
 */
async function readApps(sources, isSystemApp) {
    const found = { apps: new Map(), startup: [], onDemand: [], problems: [] };
    for (const source of sources) { await readApp(source, isSystemApp, found); }
    return { apps: found.apps, components: [...found.startup, ...found.onDemand], problems: found.problems };
}

Object.assign(globalThis.__platformParts, { readApps, bundledApps, manifestOf });
}
