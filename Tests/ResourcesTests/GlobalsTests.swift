import JSEngine
import TestSupport
import Testing

/// What `common-preload.js` and the scripts in `lazy/` give to every context.
@Suite struct GlobalsTests {
    private func check(_ body: String, gives expected: String, _ location: SourceLocation = #_sourceLocation) throws {
        let (result, uncaught) = try withGlobals { engine, log in
            (try engine.run(body), log.uncaught.map { "\($0.error)" })
        }
        #expect(result == expected, sourceLocation: location)
        #expect(uncaught == [], sourceLocation: location)
    }

    @Test func nativeIsTakenAndGlobalsAreNotEnumerable() throws {
        try check(
            """
            return [self === globalThis, typeof __native, Object.keys(globalThis).filter(name => !name.startsWith('__')),
                ['URL', 'structuredClone', 'AbortController', 'performance', 'atob'].map(name => typeof globalThis[name])];
            """, gives: #"[true,"undefined",[],["function","function","function","object","function"]]"#)
    }

    @Test func lazyGlobalsCanBeReplaced() throws {
        try check(
            "globalThis.URL = 5; globalThis.atob = 6; return [URL, atob, typeof btoa];", gives: #"[5,6,"function"]"#)
    }

    // MARK: Timers

    @Test func timersFireByDueTimeThenByCreation() throws {
        try check(
            """
            const fired = [];
            const note = name => () => fired.push(name);
            setTimeout(note('e'), 40);
            setTimeout(note('c'), 20);
            setTimeout(note('d'), 20);
            setTimeout(note('a'), 0, 'argument');
            setImmediate(note('b'));
            clearTimeout(setTimeout(note('never'), 1));
            clearTimeout(undefined);
            clearTimeout(12345);
            await new Promise(resolve => setTimeout(resolve, 60, 'x'));
            return fired;
            """, gives: #"["a","b","c","d","e"]"#)
    }

    @Test func anIntervalRepeatsUntilItIsCleared() throws {
        try check(
            """
            const seen = [];
            await new Promise(resolve => {
                const id = setInterval((...args) => {
                    seen.push(args);
                    if (seen.length === 3) { clearInterval(id); resolve(); }
                }, 2, 'a', 1);
            });
            await new Promise(resolve => setTimeout(resolve, 10));
            return seen;
            """, gives: #"[["a",1],["a",1],["a",1]]"#)
    }

    @Test func microtasksRunBetweenTimers() throws {
        try check(
            """
            const seen = [];
            setTimeout(() => { seen.push(1); queueMicrotask(() => seen.push('micro')); });
            setTimeout(() => seen.push(2));
            await new Promise(resolve => setTimeout(resolve, 5));
            return seen;
            """, gives: #"[1,"micro",2]"#)
    }

    @Test func aTimerThatThrowsDoesNotStopTheOthers() throws {
        let (result, uncaught) = try withGlobals { engine, log in
            let result = try engine.run(
                """
                const seen = [];
                setTimeout(() => { throw new Error('first'); });
                queueMicrotask(() => { throw new Error('micro'); });
                const id = setInterval(() => { seen.push('again'); if (seen.length === 2) { clearInterval(id); } throw 'each'; }, 1);
                while (seen.length < 2) { await new Promise(resolve => setTimeout(resolve, 1)); }
                return seen;
                """)
            return (result, log.uncaught.map(\.error.message))
        }
        #expect(result == #"["again","again"]"#)
        #expect(uncaught.sorted() == ["each", "each", "first", "micro"])
    }

    @Test func timersRefuseWhatIsNoFunction() throws {
        try check(
            "return ['x', undefined, {}].map(bad => { try { setTimeout(bad); } catch (err) { return err.name; } });",
            gives: #"["TypeError","TypeError","TypeError"]"#)
    }

    // MARK: Uncaught errors

    @Test(arguments: [
        ("self.onerror = (...args) => { seen.push(args[0]); }", ["boom"], 1),
        ("self.onunhandledrejection = event => { seen.push(event.reason); }", ["lost"], 1),
        ("addEventListener('error', event => { seen.push(event.message); event.preventDefault(); })", ["boom"], 1),
        (
            "addEventListener('unhandledrejection', event => { seen.push(event.reason); event.preventDefault(); })",
            ["lost"],
            1
        ),
        ("addEventListener('error', event => { seen.push(event.message); })", ["boom"], 2),
        ("self.onerror = () => { throw 'inside'; }", [], 2),
        ("self.onerror = 5", [], 2),
    ])
    func handlersAreServed(handler: String, seen: [String], left: Int) throws {
        let (result, uncaught) = try withGlobals { engine, log in
            let result = try engine.run(
                """
                globalThis.seen = [];
                \(handler);
                reportError(new Error('boom'));
                Promise.reject('lost');
                await new Promise(resolve => setTimeout(resolve, 1));
                return seen;
                """)
            return (result, log.uncaught.count)
        }
        #expect(result == "[\(seen.map { "\"\($0)\"" }.joined(separator: ","))]")
        #expect(uncaught == left)
    }

    // MARK: Console

    @Test func theConsoleFormatsWhatItGets() throws {
        let lines = try withGlobals { engine, log in
            try engine.evaluate(
                """
                console.log('plain', 'text %s');
                console.log('%s is %d, %i%%, %o', 'x', '4.5', 4.5, { a: [1] }, 'rest');
                console.info({ text: 'a"b', nested: { map: new Map([['k', 1]]), set: new Set([2]) }, bytes: new Uint8Array([1, 2]) });
                const cycle = { get getter() { throw 1; } };
                cycle.self = cycle;
                console.warn(cycle, null, undefined, -0, 10n, Symbol('s'), function named() {}, [,1], new Date(0));
                console.error(new Error('bad', { cause: { runtimeException: true, type: 'file' } }));
                console.log(new Proxy({}, { ownKeys() { throw 1; }, get() { throw 2; } }));
                let deep = {};
                for (let i = 0; i < 10000; i += 1) { deep = { deep }; }
                console.log(deep);
                console.group('group');
                console.log('in');
                console.groupEnd();
                console.count('n');
                console.count('n');
                console.assert(true, 'no');
                console.assert(false, 'yes');
                console.log('🙂'.repeat(3), {}, [], { 'a-b': 1 });
                """, sourceName: "app.js")
            return log.lines
        }
        #expect(
            lines == [
                "plain text %s", "x is 4.5, 4%, { a: [ 1 ] } rest",
                "{\n  text: \"a\\\"b\",\n  nested: { map: Map(1) { \"k\" => 1 }, set: Set(1) { 2 } },\n"
                    + "  bytes: Uint8Array(2) [ 1, 2 ]\n}",
                "{ getter: [Getter], self: [Circular] } null undefined -0 10n Symbol(s) [Function named] [ <1 empty item>, 1 ] "
                    + "1970-01-01T00:00:00.000Z",
                "Error: bad\n    at global code@app.js:7:24\ncaused by { runtimeException: true, type: \"file\" }",
                "[Object that cannot be shown]", "{ deep: { deep: { deep: { deep: { deep: [Object] } } } } }", "group",
                "  in", "n: 1", "n: 2", "Assertion failed: yes", "🙂🙂🙂 {} [] { \"a-b\": 1 }",
            ])
    }

    // MARK: Text

    @Test func textIsCodedAsUTF8() throws {
        try check(
            """
            const texts = ['', 'ascii', 'ž', '日本', '🙂', 'a🙂ž'.repeat(5000), 'x'.repeat(20000), '\\ufeffbom', 'a\\0b'];
            const keep = new TextDecoder('utf-8', { ignoreBOM: true });
            const bytes = new TextEncoder().encode('\\ud800a\\udc00');
            return [texts.every(text => keep.decode(new TextEncoder().encode(text)) === text), Array.from(bytes),
                Array.from(new TextEncoder().encode('ž€🙂')), new TextEncoder().encode().length, new TextEncoder().encode(null).length,
                new TextDecoder().decode(new TextEncoder().encode('\\ufeffbom')), new TextDecoder().decode()];
            """,
            gives:
                #"[true,[239,191,189,97,239,191,189],[197,190,226,130,172,240,159,153,130],0,4,"bom",""]"#)
    }

    @Test func encodeIntoWritesWholeCharacters() throws {
        try check(
            """
            const into = (text, size) => new TextEncoder().encodeInto(text, new Uint8Array(size));
            return [into('abc', 2), into('a🙂b', 4), into('a🙂b', 5), into('a🙂b', 9), into('ž', 1)];
            """,
            gives:
                #"[{"read":2,"written":2},{"read":1,"written":1},{"read":3,"written":5},{"read":4,"written":6},"#
                + #"{"read":0,"written":0}]"#)
    }

    @Test(arguments: [
        ("c080", "\u{FFFD}\u{FFFD}"), ("ff41", "\u{FFFD}A"), ("e282", "\u{FFFD}"), ("e28241", "\u{FFFD}A"),
        ("f09f9982", "🙂"),
        ("eda080", "\u{FFFD}\u{FFFD}\u{FFFD}"), ("f4908080", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("f09f99f09f9982", "\u{FFFD}🙂"),
        ("80", "\u{FFFD}"), ("e0a0", "\u{FFFD}"), ("e08080", "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ])
    func wrongUTF8IsReplacedAsTheStandardSays(hex: String, expected: String) throws {
        let (text, fatal) = try withGlobals { engine, _ in
            engine.global.set("hex", engine.string(hex))
            return (
                try engine.run("return new TextDecoder().decode(Uint8Array.fromHex(hex));"),
                try engine.run(
                    "try { new TextDecoder('utf8', { fatal: true }).decode(Uint8Array.fromHex(hex)); return 'fine'; } "
                        + "catch (err) { return err.name; }")
            )
        }
        #expect(text == "\"\(expected)\"")
        #expect(fatal == (expected.contains("\u{FFFD}") ? "\"TypeError\"" : "\"fine\""))
    }

    @Test func anyCutOfTheBytesDecodesTheSame() throws {
        let seed = UInt32.random(in: 1...UInt32.max)
        let result = try withGlobals { engine, _ in
            try engine.load(test: "Scripts/fuzz.js")
            return try engine.run(
                """
                const random = randomFrom(\(seed));
                const wrong = [];
                for (const label of ['utf-8', 'utf-16le']) {
                    for (let round = 0; round < 300; round += 1) {
                        const source = random(2) ? 'až🙂\\ufeff日'.repeat(3) : '';
                        const good = new TextEncoder().encode(source);
                        const bytes = Uint8Array.from([...good, ...Array.from({ length: random(12) }, () => random(256))]);
                        const whole = new TextDecoder(label).decode(bytes);
                        const decoder = new TextDecoder(label);
                        let text = '';
                        for (let at = 0; at < bytes.length;) {
                            const size = 1 + random(4);
                            text += decoder.decode(bytes.subarray(at, at + size), { stream: true });
                            at += size;
                        }
                        text += decoder.decode();
                        if (text !== whole) { wrong.push([label, bytes.toHex()]); }
                    }
                }
                return wrong;
                """)
        }
        #expect(result == "[]", "seed \(seed)")
    }

    @Test func otherEncodingsAreDecoded() throws {
        try check(
            """
            const decode = (label, ...bytes) => new TextDecoder(label).decode(new Uint8Array(bytes));
            let unknown;
            try { new TextDecoder('koi8-r'); } catch (err) { unknown = err.name; }
            return [decode('latin1', 0x80, 0xe9, 0x41), decode('UTF-16', 0x3d, 0xd8, 0x42, 0xde, 0x41, 0), decode('utf-16le', 0, 0xd8, 0x41, 0),
                decode('utf-16le', 0x41), new TextDecoder(' UTF8 ').encoding, new TextDecoder('ascii').encoding, unknown];
            """, gives: "[\"€éA\",\"🙂A\",\"\u{FFFD}A\",\"\u{FFFD}\",\"utf-8\",\"windows-1252\",\"RangeError\"]")
    }

    // MARK: Random numbers, base64, clock

    @Test func randomValuesAreFilledIn() throws {
        try check(
            """
            const wrong = [];
            for (const bad of [() => crypto.getRandomValues(new Uint8Array(65537)), () => crypto.getRandomValues(new Float64Array(1)),
                () => crypto.getRandomValues([1])]) {
                try { bad(); wrong.push('fine'); } catch (err) { wrong.push(err.name); }
            }
            const array = new Uint32Array(8);
            const ids = new Set(Array.from({ length: 50 }, () => crypto.randomUUID()));
            return [crypto.getRandomValues(array) === array, array.some(Boolean), wrong, ids.size,
                [...ids].every(id => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))];
            """,
            gives: #"[true,true,["QuotaExceededError","TypeMismatchError","TypeError"],50,true]"#)
    }

    @Test func base64GoesBothWays() throws {
        try check(
            """
            const name = fn => { try { return fn(); } catch (err) { return `${err.name} ${err instanceof DOMException}`; } };
            return [btoa('héllo'), atob('aOlsbG8='), atob(' aGk '), btoa(''), name(() => btoa('ž')), name(() => atob('a')), name(() => atob('*'))];
            """,
            gives:
                #"["aOlsbG8=","héllo","hi","","InvalidCharacterError true","InvalidCharacterError true","#
                + #""InvalidCharacterError true"]"#)
    }

    @Test func performanceMeasures() throws {
        try check(
            """
            const before = performance.now();
            performance.mark('start');
            await new Promise(resolve => setTimeout(resolve, 5));
            const { duration, entryType } = performance.measure('all', 'start');
            return [duration >= 4.5, entryType, performance.now() > before, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000,
                performance.getEntriesByName('all').length];
            """, gives: #"[true,"measure",true,true,1]"#)
    }

    // MARK: Clone and events

    @Test func structuredCloneCopiesData() throws {
        try check(
            """
            const source = { list: [1, , undefined], map: new Map([['k', { v: 1 }]]), set: new Set([1]), date: new Date(5), regexp: /x/gi,
                error: new RangeError('r', { cause: 1 }), big: 1n, bytes: new Uint16Array([1, 2]), view: new DataView(new ArrayBuffer(4), 1, 2) };
            source.self = source;
            source.same = source.map;
            Object.defineProperty(source, '__proto__', { value: 'own', enumerable: true });
            const copy = structuredClone(source);
            return [copy !== source, copy.self === copy, copy.same === copy.map && copy.map !== source.map, copy.map.get('k').v, 1 in copy.list,
                copy.set.has(1), copy.date.getTime(), copy.regexp.flags, copy.error instanceof RangeError, copy.error.cause, copy.big === 1n,
                copy.bytes[1], copy.bytes.buffer !== source.bytes.buffer, copy.view.byteOffset, Object.hasOwn(copy, '__proto__')];
            """, gives: #"[true,true,true,1,false,true,5,"gi",true,1,true,2,true,1,true]"#)
    }

    @Test func structuredCloneRefusesAndTransfers() throws {
        try check(
            """
            const refused = [() => 1, Symbol(), { f() {} }, Promise.resolve(), new WeakMap()].map(value => {
                try { structuredClone(value); return 'fine'; } catch (err) { return err.name; }
            });
            const buffer = new ArrayBuffer(8);
            const moved = structuredClone({ buffer }, { transfer: [buffer] });
            return [[...new Set(refused)], refused.length, buffer.byteLength, moved.buffer.byteLength];
            """, gives: #"[["DataCloneError"],5,0,8]"#)
    }

    @Test func eventsReachTheirListeners() throws {
        try check(
            """
            const seen = [];
            const target = new EventTarget();
            const twice = () => seen.push('twice');
            target.addEventListener('x', twice);
            target.addEventListener('x', twice);
            target.addEventListener('x', event => seen.push([event.type, event.detail, event.target === target]), { once: true });
            target.addEventListener('x', { handleEvent: () => seen.push('object') });
            const controller = new AbortController();
            target.addEventListener('x', () => seen.push('gone'), { signal: controller.signal });
            controller.abort();
            target.dispatchEvent(new CustomEvent('x', { detail: 3 }));
            target.dispatchEvent(new Event('x'));
            target.addEventListener('y', event => event.stopImmediatePropagation());
            target.addEventListener('y', () => seen.push('after'));
            target.addEventListener('z', event => event.preventDefault());
            return [seen, target.dispatchEvent(new Event('y')), target.dispatchEvent(new Event('z', { cancelable: true })),
                target.dispatchEvent(new Event('z'))];
            """, gives: #"[["twice",["x",3,true],"object","twice","object"],true,false,true]"#)
    }

    @Test func abortSignalsTellWhy() throws {
        try check(
            """
            const controller = new AbortController();
            const any = AbortSignal.any([controller.signal]);
            const reasons = [];
            controller.signal.onabort = () => reasons.push(controller.signal.reason.name);
            any.addEventListener('abort', () => reasons.push(any.reason.name));
            controller.abort();
            controller.abort('again');
            const timeout = AbortSignal.timeout(1);
            await new Promise(resolve => timeout.addEventListener('abort', resolve));
            let thrown;
            try { AbortSignal.abort('why').throwIfAborted(); } catch (err) { thrown = err; }
            return [reasons, timeout.reason.name, thrown, new AbortController().signal.aborted];
            """, gives: #"[["AbortError","AbortError"],"TimeoutError","why",false]"#)
    }
}
