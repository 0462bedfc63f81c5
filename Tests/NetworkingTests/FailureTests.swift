import Networking
import TestSupport
import Testing

/// Servers that are gone, slow, or lie.
@Suite struct FailureTests {
    private static let chunked = "Transfer-Encoding: chunked\r\n\r\n"

    /// What one GET of `url` is rejected with.
    private func failure(_ url: String, _ options: String = "{}") throws -> String {
        let script = """
            const e = await failure(http('GET', '\(url)', \(options)));
            return e.reply ?? [e.type, e.reason ?? e.malformedResponse, ...(e.status ? [e.status] : [])];
            """
        return try onHTTP(script)
    }

    /// The same for a server, which lives until then.
    private func failure(_ server: RawServer) throws -> String {
        try withExtendedLifetime(server) { try failure(server.url()) }
    }

    /// A server that answers every request on a connection with `reply`, then closes or waits.
    private func server(_ reply: String, closing: Bool = true) throws -> RawServer {
        try RawServer { connection in
            while connection.readHead() != nil {
                connection.write(reply)
                if closing { return }
            }
        }
    }

    @Test func nobodyListens() throws {
        let listener = try LoopbackListener()
        listener.close()
        let url = "http://127.0.0.1:\(listener.port)/"
        let script = """
            const e = await failure(http('PUT', '\(url)', { body: bytes('b') })); delete e.stack; return e;
            """
        let words = "127.0.0.1 refuses connections at that port"
        #expect(
            try onHTTP(script)
                == #"{"runtimeException":true,"type":"connect","cause":"\#(words)","connectType":"http","#
                + #""message":"PUT \#(url): \#(words)","method":"PUT","reason":"refused","url":"\#(url)"}"#)
    }

    @Test(arguments: [204, 304])
    func aReplyWithoutABodyMayTellALength(status: Int) throws {
        let server = try server("HTTP/1.1 \(status) None\r\nContent-Length: 5\r\n\r\n", closing: false)
        let script = "const r = await http('GET', '\(server.url())'); return [r.status, r.body.length];"
        #expect(try withExtendedLifetime(server) { try onHTTP(script) } == "[\(status),0]")
    }

