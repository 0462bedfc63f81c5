import TestSupport
import Testing

/// Rows of the table of `http_request`, against nginx.
@Suite struct RequestTests {
    @Test func aGetGivesStatusAndBytes() throws {
        let url = try Servers.plain("/status/201")
        let script = "const r = await http('GET', '\(url)'); return [r.status, r.headers, text(r.body)];"
        #expect(try onHTTP(script) == #"[201,{},"made"]"#)
    }

    @Test func tlsWithAPrivateAuthority() throws {
        let url = try Servers.secure("/reflect")
        let script = "const r = await http('GET', '\(url)', { type: 'json' }); return [r.status, r.body.protocol];"
        #expect(try onHTTP(authority: try Servers.authority(), script) == #"[200,"HTTP/1.1"]"#)
    }
}
