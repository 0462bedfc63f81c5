import EventLoop
import Glibc
import JSEngine
import Synchronization
import TestSupport
import Testing

@Suite struct JSEngineHostTests {
    @Test func consoleLinesComeWithTheirLevel() throws {
        try withEngine { engine, log in
            try engine.evaluate(
                "console.log('a', 1, {}); console.warn('b'); console.error('c'); console.debug('d')", sourceName: "x.js"
            )
            #expect(log.console.map(\.level) == [.log, .warn, .error, .debug])
            #expect(log.lines == ["a 1 [object Object]", "b", "c", "d"])
        }
    }

    @Test func aThrownErrorNamesFileLineAndStack() throws {
        try withEngine { engine, _ in
            let error = try #require(throws: JSError.self) {
                try engine.evaluate("function f() {\n  throw new TypeError('no');\n}\nf()", sourceName: "app/main.js")
            }
            #expect(error.name == "TypeError")
            #expect(error.message == "no")
            #expect(error.file == "app/main.js")
            #expect(error.line == 2)
            #expect(error.stack?.contains("f@app/main.js:2") == true)
        }
    }

    @Test func aSyntaxErrorNamesItsLineWithTheOffset() throws {
        try withEngine { engine, _ in
            let error = try #require(throws: JSError.self) {
                try engine.evaluate("let a = 1;\nlet a b;", sourceName: "app/main.js", startingLine: 11)
            }
            #expect(error.name == "SyntaxError")
            #expect(error.line == 12)
            #expect(error.file == "app/main.js")
        }
    }

    @Test func hostileThrownValuesAreReadWithoutHarm() throws {
        try withEngine { engine, _ in
            let scripts = [
                "throw null", "throw undefined", "throw 'text'", "throw Symbol('s')",
                "throw {get message() { throw 1 }, toString() { throw 2 }}",
                "throw new Proxy({}, {get() { throw 1 }})", "throw 1n",
                "throw {runtimeException: true, type: 'x', toJSON() { throw 1 }}",
            ]
            for script in scripts {
                #expect(throws: JSError.self) { try engine.evaluate(script, sourceName: "x.js") }
            }
        }
    }

    @Test func unhandledRejectionsReachTheHookAndThenTheHost() throws {
        try withEngine { engine, log in
            try engine.evaluate("Promise.reject(new Error('first'))", sourceName: "x.js")
            #expect(log.uncaught.map(\.error.message) == ["first"])
            #expect(log.uncaught.map(\.kind) == [.rejection])
            try engine.evaluate(
                "var seen = []; __native.setErrorHook((kind, value) => { seen.push(kind + value.message); return true })",
                sourceName: "x.js")
            try engine.evaluate("Promise.reject(new Error('second'))", sourceName: "x.js")
            try engine.evaluate("__native.reportError(new Error('third'))", sourceName: "x.js")
            #expect(log.uncaught.count == 1)
            #expect(try engine.settle("seen") == #"["rejectionsecond","errorthird"]"#)
        }
    }

    @Test func portsGiveValuesPromisesAndExceptionObjects() throws {
        try withEngine(ports: { engine in
            engine.registerPort(
                PortSignature("double", [.init("n", .number(-9...9e9), isOptional: true)], gives: "a number", "")
            ) { arguments in arguments.engine.number((arguments[0].number ?? 0) * 2) }
            engine.registerPort(PortSignature("later", [.init("text", .text)], gives: "promise", "")) { arguments in
                let promise = arguments.engine.makePromise()
                let text = arguments[0].text ?? ""
                arguments.engine.loop.work({ text + "!" }, done: { answer in promise.resolve { $0.string(answer) } })
                return promise.value
            }
        }) { engine, _ in
            #expect(try engine.settle("__nativeCallDispatch('double', [21])") == "42")
            #expect(try engine.settle("__nativeCallDispatch('later', ['x'])") == #""x!""#)
            #expect(try engine.settle("__nativeCallDispatch('delay', [1]).then(() => 'late')") == #""late""#)
            #expect(try engine.settle("__nativeCallDispatch('crypto_random', [7]).length") == "7")
            let halves = try engine.evaluate(#"'\u00e9\ud800b\udc00'"#, sourceName: "halves").string
            #expect(halves == "\u{e9}\u{fffd}b\u{fffd}")
            let error = try #require(throws: JSError.self) { try engine.settle("__nativeCallDispatch('nope', [])") }
            #expect(error.exceptionJSON?.contains(#""notImplemented":true"#) == true)
            #expect(error.exceptionJSON?.contains(#""port":"nope""#) == true)
            for bad in [
                "'delay', [-1]", "'delay', [NaN]", "'delay', []", "'crypto_random', [1e9]", "'crypto_random', ['1']",
            ] {
                let error = try #require(throws: JSError.self) { try engine.settle("__nativeCallDispatch(\(bad))") }
                #expect(error.exceptionJSON?.contains("badArgument") == true)
            }
            for bad in ["", "1, []", "'double', {length: 1e9}", "'double', {length: -1}"] {
                #expect(throws: JSError.self) { try engine.settle("__nativeCallDispatch(\(bad))") }
            }
            #expect(
                try engine.settle("typeof __nativeCallDispatch('double', {get length() { throw 1 }})") == #""number""#)
        }
    }

    @Test func bytesCrossWithoutCopiesInBothDirections() throws {
        try withEngine { engine, _ in
            var place: UnsafeRawPointer?
            let keep = engine.makeFunction { arguments in
                place = arguments[0].bytes?.baseAddress
                return arguments[0]
            }
            engine.global.set("keep", keep)
            let memory = try #require(malloc(1000))
            memset(memory, 7, 1000)
            let value = engine.bytes(takingOwnershipOf: memory, count: 1000)
            #expect(value.bytes?.baseAddress == UnsafeRawPointer(memory))
            engine.global.set("given", value)
            #expect(try engine.settle("keep(given)[999]") == "7")
            #expect(place == UnsafeRawPointer(memory))
            #expect(try engine.settle("keep(given.subarray(10, 20)).length") == "10")
            #expect(place == UnsafeRawPointer(memory) + 10)
            #expect(engine.bytes(takingOwnershipOf: nil, count: 0).bytes?.count == 0)
            let empty = try engine.evaluate("new Uint8Array(0)", sourceName: "x.js")
            #expect(empty.bytes?.count == 0)
            let three = try engine.evaluate("new Uint8Array([1,2,3])", sourceName: "x.js")
            #expect(three.bytes.map { Array($0) } == [1, 2, 3])
            let whole = try engine.evaluate("new Uint8Array([4,5]).buffer", sourceName: "x.js")
            #expect(whole.bytes.map { Array($0) } == [4, 5])
            #expect(engine.string("text").bytes == nil)
        }
    }

    @Test func buffersWhoseMemoryMayGoAreTold() throws {
        try withEngine { engine, _ in
            try engine.evaluate(
                """
                const buffer = new ArrayBuffer(4, { maxByteLength: 8 });
                Object.defineProperty(buffer, 'resizable', { value: false });
                Object.defineProperty(ArrayBuffer.prototype, 'resizable', { get: () => false });
                """, sourceName: "x.js")
            for (script, isResizable) in [
                ("buffer", true), ("new Uint8Array(buffer)", true), ("new Uint8Array(buffer, 1, 2)", true),
                ("new Uint8Array(4)", false), ("new Uint8Array(buffer).slice()", false), ("new ArrayBuffer(4)", false),
                ("'text'", false), ("({ resizable: true })", false),
            ] {
                let value = try engine.evaluate(script, sourceName: "x.js")
                #expect(engine.isResizable(value) == isResizable, "\(script)")
            }
        }
    }

    @Test func stringsKeepNulsAndAstralCharacters() throws {
        try withEngine { engine, _ in
            for text in ["", "a\0b", "žluťoučký 🙂", "\u{FEFF}x"] {
                #expect(engine.string(text).string == text)
            }
            let length = try engine.evaluate("'a\0b'.length", sourceName: "x.js")
            #expect(length.integer == 3)
            let lone = try engine.evaluate("String.fromCharCode(0xd800)", sourceName: "x.js")
            #expect(lone.string != nil)
        }
    }

    @Test func wasmPromisesSettleAndFinalizationRegistriesFire() throws {
        try withEngine { engine, _ in
            // An empty module: magic number and version.
            #expect(
                try engine.settle(
                    "WebAssembly.instantiate(new Uint8Array([0,97,115,109,1,0,0,0])).then(r => typeof r.instance)")
                    == #""object""#)
            try engine.evaluate(
                "var freed = 0; var r = new FinalizationRegistry(() => freed++); for (let i = 0; i < 1000; i++) r.register({}, i)",
                sourceName: "x.js")
            engine.collectNow()
            #expect(engine.turn(until: { engine.global["freed"].integer ?? 0 > 900 }))
        }
    }

    @Test func arraysOfManyFreshValuesOutliveCollections() throws {
        try withEngine { engine, _ in
            let names = (0..<20_000).map { "name \($0)" }
            for _ in 0..<10 {
                let array = engine.array(names) { name in
                    if name.hasSuffix("000") { engine.collectNow() }
                    return engine.string(name)
                }
                #expect(array["length"].integer == names.count)
                #expect([0, 1, 999, 5000, 19_999].allSatisfy { array[$0].string == names[$0] })
            }
        }
    }

    @Test func aLongCallIsSeenWithItsStackAndEndedOnDemand() throws {
        try withEngine { engine, _ in
            var seen: [(Duration, String?)] = []
            var firstLooks = 0
            engine.watchLongCalls { call in
                seen.append((call.duration, call.stack()))
                firstLooks += call.isFirstLook ? 1 : 0
                return call.duration < .milliseconds(500) ? nil : "too long"
            }
            let error = try #require(throws: JSError.self) {
                try engine.evaluate(
                    "function spin() { for (;;) { try { for (;;); } finally { continue } } }\nspin()",
                    sourceName: "loop.js")
            }
            #expect(error.isTermination)
            #expect(error.message == "too long")
            #expect(error.stack?.contains("spin") == true)
            #expect(seen.map(\.0) == [.milliseconds(400), .milliseconds(450), .milliseconds(500)])
            #expect(seen.allSatisfy { $0.1?.contains("spin") == true })
            #expect(try engine.settle("1 + 1") == "2")
            // The next one is given as much time as the first, or as little as is asked for.
            seen = []
            #expect(throws: JSError.self) { try engine.evaluate("for (;;);", sourceName: "loop.js") }
            #expect(seen.first?.0 == .milliseconds(400))
            seen = []
            engine.lookAtCalls(that: .milliseconds(100))
            #expect(throws: JSError.self) { try engine.evaluate("for (;;);", sourceName: "loop.js") }
            #expect(seen.map(\.0) == [100, 150, 200, 250, 300, 350, 400, 450, 500].map { .milliseconds($0) })
            #expect(firstLooks == 3)
        }
    }

    @Test func memoryFiguresGrowWithTheHeapAndShrinkAfterACollection() throws {
        try withEngine { engine, _ in
            let before = try #require(engine.memoryUse)
            try engine.evaluate(
                "var kept = []; for (let i = 0; i < 1e5; i++) kept.push({i})", sourceName: "x.js")
            engine.collectNow()
            let full = try #require(engine.memoryUse)
            #expect(full.objectCount > before.objectCount + 90_000)
            try engine.evaluate("kept = null", sourceName: "x.js")
            engine.collectNow()
            let after = try #require(engine.memoryUse)
            #expect(after.objectCount < full.objectCount - 90_000)
        }
    }

    @Test func theWakeupFiresOnceAndIsReplacedWhenArmedAgain() throws {
        try withEngine { engine, _ in
            try engine.evaluate(
                """
                var fired = [];
                __native.setWakeupHook(() => fired.push(__native.now()));
                __native.setWakeup(100000); __native.setWakeup(5.2);
                """, sourceName: "x.js")
            #expect(engine.turn(until: { engine.global["fired"]["length"].integer == 1 }))
            #expect(try engine.settle("fired[0] >= 5") == "true")
        }
    }
}
