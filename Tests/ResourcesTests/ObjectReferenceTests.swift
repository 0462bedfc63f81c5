import JSEngine
import TestSupport
import Testing

/// Objects that calls return are references to the core's objects.
@Suite struct ObjectReferenceTests {
    private static let fileSystem = """
        function makeFS(name = '', extra = {}) {
            return { type: 'local', writable: true, name, readBytes: async path => new Uint8Array([path.length]),
                writeBytes: async () => {}, readonlySubRoot: async path => makeFS(path, { writable: false }),
                close() {}, ...extra };
        }

        """

    private func check(_ body: String, gives expected: String, _ location: SourceLocation = #_sourceLocation) throws {
        let result = try withBothSides { engine, _ in try engine.run(Self.fileSystem + body) }
        #expect(result == expected, sourceLocation: location)
    }

    @Test func aFileSystemHasItsPropertiesAndMethods() throws {
        try check(
            """
            const { clientSide } = pair({ storage: { getAppLocalFS: async name => makeFS(name) } });
            const { storage } = await client.promiseW3Nclient(clientSide);
            const fs = await storage.getAppLocalFS('apps');
            const sub = await fs.readonlySubRoot('inner');
            return [fs.type, fs.name, fs.writable, fs.v === undefined, hexOf(await fs.readBytes('four')), typeof fs.writeBytes,
                sub.name, typeof sub.writeBytes, hexOf(await sub.readBytes('x')), (await rejection(fs.stat('x'))).callFnNotFound];
            """, gives: #"["local","apps",true,true,"04","function","inner","undefined","01",true]"#)
    }

    @Test func methodsOfAnObjectMayBeInItsPrototype() throws {
        try check(
            """
            class FS {
                #text = 'hidden';
                name = 'n';
                async readTxtFile() { return this.#text; }
            }
            const { clientSide } = pair({ storage: { getAppLocalFS: () => new FS() } });
            const fs = await (await client.promiseW3Nclient(clientSide)).storage.getAppLocalFS();
            return [fs.name, await fs.readTxtFile('x')];
            """, gives: #"["n","hidden"]"#)
    }

    @Test func aReferenceComesBackAsTheSameObject() throws {
        try check(
            """
            const original = makeFS('mine');
            let passed;
            const { clientSide } = pair({ storage: { getAppLocalFS: () => original }, rpc: { thisApp: () => ({
                makeRequestReplyCall: async (method, request) => { passed = request; return request; }, close() {},
            }) } });
            const { storage, rpc } = await client.promiseW3Nclient(clientSide);
            const fs = await storage.getAppLocalFS();
            const connection = await rpc.thisApp('S');
            const reply = await connection.makeRequestReplyCall('m', { bytes: new Uint8Array([1]), passedByReference: [fs] });
            return [passed.passedByReference[0] === original, hexOf(passed.bytes), reply.passedByReference[0].name,
                hexOf(await reply.passedByReference[0].readBytes('abc'))];
            """, gives: #"[true,"01","mine","03"]"#)
    }

    @Test func aReferenceIsGoodOnItsOwnConnectionOnly() throws {
        try check(
            """
            const one = pair({ storage: { getAppLocalFS: () => makeFS('one') } });
            const two = pair({ storage: { getAppLocalFS: () => makeFS('two') }, system: { take: async () => 'taken' } });
            const fs = await (await client.promiseW3Nclient(one.clientSide)).storage.getAppLocalFS();
            const ref = one.clientSide.caller.srvRefOf(fs);
            await (await client.promiseW3Nclient(two.clientSide)).storage.getAppLocalFS();
            const direct = await rejection(two.clientSide.caller.startPromiseCall([...ref.path, 'readBytes']));
            let forged;
            try { two.coreSide.exposedServices.getOriginalObj(ref); } catch (exc) { forged = exc; }
            let otherType;
            try { one.coreSide.exposedServices.getOriginalObj({ ...ref, objType: 'RPCConnection' }); } catch (exc) { otherType = exc; }
            return [direct.objectNotFound, forged.invalidReference, otherType.invalidReference,
                one.coreSide.exposedServices.getOriginalObj(ref).name];
            """, gives: #"[true,true,true,"one"]"#)
    }

    @Test func collectingAProxyDropsTheCoresObject() throws {
        let (dropped, closed) = try withBothSides { engine, _ in
            try engine.evaluate(
                """
                var closed = 0;
                var joined = pair({ rpc: { thisApp: () => ({ close() { closed += 1; } }) } });
                var made = client.promiseW3Nclient(joined.clientSide).then(async ({ rpc }) => {
                    for (let i = 0; i < 50; i += 1) { await rpc.thisApp('S'); }
                });
                """, sourceName: "test.js")
            _ = try engine.settle("made")
            var isOver = false
            for _ in 0..<50 where !isOver {
                _ = try engine.settle("turn()")
                engine.collectNow()
                isOver = try engine.settle("closed >= 40") == "true"
            }
            return (try engine.settle("joined.sent.includes('drop')"), isOver)
        }
        #expect(dropped == "true")
        #expect(closed)
    }

    @Test func anOpenCallKeepsItsObjectFromBeingDropped() throws {
        let result = try withBothSides { engine, _ in
            try engine.evaluate(
                """
                var closed = 0;
                var source;
                var got = [];
                var joined = pair({ rpc: { thisApp: () => ({
                    startObservableCall(method, request, observer) { source = observer; }, close() { closed += 1; },
                }) } });
                var begun = client.promiseW3Nclient(joined.clientSide)
                    .then(({ rpc }) => rpc.thisApp('S'))
                    .then(connection => { connection.startObservableCall('m', undefined, { next: value => got.push(value) }); })
                    .then(turn);
                """, sourceName: "test.js")
            _ = try engine.settle("begun")
            for _ in 0..<10 {
                _ = try engine.settle("turn()")
                engine.collectNow()
            }
            return try engine.run("source.next('still here'); await turn(); return [got, closed];")
        }
        #expect(result == #"[["still here"],0]"#)
    }

    @Test func theEndOfAConnectionDropsEverything() throws {
        try check(
            """
            const closed = [];
            const { coreSide, clientSide } = pair({ rpc: { thisApp: name => ({ close() { closed.push(name); } }) } });
            const { rpc } = await client.promiseW3Nclient(clientSide);
            const kept = [await rpc.thisApp('a'), await rpc.thisApp('b')];
            const ref = clientSide.caller.srvRefOf(kept[0]);
            clientSide.close();
            let gone;
            try { coreSide.exposedServices.getOriginalObj(ref); } catch (exc) { gone = exc.invalidReference; }
            return [closed, gone, kept.length];
            """, gives: #"[["a","b"],true,2]"#)
    }

    @Test func incomingConnectionsServeCalls() throws {
        try check(
            """
            const sent = [];
            let incoming;
            const { clientSide } = pair({ rpc: { exposeService(service, observer) {
                observer.next({ watch(o) { incoming = o; return () => {}; }, send: async reply => { sent.push(reply); }, close() {} });
                return () => sent.push('unexposed');
            } } });
            globalThis.w3n = await client.promiseW3Nclient(clientSide);
            const ticks = [];
            const stop = client.w3nRPC.serve('Sums', {
                add: (a, b) => a + b, nothing() {}, fail() { throw new RangeError('too far'); },
                refuse() { throw { runtimeException: true, type: 'mine', code: 1 }; },
            }, { observables: { ticks(count, observer) { ticks.push(observer); return () => ticks.push('stopped'); } } });
            for (let i = 0; i < 5 && !incoming; i += 1) { await turn(); }
            const start = (callNum, method, ...args) =>
                incoming.next({ msgType: 'start', callNum, method, data: { bytes: core.valuesSequence.pack(args) } });
            start(1, 'add', 2, 3);
            incoming.next({ msgType: 'start', callNum: 2, method: 'nothing' });
            start(3, 'fail');
            start(4, 'refuse');
            start(5, 'constructor');
            start(6, 'ticks', 2);
            for (let i = 0; i < 4; i += 1) { await turn(); }
            ticks[0].next('tick');
            await turn();
            incoming.next({ msgType: 'cancel', callNum: 6 });
            await turn();
            stop();
            await turn();
            const plain = sent.map(reply => reply.data ? { ...reply, data: core.valuesSequence.unpack(reply.data.bytes) } : reply);
            return [plain.slice(0, -2).sort((a, b) => a.callNum - b.callNum), plain.slice(-2), ticks[1]];
            """,
            gives:
                #"[[{"callNum":1,"callStatus":"end","data":[5]},{"callNum":2,"callStatus":"end"},"#
                + #"{"callNum":3,"callStatus":"error","err":{"runtimeException":true,"type":"service","name":"RangeError","#
                + #""message":"too far"}},{"callNum":4,"callStatus":"error","err":{"runtimeException":true,"type":"mine","#
                + #""code":1}},{"callNum":5,"callStatus":"error","err":{"runtimeException":true,"type":"ipc","#
                + #""callFnNotFound":true,"message":"No method constructor in this service"}}],"#
                + #"[{"callNum":6,"callStatus":"interim","data":["tick"]},"unexposed"],"stopped"]"#)
    }

    @Test func callersCodeArgumentsAndResults() throws {
        try check(
            """
            const seen = [];
            const { clientSide } = pair({ rpc: { otherAppsRPC: (app, service) => ({
                async makeRequestReplyCall(method, request) {
                    seen.push([method, request ? core.valuesSequence.unpack(request.bytes) : null]);
                    return method === 'nothing' ? undefined : { bytes: core.valuesSequence.pack([{ app, service }]) };
                },
                startObservableCall(method, request, observer) {
                    observer.next({ bytes: core.valuesSequence.pack([request ? 1 : 0]) });
                    observer.complete();
                    return () => {};
                },
                close() { seen.push('closed'); },
            }) } });
            const { rpc } = await client.promiseW3Nclient(clientSide);
            const contacts = client.w3nRPC.connect(rpc.otherAppsRPC('contacts.app', 'AppContacts'));
            const result = await contacts.call('find', { name: 'Ann' }, 2);
            const nothing = await contacts.call('nothing');
            const values = [];
            await new Promise(complete => contacts.observe('watch', { next: value => values.push(value), complete }));
            const api = client.w3nRPC.callerOf(rpc.otherAppsRPC('x', 'y'), ['get'], ['watch']);
            await new Promise(complete => api.watch(1, { next: value => values.push(value), complete }));
            await contacts.close();
            return [result, nothing === undefined, values, await api.get(), seen];
            """,
            gives:
                #"[{"app":"contacts.app","service":"AppContacts"},true,[0,1],{"app":"x","service":"y"},"#
                + #"[["find",[{"name":"Ann"},2]],["nothing",null],"closed",["get",null]]]"#)
    }
}
