import CoreHosting
import Foundation
import JSEngine
import TestSupport
import Testing

/// `js/core-net.js` over the real port.
@Suite struct CoreNetTests {
    private func resource(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: folder.appending(path: "../../Resources/js/\(name)"), encoding: .utf8)
    }

    /// JSON of what `script`, the body of an async function, returns; it has `request`, `dohAt` and `makeNetwork`.
    private func onCoreNet(_ script: String) throws -> String {
        let (preload, net) = (try resource("common-preload.js"), try resource("core-net.js"))
        return try withHTTP { engine, _ in
            engine.provideScripts { try resource($0) }
            try engine.evaluate(preload, sourceName: "js/common-preload.js")
            try engine.evaluate("globalThis.__platformParts = {}", sourceName: "test.js")
            try engine.evaluate(net, sourceName: "js/core-net.js")
            return try engine.settle(
                "(async () => { const { request, dohAt, makeNetwork } = __platformParts; \(script) })()")
        }
    }

    // MARK: Requests

    @Test func aReplyHasWhatTheLibraryExpects() throws {
        let url = try Servers.plain("/reflect")
        let script = """
            const r = await request({ url: '\(url)', method: 'GET', sessionId: 's', responseType: 'json',
                responseHeaders: ['X-Obj-Version', 'X-None'], requestHeaders: { 'X-Own': 'o' } });
            const { data, headers, ...rest } = r;
            return [rest, data.session, data.own, headers.get('x-OBJ-version'), headers.get('X-None'),
                headers.get('constructor'), 'headers' in await request({ url: '\(url)', method: 'GET' })];
            """
        #expect(
            try onCoreNet(script)
                == #"[{"url":"\#(url)","method":"GET","status":200},"s","o","7",null,null,false]"#)
    }

    @Test(
        arguments: [
            ("new Uint8Array([97, 98])", "ab"), ("new Uint8Array([97, 98, 99]).buffer", "abc"),
            ("'gr\u{FC}n'", "gr\u{FC}n"),
            ("[new Uint8Array([97]), new Uint8Array([98, 99])]", "abc"), ("{ a: [1] }", #"{\"a\":[1]}"#),
            ("[1, 2]", "[1,2]"),
            ("new DataView(new Uint8Array([97, 98, 99]).buffer, 1, 1)", "b"), ("undefined", ""), ("[]", "[]"),
        ])
    func bodiesOfAllForms(body: String, expected: String) throws {
        let url = try Servers.plain("/files/body-\(body.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff })")
        let script = """
            await request({ url: '\(url)', method: 'PUT' }, 'text/plain', \(body));
            return (await request({ url: '\(url)', method: 'GET', responseType: 'text' })).data;
            """
        #expect(try onCoreNet(script) == "\"\(expected)\"")
    }

    @Test func emptyJSONIsUndefinedAndNoConnectionIsAnException() throws {
        let url = try Servers.plain("/empty")
        let listener = try LoopbackListener()
        listener.close()
        let script = """
            const r = await request({ url: '\(url)', method: 'GET', responseType: 'json' });
            const e = await failure(request({ url: 'http://127.0.0.1:\(listener.port)/', method: 'DELETE' }, 'a/b'));
            return [typeof r.data, r.status, e.type, e.connectType, e.method];
            """
        #expect(try onCoreNet(script) == #"["undefined",200,"connect","http","DELETE"]"#)
    }

    // MARK: TXT records

    /// A DNS server that gives the same JSON to all; `resolver` asks it.
    private func answer(_ json: String, status: Int = 200, _ script: String) throws -> (result: String, asked: String) {
        let server = try RawServer { connection in
            while connection.readHead() != nil {
                connection.write("HTTP/1.1 \(status) X\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)")
            }
        }
        let resolver = "const resolver = dohAt(request, '\(server.url("/dns-query"))');"
        return (try onCoreNet(resolver + script), server.heads.first ?? "")
    }

    @Test func recordsAreSplitUnquotedAndUnescaped() throws {
        let json = #"""
            {"Status": 0, "Answer": [
                {"name": "a.test", "type": 5, "data": "b.test."},
                {"name": "b.test", "type": 16, "data": "\"mail=a.test\""},
                {"name": "b.test", "type": 16, "data": "\"one \" \"two\"\"three\""},
                {"name": "b.test", "type": 16, "data": "bare text; no quotes"},
                {"name": "b.test", "type": 16, "data": "\"q\\\"b\\\\s\\195\\188\\;\""},
                {"name": "b.test", "type": 16, "data": "\"\""}]}
            """#
        let (result, asked) = try answer(json, "return await resolver.resolveTxt('_x.a.test&y=z')")
        #expect(
            result
                == #"[["mail=a.test"],["one ","two","three"],["bare text; no quotes"],["q\"b\\sü;"],[""]]"#)
        #expect(asked.hasPrefix("GET /dns-query?name=_x.a.test%26y%3Dz&type=TXT HTTP/1.1\r\n"))
        #expect(asked.lowercased().contains("\r\naccept: application/dns-json\r\n"))
    }

    @Test(
        arguments: [
            (#"{"Status": 3}"#, 200, "ENOTFOUND"), (#"{"Status": 0}"#, 200, "ENODATA"),
            (#"{"Status": 0, "Answer": [{"type": 5, "data": "b."}]}"#, 200, "ENODATA"),
            (#"{"Status": 2}"#, 200, "ESERVFAIL"),
            (#"{"Status": 5}"#, 200, "ESERVFAIL"), (#"{"Status": "constructor"}"#, 200, "ESERVFAIL"),
            ("{}", 200, "ESERVFAIL"),
            ("no JSON", 200, "ESERVFAIL"), ("", 200, "ESERVFAIL"), ("[]", 500, "ESERVFAIL"),
            (#"{"Status": 0}"#, 403, "ESERVFAIL"),
        ])
    func failuresHaveTheirCode(json: String, status: Int, code: String) throws {
        let script = """
            const e = await failure(resolver.resolveTxt('a.test')); return [e.code, e.hostname, e instanceof Error];
            """
        #expect(try answer(json, status: status, script).result == #"["\#(code)","a.test",true]"#)
    }

    @Test func noServerThere() throws {
        let listener = try LoopbackListener()
        listener.close()
        let script = """
            const resolver = dohAt(request, 'http://127.0.0.1:\(listener.port)/');
            const e = await failure(resolver.resolveTxt('a.test')); return [e.code, e.hostname];
            """
        #expect(try onCoreNet(script) == #"["ECONNREFUSED","a.test"]"#)
    }

    @Test func noAnswerInTime() throws {
        let script = """
            const opts = [];
            const slow = async asked => {
                opts.push(asked);
                throw { runtimeException: true, type: 'connect', reason: 'timedOut' };
            };
            const e = await failure(dohAt(slow, 'https://dns.test/q?x=1').resolveTxt('a.test'));
            return [e.code, opts[0].url, opts[0].timeout, opts[0].timeoutRetries];
            """
        #expect(try onCoreNet(script) == #"["ETIMEOUT","https://dns.test/q?x=1&name=a.test&type=TXT",5000,1]"#)
    }

    // MARK: What a core's bundle gets

    @Test func theBundleMakesItsNetwork() throws {
        let script = """
            const bundle = {
                makeNetClient: (...parts) => ['net', parts[0] === request, parts[1]],
                makeServiceLocator: (...resolvers) => ['locator', ...resolvers],
                dohAt: (ask, url) => [ask === request, url],
            };
            const { makeNet, makeResolver } = makeNetwork(bundle, 'events', ['https://a.test/']);
            const own = makeNetwork({ ...bundle, dohAt: undefined }, 'events', ['https://a.test/']).makeResolver();
            const byDefault = makeNetwork(bundle, 'events', []).makeResolver();
            const none = makeNetwork({}, undefined, undefined);
            return [makeNet(), makeResolver(), typeof own[1].resolveTxt, byDefault.length > 2, Object.keys(none).length,
                typeof none.makeNet, typeof none.makeResolver];
            """
        #expect(
            try onCoreNet(script)
                == #"[["net",true,"events"],["locator",[true,"https://a.test/"]],"function",true,2,"undefined","undefined"]"#
        )
    }
}
