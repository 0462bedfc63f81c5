import JSEngine
import TestSupport
import Testing

/// What a hostile component can send to the core.
@Suite struct HostileEnvelopeTests {
    private static let names = [
        "__proto__", "constructor", "then", "hasOwnProperty", "toString", "prototype", "length", "__defineGetter__",
    ]

    private func check(_ body: String, gives expected: String, _ location: SourceLocation = #_sourceLocation) throws {
        let (result, uncaught) = try withBothSides { engine, log in
            engine.global.set("names", engine.array(Self.names, engine.string))
            return (try engine.run(body), log.uncaught.map { "\($0.error)" })
        }
        #expect(result == expected, sourceLocation: location)
        #expect(uncaught == [], sourceLocation: location)
    }

    @Test func anUnknownTypeIsAnsweredOrReported() throws {
        try check(
            """
            const { send, replies, violations } = loneCore({ myVersion() {} });
            send(envelope('explode', 1, ['w3n']));
            send(envelope('explode', undefined, ['w3n']));
            send(envelope('start', undefined, ['w3n', 'myVersion']));
            send(envelope('drop', undefined, ['a', 'b']));
            send(envelope('drop', undefined));
            return [replies.map(exceptionIn), violations.length];
            """, gives: #"[[{"runtimeException":true,"type":"ipc","invalidType":true}],4]"#)
    }

    @Test func unknownPathsAreAnswered() throws {
        try check(
            """
            const { send, replies, deliver: tooLong } = loneCore({ myVersion() {}, storage: { getAppLocalFS() {} } });
            const paths = [['w3n', 'nope'], ['w3n', 'storage', 'nope'], ['nope', 'x'], ['w3n', 'nope', 'nope'], ['w3n', 'myVersion', 'call'],
                ['w3n'], ['w3n', 'storage'], ['nope'], [], undefined];
            for (const path of paths) { send(envelope('start', 1, path)); }
            tooLong(envelope('start', 1, new Array(33).fill('w3n')));
            for (const path of [['w3n', 'nope'], ['nope'], undefined, ['w3n', 'myVersion']]) { send(envelope('list-obj', 1, path)); }
            send(envelope('start', 1, ['w3n', 'x'.repeat(2000)]));
            return replies.map(reply => Object.keys(exceptionIn(reply)).filter(key => /Found|invalid/.test(key))[0]);
            """,
            gives:
                #"["callFnNotFound","callFnNotFound","objectNotFound","objectNotFound","callFnNotFound","callFnNotFound","#
                + #""callFnNotFound","objectNotFound","invalidPath","invalidPath","invalidPath","objectNotFound","#
                + #""objectNotFound","objectNotFound","objectNotFound","invalidPath"]"#)
    }

    @Test func namesOfPrototypesAreOrdinaryNames() throws {
        try check(
            """
            const w3n = { myVersion: () => 'v', storage: { getAppLocalFS: () => ({ name: 'fs', readBytes() {} }) } };
            const { send, replies, side } = loneCore(w3n);
            send(envelope('start', 1, ['w3n', 'storage', 'getAppLocalFS']));
            await turn();
            const fs = side.exposedServices.listObj(['w3n', 'storage']);
            const seen = [];
            for (const name of names) {
                for (const path of [[name], [name, name], ['w3n', name], ['w3n', name, 'x'], ['w3n', 'storage', name], ['w3n', 'storage', name, name],
                    ['w3n', 'myVersion', name]]) {
                    replies.length = 0;
                    send(envelope('start', 2, path));
                    send(envelope('list-obj', 3, path));
                    await turn();
                    for (const reply of replies) {
                        if (reply.msgType !== 'error') { seen.push([reply.msgType, path]); continue; }
                        const exc = exceptionIn(reply);
                        if (!exc.objectNotFound && !exc.callFnNotFound) { seen.push([exc, path]); }
                    }
                    if (replies.length !== 2) { seen.push([replies.length, path]); }
                    send(envelope('drop', undefined, [name]));
                }
            }
            return [seen, fs];
            """, gives: #"[[],["getAppLocalFS"]]"#)
    }

    @Test func namesOfPrototypesTravelInsideValues() throws {
        try check(
            """
            const { clientSide } = pair({ system: { echo: value => value, keys: value => Object.keys(value) } });
            const { system } = await client.promiseW3Nclient(clientSide);
            const wrong = [];
            for (const name of names) {
                const value = Object.fromEntries([[name, { [name === '__proto__' ? 'x' : name]: 1, bytes: new Uint8Array([7]) }]]);
                const back = await system.echo(value);
                if (!Object.hasOwn(back, name) || hexOf(back[name].bytes) !== '07') { wrong.push(name); }
                if ((await system.keys(value))[0] !== name) { wrong.push(`keys ${name}`); }
            }
            return [wrong, ({}).bytes === undefined, typeof ({}).toString];
            """, gives: #"[[],true,"function"]"#)
    }

    @Test func locationsReachOwnMembersOnly() throws {
        try check(
            """
            const { send, replies } = loneCore({ system: { take: value => JSON.stringify(value) } });
            const text = value => { const bytes = new TextEncoder().encode(value); return [bytes.length, ...bytes]; };
            const field = (number, content) => [number * 8 + 2, content.length, ...content];
            const locations = [...names.map(name => [name]), ...names.map(name => ['a', name]), ['a', 'b', 'c'], ['missing'], [], ['list', 'length'], ['list', '1'],
                ['list', '-1'], ['text', '0'], ['text', 'length']];
            for (const location of locations) {
                const binary = [...field(1, [1, 2, 3]), ...location.flatMap(name => [0x12, ...text(name)])];
                const value = [0x0a, ...text('{"a":{},"list":[0],"text":"t"}'), ...field(2, binary)];
                send(envelope('start', 1, ['w3n', 'system', 'take'], new Uint8Array(field(1, value))));
                await turn();
            }
            return [replies.length === locations.length, replies.every(reply => reply.msgType === 'error' && exceptionIn(reply).badReply),
                ({}).a === undefined, Object.keys(Object.prototype)];
            """, gives: #"[true,true,true,[]]"#)
    }

    @Test func deepNestingIsRefused() throws {
        try check(
            """
            const { send, replies } = loneCore({ system: { take: value => value === undefined } });
            const start = json => {
                const bytes = new TextEncoder().encode(json);
                send(envelope('start', 1, ['w3n', 'system', 'take'], sequence(bytes)));
            };
            const length = n => n < 128 ? [n] : n < 16384 ? [n & 127 | 128, n >> 7] : [n & 127 | 128, n >> 7 & 127 | 128, n >> 14];
            const sequence = json => {
                const value = [0x0a, ...length(json.length), ...json];
                return new Uint8Array([0x0a, ...length(value.length), ...value]);
            };
            const nest = (open, close, depth) => open.repeat(depth) + close.repeat(depth);
            for (const json of [nest('[', ']', 100), nest('[', ']', 101), nest('[', ']', 1000), nest('{"a":', '}', 1000).replace('}', '1}'),
                '['.repeat(50000), '"' + '['.repeat(1000) + '\\\\\\\\"', JSON.stringify(['\\\\"' + '{'.repeat(500)])]) {
                start(json);
                await turn();
            }
            return replies.map(reply => reply.msgType === 'end' ? 'ok' : exceptionIn(reply).badReply);
            """, gives: #"["ok",true,true,true,true,"ok","ok"]"#)
    }

    @Test func forgedReferencesAreRefused() throws {
        try check(
            """
            let taken = 0;
            const { side, send, replies } = loneCore({ system: { take() { taken += 1; } }, storage: { getAppLocalFS: () => ({ name: 'x' }) } });
            send(envelope('start', 1, ['w3n', 'storage', 'getAppLocalFS']));
            await turn();
            const text = value => { const bytes = new TextEncoder().encode(value); return [bytes.length, ...bytes]; };
            const field = (number, content) => [number * 8 + 2, content.length, ...content];
            const id = new TextDecoder().decode(bytesOf(replies[0].bodyHex)).match(/[0-9a-z]+-1/)[0];
            const refs = [['FS', id], ['RPCConnection', id], ['FS', `${id}0`], ['FS', 'w3n'], ['', 'w3n'], ['w3n', 'w3n'], ['undefined', 'w3n'], ['FS', id, 'readBytes'], ['FS'],
                ['__proto__', '__proto__'], ['constructor', 'constructor']];
            for (const [type, ...path] of refs) {
                const ref = [0x0a, ...text(type), ...path.flatMap(name => [0x12, ...text(name)])];
                const value = field(5, field(2, ref));
                send(envelope('start', 1, ['w3n', 'system', 'take'], new Uint8Array(field(1, value))));
                await turn();
            }
            send(envelope('start', 1, ['w3n', 'system', 'take'], new Uint8Array(field(1, field(5, [])))));
            return [taken, replies.length, replies.slice(2).every(reply => exceptionIn(reply).invalidReference), side !== undefined];
            """, gives: "[1,13,true,true]")
    }

    @Test func giantCallNumbersAreAViolationAndBigOnesAreFine() throws {
        try check(
            """
            const { send, replies, violations } = loneCore({ myVersion: () => 'v' });
            const start = number => send(bytesOf('0a' + (26 + number.length / 2).toString(16) + '0a05' + '7374617274' + '12'
                + (1 + number.length / 2).toString(16).padStart(2, '0') + '08' + number + '1a0377336e' + '1a096d7956657273696f6e'));
            start('ffffffffffffff0f');
            start('8080808080808010');
            start('ffffffffffffffffff01');
            start('ffffffffffffffffffff01');
            await turn();
            return [replies.map(reply => reply.fnCallNum), violations.length];
            """, gives: "[[9007199254740991],3]")
    }

    @Test func openCallsAndExposedObjectsAreBounded() throws {
        try check(
            """
            let cancelled = 0;
            const { send, replies } = loneCore({ connectivity: { watch: () => () => { cancelled += 1; } },
                storage: { getAppLocalFS: () => ({ name: 'fs' }) } });
            for (let i = 1; i <= 4100; i += 1) { send(envelope('start', i, ['w3n', 'connectivity', 'watch'])); }
            const refused = replies.map(exceptionIn).filter(exc => exc.quotaExceeded).length;
            for (let i = 1; i <= 4100; i += 1) { send(envelope('cancel', i)); }
            replies.length = 0;
            for (let i = 1; i <= 16390; i += 1) {
                send(envelope('start', i, ['w3n', 'storage', 'getAppLocalFS']));
                if (i % 1000 === 0) { await turn(); }
            }
            await turn();
            return [refused, cancelled, replies.filter(reply => reply.msgType === 'end').length,
                exceptionIn(replies.at(-1)).quotaExceeded];
            """, gives: "[4,4096,16383,true]")
    }

    @Test func whatIsNoEnvelopeIsAViolation() throws {
        try check(
            """
            const { send, replies, violations } = loneCore({ myVersion() {} });
            const bad = ['', '00', 'ff', '0a', '0a05', '0a00', '1200', '0aff', '0b', '0c', '0a020a00', '080a', '0a0508011a0161', '0a03120108',
                '0a040a02ffff', '120208010a00', '0a0c0a0573746172741203080100'];
            for (const hex of bad) { send(bytesOf(hex)); }
            const many = '1a00'.repeat(33);
            send(bytesOf('0a' + (7 + 66).toString(16) + '0a057374617274' + many));
            core.makeReceiver({ next() {} }, text => violations.push(text))('no bytes');
            return [replies, violations.length - bad.length];
            """, gives: "[[],2]")
    }

    @Test func unknownFieldsAreSkipped() throws {
        try check(
            """
            const { send, replies, violations } = loneCore({ myVersion: () => 'v' });
            const known = '0a057374617274' + '12020801' + '1a0377336e' + '1a096d7956657273696f6e';
            const unknown = '2005' + '2a0161' + '31' + '00'.repeat(8) + '3d' + '00'.repeat(4) + 'f2ff7f00';
            const header = unknown + known;
            send(bytesOf('1a03010203' + '0a' + (header.length / 2).toString(16) + header));
            await turn();
            return [replies.map(reply => reply.msgType), violations];
            """, gives: #"[["end"],[]]"#)
    }

    /// Random bytes, and mutations of good messages, into both sides: nothing throws, nothing hangs.
    @Test func randomBytesNeverThrow() throws {
        let seed = UInt32.random(in: 1...UInt32.max)
        let (result, uncaught) = try withBothSides { engine, log in
            try engine.load(test: "Scripts/fuzz.js")
            engine.global.set("vectors", engine.string(try Scripts.test("Vectors/envelopes.json")))
            return (try engine.settle("fuzz(JSON.parse(vectors), \(seed), 20000)"), log.uncaught.map { "\($0.error)" })
        }
        #expect(result == #"{"threw":[],"alive":"v"}"#, "seed \(seed)")
        #expect(uncaught == [], "seed \(seed)")
    }
}
