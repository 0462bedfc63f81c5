import Testing

/// RPC between components that are functions in the test's own context, each behind a connector of its own.
@Suite struct CoreLoadRpcTests {
    private static let twoApps = #"""
        const twoApps = (more = {}) => ({
            ...appFiles('server.test', {
                '/main.js': {
                    services: { Open: { otherApps: '*' }, Own: { thisAppComponents: ['/inner.js'] } }, ...more },
                '/inner.js': { capsRequested: { appRPC: ['Own', 'Open'] } },
            }),
            ...appFiles('client.test', { '/main.js': { capsRequested: { otherAppsRPC: [
                { app: 'server.test', service: 'Open' }, { app: 'server.test', service: 'Own' },
                { app: 'server.test', service: 'None' }] } } }),
        });
        const started = async options => {
            const platform = await platformUnderTest({ apps: twoApps(), ...options });
            await platform.init();
            return { platform, client: await platform.launch('client.test/main.js') };
        };
        const open = client => client.w3n.rpc.otherAppsRPC('server.test', 'Open');
        const idOf = (platform, id) => [...platform.components.values()].find(c => c.id === id)?.connectorId;
        const turns = async count => { for (let i = 0; i < count; i += 1) { await nextTurn(); } };
        """#

    private func run(_ script: String) throws { try CoreContext.run(Self.twoApps + script) }

    @Test func aCallStartsTheServiceAndGetsItsReply() throws {
        try run(
            #"""
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => {
                w3nRPC.serve('Open', {
                    sum: (...numbers) => numbers.reduce((a, b) => a + b, 0),
                    echo: value => value,
                    nothing() {},
                    refuse() { throw { runtimeException: true, type: 'mine', refused: true }; },
                });
            } };
            const { platform, client } = await started({ programs });
            same(platform.components.size, 1);
            const service = client.w3nRPC.connect(open(client));
            same(await service.call('sum', 1, 2, 3), 6);
            same([...(await service.call('echo', { bytes: new Uint8Array([7]) })).bytes], [7]);
            same(await service.call('nothing'), undefined);
            same(await rejection(service.call('refuse')), { runtimeException: true, type: 'mine', refused: true });
            same(platform.components.size, 2);
            await service.close();
            same(__coreCall('countTables').connections, 0);
            same((await rejection(service.call('sum'))).connectionClosed, true);
            """#)
    }

    @Test func onlyWhatBothManifestsAllowIsConnected() throws {
        try run(
            #"""
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => {
                for (const name of ['Open', 'Own']) { w3nRPC.serve(name, { name: () => name }); }
            } };
            const { platform, client } = await started({ programs });
            const inner = await platform.launch('server.test/inner.js');
            const ask = async (component, connection) => component.w3nRPC.connect(connection).call('name');
            same(await ask(inner, inner.w3n.rpc.thisApp('Own')), 'Own');
            same(await ask(client, open(client)), 'Open');
            const outcome = async promise => {
                const { runtimeException, type, appDomain, message, service, callerApp, callerComponent, ...flags } =
                    await rejection(promise);
                same([runtimeException, type, appDomain], [true, 'rpc', 'server.test']);
                return [service, callerApp, callerComponent, flags];
            };
            const outer = name => client.w3n.rpc.otherAppsRPC('server.test', name);
            same(await outcome(outer('Own')), ['Own', 'client.test', '/main.js', { callerNotAllowed: true }]);
            same(await outcome(outer('None')), ['None', 'client.test', '/main.js', { serviceNotFound: true }]);
            same(await outcome(outer('Unasked')), ['Unasked', 'client.test', '/main.js', { callerNotAllowed: true }]);
            same(await outcome(inner.w3n.rpc.thisApp('Open')),
                ['Open', 'server.test', '/inner.js', { callerNotAllowed: true }]);
            same(client.w3n.rpc.thisApp, undefined);
            same(__coreCall('countTables').connections, 2);
            """#)
    }

    @Test func aServiceIsExposedOnceAndOnlyIfItsManifestHasIt() throws {
        try run(
            #"""
            const { platform } = await started();
            const server = await platform.launch('server.test/main.js');
            const expose = service => new Promise((resolve, reject) => {
                server.w3n.rpc.exposeService(service, { next() {}, error: reject });
                setTimeout(resolve, 20, 'exposed');
            });
            same(await expose('Open'), 'exposed');
            same((await rejection(expose('Open'))).serviceAlreadyExposed, true);
            same((await rejection(expose('Other'))).serviceNotFound, true);
            """#)
    }

    @Test func connectionsWaitInOrderUntilTheServiceListens() throws {
        try run(
            #"""
            let listen;
            const mayListen = new Promise(resolve => { listen = resolve; });
            const order = [];
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => {
                mayListen.then(() => w3nRPC.serve('Open', { take: number => { order.push(number); } }));
            } };
            const { client } = await started({ programs });
            const calls = [1, 2, 3].map(number => client.w3nRPC.connect(open(client)).call('take', number));
            await turns(5);
            same([__coreCall('countTables').waiting, order], [3, []]);
            listen();
            await Promise.all(calls);
            same([__coreCall('countTables').waiting, order], [0, [1, 2, 3]]);
            """#)
    }

    @Test func aConnectionWaitsTenSecondsAtMost() throws {
        try run(
            #"""
            const due = [];
            const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
            globalThis.setTimeout = (fn, millis) => (millis === 10_000 ? due.push(fn) : realSetTimeout(fn, millis));
            globalThis.clearTimeout = timer => (due[timer - 1] ? undefined : realClearTimeout(timer));
            const { client } = await started();
            const waiting = rejection(open(client));
            await turns(5);
            same(due.length, 1);
            due[0]();
            const { connectionNotAccepted, message } = await waiting;
            same([connectionNotAccepted, message], [true, 'server.test/main.js has not exposed service Open in 10 s']);
            same(__coreCall('countTables').waiting + __coreCall('countTables').connections, 0);
            """#)
    }

    @Test func aRefusedStartFailsAtOnceAndADueRestartIsWaitedFor() throws {
        try run(
            #"""
            let reason = { runtimeException: true, type: 'component', quarantined: true, message: 'too many restarts' };
            const onStart = (connectorId, id) => { if (id.startsWith('server') && reason) { throw reason; } };
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) =>
                w3nRPC.serve('Open', { ping: () => 'pong' }) };
            const { platform, client } = await started({ onStart, programs });
            const { connectionNotAccepted, cause, message } = await rejection(open(client));
            same([connectionNotAccepted, cause.quarantined, message],
                [true, true, 'server.test/main.js did not start: too many restarts']);
            same([__coreCall('countTables').connectors, __coreCall('countTables').connections], [1, 0]);
            reason = { runtimeException: true, type: 'component', waiting: true };
            const call = client.w3nRPC.connect(open(client)).call('ping');
            await turns(5);
            same([__coreCall('countTables').connectors, __coreCall('countTables').waiting], [1, 1]);
            reason = undefined;
            await platform.launch('server.test/main.js');
            same(await call, 'pong');
            """#)
    }

    @Test func aDeadServiceRejectsItsCallsAndEndsItsObservers() throws {
        try run(
            #"""
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Open',
                { hang: () => new Promise(() => {}) }, { observables: { watch: observer => { observer.next(1); } } }) };
            const { platform, client } = await started({ programs });
            const service = client.w3nRPC.connect(open(client));
            const seen = [];
            service.observe('watch', { next: value => seen.push(value), error: exception => seen.push(exception) });
            const pending = rejection(service.call('hang'));
            await turns(5);
            platform.kill(idOf(platform, 'server.test/main.js'), 'killed by signal 9');
            const { type, connectionClosed, callerApp, message } = await pending;
            same([type, connectionClosed, callerApp, message], ['rpc', true, 'client.test',
                'the component of the service has ended: killed by signal 9']);
            same([seen.length, seen[0], seen[1].connectionClosed], [2, 1, true]);
            same((await rejection(service.call('hang'))).connectionClosed, true);
            same(await client.w3nRPC.connect(open(client)).observe('watch', {}) !== undefined, true);
            """#)
    }

    @Test func aServiceThatEndsBeforeItListensGetsASecondChance() throws {
        try run(
            #"""
            let starts = 0;
            let platform;
            const programs = { 'server.test/main.js': async (w3n, w3nRPC, connectorId) => {
                starts += 1;
                if (starts === 2 || starts > 3) { return w3nRPC.serve('Open', { starts: () => starts }); }
                setTimeout(() => platform.kill(connectorId), 5);
            } };
            const context = await started({ programs });
            platform = context.platform;
            const { client } = context;
            const service = client.w3nRPC.connect(open(client));
            same(await service.call('starts'), 2);
            """#)
    }

    @Test func aDeadClientEndsWhatTheServiceSees() throws {
        try run(
            #"""
            const seen = [];
            const programs = { 'server.test/main.js': async w3n => {
                w3n.rpc.exposeService('Open', { next: connection => connection.watch({
                    next: ({ msgType, method }) => seen.push([msgType, method]),
                    complete: () => seen.push('complete'),
                }) });
            } };
            const { platform, client } = await started({ programs });
            const connection = await open(client);
            connection.makeRequestReplyCall('x');
            await turns(5);
            platform.kill(client.connectorId);
            await turns(5);
            same(seen, [['start', 'x'], 'complete']);
            same(__coreCall('countTables').connections, 0);
            """#)
    }

    @Test func aCancelledObserverIsToldToTheService() throws {
        try run(
            #"""
            const seen = [];
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Open', {}, { observables: {
                count: (from, observer) => {
                    observer.next(from);
                    return () => seen.push('stopped');
                },
                once: observer => {
                    observer.next('only');
                    observer.complete();
                },
            } }) };
            const { client } = await started({ programs });
            const service = client.w3nRPC.connect(open(client));
            const stop = service.observe('count', 5, { next: value => seen.push(value) });
            service.observe('once', { next: value => seen.push(value), complete: () => seen.push('complete') });
            await turns(10);
            stop();
            await turns(10);
            same(seen, [5, 'only', 'complete', 'stopped']);
            """#)
    }

    @Test func messagesWaitForAWatcherUpToABound() throws {
        try run(
            #"""
            let incoming;
            const programs = { 'server.test/main.js': async w3n => {
                w3n.rpc.exposeService('Open', { next: connection => { incoming = connection; } });
            } };
            const { client } = await started({ programs });
            const connection = await open(client);
            for (let i = 0; i < 1024; i += 1) { connection.makeRequestReplyCall(`call ${i}`).catch(() => {}); }
            const exception = await rejection(connection.makeRequestReplyCall('one too many'));
            same([exception.connectionNotAccepted, exception.type], [true, 'rpc']);
            const methods = [];
            incoming.watch({ next: ({ method }) => methods.push(method) });
            await turns(10);
            same([methods.length, methods[0], methods[1023]], [1024, 'call 0', 'call 1023']);
            const again = await new Promise(resolve => { incoming.watch({ error: resolve }); });
            same(again.connectionAlreadyWatched, true);
            """#)
    }

    @Test func aServiceThatDoesNotReadIsNotSentMore() throws {
        try run(
            #"""
            let queued = 0;
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Open', { echo: x => x }) };
            const { platform, client } = await started({ programs, ports: { port_queuedBytes: () => queued } });
            const service = client.w3nRPC.connect(open(client));
            await service.call('echo');
            const server = platform.components.get(idOf(platform, 'server.test/main.js'));
            server.reads = false;
            queued = 64 * 1024 * 1024;
            same(await service.call('echo', 1), 1);
            queued += 1;
            same((await rejection(service.call('echo', 2))).connectionNotAccepted, true);
            queued = 0;
            same(await service.call('echo', 3), 3);
            """#)
    }

    @Test func eachConnectionHasItsOwnInstanceWhereTheManifestSaysSo() throws {
        try run(
            #"""
            const programs = { 'server.test/main.js': async (w3n, w3nRPC, connectorId) =>
                w3nRPC.serve('Open', { who: () => connectorId }) };
            const instances = [];
            const onStart = (connectorId, id, instance) => { instances.push([id, instance]); };
            const { platform, client } = await started(
                { programs, onStart, apps: twoApps({ forOneConnectionOnly: true }) });
            const [a, b] = [open(client), open(client)].map(client.w3nRPC.connect);
            const [whoA, whoB] = await Promise.all([a.call('who'), b.call('who')]);
            holds(whoA !== whoB, 'two instances');
            same(instances, [['client.test/main.js', 0], ['server.test/main.js', 1], ['server.test/main.js', 2]]);
            await a.close();
            await turns(5);
            same(platform.closed, [whoA]);
            same(__coreCall('countTables').connectors, 2);
            same(await b.call('who'), whoB);
            """#)
    }

    @Test func thePlatformsUserCallsAnyServiceWithPlainValues() throws {
        try run(
            #"""
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Own', {
                echo: (...args) => args,
                nothing() {},
                isBytes: ({ data }) => data instanceof Uint8Array,
            }) };
            await started({ programs });
            const call = (method, ...args) =>
                __coreCallAsync('callService', { appDomain: 'server.test', service: 'Own', method, args });
            const values = ['a', { b: [null, { $bytes: 'AQL/' }] }];
            same(await call('echo', ...values), values);
            same([await call('nothing'), await call('isBytes', { data: { $bytes: '' } })], [null, true]);
            same(__coreCall('countTables').connections, 0);
            const exception = await rejection(
                __coreCallAsync('callService', { appDomain: 'server.test', service: 'None', method: 'x', args: [] }));
            const { serviceNotFound, callerApp, callerComponent } = exception;
            same([serviceNotFound, callerApp, callerComponent], [true, 'corehost', 'cli']);
            """#)
    }

    @Test func whateverAServiceThrowsOrGivesItsCallerIsAnsweredAndItGoesOn() throws {
        try run(
            #"""
            const unreadable = new Proxy({}, { get() { throw 1; }, ownKeys() { throw 2; },
                getPrototypeOf() { throw 3; } });
            const nested = depth => (depth > 0 ? [nested(depth - 1)] : 0);
            const thrown = {
                nothing: undefined, text: 'text', symbol: Symbol('s'), bigint: 5n, fn: () => 1, unreadable,
                list: [1, 2],
                deep: { runtimeException: true, type: 'mine', deep: nested(200) },
                hostile: { runtimeException: true, get message() { throw 4; } },
            };
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Open', {
                fail: what => { throw thrown[what]; }, give: what => thrown[what], echo: value => value,
            }) };
            const { client } = await started({ programs });
            const service = client.w3nRPC.connect(open(client));
            const call = (method, ...args) =>
                __coreCallAsync('callService', { appDomain: 'server.test', service: 'Open', method, args });
            for (const what of Object.keys(thrown)) {
                const seen = await rejection(call('fail', what));
                same([what, seen.runtimeException, typeof seen.message === 'string' || what === 'deep'],
                    [what, true, true]);
                await rejection(service.call('fail', what));
            }
            same((await rejection(call('fail', 'text'))).message, 'text');
            same((await rejection(call('fail', 'list'))).cause, [1, 2]);
            for (const what of ['symbol', 'bigint', 'fn', 'unreadable', 'deep']) {
                same((await rejection(call('give', what))).type, 'service');
            }
            same(await service.call('echo', 7), 7);
            same(await call('echo', 'a\ud800b'), 'a\ufffdb');
            same((await rejection(call('echo', { $bytes: '?' }))).badArgument, true);
            """#)
    }

    @Test func aComponentWithAllItsCallsOpenStillReplies() throws {
        try run(
            #"""
            const programs = {
                'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Own', {
                    never: () => new Promise(() => {}),
                }),
                'server.test/inner.js': async (w3n, w3nRPC) => {
                    w3nRPC.serve('Inner', { fill: async count => {
                        const calls = w3nRPC.connect(await w3n.rpc.thisApp('Own'));
                        const refused = [];
                        for (let i = 0; i < count; i += 1) {
                            calls.call('never').catch(reason => refused.push(reason));
                        }
                        while (refused.length === 0) { await nextTurn(); }
                        return refused[0].quotaExceeded;
                    } });
                },
            };
            const apps = twoApps();
            const manifest = JSON.parse(apps['server.test/manifest.json']);
            manifest.components['/inner.js'].services = { Inner: { otherApps: '*' } };
            apps['server.test/manifest.json'] = JSON.stringify(manifest);
            await started({ programs, apps });
            same(await __coreCallAsync('callService',
                { appDomain: 'server.test', service: 'Inner', method: 'fill', args: [4200] }), true);
            """#)
    }

    @Test func openCallsAreAsManyAsThePlatformAllows() throws {
        try run(
            #"""
            const programs = {
                'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Own', {
                    never: () => new Promise(() => {}),
                }),
                'server.test/inner.js': async (w3n, w3nRPC) => {
                    w3nRPC.serve('Inner', { fill: async count => {
                        const calls = w3nRPC.connect(await w3n.rpc.thisApp('Own'));
                        const refused = [];
                        for (let i = 0; i < count; i += 1) {
                            calls.call('never').catch(reason => refused.push(reason));
                        }
                        while (refused.length === 0) { await nextTurn(); }
                        return [refused.every(reason => reason.quotaExceeded), refused.length >= 5 && refused.length < 10];
                    } });
                },
            };
            const apps = twoApps();
            const manifest = JSON.parse(apps['server.test/manifest.json']);
            manifest.components['/inner.js'].services = { Inner: { otherApps: '*' } };
            apps['server.test/manifest.json'] = JSON.stringify(manifest);
            await started({ programs, apps, openCalls: 20 });
            same(await __coreCallAsync('callService',
                { appDomain: 'server.test', service: 'Inner', method: 'fill', args: [25] }), [true, true]);
            """#)
    }

    @Test func anAbandonedCallOfThePlatformsUserLeavesNothing() throws {
        try run(
            #"""
            const programs = { 'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Open', {
                never: () => new Promise(() => {}),
            }) };
            await started({ programs });
            const call = number => rejection(__coreCallAsync('callService',
                { number, appDomain: 'server.test', service: 'Open', method: 'never', args: [] }));
            const early = call(1);
            __coreCall('abandonCall', { number: 1 });
            same((await early).abandoned, true);
            const late = call(2);
            await turns(20);
            __coreCall('abandonCall', { number: 2 });
            same((await late).connectionClosed, true);
            __coreCall('abandonCall', { number: 2 });
            same(__coreCall('countTables').connections, 0);
            """#)
    }

    @Test func objectsArePassedByReference() throws {
        try run(
            #"""
            const programs = { 'server.test/main.js': async w3n => {
                w3n.rpc.exposeService('Open', { next: connection => connection.watch({
                    async next({ callNum, data: { passedByReference: [fs] } }) {
                        await fs.writeTxtFile('from-server', fs.name);
                        connection.send({ callNum, callStatus: 'end' });
                    },
                }) });
            } };
            const apps = twoApps();
            const manifest = JSON.parse(apps['client.test/manifest.json']);
            manifest.components['/main.js'].capsRequested.storage = { appFS: 'default' };
            apps['client.test/manifest.json'] = JSON.stringify(manifest);
            const { client } = await started({ programs, apps });
            const fs = await client.w3n.storage.getAppLocalFS();
            await (await open(client)).makeRequestReplyCall('take', { passedByReference: [fs] });
            same(await fs.readTxtFile('from-server'), 'client.test');
            """#)
    }

    /// Components are called, closed and killed at random: every call of a living caller is settled, nothing is kept.
    @Test(arguments: 1...4) func everyCallIsSettledWhoeverDies(seed: Int) throws {
        try run(
            "const seed = \(seed);\n"
                + #"""
                const random = randomNumbers(seed);
                const programs = { 'server.test/main.js': async (w3n, w3nRPC) => w3nRPC.serve('Open', {
                    now: value => value,
                    async later(value) { await turns(random(4)); return value; },
                    never: () => new Promise(() => {}),
                }) };
                const apps = twoApps({ forOneConnectionOnly: seed % 2 === 0 });
                const { platform } = await started({ programs, apps });
                const calls = [];
                const connections = [];
                const isAlive = ({ connectorId }) => platform.components.has(connectorId);
                const killOne = prefix => {
                    const found = [...platform.components.values()].filter(({ id }) => id.startsWith(prefix));
                    if (found.length > 0) { platform.kill(found[random(found.length)].connectorId); }
                };
                const step = async number => {
                    const client = await platform.launch('client.test/main.js');
                    const { client: caller, connection } = connections[random(connections.length + 1)] ?? {};
                    const action = random(20);
                    if (action < 5) {
                        connections.push({ client, connection: client.w3nRPC.connect(open(client)) });
                    } else if (action < 17 && caller && isAlive(caller)) {
                        const call = { caller, number };
                        calls.push(call);
                        const settled = () => { call.isSettled = true; };
                        connection.call(['now', 'later', 'never'][random(3)], number).then(settled, settled);
                        if (action === 16) { connection.close().catch(() => {}); }
                    } else {
                        killOne(action === 17 ? 'client' : 'server');
                    }
                    await turns(random(3));
                };
                for (let number = 0; number < 100; number += 1) { await step(number); }
                for (let round = 0; round < 20; round += 1) {
                    killOne('server');
                    await turns(10);
                }
                const open_ = calls.filter(({ caller, isSettled }) => isAlive(caller) && !isSettled);
                same(open_.map(({ number }) => number), [], `open calls with seed ${seed}`);
                for (const { connectorId } of [...platform.components.values()]) { platform.kill(connectorId); }
                await turns(5);
                same(Object.values(__coreCall('countTables')), [0, 0, 0, 0, 0, 0, 0], `tables with seed ${seed}`);
                """#)
    }
}
