import TestSupport
import Testing

/// Redirects, by the fetch standard.
@Suite struct RedirectTests {
    @Test(
        arguments: [
            (301, "GET", "GET"), (302, "GET", "GET"), (303, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
            (308, "POST", "POST"),
            (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"), (303, "DELETE", "GET"),
            (307, "PUT", "PUT"),
        ])
    func methodAndBodyAfterARedirect(status: Int, method: String, then: String) throws {
        let url = try Servers.plain("/redirect/\(status)")
        let body = method == "POST" || method == "PUT" ? ", body: bytes('abc'), contentType: 'text/plain'" : ""
        let script = """
            const r = await http('\(method)', '\(url)', { type: 'json', sessionId: 's', headers: { 'X-Own': 'x' }\(body) });
            return [r.body.uri, r.body.method, r.body.length, r.body.type, r.body.session, r.body.own];
            """
        let kept = !body.isEmpty && then == method ? #""3","text/plain""# : #""","""#
        #expect(try onHTTP(script) == #"["/reflect?by=\#(status)","\#(then)",\#(kept),"s","x"]"#)
    }

    @Test func twentyAreFollowedAndNoMore() throws {
        let left = Box(20)
        let server = try RawServer { connection in
            while connection.readHead() != nil {
                let more = left.value > 0
                left.value -= 1
                connection.write(
                    more
                        ? "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        #expect(try onHTTP("return text((await http('GET', '\(server.url())')).body)") == #""ok""#)
        left.value = 21
        let script = """
            const e = await failure(http('GET', '\(server.url())'));
            return [e.type, e.malformedResponse, e.status, e.message.includes('more than 20 redirects')];
            """
        #expect(try onHTTP(script) == #"["http-request",true,302,true]"#)
    }

    @Test func anEndlessOneEnds() throws {
        let url = try Servers.plain("/redirect/loop")
        #expect(try onHTTP("return (await failure(http('GET', '\(url)'))).type") == #""http-request""#)
    }

    @Test func secretsStayWithTheirOrigin() throws {
        let target = try RawServer { connection in
            while connection.readHead() != nil { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        }
        let source = try RawServer { connection in
            while connection.readHead() != nil {
                connection.write("HTTP/1.1 307 Go\r\nLocation: \(target.url("/there"))\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let script = """
            const headers = { authorization: 'Bearer t', 'X-Own': 'x' };
            return (await http('PUT', '\(source.url())', { sessionId: 'secret', headers, body: bytes('b') })).status;
            """
        #expect(try onHTTP(script) == "200")
        let (first, second) = (source.heads.joined().lowercased(), target.heads.joined().lowercased())
        #expect(first.contains("x-session-id: secret") && first.contains("bearer t"))
        #expect(second.hasPrefix("put /there http/1.1") && second.contains("x-own: x"))
        #expect(!second.contains("secret") && !second.contains("bearer"))
    }

    @Test(
        arguments: [
            ("ftp://127.0.0.1/", "the scheme must be http or https"), ("javascript:alert(1)", "the scheme must be"),
            ("http://user:pass@127.0.0.1/", "a user or a password"), ("http://a%0d%0ab/", "U.D "),
            ("file:///etc/passwd", "the scheme must be"), ("http://[::1/", ""),
        ])
    func badTargetsAreNotFollowed(location: String, reason: String) throws {
        let server = try RawServer { connection in
            while connection.readHead() != nil {
                connection.write("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let script = """
            const e = await failure(http('GET', '\(server.url())'));
            return [e.type, e.malformedResponse, e.status, /redirect that is not followed: .*\(reason)/.test(e.message)];
            """
        #expect(try onHTTP(script) == #"["http-request",true,302,true]"#)
        #expect(server.heads.count == 1)
    }

    @Test func nothingLeavesTLSByARedirect() throws {
        let certificates = try Certificates()
        let target = try RawServer { $0.readHead() }
        let nginx = try Nginx([(try certificates.server(), "location / { return 301 \(target.url()); }")])
        let url = nginx.url("/", isSecure: true)
        let script =
            "const e = await failure(http('GET', '\(url)')); return [e.type, e.message.includes('from https to http')]"
        #expect(try onHTTP(authority: certificates.authority, script) == #"["http-request",true]"#)
        #expect(target.count == 0)
    }

    @Test func oddBytesInALocationAreEncoded() throws {
        let server = try RawServer { connection in
            while let head = connection.readHead() {
                let reply =
                    head.hasPrefix("GET / ")
                    ? "HTTP/1.1 302 Found\r\nLocation: /a b\\ü#end\r\nContent-Length: 0\r\n\r\n"
                    : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                connection.write(reply)
            }
        }
        #expect(try onHTTP("return (await http('GET', '\(server.url())')).status") == "200")
        #expect(server.heads.last?.hasPrefix("GET /a%20b%5C%C3%BC HTTP/1.1\r\n") == true)
    }

    @Test func aRedirectWithoutATargetIsAReply() throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nhm")
            connection.waitForEnd()
        }
        let script = "const r = await http('GET', '\(server.url())'); return [r.status, text(r.body)]"
        #expect(try onHTTP(script) == #"[302,"hm"]"#)
    }

    @Test func theBodyOfARedirectIsNotWaitedFor() throws {
        let server = try RawServer { connection in
            guard let head = connection.readHead() else { return }
            if head.hasPrefix("GET / ") {
                connection.write("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 100000000\r\n\r\n")
                while connection.write([UInt8](repeating: 0, count: 65536)) {}
            } else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                connection.waitForEnd()
            }
        }
        #expect(try onHTTP("return (await http('GET', '\(server.url())')).status") == "200")
    }
}
