// What manifests may write, checked: `capsRequested` of a component, who may call what. Parts of `__platformParts`:
// {Problem, expect, seen, isRecord, isText, optional, allowedCallers, capsFrom, startCommand}.
'use strict';
{

const isRecord = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = value => typeof value === 'string';
const isTextList = value => Array.isArray(value) && value.every(isText);
const isAnyOrList = value => value === undefined || value === '*' || isTextList(value);
const isTextOrList = value => isText(value) || isTextList(value);
const isFlag = value => typeof value === 'boolean';
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

/** `{thisAppComponents?, otherApps?}`, each "*" or a list. */
function allowedCallers(rule, where) {
    if (!isRecord(rule)) { throw new Problem(`${where}is ${seen(rule)}; make it an object`); }
    const wanted = '"*" or a list of strings';
    return {
        thisAppComponents: expect(rule, 'thisAppComponents', isAnyOrList, wanted, where),
        otherApps: expect(rule, 'otherApps', isAnyOrList, wanted, where),
    };
}

/** `{cmd, params}` of a launcher. */
function startCommand(value, where) {
    if (!isRecord(value)) { throw new Problem(`${where}"startCmd" is ${seen(value)}; make it {"cmd", "params"}`); }
    return {
        cmd: expect(value, 'cmd', isText, 'the name of a command', where),
        params: expect(value, 'params', optional(Array.isArray), 'a list of JSON values', where) ?? [],
    };
}

/** Things of this app and of others by name: `{thisApp?, otherApps?: {domain: …}}`, each a name or a list of names. */
function namesRequest(holder, field, where) {
    const request = expect(holder, field, optional(isRecord), 'an object with "thisApp" or "otherApps"', where);
    if (!request) { return; }
    const inRequest = `${where}${field}: `;
    expect(request, 'thisApp', optional(isTextOrList), 'a name or a list of names', inRequest);
    expect(request, 'otherApps',
        optional(apps => isRecord(apps) && Object.values(apps).every(isTextOrList)),
        'an object of names, or lists of names, by app domain', inRequest);
}

const isURLRule = entry => isRecord(entry) && isText(entry.schema) && optional(isFlag)(entry.anyDomain)
    && optional(isText)(entry.domain) && optional(isTextList)(entry.subdomains);

function checkShell(shell, where) {
    for (const name of ['startAppCmds', 'fsResource']) { namesRequest(shell, name, where); }
    for (const name of ['userNotifications', 'openDashboard']) {
        expect(shell, name, optional(isFlag), 'true or false', where);
    }
    expect(shell, 'openURL', optional(rule => rule === 'all' || (Array.isArray(rule) && rule.every(isURLRule))),
        '"all" or a list of {"schema", "domain", "subdomains"} or {"schema", "anyDomain"}', where);
}

const isAll = value => value === 'all' || isFlag(value);

function checkSystem(system, where) {
    const parts = ['opener', 'installer', 'downloader'];
    expect(system, 'apps', optional(apps => isAll(apps)
        || (Array.isArray(apps) && apps.every(part => parts.includes(part)))),
    `"all" or a list of ${parts.map(part => `"${part}"`).join(', ')}`, where);
    for (const part of ['platform', 'monitor', 'userLogin', 'autoStartup', 'logout']) {
        expect(system, part, optional(isAll), '"all", true or false', where);
    }
}

const isFSEntry = entry => isRecord(entry) && isText(entry.domain) && isText(entry.storage);

function checkStorage(storage, where) {
    expect(storage, 'appFS', optional(fs => fs === 'default' || (Array.isArray(fs) && fs.every(isFSEntry))),
        '"default" or a list of {"domain", "storage"}', where);
}

/** Each capability that is known: its own check, and its members that are known, if it has such. */
const known = new Map(Object.entries({
    appRPC: { test: isTextList, wanted: 'a list of service names' },
    otherAppsRPC: {
        test: list => Array.isArray(list)
            && list.every(entry => isRecord(entry) && isText(entry.app) && isText(entry.service)),
        wanted: 'a list of {"app", "service"}',
    },
    storage: { test: isRecord, wanted: 'an object', check: checkStorage },
    logToPlatform: { test: isFlag, wanted: 'true or false' },
    shell: {
        test: isRecord, wanted: 'an object', check: checkShell,
        members: ['startAppCmds', 'fsResource', 'userNotifications', 'openURL', 'openDashboard'],
    },
    system: {
        test: isRecord, wanted: 'an object', check: checkSystem,
        members: ['apps', 'platform', 'monitor', 'userLogin', 'autoStartup', 'logout'],
    },
    ...Object.fromEntries(['mailerid', 'keyrings', 'mail', 'connectivity', 'mediaDevices', 'connectToExternal']
        .map(name => [name, {}])),
}));

const isOwnOrBelow = (domain, appDomain) => domain === appDomain || domain.endsWith(`.${appDomain}`);

/** Files of another app are opened by what that app exposes, never by what this one asks for. */
function withoutForeignStorage(storage, appDomain, warn) {
    if (!Array.isArray(storage.appFS)) { return storage; }
    const foreign = storage.appFS.filter(({ domain }) => !isOwnOrBelow(domain, appDomain));
    for (const { domain } of foreign) {
        warn(`storage: ${seen(domain)} is another app's; it is left out, ask for what that app lists in its `
            + '"exposedFSResources" by "shell.fsResource"');
    }
    return { ...storage, appFS: storage.appFS.filter(entry => !foreign.includes(entry)) };
}

/**
 * Capabilities that a component asks for and may have. `app` is `{appDomain, isSystem}`. What is unknown, another app's
 * or the system's is left out with a warning; what has a wrong form throws `Problem`.
 */
function capsFrom(definition, app, where) {
    const asked = expect(definition, 'capsRequested', optional(isRecord), 'an object', where) ?? {};
    const inCaps = `${where}capsRequested: `;
    const warn = message => console.warn(`${app.appDomain}, ${inCaps}${message}`);
    const caps = {};
    for (const [name, value] of Object.entries(asked)) {
        const rule = known.get(name);
        if (!rule || value === undefined) { continue; }
        if (rule.test) { expect(asked, name, rule.test, rule.wanted, inCaps); }
        rule.check?.(value, `${inCaps}${name}: `);
        const unknown = rule.members ? Object.keys(value).filter(member => !rule.members.includes(member)) : [];
        if (unknown.length > 0) {
            warn(`${name}: unknown or not served here: ${unknown.join(', ')}; served are ${rule.members.join(', ')}`);
        }
        caps[name] = value;
    }
    const unknown = Object.keys(asked).filter(name => !known.has(name));
    if (unknown.length > 0) {
        warn(`unknown capabilities ${unknown.join(', ')} are left out; known are ${[...known.keys()].join(', ')}`);
    }
    if (caps.storage) { caps.storage = withoutForeignStorage(caps.storage, app.appDomain, warn); }
    if (caps.system && !app.isSystem) {
        delete caps.system;
        warn('"system" is left out: only system apps have it; the configuration\'s "systemApps" can name this one');
    }
    return caps;
}

Object.assign(globalThis.__platformParts, {
    Problem, expect, seen, isRecord, isText, optional, allowedCallers, capsFrom, startCommand,
});
}
