import JSEngine
import TestSupport
import Testing

/// Client and core side back to back, joined by the bytes of their envelopes.
@Suite struct ConnectorTests {
    private func check(_ body: String, gives expected: String, _ location: SourceLocation = #_sourceLocation) throws {
        let (result, uncaught) = try withBothSides { engine, log in
            (try engine.run(body), log.uncaught.map { "\($0.error)" })
        }
        #expect(result == expected, sourceLocation: location)
        #expect(uncaught == [], sourceLocation: location)
    }

    @Test func aPromiseCallReturnsItsResult() throws {
        try check(
            """
            const { clientSide } = pair({ mailerid: { getUserId: async () => 'me@home' }, myVersion: () => '1.2' });
            const w3n = await client.promiseW3Nclient(clientSide);
            return [await w3n.mailerid.getUserId(), await w3n.myVersion()];
            """, gives: #"["me@home","1.2"]"#)
    }

    @Test func onlyWhatTheCoreExposesIsInW3N() throws {
        try check(
            """
            const { clientSide } = pair({ closeSelf() {}, storage: { getAppLocalFS() {} }, constructor: { then() {} } });
            const w3n = await client.promiseW3Nclient(clientSide);
            return [Object.keys(w3n).sort(), Object.keys(w3n.storage), Object.keys(w3n.constructor)];
            """, gives: #"[["closeSelf","constructor","log","storage"],["getAppLocalFS"],["then"]]"#)
    }

    @Test func errorsCrossAsExceptionObjectsOrWithTheirText() throws {
        try check(
            """
            const thrown = [{ runtimeException: true, type: 'file', code: 'ENOENT', notFound: true }, new RangeError('far'), 'text', 7];
            const { clientSide } = pair({ system: { fail: async i => { throw thrown[i]; }, failAtOnce: i => { throw thrown[i]; } } });
            const { system } = await client.promiseW3Nclient(clientSide);
            const got = [];
            for (const method of ['fail', 'failAtOnce']) {
                for (let i = 0; i < 4; i += 1) {
                    const err = await rejection(system[method](i));
                    got.push(err instanceof Error ? [err.message, err.cause] : err);
                }
            }
            const cyclic = { runtimeException: true, type: 'file' };
            cyclic.cause = cyclic;
            thrown[0] = cyclic;
            return [got.slice(0, 4), JSON.stringify(got.slice(4)) === JSON.stringify(got.slice(0, 4)),
                (await rejection(system.fail(0))).message.startsWith('Error from other side of ipc')];
            """,
            gives:
                #"[[{"runtimeException":true,"type":"file","code":"ENOENT","notFound":true},"#
                + #"["Error from other side of ipc: RangeError: far","RangeError: far"],"#
                + #"["Error from other side of ipc: text","text"],["Error from other side of ipc: 7",7]],true,true]"#)
    }

    @Test func anObservableCallGivesValuesAndCompletes() throws {
        try check(
            """
            const { clientSide } = pair({ connectivity: { watch(observer) {
                [1, { n: 2 }, undefined, new Uint8Array([3])].forEach(value => observer.next(value));
                observer.complete();
                observer.next('late');
                return () => {};
            } } });
            const { connectivity } = await client.promiseW3Nclient(clientSide);
            const got = [];
            await new Promise(complete => connectivity.watch({ next: value => got.push(value), complete }));
            await turn();
            return [got.length, got[0], got[1], got[2] === undefined, hexOf(got[3])];
            """, gives: #"[4,1,{"n":2},true,"03"]"#)
    }

    @Test func cancellingAnObservableCallStopsItInTheCore() throws {
        try check(
            """
            const events = [];
            let source;
            const { clientSide, sent } = pair({ connectivity: { watch(observer) {
                source = observer;
                return () => events.push('stopped');
            } } });
            const { connectivity } = await client.promiseW3Nclient(clientSide);
            const stop = connectivity.watch({ next: value => events.push(value), complete: () => events.push('complete') });
            await turn();
            source.next('first');
            await turn();
            stop();
            stop();
            source.next('after');
            await turn();
            source.next('late');
            source.complete();
            await turn();
            return [events, sent];
            """, gives: #"[["first","stopped"],["start","interim","cancel","interim"]]"#)
    }

    @Test func anObservableCallThatFailsTellsItsObserver() throws {
        try check(
            """
            const exc = { runtimeException: true, type: 'rpc', connectionClosed: true };
            const { clientSide } = pair({ connectivity: { watch(observer) { observer.error(exc); } },
                rpc: { exposeService() { throw exc; } } });
            const { connectivity, rpc } = await client.promiseW3Nclient(clientSide);
            return [await new Promise(error => connectivity.watch({ error })),
                await new Promise(error => rpc.exposeService('S', { error }))];
            """,
            gives:
                #"[{"runtimeException":true,"type":"rpc","connectionClosed":true},"#
                + #"{"runtimeException":true,"type":"rpc","connectionClosed":true}]"#)
    }

    @Test func namesAreListedOverTheWireToo() throws {
        try check(
            """
            const { clientSide, sent } = pair({ myVersion: () => '3', storage: { getAppLocalFS() {} } }, undefined, true);
            const { caller } = clientSide;
            const w3n = await client.promiseW3Nclient(clientSide);
            return [await caller.listObjAsync(['w3n']), await w3n.myVersion(), await rejection(caller.listObjAsync(['w3n', 'none'])),
                sent.filter(type => type === 'list-obj').length];
            """,
            gives:
                #"[["myVersion","storage"],"3",{"runtimeException":true,"type":"ipc","objectNotFound":true,"#
                + #""path":["w3n","none"]},4]"#)
    }

    @Test func aNumberInUseIsReplacedByAnother() throws {
        try check(
            """
            const toClient = subject();
            const numbers = [];
            const { caller } = client.ObjectsConnector.makeClientSide({ next({ headers: { fnCallNum, path }, body }) {
                numbers.push(fnCallNum.value);
                const inUse = numbers.length < 4;
                toClient.next(inUse ? duplicate(fnCallNum.value) : envelope('end', fnCallNum.value, undefined, body.value));
            }, complete() {}, error() {} }, toClient);
            const back = await caller.startPromiseCall(['w3n', 'x'], new Uint8Array([9]));
            return [numbers.length, new Set(numbers).size, hexOf(back)];
            """, gives: #"[4,4,"09"]"#)
    }

    @Test func afterAHundredNumbersInUseTheCallFails() throws {
        try check(
            """
            const toClient = subject();
            const numbers = new Set();
            const { caller } = client.ObjectsConnector.makeClientSide({ next({ headers: { fnCallNum } }) {
                numbers.add(fnCallNum.value);
                toClient.next(duplicate(fnCallNum.value));
            }, complete() {}, error() {} }, toClient);
            return [await rejection(caller.startPromiseCall(['w3n', 'x'])), numbers.size];
            """, gives: #"[{"runtimeException":true,"type":"ipc","duplicateFnCallNum":true},101]"#)
    }

    @Test func aDuplicateNumberIsRefusedAndTheFirstCallGoesOn() throws {
        try check(
            """
            let finish;
            const { send, replies } = loneCore({ myVersion: () => new Promise(resolve => { finish = resolve; }) });
            send(envelope('start', 5, ['w3n', 'myVersion']));
            send(envelope('start', 5, ['w3n', 'myVersion']));
            finish('v');
            await turn();
            return [exceptionIn(replies[0]), replies[1].msgType, replies.length];
            """, gives: #"[{"runtimeException":true,"type":"ipc","duplicateFnCallNum":true},"end",2]"#)
    }

    @Test(arguments: [
        ("coreSide.close()", "stopFromOtherSide"), ("clientSide.close()", "connectorStop"),
        ("clientSide.close('why')", "connectorStop"),
    ])
    func stoppingRejectsPendingCallsAtOnce(close: String, flag: String) throws {
        try check(
            """
            const events = [];
            const { coreSide, clientSide } = pair({ myVersion: () => new Promise(() => {}), connectivity: {
                watch: () => () => events.push('stopped'),
            } });
            const w3n = await client.promiseW3Nclient(clientSide);
            const pending = rejection(w3n.myVersion()).then(exc => events.push(exc.\(flag)));
            w3n.connectivity.watch({ error: exc => events.push(exc.\(flag)) });
            await turn();
            \(close);
            \(close);
            await Promise.resolve().then(() => pending);
            const later = await rejection(w3n.myVersion());
            const laterObservable = await new Promise(error => w3n.connectivity.watch({ error }));
            return [events.map(String).sort(), later.ipcNotConnected, laterObservable.ipcNotConnected];
            """, gives: #"[["stopped","true","true"],true,true]"#)
    }

    @Test func aSendThatFailsRejectsItsCall() throws {
        try check(
            """
            const refuse = () => { throw { runtimeException: true, type: 'ipc', ipcNotConnected: true }; };
            const { caller } = client.ObjectsConnector.makeClientSide({ next: refuse, complete() {}, error() {} }, subject());
            return [await rejection(caller.startPromiseCall(['w3n', 'x'])),
                await new Promise(error => caller.startObservableCall(['w3n', 'x'], undefined, { error }))];
            """,
            gives:
                #"[{"runtimeException":true,"type":"ipc","ipcNotConnected":true},"#
                + #"{"runtimeException":true,"type":"ipc","ipcNotConnected":true}]"#)
    }

    @Test func aResultThatCannotTravelIsAnErrorOfItsCall() throws {
        try check(
            """
            const cyclic = {};
            cyclic.self = cyclic;
            const results = [cyclic, () => 1, 10n];
            const { clientSide } = pair({ system: { get: i => results[i] }, connectivity: { watch(o) { o.next(cyclic); } } });
            const { system, connectivity } = await client.promiseW3Nclient(clientSide);
            const got = [];
            for (let i = 0; i < 3; i += 1) { got.push((await rejection(system.get(i))).cause); }
            got.push((await new Promise(error => connectivity.watch({ error }))).cause.split(':')[0]);
            got.push((await rejection(system.get(cyclic))).name);
            return got;
            """,
            gives:
                #"["TypeError: Cannot send a value that is cyclic or nested deeper than 100","#
                + #""TypeError: Cannot send a function","TypeError: JSON.stringify cannot serialize BigInt.","#
                + #""TypeError","TypeError"]"#)
    }

    @Test func aBigBodyIsWholeWhenItArrives() throws {
        try check(
            """
            const { clientSide } = pair({ system: { echo: value => value } });
            const { system } = await client.promiseW3Nclient(clientSide);
            const got = [];
            for (const size of [0, 1, 127, 128, 16000, 16384, 70000, 1 << 20, 5 << 20]) {
                const data = new Uint8Array(size).map((_, i) => i * 7 + (i >> 8));
                const back = await system.echo({ data, name: 'x' });
                got.push(back.name === 'x' && back.data.length === size && back.data.every((byte, i) => byte === data[i]));
            }
            return got.every(Boolean);
            """, gives: "true")
    }
}
