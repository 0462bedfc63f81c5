// The capability `shell` of one component: each member is there if the manifest asks for it.
'use strict';
{

const { FSResources } = globalThis.__platformParts;

/** Schemes that the port `openExternal` opens, as in manifests. */
const schemes = ['http', 'https', 'mailto', 'tel', 'sms', 'w3n'];

const anything = schemes.map(schema => ({ schema, anyDomain: true }));

/** The scheme and host of a URL. Throws for what is none. */
function partsOf(url) {
    try {
        const { protocol, hostname } = new URL(url);
        return { schema: protocol.slice(0, -1), hostname };
    } catch {
        throw shellException('badURL', `${JSON.stringify(String(url).slice(0, 80))} is no URL`);
    }
}

function shellException(flag, message) {
    return { runtimeException: true, type: 'shell', [flag]: true, message };
}

const isBelow = (hostname, domain) => hostname === domain || hostname.endsWith(`.${domain}`);

/** `{schema, anyDomain}` lets every host pass; `{schema, domain}` that one, and of those below it `subdomains`. */
function passes({ schema, anyDomain, domain, subdomains }, url) {
    if (schema !== url.schema) { return false; }
    if (anyDomain || url.hostname === domain) { return true; }
    return domain !== undefined && (subdomains ?? []).some(name =>
        (name === '*' ? isBelow(url.hostname, domain) : url.hostname === `${name}.${domain}`));
}

/**
 * `caller` is `{connectorId, appDomain, entrypoint, caps, component}`. `host` gives `commands` (StartCommands),
 * `notifications`, `findApp`, `makeCAPsForApp`, `openDashboard()` and `openExternal(url)`. Gives `{cap?, close}`.
 */
function makeShellCap(caller, host) {
    const asked = caller.caps.shell ?? {};
    const cap = {};
    const closeFns = [];
    if (asked.startAppCmds) {
        cap.startAppWithParams = async (appDomain, command, ...params) =>
            host.commands.startWithParams(caller, appDomain, command, params);
    }
    if (caller.component.commands.size > 0) {
        Object.assign(cap, host.commands.membersFor(caller.component, caller.connectorId));
        closeFns.push(() => host.commands.connectorClosed(caller.connectorId));
    }
    if (asked.fsResource) {
        const resources = new FSResources(host, caller);
        cap.getFSResource = async (appDomain, name) => resources.get(appDomain, name);
        closeFns.push(() => resources.close());
    }
    if (asked.userNotifications) { cap.userNotifications = host.notifications.capFor(caller); }
    if (asked.openURL) {
        cap.openURL = async url => {
            const parts = partsOf(url);
            const rules = asked.openURL === 'all' ? anything : asked.openURL;
            if (!rules.some(rule => passes(rule, parts))) {
                throw shellException('urlNotAllowed', `${caller.appDomain}${caller.entrypoint} may not open ${
                    parts.schema}://${parts.hostname}; "shell.openURL" of its "capsRequested" decides`);
            }
            await host.openExternal(url);
        };
    }
    if (asked.openDashboard) { cap.openDashboard = async () => host.openDashboard(); }
    return { cap: Object.keys(cap).length > 0 ? cap : undefined, close: () => closeFns.forEach(close => close()) };
}

Object.assign(globalThis.__platformParts, { makeShellCap });
}