    @Test func noSuchHost() throws {
        // Which of the two depends on whether this machine has a name server to ask.
        let answers = ["unknownHost", "lookUpFailed"].map { #"["connect","\#($0)"]"# }
        #expect(answers.contains(try failure("http://nowhere.invalid/")))
    }

    @Test func aServerThatIsKilled() throws {
        let nginx = try Nginx([(nil, "return 200 ok;")])
        let url = nginx.url("/", host: "127.0.0.1")
        let outcome = try withHTTP { engine, _ in
            let before = try engine.settle("http('GET', '\(url)').then(r => r.status)")
            try nginx.kill()
            return before + (try engine.settle("failure(http('GET', '\(url)')).then(e => e.reason)"))
        }
        #expect(outcome == #"200"refused""#)
    }

    @Test func closedBeforeAnAnswer() throws {
        #expect(try failure(server("")) == #"["connect","closedEarly"]"#)
        let resetting = try RawServer { connection in
            connection.readHead()
            connection.reset()
        }
        #expect(try failure(resetting.url()) == #"["connect","closedEarly"]"#)
    }

    @Test(
        arguments: [
            "Content-Length: 100\r\n\r\nhalf", "Content-Length: 1\r\n\r\n", "Content-Length: 5\r\n",
            "Content-Length: -4\r\n\r\nhalf", "Content-Length: 4\r\nContent-Length: 2\r\n\r\nhalf", "",
            "\(Self.chunked)10\r\nhalf", "\(Self.chunked)4\r\nhalf\r\n",
            "\(Self.chunked)4\r\nhalf",
            "\(Self.chunked)4\r\nhalf\r\n0", "\(Self.chunked)", "\(Self.chunked)xyz\r\nhalf\r\n0\r\n\r\n",
            "\(Self.chunked)-4\r\nhalf\r\n0\r\n\r\n",
            "\(Self.chunked)4\r\nhalf and more\r\n0\r\n\r\n", "\(Self.chunked)4\nhalf\r\n0\r\n\r\n",
            "\(Self.chunked)\r\nhalf\r\n0\r\n\r\n",
            "\(Self.chunked)ffffffffffffffff\r\nhalf\r\n0\r\n\r\n", "\(Self.chunked)4;\u{1}\r\nhalf\r\n0\r\n\r\n",
            "\(Self.chunked)4;\(String(repeating: "x", count: 5000))\r\nhalf\r\n0\r\n\r\n",
        ])
    func whatIsCutShortOrContradictsItselfIsAnError(reply: String) throws {
        #expect(try failure(server("HTTP/1.1 200 OK\r\n" + reply)) == #"["http-request",true,200]"#)
    }

    /// Also in the smallest pieces; the connection is used again.
    @Test(arguments: [1, 2, 3, 7, 1000])
    func chunksOfAllSizes(piece: Int) throws {
        let server = try RawServer { connection in
            while connection.readHead() != nil {
                var reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                for size in [1, 15, 16, 17, 300] {
                    reply += "\(String(size, radix: 16));a=\"b\"\r\n\(String(repeating: "x", count: size))\r\n"
                }
                let bytes = Array((reply + "000\r\n\r\n").utf8)
                for start in stride(from: 0, to: bytes.count, by: piece) {
                    connection.write(Array(bytes[start..<min(bytes.count, start + piece)]))
                }
            }
        }
        let script = """
            const bodies = [];
            for (let i = 0; i < 5; i++) { bodies.push(text((await http('GET', '\(server.url())')).body)); }
            return bodies.every(body => body === 'x'.repeat(349));
            """
        #expect(try onHTTP(script) == "true")
        #expect(server.count == 1)
    }

    @Test func trailersAreLeftOut() throws {
        let reply = "HTTP/1.1 200 OK\r\n\(Self.chunked)4\r\nbody\r\n0\r\nX-Late: 1\r\nX-Later: 2\r\n\r\n"
        let server = try server(reply)
        let script =
            "const r = await http('GET', '\(server.url())', { wanted: ['x-late'] }); return [text(r.body), r.headers]"
        #expect(try onHTTP(script) == #"["body",{}]"#)
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 4, 2\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200",
            "HTTP/1", "no HTTP at all\r\n\r\n", "HTTP/9.9 OK\r\n\r\n",
            "\0\u{1}\u{2}\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
        ])
    func garbageIsAnError(reply: String) throws {
        #expect(try failure(server(reply)) == #"["http-request",true]"#)
    }

    @Test func aBodyMayEndWithTheConnection() throws {
        let server = try server("HTTP/1.0 200 OK\r\n\r\nto the end")
        #expect(try onHTTP("return text((await http('GET', '\(server.url())')).body)") == #""to the end""#)
        let empty = try self.server("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        #expect(try onHTTP("return (await http('GET', '\(empty.url())')).body.length") == "0")
    }

    @Test func whatFollowsABodyIsNoReply() throws {
        let server = try RawServer { connection in
            while let head = connection.readHead() {
                let path = head.split(separator: " ")[1]
                let reply = "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)"
                // In one piece: what comes later, when the next request is on its way, nothing tells from its reply.
                let forged = path == "/first" ? "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged" : ""
                connection.write(reply + forged)
            }
        }
        let script = """
            const first = text((await http('GET', '\(server.url("/first"))')).body);
            return [first, text((await http('GET', '\(server.url("/second"))')).body)];
            """
        #expect(try onHTTP(script) == #"["/first","/second"]"#)
    }

    @Test func aConnectionIsUsedAgainAndOneThatWasClosedIsReplaced() throws {
        let server = try RawServer { connection in
            for _ in 0..<2 where connection.readHead() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let script = """
            let replies = '';
            for (let i = 0; i < 6; i++) { replies += text((await http('GET', '\(server.url())')).body); }
            return replies;
            """
        #expect(try onHTTP(script) == #""okokokokokok""#)
        #expect(server.count == 3)
    }

    @Test func codingsThatWereNotAskedForAreAnError() throws {
        let reply = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\u{1f}abc"
        #expect(try failure(server(reply, closing: false)) == #"["http-request",true,200]"#)
    }

    // MARK: Time

    @Test func noAnswerInTimeIsTriedAsOftenAsAsked() throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.waitForEnd()
        }
        #expect(try failure(server.url(), "{ timeout: 60 }") == #"["connect","timedOut"]"#)
        #expect(server.count == 1)
        #expect(try failure(server.url(), "{ timeout: 60, retries: 2 }") == #"["connect","timedOut"]"#)
        #expect(server.count == 4)
    }

