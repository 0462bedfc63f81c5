// Components that are started by a command: who may give which, and how it comes to the component.
'use strict';
{

const { isRecord, seen } = globalThis.__platformParts;

/** Commands that wait for a component to start, or to watch. */
const maxWaiting = 64;
/** Characters of a command's parameters as JSON. */
const maxParamsLength = 256 * 1024;

function commandException(appDomain, command, flag, message) {
    return {
        runtimeException: true, type: 'shell-command', appDomain, command, [flag]: true,
        message: `command ${command} of ${appDomain}: ${message}`,
    };
}

const isListed = (names, name) => names === name || (Array.isArray(names) && names.includes(name));

/** Whether `request`, of the form `{thisApp?, otherApps?}`, names something of that app. */
function isRequested(request, isOwn, appDomain, name) {
    if (isOwn) { return isListed(request?.thisApp, name); }
    return isRecord(request?.otherApps) && Object.hasOwn(request.otherApps, appDomain)
        && isListed(request.otherApps[appDomain], name);
}

/** Whether a rule `{thisAppComponents?, otherApps?}` lets a caller in. */
function isCallerAllowed(rule, isOwn, caller) {
    const list = isOwn ? rule.thisAppComponents : rule.otherApps;
    const name = isOwn ? caller.entrypoint : caller.appDomain;
    return list === '*' || (list ?? []).some(entry => entry === name || (isOwn && `/${entry}` === name));
}

/** What travels is JSON and nothing else: no object of another component's. */
function plainParams(appDomain, command, params) {
    const text = JSON.stringify(params);
    if (text.length > maxParamsLength) {
        throw commandException(appDomain, command, 'badParams', `its parameters take ${text.length} characters as `
            + `JSON, ${maxParamsLength} is the limit; pass something smaller`);
    }
    return JSON.parse(text);
}

class StartCommands {
    #host;
    #waiting = new Map();   // component id → commands that came before its start
    #starts = new Map();    // connector id → {started, queue, observer}

    /**
     * `host` gives `findApp(domain)`, `connectorOf(component)`, `idOf(component)`, `start(component)` (a promise as the
     * port `js_startComponent`, without effect on one that runs).
     */
    constructor(host) { this.#host = host; }

    /** Numbers of what is kept. */
    counts() { return { waitingCommands: [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0) }; }

    /** A component's wish; `appDomain` null = its own app. Resolves when the component that has the command runs. */
    async startWithParams(caller, appDomain, command, params) {
        const domain = appDomain ?? caller.appDomain;
        const isOwn = domain === caller.appDomain;
        if (!isRequested(caller.caps.shell?.startAppCmds, isOwn, domain, command)) {
            throw commandException(domain, command, 'cmdNotAllowed', `${caller.appDomain}${caller.entrypoint} does `
                + 'not ask for it; add it to "shell.startAppCmds" of its "capsRequested"');
        }
        const component = this.#componentOf(domain, command);
        if (!isCallerAllowed(component.commands.get(command), isOwn, caller)) {
            throw commandException(domain, command, 'callerNotAllowed', `${caller.appDomain}${caller.entrypoint} may `
                + 'not give it; the "startCmds" of its component decide');
        }
        await this.#give(component, { cmd: command, params: plainParams(domain, command, params) });
    }

    /** The user's wish, whom no list binds. */
    async execute(appDomain, value) {
        if (!isRecord(value) || typeof value.cmd !== 'string' || !Array.isArray(value.params ?? [])) {
            throw commandException(String(appDomain), String(value?.cmd), 'badParams',
                `${seen(value)} is no command; give {"cmd", "params": [..]}`);
        }
        const component = this.#componentOf(appDomain, value.cmd);
        await this.#give(component, { cmd: value.cmd, params: plainParams(appDomain, value.cmd, value.params ?? []) });
    }

    /** From a URL, which anybody can write: only what is open to all other apps, in a component without a window. */
    async executeFromURL(appDomain, command, params) {
        const component = this.#componentOf(appDomain, command);
        if (component.commands.get(command).otherApps !== '*') {
            throw commandException(appDomain, command, 'callerNotAllowed',
                'may not come from a URL; its "startCmds" would have to open it to all other apps');
        }
        if (component.runtime !== 'deno') {
            throw commandException(appDomain, command, 'needsWindow',
                `is for ${component.entrypoint}, which opens in a window; this platform has none to show it in`);
        }
        await this.#give(component, { cmd: command, params: plainParams(appDomain, command, [params]) });
    }

    /** `getStartedCmd` and `watchStartCmds` of a component that is being connected. */
    membersFor(component, connectorId) {
        const id = this.#host.idOf(component);
        const waiting = this.#waiting.get(id) ?? [];
        this.#waiting.delete(id);
        const start = { started: waiting[0], queue: waiting.slice(1), observer: undefined };
        this.#starts.set(connectorId, start);
        return {
            getStartedCmd: async () => start.started,
            watchStartCmds: observer => {
                start.observer = observer;
                for (const command of start.queue.splice(0)) { observer.next?.(command); }
                return () => { if (start.observer === observer) { start.observer = undefined; } };
            },
        };
    }

    connectorClosed(connectorId) { this.#starts.delete(connectorId); }

    #componentOf(appDomain, command) {
        const app = this.#host.findApp(appDomain);
        const component = app?.components.find(({ commands }) => commands.has(command));
        if (component) { return component; }
        throw {
            runtimeException: true, type: 'app-manifest', domain: String(appDomain), command: String(command),
            commandNotFound: true,
            message: app ? `no component of ${appDomain} has command ${command} in its "startCmds"`
                : `there is no app ${appDomain}; check its domain, or install it`,
        };
    }

    async #give(component, command) {
        const running = this.#host.connectorOf(component);
        const start = running === undefined ? undefined : this.#starts.get(running);
        if (start) {
            if (start.observer) { return start.observer.next?.(command); }
            this.#append(start.queue, component, command);
            return;
        }
        const id = this.#host.idOf(component);
        const line = this.#waiting.get(id) ?? [];
        this.#append(line, component, command);
        this.#waiting.set(id, line);
        try {
            await this.#host.start(component);
        } catch (reason) {
            // A restart that is due anyway takes the command along.
            if (reason?.waiting || reason?.alreadyStarted) { return; }
            const rest = line.filter(other => other !== command);
            if (this.#waiting.get(id) === line) {
                if (rest.length > 0) { this.#waiting.set(id, rest); } else { this.#waiting.delete(id); }
            }
            throw reason;
        }
    }

    #append(line, component, command) {
        if (line.length >= maxWaiting) {
            throw commandException(component.appDomain, command.cmd, 'tooManyWaiting',
                `${maxWaiting} commands wait for ${component.entrypoint} to watch them; try again later`);
        }
        line.push(command);
    }
}

Object.assign(globalThis.__platformParts, { StartCommands, isRequested, isCallerAllowed });
}
