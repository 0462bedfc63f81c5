import TestSupport
import Testing
import Wire

/// What components of the public apps use of their process, and how a client bundle of the user's stands in it.
@Suite struct PublicComponentTests {
    /// The lines that `code` writes, once it has written "done".
    private func lines(of code: String, bundles: String = "") throws -> [String] {
        let component = try ComponentFixture(code: code + "\nconsole.log('done');", bundles: bundles)
        try component.wait(for: "its last line") {
            if let failure = $0.failure { throw TestFailure("\(failure)") }
            return $0.logLines.last == "done"
        }
        return component.logLines.dropLast()
    }

    // MARK: The engine

    @Test func theEngineHasWhatComponentsAreWrittenFor() throws {
        let code = """
            const kinds = names => names.map(name => typeof globalThis[name]).join();
            console.log(kinds(['WebAssembly', 'WeakRef', 'FinalizationRegistry', 'Intl', 'Atomics']));
            console.log(kinds(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'structuredClone']));
            console.log(kinds(['TextEncoder', 'TextDecoder', 'URL', 'performance', 'crypto', 'atob', 'btoa']));
            console.log(kinds(['SharedArrayBuffer', 'process', 'require', 'Buffer', 'fetch', 'window', 'document']));
            console.log(typeof Uint8Array.fromBase64, typeof Uint8Array.prototype.toBase64, self === globalThis);
            """
        #expect(
            try lines(of: code) == [
                "object,function,function,object,object", "function,function,function,function,function",
                "function,function,function,object,object,function,function",
                "undefined,undefined,undefined,undefined,undefined,undefined,undefined", "function function true",
            ])
    }

    @Test func wasmIsCompiledInBothWays() throws {
        let code = """
            const code = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0,
                7, 5, 1, 1, 0x66, 0, 0, 10, 6, 1, 4, 0, 0x41, 42, 0x0b);
            const now = new WebAssembly.Instance(new WebAssembly.Module(code));
            const { instance, module } = await WebAssembly.instantiate(code);
            const compiled = await WebAssembly.compile(code);
            console.log(now.exports.f(), instance.exports.f(), module instanceof WebAssembly.Module,
                (await WebAssembly.instantiate(compiled)).exports.f());
            """
        #expect(try lines(of: code) == ["42 42 true 42"])
    }

    @Test func registriesCallBackAfterACollection() throws {
        let component = try ComponentFixture(
            code: """
                let freed = 0;
                globalThis.registry = new FinalizationRegistry(() => {
                    freed += 1;
                    if (freed === 500) { console.log('freed'); }
                });
                (() => { for (let i = 0; i < 1000; i += 1) { registry.register({ i }, i); } })();
                """)
        try component.wait(for: "the callbacks") { $0.logLines == ["freed"] }
    }

    @Test func theLanguageIsWhole() throws {
        let code = """
            class Counter {
                static #made = 0;
                #count = 0;
                static { Counter.first = true; }
                constructor() { Counter.#made += 1; }
                get #twice() { return 2 * this.#count; }
                add(n) { this.#count += n; return #count in this ? this.#twice : undefined; }
                static get made() { return Counter.#made; }
            }
            console.log(new Counter().add(4), Counter.made, Counter.first);
            const hidden = 'seen by direct eval';
            console.log(eval('hidden'), eval('let inner = 1; inner + 1'), typeof inner);
            console.log(await Promise.resolve('awaited at the top'));
            for await (const value of (async function* () { yield 'and'; yield 'again'; })()) { console.log(value); }
            """
        #expect(
            try lines(of: code) == [
                "8 1 true", "seen by direct eval 2 undefined", "awaited at the top", "and", "again",
            ])
    }

    @Test func denoHasAnEnvironmentThatCanBeAssigned() throws {
        let code = """
            console.log(typeof Deno, Deno.env.get('HOME'));
            Deno.env = { get: name => `mine ${name}`, toObject: () => ({}) };
            console.log(Deno.env.get('HOME'));
            globalThis.Deno = { env: 'another' };
            console.log(Deno.env);
            """
        #expect(try lines(of: code) == ["object undefined", "mine HOME", "another"])
    }

    @Test func theClientLogsToTheConsole() throws {
        let code = "await w3n.log('info', 'a line'); await w3n.log('error', 'worse', new Error('why'));"
        let lines = try lines(of: code)
        #expect(lines.first == "a line")
        #expect(lines.dropFirst().first?.hasPrefix("worse") == true)
    }

    // MARK: A client bundle of the user's

    @Test func theUsersClientMakesW3NFromNamesThatThePortLists() throws {
        let component = try ComponentFixture()
        component.members = {
            $0 == ["w3n"] ? ["storage", "myVersion", "rpc"] : $0 == ["w3n", "rpc"] ? ["thisApp"] : nil
        }
        let code = """
            console.log(Object.keys(w3n).sort().join(), typeof w3n.rpc.thisApp, typeof w3nRPC.connect);
            console.log(['__client3NWeb', '__ownClient', '__bundleContract', '__ipcParts'].map(
                name => typeof globalThis[name]).join());
            """
        try component.boot(code: Array(code.utf8), bundles: PairOfBundles.original)
        try component.wait(for: "two lines") { $0.logLines.count == 2 || $0.exit != nil }
        #expect(
            component.logLines == [
                "closeSelf,log,myVersion,rpc,storage function function", "undefined,undefined,undefined,undefined",
            ])
        // Of `w3n` and of `rpc`: what is a function is known without asking.
        #expect(component.frames.filter { $0.kind == .listRequest }.count == 2)
    }

    @Test(
        arguments: [
            ("var __client3NWeb = (", "throw new Error('not today'); (", "not today"),
            ("promiseW3Nclient, makeStartupW3Nclient", "makeStartupW3Nclient", "lacks promiseW3Nclient"),
            (
                "ObjectsConnector, msgProtoType, Buffer", "ObjectsConnector, msgProtoType: 5, Buffer",
                "msgProtoType is of kind number"
            ),
            ("'use strict';", "'use strict'; <html>", "SyntaxError"),
        ])
    func aClientThatIsNoneEndsTheComponentByName(text: String, replacement: String, words: String) throws {
        let pair = try PairOfBundles([PairOfBundles.client: (text, replacement)])
        let component = try ComponentFixture(code: "console.log('runs')", bundles: pair.path)
        #expect(try component.waitForExit() == .code(.engineMissing))
        let failure = try #require(component.failure)
        #expect(failure.message.contains(words), "\(failure)")
        #expect(failure.message.contains("bundle/") || failure.message.contains("core/contract/client.js"))
        #expect(component.logLines == [])
    }

    @Test func aClientThatIsGoneEndsTheComponentByName() throws {
        let component = try ComponentFixture(code: "console.log('runs')", bundles: "/nowhere/at-all")
        #expect(try component.waitForExit() == .code(.engineMissing))
        #expect(component.failure?.message.contains("/nowhere/at-all/\(PairOfBundles.core): no such file") == true)
    }
}
