// The core of the message benchmark: it launches what the manifests name and gives every message straight back, so that
// what is measured is the way component JavaScript -> core JavaScript -> component JavaScript and nothing else.
//
// A message's first byte says what to do with it: 0 send it back, 1 keep it, 2 answer with one byte.

(function () {
    'use strict';

    const call = (port, ...args) => globalThis.__nativeCallDispatch(port, args);
    const components = [];
    let connectors = 0;

    function appOf(connectorId) {
        const component = components.find(({ connector }) => connector === connectorId);
        if (component === undefined) {
            throw new Error(`No component has connector ${connectorId}`);
        }
        return component.appDomain;
    }

    async function readManifests() {
        for (const { name, isFolder } of await call('assets_listFolder', false, '')) {
            if (!isFolder) {
                continue;
            }
            const bytes = await call('assets_readBytes', false, `${name}/manifest.json`);
            const { appDomain, version, launchOnSystemStartup } = JSON.parse(new TextDecoder().decode(bytes));
            for (const { component } of launchOnSystemStartup) {
                components.push({
                    appDomain, version, entrypoint: component, runtime: 'deno', startup: true,
                    services: [], perConnection: false
                });
            }
        }
    }

    function attach(connectorId) {
        const acknowledgement = new Uint8Array([2]);
        let send;
        globalThis[`__portRecv_c-${connectorId}`] = bytes => {
            send ??= globalThis[`__portSend_c-${connectorId}`];
            if (bytes[0] === 0) {
                send(bytes);
            } else if (bytes[0] === 2) {
                send(acknowledgement);
            }
        };
    }

    const dispatch = {
        async init() {
            await readManifests();
            return { login: 'logged-in', userId: 'bench' };
        },
        async getSignedUserIdEventually() {
            return 'bench';
        },
        listComponents() {
            return { components: components.map(({ connector, ...shown }) => shown), problems: [] };
        },
        evaluateRest() {},
        giveStartupCommands() {},
        launchComponent({ appDomain, entrypoint }) {
            const component = components.find(c => c.appDomain === appDomain && c.entrypoint === entrypoint);
            const connectorId = `bench-${++connectors}`;
            component.connector = connectorId;
            call('js_startComponent', connectorId, appDomain, entrypoint)
                .catch(err => console.error('cannot start', entrypoint, JSON.stringify(err)));
            return { connectorId };
        },
        attachComponentPortToConnector({ connectorId }) {
            attach(connectorId);
        },
        async getFileSizeInAppCodeFS({ connectorId, path }) {
            const name = path.replace(/^\//, '');
            const files = await call('assets_listFolder', false, `${appOf(connectorId)}/app`);
            return files.find(file => file.name === name).size;
        },
        readBytesFromFileInAppCodeFS({ connectorId, path, start, end }) {
            return call('assets_readBytes', false, `${appOf(connectorId)}/app/${path.replace(/^\//, '')}`, start, end);
        },
        listObjPathInConnector() {
            return null;
        },
        onComponentClosedInAndroid({ connectorId }) {
            delete globalThis[`__portRecv_c-${connectorId}`];
        },
        async callService() {
            throw { runtimeException: true, type: 'rpc', noService: true, message: 'The benchmark core has no services' };
        }
    };

    globalThis.__coreDispatch = dispatch;
    globalThis.__coreCall = (name, arg) => dispatch[name](arg);
    globalThis.__coreCallAsync = async (name, arg) => dispatch[name](arg);
})();
