import Testing

/// A connector's life: what its component sees, what it may do wrong, and that nothing of it remains.
@Suite struct CoreLoadConnectorTests {
    private static let anApp = #"""
        const started = async (capsRequested, options = {}) => {
            const apps = appFiles('a.test', { '/main.js': { capsRequested } });
            const platform = await platformUnderTest({ apps, ...options });
            await platform.init();
            return { platform, component: await platform.launch('a.test/main.js') };
        };
        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.anApp + script) }

    @Test func aComponentHasWhatItsManifestAsksForAndNoMore() throws {
        try run(
            #"""
            const plain = (await started(undefined)).component.w3n;
            same(Object.keys(plain).sort(), ['closeSelf', 'log', 'myVersion', 'ui']);
            same([await plain.myVersion(), await plain.ui.uiFormFactor()], ['1.2.3', 'desktop']);
            const { component: { w3n } } = await started({ mailerid: true, connectivity: true, logToPlatform: true,
                storage: { appFS: 'default' }, teleport: true });
            same(Object.keys(w3n).sort(),
                ['closeSelf', 'connectivity', 'log', 'mailerid', 'myVersion', 'storage', 'ui']);
            same([await w3n.mailerid.getUserId(), await w3n.connectivity.isOnline()], ['user@local', 'online_80%']);
            """#)
    }

    @Test func whatPlatformsConnectivityIsToldToThoseWhoWatch() throws {
        try run(
            #"""
            const { platform, component } = await started({ connectivity: true });
            const seen = [];
            const stop = component.w3n.connectivity.watch({ next: event => seen.push(event) });
            await nextTurn();
            __coreCall('connectivityChanged', { state: 'no-network' });
            await nextTurn();
            stop();
            await nextTurn();
            __coreCall('connectivityChanged', { state: 'network-present' });
            same([seen, __coreCall('countTables').connectivityObservers], [[{ isOnline: false }], 0]);
            component.w3n.connectivity.watch({});
            await nextTurn();
            platform.kill(component.connectorId);
            same(__coreCall('countTables').connectivityObservers, 0);
            """#)
    }

    @Test func nothingOfAClosedConnectorRemains() throws {
        try run(
            #"""
            const { platform, component } = await started({ storage: { appFS: 'default' } });
            const { connectorId } = component;
            holds(/^[0-9a-f]{24}$/.test(connectorId), `an unguessable id: ${connectorId}`);
            const fs = await component.w3n.storage.getAppLocalFS();
            const written = fs.writeTxtFile('f', 'accepted');
            await nextTurn();
            platform.kill(connectorId);
            platform.kill(connectorId);
            __coreCall('onComponentClosedInAndroid', { connectorId });
            same(Object.keys(globalThis).filter(name => name.includes(connectorId)), []);
            same(new Set(Object.values(__coreCall('countTables'))).size, 1);
            const exception = await rejection(
                __coreCallAsync('listObjPathInConnector', { connectorId, path: ['w3n'] }));
            same([exception.connectorNotFound, exception.connectorId], [true, connectorId]);
            const next = await platform.launch('a.test/main.js');
            holds(next.connectorId !== connectorId, 'a new life has a new id');
            same(await (await next.w3n.storage.getAppLocalFS()).readTxtFile('f'), 'accepted');
            """#)
    }

    @Test func aComponentThatIsLaunchedTwiceStartsOnce() throws {
        try run(
            #"""
            const starts = [];
            const { platform, component } = await started({}, { onStart: id => { starts.push(id); } });
            same((await platform.launch('a.test/main.js')).connectorId, component.connectorId);
            same(starts, [component.connectorId]);
            """#)
    }

    @Test func closeSelfOverTheWireClosesThatComponent() throws {
        try run(
            #"""
            const { platform, component } = await started({});
            component.w3n.closeSelf();
            for (let turn = 0; turn < 5; turn += 1) { await nextTurn(); }
            same([platform.closed, __coreCall('countTables').connectors], [[component.connectorId], 0]);
            """#)
    }

    @Test func whatIsNoEnvelopeIsReportedOnceAndNothingMoreIsTaken() throws {
        try run(
            #"""
            const { platform, component } = await started({});
            const receive = globalThis[`__portRecv_c-${component.connectorId}`];
            receive(new Uint8Array([255, 255, 255, 255]));
            receive(new Uint8Array([255, 255, 255, 255]));
            await nextTurn();
            same(platform.protocolErrors.length, 1);
            const [[connectorId, message]] = platform.protocolErrors;
            same(connectorId, component.connectorId);
            holds(message.startsWith('4 bytes are no envelope: '), message);
            """#)
    }

    @Test func whoLeavesTooMuchUnreadOfWhatItAskedForIsReportedAndSentNothingMore() throws {
        try run(
            #"""
            let queued = 2 ** 28;
            const { platform, component } = await started({}, { ports: { port_queuedBytes: () => queued } });
            component.reads = false;
            same(await component.w3n.myVersion(), '1.2.3');
            same(platform.protocolErrors, []);
            queued += 1;
            await component.w3n.myVersion();
            same(platform.protocolErrors.map(([id, text]) => [id === component.connectorId, text]),
                [[true, 'it leaves more than 268435456 bytes unread']]);
            queued = 0;
            let isAnswered = false;
            component.w3n.myVersion().then(() => { isAnswered = true; });
            await nextTurn();
            await nextTurn();
            same([isAnswered, platform.protocolErrors.length], [false, 1]);
            platform.kill(component.connectorId);
            """#)
    }

    @Test func membersAreListedByPath() throws {
        try run(
            #"""
            const { component: { connectorId } } = await started({ mailerid: true });
            const list = path => __coreCall('listObjPathInConnector', { connectorId, path });
            same(list(['w3n']).sort(), ['closeSelf', 'mailerid', 'myVersion', 'ui']);
            same([list(['w3n', 'mailerid']), list(['w3n', 'none']), list(['w3n', '__proto__']), list(['constructor'])],
                [['getUserId'], null, null, null]);
            """#)
    }

    @Test func anUnknownCallOfThePlatformSaysSo() throws {
        try run(
            #"""
            await started({});
            const exception = await rejection(__coreCallAsync('toString', {}));
            same(exception.message,
                'no member toString in __coreDispatch; the contract in docs/architecture.md lists them');
            """#)
    }
}
