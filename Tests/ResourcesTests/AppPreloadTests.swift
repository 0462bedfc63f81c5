import Testing

/// The last script before a component's code, in a context that has the core's side of its connector, too.
@Suite struct AppPreloadTests {
    private static let preloaded = #"""
        const calls = [];
        const script = path => (0, eval)(sources[path]);
        const bundle = JSON.parse(sources['core/bundle.json']);
        bundle.ipc.forEach(path => script(`core/${path}`));
        const { ObjectsConnector, exposeW3N, msgProtoType } = __core3NWeb.ipc;
        let toCore;
        const toChild = envelope => queueMicrotask(() => __portRecv_core(msgProtoType.pack(envelope)));
        const side = ObjectsConnector.makeCoreSide(
            { next: toChild, complete() {}, error() {} },
            { subscribe: observer => { toCore = observer; return { unsubscribe() {} }; } });
        exposeW3N(side, {
            closeSelf: async () => calls.push('core closeSelf'), myVersion: async () => '1',
            ui: { uiFormFactor: async () => 'x' },
        });
        globalThis.__portSend_core = bytes => { toCore.next(msgProtoType.unpack(bytes)); return true; };
        const ports = {
            ipc_listCoreObjPath: async path => side.exposedServices.listObj(path),
            ipc_disconnectFromCore: async () => { calls.push('disconnect'); },
            host_status: text => { calls.push(`status ${text}`); },
            host_extendStart: millis => { calls.push(`extend ${millis}`); },
            host_ready: () => { calls.push('ready'); },
        };
        globalThis.__nativeCallDispatch = (name, args) => ports[name](...args);
        bundle.client.forEach(path => script(`core/${path}`));
        script('js/app-preload.js');
        await _awaitPreloadInit();

        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.preloaded + script) }

    @Test func givesFrozenCapabilities() throws {
        try run(
            #"""
            same(Object.keys(w3n).sort(), ['closeSelf', 'log', 'myVersion', 'ui']);
            same([await w3n.myVersion(), await w3n.ui.uiFormFactor()], ['1', 'x']);
            same([Object.isFrozen(w3n), Object.isFrozen(w3n.ui)], [true, true]);
            globalThis.w3n = undefined;
            globalThis.w3nRPC = undefined;
            same([typeof w3n.myVersion, typeof w3nRPC.serve], ['function', 'function']);
            """#)
    }

    @Test func closingSelfIsTheChildsOwn() throws {
        try run(
            #"""
            await w3n.closeSelf();
            Deno.exit(3);
            await nextTurn();
            same(calls, ['disconnect', 'disconnect']);
            """#)
    }

    @Test func tellsOfItself() throws {
        try run(
            #"""
            globalThis.w3nHost = undefined;
            w3nHost.status({ toString: () => 'busy' });
            w3nHost.extendStart(5);
            w3nHost.ready();
            same(calls, ['status busy', 'extend 5', 'ready']);
            same([Object.isFrozen(w3nHost), Object.keys(w3nHost)], [true, ['status', 'extendStart', 'ready']]);
            """#)
    }

    @Test func hidesWhatIsNoBusinessOfAComponent() throws {
        try run(
            #"""
            for (const name of ['__native', '__nativeCallDispatch', '__portSend_core', '__client3NWeb', '__ipcParts',
                '_awaitPreloadInit']) {
                same(name in globalThis, false, name);
            }
            """#)
    }

    @Test func hasADenoWhoseEnvironmentCanBeSetAndReplaced() throws {
        try run(
            #"""
            Deno.env.set('A', 1);
            same([Deno.env.get('A'), Deno.env.has('B'), Deno.env.toObject()], ['1', false, { A: '1' }]);
            Deno.env.delete('A');
            same(Deno.env.get('A'), undefined);
            Deno.env = { get: () => 'mine' };
            same([Deno.env.get('A'), Deno.build.os, Deno.args], ['mine', 'linux', []]);
            """#)
    }
}
