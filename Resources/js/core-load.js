// The platform above the core: makes and starts it, keeps the connectors, and answers the native side.
'use strict';
{

const parts = globalThis.__platformParts;
const { makeCryptor, CoreSession } = parts;
delete globalThis.__platformParts;
const evaluateRest = globalThis.__evaluateRest;
delete globalThis.__evaluateRest;
const bundle = globalThis.__core3NWeb;
const { Core, Buffer } = bundle;

const port = async (name, ...args) => __nativeCallDispatch(name, args);
const toHex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
const exception = (type, fields, message) => ({ runtimeException: true, type, ...fields, message });

/** The core's library reads its random bytes as its own `Buffer`, where it has one. */
function random(numOfBytes) {
    const bytes = __nativeCallDispatch('crypto_random', [numOfBytes]);
    return Buffer ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
}

/** What `init` fills. */
const platform = { session: undefined, formFactor: undefined, version: undefined, bundled: new Set() };
const connectors = new Map();
const startupApp = 'startup.app.privacysafe.io';
const connectivityObservers = new Set();
const userCalls = new Map();

/** Above this much in its port, a component counts as one that does not read. */
const maxQueuedBytes = 64 * 1024 * 1024;

/** What it asked for itself may be more; above this much it is ended, as the core would keep it all. */
const maxUnreadBytes = 256 * 1024 * 1024;

/** One component's connection with the core, from its launch to the end of its process. */
class Connector {
    #incoming;
    #side;
    #closeFns = [];
    #isListening = true;
    #isAboveMark = false;

    constructor(component, instance) {
        this.id = toHex(__nativeCallDispatch('crypto_random', [12]));
        this.component = component;
        this.instance = instance;
        this.componentId = parts.idOf(component, instance);
    }

    /** Makes the core's side over the connector's data port, which the native side has just made. */
    /** `openCalls`: how many calls of the component may be open at once. */
    attach(openCalls) {
        const { ipc } = bundle;
        const portSend = globalThis[`__portSend_c-${this.id}`];
        const send = envelope => {
            if (!this.#isListening) { throw exception('ipc', { ipcNotConnected: true }, 'the component is left alone'); }
            this.#isAboveMark = !portSend(ipc.msgProtoType.pack(envelope));
            if (this.#isAboveMark && this.#queuedBytes > maxUnreadBytes) {
                this.#protocolError(`it leaves more than ${maxUnreadBytes} bytes unread`);
            }
            return !this.#isAboveMark;
        };
        const fromCore = { next: send, error() {}, complete() {} };
        const toCore = {
            subscribe: observer => {
                this.#incoming = observer;
                return { unsubscribe: () => { this.#isListening = false; } };
            },
        };
        const onProtocolError = message => this.#protocolError(message);
        this.#side = ipc.ObjectsConnector.makeCoreSide(fromCore, toCore, { onProtocolError, openCalls });
        if (this.component.appDomain === startupApp && platform.session.startupCaps) {
            ipc.exposeStartupW3N(this.#side, this.#makeStartupW3N());
        } else {
            ipc.exposeW3N(this.#side, this.#makeW3N());
        }
        globalThis[`__portRecv_c-${this.id}`] = bytes => this.#receive(bytes);
    }

    /** True while the component leaves too much unread of what was sent to it. */
    get isOverloaded() {
        return this.#isAboveMark && this.#queuedBytes > maxQueuedBytes;
    }

    /** Calls of the component without an answer; null where the core's library does not tell. */
    get openCalls() { return this.#side?.exposedServices.countOpenCalls?.() ?? null; }

    get #queuedBytes() { return __nativeCallDispatch('port_queuedBytes', [this.id]); }

    listObj(path) { return this.#side?.exposedServices.listObj(path) ?? null; }

    /** `fn` is called when the connector is closed. */
    onClosed(fn) { this.#closeFns.push(fn); }

    /** Ends it, once: RPC peers are told `cause`, calls of both sides rejected, the core's capabilities closed. */
    close(cause) {
        if (!connectors.delete(this.id)) { return; }
        delete globalThis[`__portRecv_c-${this.id}`];
        const closeBroker = () => broker().connectorClosed(this.id, cause);
        for (const close of [closeBroker, () => this.#incoming?.complete(), ...this.#closeFns]) {
            try {
                close();
            } catch (error) {
                console.error(`${this.componentId}: closing its connector ${this.id} goes on after`, error);
            }
        }
    }

    #receive(bytes) {
        if (!this.#isListening) { return; }
        let envelope;
        try {
            envelope = bundle.ipc.msgProtoType.unpack(bytes);
        } catch (error) {
            this.#protocolError(`${bytes.length} bytes are no envelope: ${error.message}`);
            return;
        }
        this.#incoming.next(envelope);
    }

    #protocolError(message) {
        if (!this.#isListening) { return; }
        this.#isListening = false;
        port('component_protocolError', this.id, message).catch(
            error => console.error(`${this.componentId}: protocol error "${message}" was not reported:`, error));
    }

    #commonCaps() {
        const { version } = this.component;
        return {
            closeSelf: () => port('ui_closeAppActivity', this.id),
            myVersion: async () => version,
            ui: { uiFormFactor: async () => platform.formFactor },
        };
    }

    #makeStartupW3N() {
        return {
            ...this.#commonCaps(), ...platform.session.startupCaps,
            provider: { openInExternal: url => port('openExternal', url) },
            enableAutoLogin: async isWanted => platform.session.wantAutologin(isWanted !== false),
            scanUrlQR: () => port('scan_url_qr'),
        };
    }

    #makeW3N() {
        const { appDomain, entrypoint, caps: requested } = this.component;
        const { caps, close } = platform.session.core.makeCAPsForApp(appDomain, requested);
        this.#closeFns.push(close);
        const w3n = { ...caps, ...this.#commonCaps() };
        if (requested.logToPlatform) { w3n.log = async (...args) => logToPlatform(this.componentId, ...args); }
        if (requested.connectivity) { w3n.connectivity = { isOnline, watch: watchConnectivity }; }
        const rpc = broker().capFor(
            { connectorId: this.id, appDomain, entrypoint, caps: requested }, this.component, this.instance);
        if (rpc) { w3n.rpc = rpc; }
        const { caps: ofPlatform, close: closeOfPlatform } = platformCaps().capsFor(this.id, this.component);
        this.#closeFns.push(closeOfPlatform);
        return Object.assign(w3n, ofPlatform);
    }
}

const logLevels = { error: 'error', info: 'info', warning: 'warn' };

function logToPlatform(componentId, kind, text, error) {
    const level = Object.hasOwn(logLevels, kind) ? logLevels[kind] : 'info';
    console[level](`${componentId}: ${text}`, ...(error === undefined ? [] : [error]));
}

const connectivityStates = { 'network-present': 'online_80%', 'no-network': 'offline_99%' };

const isOnline = async () => connectivityStates[await port('connectivity_isOnline')];

function watchConnectivity(observer) {
    connectivityObservers.add(observer);
    return () => { connectivityObservers.delete(observer); };
}

function tellOfConnectivity(event) {
    for (const observer of [...connectivityObservers]) { observer.next?.(event); }
}

/** A core with servers reports on its connections with them: `{inbox$, storage$}`, observables of `{ping?, …}`. */
function watchConnectionsOf(core) {
    for (const status$ of Object.values(core.connectivityEvents ?? {})) {
        status$?.subscribe?.({ next: status => tellOfConnectivity({ isOnline: !!status.ping, wsEvent: status }) });
    }
}

const makeBroker = () => new parts.RpcBroker({
    componentOfService: (appDomain, service) => apps().components.find(
        component => component.appDomain === appDomain && component.services.has(service)),
    start: async (component, instance) => {
        if (connectorOf(parts.idOf(component, instance))) { return false; }
        await launch(component, instance).started;
        return true;
    },
    isOverloaded: connectorId => connectors.get(connectorId)?.isOverloaded === true,
    close(componentId) {
        const connector = connectorOf(componentId);
        if (!connector) { return; }
        port('ui_closeAppActivity', connector.id).catch(
            error => console.error(`${componentId}: was not closed:`, error));
    },
});

const makeApps = () => new parts.Apps(new parts.AppPacks(random), {
    runningOf: (appDomain, test) => [...connectors.values()]
        .filter(({ component }) => component.appDomain === appDomain && test(component)).map(({ id }) => id),
    close: connectorIds => Promise.all(connectorIds.map(closeConnector)),
    catalogChanged: () => __nativeCallDispatch('component_catalogChanged', []),
});

const makePlatformCaps = () => new parts.PlatformCaps(apps(), {
    connectorOf: component => connectorOf(parts.idOf(component, 0))?.id,
    start: async component => {
        if (connectorOf(parts.idOf(component, 0))) { return; }
        await launch(component, 0).started;
    },
    makeCAPsForApp: (appDomain, requested) => platform.session.core.makeCAPsForApp(appDomain, requested),
    running: () => [...connectors.values()].map(({ component, instance }) => ({ component, instance })),
    connectionsTo: appDomain => broker().connectionsTo(appDomain),
    version: () => platform.version,
    logout: async closePlatform => { await port('platform_logout', closePlatform); },
    userLogin: {
        isAutoLoginAvailable: async () => platform.session.takesPasswordForAutologin,
        isAutoLoginSet: async () => (await platform.session.autologin()).user === platform.session.userId,
        setAutoLogin: (password, progress) => platform.session.setAutologinByPassword(password, progress),
        removeAutoLogin: () => platform.session.setAutologin(false),
    },
    newConnectorId: () => toHex(__nativeCallDispatch('crypto_random', [12])),
});

/** What nobody needs before a user has signed in: apps, their connections, the platform's capabilities, servers. */
const rest = {};

function restOf(name, make) {
    if (!parts.PlatformCaps) {
        globalThis.__platformParts = parts;
        try {
            evaluateRest();
        } finally {
            delete globalThis.__platformParts;
        }
    }
    rest[name] ??= make();
    return rest[name];
}

const apps = () => restOf('apps', makeApps);
const broker = () => restOf('broker', makeBroker);
const platformCaps = () => restOf('platformCaps', makePlatformCaps);
const appCommands = () => restOf('appCommands', () => parts.makeAppCommands(apps(), platformCaps));

/** `{makeNet, makeResolver}` for `Core.make`; both undefined for a bundle that reaches no servers. */
const makersOfNetwork = dohResolvers => bundle.makeNetClient || bundle.makeServiceLocator
    ? restOf('network', () => parts.makeNetwork(bundle, parts.openEventSource, dohResolvers)) : {};

/** Resolves when the component has ended and its connector is gone. */
function closeConnector(connectorId) {
    const connector = connectors.get(connectorId);
    if (!connector) { return undefined; }
    const isGone = new Promise(resolve => { connector.onClosed(resolve); });
    return port('ui_closeAppActivity', connectorId).then(() => isGone);
}

const connectorOf = componentId => [...connectors.values()].find(c => c.componentId === componentId);

/** Makes a connector and asks for the component's start; `started` rejects as the port, once that is undone. */
function launch(component, instance) {
    const connector = new Connector(component, instance);
    connectors.set(connector.id, connector);
    const { appDomain, entrypoint } = component;
    const started = port('js_startComponent', connector.id, appDomain, entrypoint, instance).catch(reason => {
        connector.close();
        throw reason;
    });
    return { connector, started };
}

/** Who is not signed in has that one app. */
async function openStartupApp() {
    if (platform.bundled.has(startupApp)) { await apps().openStartupApp(); }
}

function parsedURL(url) {
    platformCaps();
    return parts.parseW3NURL(url);
}

const signedInCore = () => (platform.session?.userId === undefined ? undefined : platform.session.core);

function noPage(appDomain, flag, message) {
    throw exception('app-manifest', { domain: appDomain, [flag]: true }, `${appDomain} ${message}`);
}

/** What opens when an app is opened: its main page, else the first page in its manifest. */
function pageOf(appDomain) {
    const pages = apps().components.filter(c => c.appDomain === appDomain && c.runtime === 'web-gui');
    return pages.find(({ entrypoint }) => entrypoint === '/index.html') ?? pages[0]
        ?? noPage(appDomain, 'componentNotFound', 'is no app here that has a page');
}

function componentAt(appDomain, entrypoint) {
    const found = apps().components.find(c => c.appDomain === appDomain && c.entrypoint === entrypoint);
    if (!found) {
        throw exception('app-manifest', { domain: appDomain, entrypoint, componentNotFound: true },
            `no usable component ${entrypoint} in app ${appDomain}; see the problems that its manifest has`);
    }
    if (found.runtime !== 'deno') {
        throw exception('app-manifest', { domain: appDomain, entrypoint, wrongComponentType: true },
            `component ${entrypoint} of ${appDomain} is ${found.runtime}; only deno components run without window`);
    }
    return found;
}

function connectorWith(connectorId) {
    const connector = connectors.get(connectorId);
    if (connector) { return connector; }
    throw exception('connector', { connectorId, connectorNotFound: true },
        `no connector ${connectorId}; its component has ended or was never launched`);
}

/** Bytes of a reply of `callService`: the core does nothing else while it turns them to text. */
const maxPlainReply = 16 * 1024 * 1024;

/** `{"$bytes": "<base64>"}` stands for bytes in the plain JSON values of `callService`, both ways. */
function fromPlain(value) {
    if (typeof value !== 'object' || value === null) { return value; }
    if (Array.isArray(value)) { return value.map(fromPlain); }
    const keys = Object.keys(value);
    if (keys.length === 1 && typeof value.$bytes === 'string') {
        try {
            return Uint8Array.fromBase64(value.$bytes);
        } catch {
            const seen = JSON.stringify(value.$bytes.slice(0, 40));
            throw exception('service', { badArgument: true }, `"$bytes" is ${seen}; give base64`);
        }
    }
    return Object.fromEntries(keys.map(key => [key, fromPlain(value[key])]));
}

function toPlain(value) {
    if (value === undefined) { return null; }
    if (typeof value === 'string') { return value.toWellFormed(); }
    if (typeof value !== 'object' || value === null) { return value; }
    if (value instanceof Uint8Array) { return { $bytes: value.toBase64() }; }
    if (Array.isArray(value)) { return value.map(toPlain); }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), toPlain(member)]));
}

/** A service may throw anything; its caller gets an exception object, with what was thrown as its message or cause. */
function asException(reason) {
    if (reason?.runtimeException === true) { return toPlain(reason); }
    if (reason instanceof Error) { return exception('service', { name: reason.name }, reason.message); }
    if (typeof reason === 'string') { return exception('service', {}, reason.toWellFormed()); }
    return exception('service', { cause: toPlain(reason) }, 'the service threw what is no exception; see "cause"');
}

const platformUser = Object.freeze({ appDomain: 'corehost', entrypoint: 'cli' });

globalThis.__coreDispatch = Object.freeze({
    async init({
        dataDir, shownDir, platformVersion, formFactor = 'desktop', dohResolvers, systemApps, local, expectedUser,
    }) {
        if (platform.session) { throw new Error('init was called already; a context has one core'); }
        if (typeof dataDir !== 'string' || dataDir === '' || dataDir.startsWith('/')) {
            throw new TypeError(`dataDir is ${JSON.stringify(dataDir)}; give a path of the file ports, like "."`);
        }
        const { makeNet, makeResolver } = makersOfNetwork(dohResolvers);
        Object.assign(platform, { formFactor, version: platformVersion });
        platform.session = new CoreSession({
            conf: { dataDir, ...(shownDir ? { shownDir } : {}), ...(local ? { local } : {}) }, expectedUser,
            makeCore: conf => Core.make(conf, makeNet, makeResolver, makeCryptor, random),
            signedIn: async core => {
                await apps().open(core, systemApps);
                watchConnectionsOf(core);
            },
        });
        const entries = await port('assets_listFolder', false, '');
        platform.bundled = new Set(entries.filter(({ isFolder }) => isFolder).map(({ name }) => name));
        await openStartupApp();
        return platform.session.start();
    },

    evaluateRest() {
        platformCaps();
        platform.session.evaluateRest();
    },

    finishAutologin: ({ report }) => platform.session.finishAutologin(report),

    signIn: ({ address, password, report }) => platform.session.signIn(address, password, report),

    signUp: ({ address, password, report }) => platform.session.signUp(address, password, report),

    async logout() {
        for (const connector of [...connectors.values()]) { connector.close('its user logs out'); }
        apps().close();
        platformCaps().clear();
        await openStartupApp();
        await platform.session.logout();
    },

    async autologin({ on } = {}) {
        if (on !== undefined) { await platform.session.setAutologin(on); }
        return platform.session.autologin();
    },

    listUsers: () => platform.session.users(),

    getSignedUserIdEventually: () => platform.session.signedInUser(),

    isBundledApp: ({ appDomain }) => platform.bundled.has(appDomain),

    launchAppFromAndroid({ appDomain }) {
        const isLoggedIn = platform.session.userId !== undefined;
        if (!isLoggedIn && platform.session.isSigningIn) {
            return { connectorId: 'proceed-to-launcher', entrypoint: '' };
        }
        const component = isLoggedIn || appDomain === startupApp ? pageOf(appDomain) : noPage(appDomain, 'notLoggedIn',
            'opens after a login: `corehost login ADDRESS`');
        const running = connectorOf(parts.idOf(component, 0));
        const connector = running ?? new Connector(component, 0);
        connectors.set(connector.id, connector);
        return { connectorId: connector.id, entrypoint: component.entrypoint };
    },

    processURLBeforeLogin: ({ url }) => ({ appDomain: parsedURL(url).appDomain }),

    async processURL({ url }) {
        const parsed = parsedURL(url);
        return { appDomain: parsed.appDomain, isDone: await platformCaps().processURL(parsed) };
    },

    listApps: () => appCommands().listApps(),
    installApp: arg => appCommands().installApp(arg),
    uninstallApp: arg => appCommands().uninstallApp(arg),
    showApp: arg => appCommands().showApp(arg),

    /** Without waiting: what fails is told to the log. */
    giveStartupCommands() { platformCaps().giveStartupCommands(apps().list()); },

    listComponents: () => ({
        components: apps().components.map(
            ({ appDomain, version, entrypoint, runtime, restart, startup, perConnection, services }) => ({
                appDomain, version, entrypoint, runtime, restart, startup, perConnection,
                services: [...services.keys()],
            })),
        problems: apps().problems,
    }),

    launchComponent({ appDomain, entrypoint, instance = 0 }) {
        const component = componentAt(appDomain, entrypoint);
        const running = connectorOf(parts.idOf(component, instance));
        if (running) { return { connectorId: running.id }; }
        const { connector, started } = launch(component, instance);
        started.catch(reason => broker().startRejected(connector.componentId, reason));
        return { connectorId: connector.id };
    },

    attachComponentPortToConnector({ connectorId, openCalls }) { connectorWith(connectorId).attach(openCalls); },

    async getFileSizeInAppCodeFS({ connectorId, path }) {
        return connectorWith(connectorId).component.code.size(`app${parts.codePath(path)}`);
    },

    async readBytesFromFileInAppCodeFS({ connectorId, path, start, end }) {
        return connectorWith(connectorId).component.code.read(`app${parts.codePath(path)}`, start, end);
    },

    listObjPathInConnector: ({ connectorId, path }) => connectorWith(connectorId).listObj(path),

    onComponentClosedInAndroid({ connectorId, cause }) {
        const connector = connectors.get(connectorId);
        connector?.close(cause);
        if (connector) { broker().componentEnded(connector.componentId); }
    },

    async callService({ number, appDomain, service, method, args = [] }) {
        const { ipc } = bundle;
        const call = { connection: undefined, isAbandoned: false };
        userCalls.set(number, call);
        try {
            const connection = await broker().connect(platformUser, appDomain, service);
            call.connection = connection;
            if (call.isAbandoned) { throw exception('service', { abandoned: true }, 'the caller has left'); }
            const bytes = args.length > 0 ? ipc.valuesSequence.pack(args.map(fromPlain)) : undefined;
            const reply = await connection.makeRequestReplyCall(method, { bytes })
                .catch(reason => { throw asException(reason); });
            const size = reply?.bytes?.length ?? 0;
            if (size > maxPlainReply) {
                throw exception('service', { replyTooBig: true }, `the reply of ${service}.${method} has ${size} `
                    + `bytes, the platform's user takes ${maxPlainReply}; ask for less at once`);
            }
            return toPlain(ipc.valuesSequence.unpack(reply?.bytes)[0]);
        } finally {
            userCalls.delete(number);
            await call.connection?.close();
        }
    },

    abandonCall({ number }) {
        const call = userCalls.get(number);
        if (!call) { return; }
        call.isAbandoned = true;
        call.connection?.close();
    },

    connectivityChanged({ state }) { tellOfConnectivity({ isOnline: state === 'network-present' }); },

    async deviceSuspends() { await signedInCore()?.onDeviceSystemSuspend?.(); },

    async deviceResumes() { await signedInCore()?.onDeviceSystemResume?.(); },

    // Calls of a component that wait for an answer; null where a core's own library does not tell.
    countOpenCalls: ({ connectorId }) => connectors.get(connectorId)?.openCalls ?? null,

    countTables: () => ({
        connectors: connectors.size, ...broker().counts(), ...platformCaps().counts(),
        connectivityObservers: connectivityObservers.size,
    }),
});

function dispatch(name, arg) {
    if (!Object.hasOwn(globalThis.__coreDispatch, name)) {
        throw new Error(`no member ${name} in __coreDispatch; the contract in docs/architecture.md lists them`);
    }
    return globalThis.__coreDispatch[name](arg);
}

globalThis.__coreCall = dispatch;
globalThis.__coreCallAsync = async (name, arg) => dispatch(name, arg);
}