    @Test func aLaterAttemptMaySucceed() throws {
        let attempts = Box(0)
        let server = try RawServer { connection in
            connection.readHead()
            attempts.value += 1
            if attempts.value == 3 { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
            connection.waitForEnd()
        }
        let script = """
            const r = await http('POST', '\(server.url())', { timeout: 100, retries: 5, body: bytes('b') });
            return [r.status, text(r.body)];
            """
        #expect(try onHTTP(script) == #"[200,"ok"]"#)
        #expect(attempts.value == 3)
    }

    @Test func otherFailuresAreNotTriedAgain() throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        #expect(try failure(server.url(), "{ timeout: 5000, retries: 5 }") == #"["http-request",true,200]"#)
        #expect(server.count == 1)
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-Slow: ",
        ])
    func timeEndsWhatComesSlowly(begin: String) throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(begin)
            connection.waitForEnd()
        }
        #expect(try failure(server.url(), "{ timeout: 100 }") == #"["connect","timedOut"]"#)
    }

    @Test func redirectsShareTheTime() throws {
        let server = try RawServer { connection in
            var count = 0
            while connection.readHead() != nil {
                count += 1
                guard count < 4 else {
                    connection.waitForEnd()
                    return
                }
                connection.write("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")
            }
        }
        #expect(try failure(server.url(), "{ timeout: 200 }") == #"["connect","timedOut"]"#)
    }

    // MARK: Endless

    @Test func endlessHeaders() throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n")
            while connection.write("X-More: \(String(repeating: "x", count: 1000))\r\n") {}
        }
        #expect(try failure(server.url()) == #"["http-request",true]"#)
    }

    @Test func oneEndlessHeader() throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nX: ")
            while connection.write(String(repeating: "x", count: 1000)) {}
        }
        #expect(try failure(server.url()) == #"["http-request",true]"#)
    }

    /// Text is bounded lower than bytes.
    @Test(arguments: ["Transfer-Encoding: chunked\r\n", ""])
    func anEndlessBodyEndsAtTheBound(framing: String) throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\(framing)\r\n")
            let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            let chunk = framing.isEmpty ? block : Array("100000\r\n".utf8) + block + Array("\r\n".utf8)
            while connection.write(chunk) {}
        }
        let script = """
            const e = await failure(http('GET', '\(server.url())', { type: 'text' }));
            return [e.type, e.malformedResponse, e.bodyTooBig, e.status, e.message.includes('\(HTTPRequest.longestText)')];
            """
        #expect(try onHTTP(script) == #"["http-request",true,true,200,true]"#)
    }

    @Test func aBodyAnnouncedAsTooBigIsNotRead() throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 600000000\r\n\r\nx", closing: false)
        let script = "const e = await failure(http('GET', '\(server.url())')); return [e.type, e.bodyTooBig]"
        #expect(try onHTTP(script) == #"["http-request",true]"#)
    }

    /// A body of which much is still to come is let go without waiting for it.
    @Test func theThreadIsNotHeldByABodyThatIsGivenUp() throws {
        let server = try server("HTTP/1.1 200 OK\r\nContent-Length: 600000000\r\n\r\nx", closing: false)
        let script = """
            let turns = 0;
            const count = async () => { while (turns < 1000) { turns += 1; await __nativeCallDispatch('delay', [0]); } };
            const counting = count();
            const e = await failure(http('GET', '\(server.url())'));
            const seen = turns;
            await counting;
            return [e.bodyTooBig, seen < 1000];
            """
        #expect(try onHTTP(script) == "[true,true]")
    }
}
