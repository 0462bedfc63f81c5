// What the platform adds to a component's `w3n` beside what the core gives: `shell` and `system`.
'use strict';
{

const {
    StartCommands, Notifications, makeShellCap, makeSystemCap, notInstalled, platformsOwn, idOf,
} = globalThis.__platformParts;

const port = async (name, ...args) => __nativeCallDispatch(name, args);

/** The page that the simple form of a manifest means, and what is opened where no component is named. */
const mainPage = '/index.html';

const launcherFailed = (what, reason) => console.error(`start-up launcher ${what}: ${reason?.message ?? reason}`);

const autoStartup = Object.freeze({
    isAutoStartupAvailable: async () => (await port('autostart_state')).isAvailable,
    isAutoStartupSet: async () => (await port('autostart_state')).isSet,
    setAutoStartup: async isWanted => { await port('autostart_set', isWanted); },
});

class PlatformCaps {
    #apps;
    #host;
    #commands;
    #notifications = new Notifications();

    /**
     * `host` gives `connectorOf(component)` (an id), `start(component)` (a promise, without effect on one that runs),
     * `makeCAPsForApp(domain, requestedCAPs)` of the core, `logout(closePlatform)`, `userLogin`, `running()`
     * (`[{component, instance}]`), `connectionsTo(domain)` of the broker, `version()` of the platform and
     * `newConnectorId()`.
     */
    constructor(apps, host) {
        this.#apps = apps;
        this.#host = host;
        this.#commands = new StartCommands({
            findApp: domain => apps.find(domain), idOf: component => idOf(component, 0),
            connectorOf: host.connectorOf, start: component => this.#start(component),
        });
    }

    counts() { return { ...this.#commands.counts(), ...this.#notifications.counts() }; }

    /** Capabilities of a component that is being connected: `{caps, close}`. */
    capsFor(connectorId, component) {
        const { appDomain, entrypoint, caps: asked } = component;
        const shell = makeShellCap({ connectorId, appDomain, entrypoint, caps: asked, component }, {
            commands: this.#commands, notifications: this.#notifications, findApp: domain => this.#apps.find(domain),
            makeCAPsForApp: this.#host.makeCAPsForApp, openExternal: url => port('openExternal', url),
            openDashboard: () => this.#openApp(platformsOwn.launcher),
        });
        const system = asked.system && makeSystemCap(asked.system, {
            apps: this.#apps, commands: this.#commands,
            openApp: (id, path) => this.#openApp(id, path),
            triggerStartupLaunchers: apps => this.triggerStartupLaunchers(apps),
            listProcs: () => this.#listProcs(),
            listConnectionsToAppServices: id => (this.#apps.find(id) ? this.#host.connectionsTo(id) : undefined),
            getCurrentVersion: () => this.#currentVersion(),
            logout: this.#host.logout, userLogin: this.#host.userLogin, autoStartup,
        });
        const caps = {};
        if (shell.cap) { caps.shell = shell.cap; }
        if (system) { caps.system = system; }
        return { caps, close: shell.close };
    }

    /** Components and commands that the apps launch on system start-up; one that fails is told to the log. */
    async triggerStartupLaunchers(apps) {
        const starts = apps.flatMap(({ components }) => components.filter(({ startup }) => startup));
        await Promise.all([
            ...starts.map(component => this.#start(component).catch(reason => {
                // One whose restart is due anyway comes without this.
                if (!reason?.waiting && !reason?.alreadyStarted) { launcherFailed(idOf(component, 0), reason); }
            })),
            this.giveStartupCommands(apps),
        ]);
    }

    /** The commands alone: components that start with the system are started by the supervision plane after a login. */
    async giveStartupCommands(apps) {
        await Promise.all(apps.flatMap(({ appDomain, startupCommands }) => startupCommands.map(
            command => this.#commands.execute(appDomain, command).catch(
                reason => launcherFailed(`${appDomain} ${command.cmd}`, reason)))));
    }

    /** Starts what a URL (w3n-url.js) asks for; false where the app's page is to be opened. */
    async processURL({ appDomain, command, params }) {
        if (command === undefined) { return false; }
        await this.#commands.executeFromURL(appDomain, command, Object.fromEntries(params));
        return true;
    }

    /** The user is signed out. */
    clear() { this.#notifications.clear(); }

    async #start(component) {
        if (component.runtime === 'deno') { return this.#host.start(component); }
        // Where there are windows, the one that opens asks the core for its connector.
        await port('ui_startAppActivity', this.#host.newConnectorId(), component.appDomain, component.entrypoint);
    }

    async #openApp(id, entrypoint = mainPage) {
        const app = this.#apps.find(id);
        if (!app) { throw notInstalled(id, false); }
        const component = app.components.find(found => found.entrypoint === entrypoint);
        if (!component) {
            throw {
                runtimeException: true, type: 'app-manifest', domain: id, entrypoint, componentNotFound: true,
                message: `no usable component ${entrypoint} in app ${id}; its manifest names them`,
            };
        }
        await this.#start(component);
    }

    /** One row for each component that runs or starts, as the public platform has it. */
    #listProcs() {
        const rows = new Map();
        for (const { component } of this.#host.running()) {
            const { appDomain, version, entrypoint, runtime } = component;
            const key = `${appDomain}${entrypoint} ${version}`;
            const row = rows.get(key) ?? { appId: appDomain, version, entrypoint, runtime, numOfInstances: 0 };
            row.numOfInstances += 1;
            rows.set(key, row);
        }
        return [...rows.values()];
    }

    async #currentVersion() {
        const version = this.#host.version();
        const apps = this.#apps.list().filter(({ origin }) => origin === 'bundled');
        const packs = await this.#apps.packs.bundled.list();
        return {
            platform: version, bundle: version,
            apps: Object.fromEntries(apps.map(app => [app.appDomain, app.version])),
            'app-packs': Object.fromEntries(packs.map(pack => [pack.id, pack.version])),
            runtimes: {},
        };
    }
}

Object.assign(globalThis.__platformParts, { PlatformCaps });
}
