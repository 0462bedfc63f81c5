import JSEngine
import TestSupport
import Testing

@Suite struct URLTests {
    private static func evaluate(_ body: String, _ values: [String: String]) throws -> String {
        try withGlobals { engine, _ in
            for (name, value) in values { engine.global.set(name, engine.string(value)) }
            return try engine.run(body)
        }
    }

    @Test(arguments: [
        ("http://EXAMPLE.com:80/a/./b/../c?q=ž#f g", "", "http://example.com/a/c?q=%C5%BE#f%20g"),
        ("https://user:pa ss@h:8443", "", "https://user:pa%20ss@h:8443/"),
        ("../x?y", "http://h/a/b/c", "http://h/a/x?y"), ("//other/p", "https://h/a", "https://other/p"),
        ("?q", "http://h/a?z#f", "http://h/a?q"), ("#f", "http://h/a?z", "http://h/a?z#f"),
        ("", "http://h/a?z#f", "http://h/a?z"),
        ("\\\\x\\y", "http://h/", "http://x/y"), ("http:x", "http://h/a/b", "http://h/a/x"),
        ("http:x", "https://h/", "http://x/"),
        ("HTTP://0x7f.1/", "", "http://127.0.0.1/"), ("http://[::FFFF:1.2.3.4]:80/", "", "http://[::ffff:102:304]/"),
        ("http://[1:0:0:2:0:0:0:3]/", "", "http://[1:0:0:2::3]/"), ("http://[::]/", "", "http://[::]/"),
        ("http://[1::]/", "", "http://[1::]/"), ("http://bücher.example/", "", "http://xn--bcher-kva.example/"),
        ("http://日本語。jp", "", "http://xn--wgv71a119e.jp/"), ("mailto:a b@c?d#e", "", "mailto:a b@c?d#e"),
        ("file:///C|/a/../../b", "", "file:///C:/b"), ("file://localhost/x", "", "file:///x"),
        ("/D:/y", "file:///C:/a", "file:///D:/y"),
        ("foo://Host/a/..", "", "foo://Host/"), ("foo:/..//p", "", "foo:/.//p"), ("  http://h/\t\n ", "", "http://h/"),
        ("http://h/%zz%41^", "", "http://h/%zz%41%5E"), ("data:text/plain,x y", "", "data:text/plain,x y"),
    ])
    func aURLIsParsed(input: String, base: String, expected: String) throws {
        let href = try Self.evaluate(
            "return new URL(input, base || undefined).href;", ["input": input, "base": base])
        #expect(href == "\"\(expected)\"")
    }

    @Test(arguments: [
        "", "x", "/x", "http://", "http://a b/", "http://[::1", "http://[1:2]", "http://[::1.2.3.400]",
        "http://h:99999/",
        "http://h:x/", "http://256.1.1.1.1/", "http://1.2.3.256/", "http://0x.0x.0x.0x.0x/", "http://a%00b/",
        "http://user@/",
        "//h", "http://a<b/", "foo://a b", "http://%25/",
    ])
    func aWrongURLIsRefused(input: String) throws {
        let answer = try Self.evaluate(
            """
            let name;
            try { new URL(input); } catch (err) { name = err.name; }
            return [name, URL.canParse(input), URL.parse(input)];
            """, ["input": input])
        #expect(answer == #"["TypeError",false,null]"#)
    }

    @Test func partsAreReadAndSet() throws {
        let parts = try Self.evaluate(
            """
            const url = new URL('https://user:pass@host.com:8443/p/a?q=1#hash');
            const read = [url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search, url.hash];
            url.protocol = 'http';
            url.host = 'other:81';
            url.pathname = '/x y/../z';
            url.searchParams.append('é', '&');
            url.hash = '';
            url.port = '80';
            url.username = '';
            url.password = '';
            const one = url.href;
            url.search = '?a=1&a=2&b=3';
            url.searchParams.delete('a', '2');
            url.hostname = 'bad host';
            url.port = 'x';
            url.protocol = 'foo';
            return [read, one, url.href, `${url}`, JSON.stringify({ url })];
            """, [:])
        #expect(
            parts
                == ##"[["https://host.com:8443","https:","user","pass","host.com:8443","host.com","8443","/p/a","?q=1","#hash"],"##
                + #""http://other/z?q=1&%C3%A9=%26","http://other/z?a=1&b=3","http://other/z?a=1&b=3","#
                + #""{\"url\":\"http://other/z?a=1&b=3\"}"]"#)
    }

    @Test func searchParamsActLikeAList() throws {
        let result = try Self.evaluate(
            """
            const params = new URLSearchParams('?b=2&a=1&b=3&c=x+y%20z&d');
            const read = [params.get('b'), params.getAll('b'), params.get('none'), params.has('b', '3'), params.has('b', '4'), params.size, params.get('c')];
            params.set('b', '9');
            params.append('e', 'ž&=');
            params.sort();
            const copies = [new URLSearchParams({ x: 1 }), new URLSearchParams([['y', 2]]), new URLSearchParams(params)].map(String);
            let wrong;
            try { new URLSearchParams([['only']]); } catch (err) { wrong = err.name; }
            const seen = [];
            params.forEach((value, name) => seen.push(name + value));
            return [read, String(params), copies, wrong, seen.length, [...params.keys()].join(''), [...params][0], new URLSearchParams('a=%zz&=&&').toString()];
            """, [:])
        #expect(
            result == #"[["2",["2","3"],null,true,false,5,"x y z"],"a=1&b=9&c=x+y+z&d=&e=%C5%BE%26%3D","#
                + #"["x=1","y=2","a=1&b=9&c=x+y+z&d=&e=%C5%BE%26%3D"],"TypeError",5,"abcde",["a","1"],"a=%25zz&="]"#)
    }
}
