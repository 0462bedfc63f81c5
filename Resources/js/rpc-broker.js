// RPC between components: who may call what, which connection waits for whom, and what one's end means for others.
'use strict';
{

const { RpcConnection, rpcException, idOf } = globalThis.__platformParts;

/** How long a connection waits for its service to listen. */
const maxWaitMillis = 10_000;
/** Connections that one component may have open as a client. */
const maxConnectionsOfCaller = 1024;

const allows = (list, name) => list === '*' || (list ?? []).some(entry => entry === name || `/${entry}` === name);

/**
 * A caller is `{connectorId, appDomain, entrypoint, caps}`; without `caps` it is the platform's user, whom no list
 * binds. `host` gives `componentOfService(appDomain, service)`, `start(component, instance)` (a promise: true, or
 * false when it runs already; rejects as the port `js_startComponent`), `close(componentId)` and
 * `isOverloaded(connectorId)`.
 */
class RpcBroker {
    #host;
    #listeners = new Map();     // `<component id> <service>` → {connectorId, observer}
    #waiting = new Map();       // component id → line {component, instance, entries in order of arrival, launches}
    #connections = new Map();   // RpcConnection → {component, instance} of its service
    #lastInstance = new Map();  // component id → number of its newest instance

    constructor(host) { this.#host = host; }

    /** Numbers of what is kept, for tests and inspection. */
    counts() {
        const waiting = [...this.#waiting.values()].reduce((sum, { entries }) => sum + entries.size, 0);
        return { listeners: this.#listeners.size, waiting, connections: this.#connections.size };
    }

    /** Who is connected with services of an app: `[{service, entrypoint, caller}]` as `system.monitor` has it. */
    connectionsTo(appDomain) {
        return [...this.#connections].filter(([, { component }]) => component.appDomain === appDomain)
            .map(([{ target: { service, caller } }, { component: { entrypoint } }]) => ({
                service, entrypoint,
                caller: caller.appDomain === appDomain ? { thisAppComponent: caller.entrypoint }
                    : { otherApp: { appId: caller.appDomain, component: caller.entrypoint } },
            }));
    }

    /** The capability `w3n.rpc` of a component; members are there as its manifest asks. */
    capFor(caller, component, instance) {
        const cap = {};
        if (caller.caps.appRPC) { cap.thisApp = async service => this.connect(caller, caller.appDomain, service); }
        if (caller.caps.otherAppsRPC) {
            cap.otherAppsRPC = async (appDomain, service) => this.connect(caller, appDomain, service);
        }
        if (component.services.size > 0) {
            cap.exposeService = (service, observer) =>
                this.#expose(caller, component, idOf(component, instance), service, observer);
        }
        return Object.keys(cap).length > 0 ? Object.freeze(cap) : undefined;
    }

    /** Resolves with the client's half once the service has the connection. Rejects with `rpc` exceptions. */
    async connect(caller, appDomain, service) {
        const target = { appDomain, service, caller };
        const component = this.#serviceFor(target);
        if (this.#countOf(caller) >= maxConnectionsOfCaller) {
            throw rpcException(target, 'connectionNotAccepted',
                `${caller.entrypoint} has ${maxConnectionsOfCaller} connections open; close some`);
        }
        const instance = component.perConnection ? this.#nextInstance(component) : 0;
        const id = idOf(component, instance);
        const connection = new RpcConnection(target, {
            isOverloaded: connectorId => this.#host.isOverloaded(connectorId), ended: ended => this.#ended(ended),
        });
        this.#connections.set(connection, { component, instance });
        const listener = this.#listeners.get(`${id} ${service}`);
        if (listener) {
            this.#handOver(connection, listener);
        } else {
            await this.#waitForListener(component, instance, connection);
        }
        return connection.clientHalf();
    }

    /** Ends everything of a connector: what it called and what it served. `cause` says why, in words. */
    connectorClosed(connectorId, cause) {
        for (const [key, listener] of this.#listeners) {
            if (listener.connectorId === connectorId) { this.#listeners.delete(key); }
        }
        for (const connection of [...this.#connections.keys()]) {
            if (connection.serviceConnectorId === connectorId) {
                connection.closeByService(`the component of the service has ended: ${cause ?? 'no cause given'}`);
            }
            if (connection.caller.connectorId === connectorId) { connection.closeByClient(); }
        }
    }

    /** Starts a component anew for those who wait for it; one that ends before it listens gets a second chance. */
    componentEnded(id) {
        const line = this.#waiting.get(id);
        if (!line) { return; }
        if (line.launches > 1) {
            return this.#failLine(line, 'connectionClosed', `${id} ended twice before it listened; see its log`);
        }
        // A turn later: the native side counts the component as ended once it has told the core.
        setTimeout(() => this.#start(id), 0);
    }

    /** Fails those who wait for a component that will not come; `reason` is the exception of `js_startComponent`. */
    startRejected(id, reason) {
        const line = this.#waiting.get(id);
        if (!line || reason?.waiting || reason?.alreadyStarted) { return; }
        this.#failLine(line, 'connectionNotAccepted', `${id} did not start: ${reason?.message ?? reason}`, reason);
    }

    #failLine(line, flag, message, cause) {
        for (const entry of [...line.entries]) { entry.fail(flag, message, cause); }
    }

    #serviceFor(target) {
        const { appDomain, service, caller } = target;
        const isOwn = appDomain === caller.appDomain;
        const asked = caller.caps === undefined || (isOwn && allows(caller.caps.appRPC, service))
            || (caller.caps.otherAppsRPC ?? []).some(entry => entry.app === appDomain && entry.service === service);
        if (!asked) {
            const field = isOwn ? 'appRPC' : 'otherAppsRPC';
            throw rpcException(target, 'callerNotAllowed',
                `${caller.appDomain}${caller.entrypoint} does not ask for service `
                + `${service} of ${appDomain}; add it to "${field}" of its "capsRequested"`);
        }
        const component = this.#host.componentOfService(appDomain, service);
        if (!component) {
            throw rpcException(target, 'serviceNotFound',
                `no component of ${appDomain} has service ${service}; check both names, and that the app is there`);
        }
        const rule = component.services.get(service);
        const isAllowed = caller.caps === undefined
            || (isOwn && allows(rule.thisAppComponents, caller.entrypoint))
            || (!isOwn && allows(rule.otherApps, caller.appDomain));
        if (!isAllowed) {
            const field = isOwn ? 'thisAppComponents' : 'otherApps';
            throw rpcException(target, 'callerNotAllowed', `service ${service} of ${appDomain} does not allow ${
                caller.appDomain}${caller.entrypoint}; its manifest's "${field}" decides`);
        }
        return component;
    }

    #countOf(caller) {
        const isOfCaller = connection => connection.caller.connectorId === caller.connectorId;
        return [...this.#connections.keys()].filter(isOfCaller).length;
    }

    #nextInstance(component) {
        const id = idOf(component, 0);
        const instance = (this.#lastInstance.get(id) ?? 0) + 1;
        this.#lastInstance.set(id, instance);
        return instance;
    }

    /** Waits in line until `accept` has handed the connection over; asks for the component's start meanwhile. */
    async #waitForListener(component, instance, connection) {
        const id = idOf(component, instance);
        const target = connection.target;
        const line = this.#waiting.get(id) ?? { component, instance, entries: new Set(), launches: 0 };
        this.#waiting.set(id, line);
        let entry;
        let timer;
        try {
            await new Promise((resolve, reject) => {
                const fail = (flag, message, cause) => reject(rpcException(target, flag, message, cause));
                const accept = listener => {
                    try {
                        resolve(this.#handOver(connection, listener));
                    } catch (exception) {
                        reject(exception);
                    }
                };
                entry = { connection, accept, fail };
                timer = setTimeout(() => fail('connectionNotAccepted',
                    `${id} has not exposed service ${target.service} in ${maxWaitMillis / 1000} s`), maxWaitMillis);
                line.entries.add(entry);
                this.#start(id);
            });
        } catch (exception) {
            connection.closeByClient();
            throw exception;
        } finally {
            clearTimeout(timer);
            line.entries.delete(entry);
            if (line.entries.size === 0 && this.#waiting.get(id) === line) { this.#waiting.delete(id); }
        }
    }

    /** Starts the component of a line that somebody waits in, unless it runs or its restart is due anyway. */
    #start(id) {
        const line = this.#waiting.get(id);
        if (!line) { return; }
        this.#host.start(line.component, line.instance).then(
            isLaunched => { line.launches += isLaunched ? 1 : 0; },
            reason => this.startRejected(id, reason));
    }

    #handOver(connection, listener) {
        try {
            listener.observer.next(connection.serviceHalf(listener.connectorId));
        } catch (exception) {
            connection.closeByClient();
            throw exception;
        }
    }

    #ended(connection) {
        const { component, instance } = this.#connections.get(connection);
        this.#connections.delete(connection);
        for (const entry of [...this.#waiting.values()].flatMap(({ entries }) => [...entries])) {
            if (entry.connection === connection) { entry.fail('connectionClosed', 'the caller has ended'); }
        }
        if (component.perConnection) { this.#host.close(idOf(component, instance)); }
    }

    #expose(caller, component, id, service, observer) {
        const target = { appDomain: caller.appDomain, service, caller };
        if (!component.services.has(service)) {
            throw rpcException(target, 'serviceNotFound',
                `${id} has no service ${service} in its manifest; add it to "services"`);
        }
        const key = `${id} ${service}`;
        if (this.#listeners.has(key)) {
            throw rpcException(target, 'serviceAlreadyExposed',
                `${id} exposes service ${service} already; do it once`);
        }
        const listener = { connectorId: caller.connectorId, observer };
        this.#listeners.set(key, listener);
        for (const entry of [...(this.#waiting.get(id)?.entries ?? [])]) {
            if (entry.connection.target.service === service) { entry.accept(listener); }
        }
        return () => {
            if (this.#listeners.get(key) === listener) { this.#listeners.delete(key); }
        };
    }
}

Object.assign(globalThis.__platformParts, { RpcBroker });
}
