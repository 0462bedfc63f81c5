import Foundation
import TestSupport
import Testing

/// Rows of the table of `http_request`, against nginx.
@Suite struct RequestTests {
    /// What nginx saw of one request.
    private func reflected(_ call: String, _ members: String) throws -> String {
        let url = try Servers.plain("/reflect?a=%2F&b=c")
        return try onHTTP("const url = '\(url)'; const seen = (await \(call)).body; return [\(members)];")
    }

    @Test(arguments: ["GET", "DELETE", "POST", "PUT"])
    func methodAndTargetArriveAsGiven(method: String) throws {
        let seen = try reflected("http('\(method)', url, { type: 'json' })", "seen.method, seen.uri")
        #expect(seen == #"["\#(method)","/reflect?a=%2F&b=c"]"#)
    }

    @Test func sessionHeadersAndContentTypeArrive() throws {
        let call = """
            http('POST', url, { type: 'json', sessionId: 's-1', headers: { 'X-Own': 'v w', Authorization: 'Basic x' },
                contentType: 'application/json', body: bytes('{}') })
            """
        let seen = try reflected(call, "seen.session, seen.own, seen.authorization, seen.type, seen.length")
        #expect(seen == #"["s-1","v w","Basic x","application/json","2"]"#)
    }

    @Test func nothingIsSentThatWasNotAskedFor() throws {
        let members = "seen.session, seen.type, seen.length, seen.cookie, seen.encoding, seen.agent, seen.protocol"
        let twice = "(await http('GET', url), http('GET', url, { type: 'json' }))"
        #expect(try reflected(twice, members) == #"["","","","","identity","tests/1","HTTP/1.1"]"#)
    }

    @Test func aPutWithoutABodyHasAnEmptyOne() throws {
        #expect(try reflected("http('PUT', url, { type: 'json' })", "seen.length") == #"["0"]"#)
    }

    @Test func onlyHeadersAskedForComeBackByLowerCaseNames() throws {
        let url = try Servers.plain("/reflect")
        let script = """
            const r = await http('GET', '\(url)', { wanted: ['x-OBJ-version', 'X-Twice', 'X-None'] }); return r.headers;
            """
        #expect(try onHTTP(script) == #"{"x-obj-version":"7","x-twice":"one, two"}"#)
        #expect(try onHTTP("return (await http('GET', '\(url)')).headers") == "{}")
    }

    @Test(arguments: [201, 204, 401, 404, 474, 500])
    func noStatusThrows(status: Int) throws {
        let url = try Servers.plain("/status/\(status)")
        #expect(try onHTTP("return (await http('GET', '\(url)')).status") == "\(status)")
    }

    @Test func bodiesComeInTheFormAskedFor() throws {
        let (json, plain, empty) = (
            try Servers.plain("/reflect"), try Servers.plain("/text"), try Servers.plain("/empty")
        )
        let script = """
            const body = async (url, type) => (await http('GET', url, { type })).body;
            const bytes = await body('\(plain)', 'arraybuffer');
            return [(await body('\(json)', 'json')).method, await body('\(plain)', 'text'), bytes.constructor.name,
                bytes.length, (await body('\(plain)')).length, await body('\(empty)', 'text'),
                typeof await body('\(empty)', 'json'), (await body('\(empty)')).length];
            """
        #expect(try onHTTP(script) == #"["GET","grün 😀","Uint8Array",10,10,"","undefined",0]"#)
    }

    @Test func jsonThatIsNoneIsAnException() throws {
        let url = try Servers.plain("/broken")
        let script = """
            const e = await failure(http('GET', '\(url)', { type: 'json' }));
            return [e.runtimeException, e.type, e.malformedResponse, e.status, e.url, e.method, e.message];
            """
        #expect(
            try onHTTP(script)
                == #"[true,"http-request",true,200,"\#(url)","GET","GET \#(url): the body is no JSON"]"#)
    }

    @Test func bytesGoThereAndBackUnchanged() throws {
        let url = try Servers.plain("/files/all-bytes")
        let script = """
            const sent = Uint8Array.from({ length: 70000 }, (_, i) => (i * 7 + (i >> 8)) & 255);
            const put = await http('PUT', '\(url)', { body: sent.subarray(1), contentType: 'application/octet-stream' });
            const got = (await http('GET', '\(url)', { type: 'arraybuffer' })).body;
            const same = got.length === sent.length - 1 && got.every((byte, i) => byte === sent[i + 1]);
            const gone = await http('DELETE', '\(url)');
            return [put.status, same, gone.status, (await http('GET', '\(url)')).status];
            """
        #expect(try onHTTP(script) == "[201,true,204,404]")
    }

    @Test func manyAtOnceAndManyOneAfterTheOther() throws {
        let url = try Servers.plain("/reflect")
        let script = """
            const ask = i => http('GET', `\(url)?${i}`, { type: 'json' }).then(r => r.body.uri === `/reflect?${i}`);
            const atOnce = await Promise.all(Array.from({ length: 200 }, (_, i) => ask(i)));
            let inTurn = 0;
            for (let i = 0; i < 200; i++) { inTurn += await ask(i); }
            return [atOnce.filter(Boolean).length, inTurn];
            """
        #expect(try onHTTP(script) == "[200,200]")
    }

    @Test func overTLSToo() throws {
        let url = try Servers.secure("/files/tls")
        let script = """
            const sent = Uint8Array.from({ length: 300000 }, (_, i) => (i * 11) & 255);
            await http('PUT', '\(url)', { body: sent });
            const got = (await http('GET', '\(url)')).body;
            return [got.length, got.every((byte, i) => byte === sent[i])];
            """
        #expect(try onHTTP(authority: try Servers.authority(), script) == "[300000,true]")
    }
}
