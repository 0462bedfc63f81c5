import CoreHosting
import Networking
import TestSupport
import Testing

/// Servers' certificates.
@Suite struct TrustTests {
    private func reason(
        _ pair: (Certificates) throws -> Certificates.Pair, host: String = "localhost", trusting: Bool = true
    ) throws -> String {
        let certificates = try Certificates()
        let nginx = try Nginx([(try pair(certificates), "return 200 ok;")])
        let url = nginx.url("/", isSecure: true, host: host)
        let script = """
            const e = await failure(http('GET', '\(url)', { sessionId: 's' }));
            return e.reply ?? [e.type, e.connectType, e.url === '\(url)', e.method, e.reason, e.cause];
            """
        return try onHTTP(authority: trusting ? certificates.authority : nil, script)
    }

    private func refusal(_ reason: String, _ cause: String) -> String {
        #"["connect","http",true,"GET","certificate-\#(reason)","\#(cause)"]"#
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func oneFromThePrivateAuthorityIsTrusted(host: String) throws {
        #expect(try reason({ try $0.server() }, host: host) == "200")
    }

    @Test func expired() throws {
        let expected = refusal("expired", "the certificate of localhost has expired")
        #expect(try reason { try $0.server(days: -1) } == expected)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func forAnotherName(host: String) throws {
        let expected = refusal("otherName", "the certificate is for another name than \(host)")
        #expect(try reason({ try $0.server("DNS:elsewhere.test,IP:127.0.0.2") }, host: host) == expected)
    }

    @Test(arguments: [true, false])
    func selfSigned(trusting: Bool) throws {
        let expected = refusal("selfSigned", "the certificate of localhost is self-signed")
        #expect(try reason({ try $0.selfSigned() }, trusting: trusting) == expected)
    }

    @Test func unknownAuthority() throws {
        let expected = refusal("unknownAuthority", "the certificate of localhost is from an unknown authority")
        #expect(try reason({ try $0.server() }, trusting: false) == expected)
    }

    @Test func theAuthoritysFileMayBeNamedFromTheWorkingFolder() throws {
        let certificates = try Certificates()
        let nginx = try Nginx([(try certificates.server(), "return 200 ok;")])
        let url = nginx.url("/", isSecure: true, host: "localhost")
        // The root is its own parent.
        let path = String(repeating: "../", count: 64) + certificates.authority.dropFirst()
        #expect(try onHTTP(authority: path, "return (await http('GET', '\(url)')).status") == "200")
    }

    @Test func noTLSThere() throws {
        let server = try RawServer { connection in
            _ = connection.read()
            connection.write("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n")
            connection.waitForEnd()
        }
        let script = """
            const e = await failure(http('GET', '\(server.url(scheme: "https"))')); return [e.type, e.connectType, e.reason];
            """
        #expect(try onHTTP(script) == #"["connect","http","tlsFailed"]"#)
    }

    @Test func authoritiesAreCheckedAtTheStart() throws {
        let folder = try TemporaryFolder()
        let empty = try folder.write("no certificate here\n", to: "empty.pem")
        let broken = try folder.write(
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "broken.pem")
        let missing = "\(folder.path)/missing.pem"
        let reasons = try EngineThread.shared.run { _ in
            [missing, folder.path, empty, broken, "/dev/zero"].map { path in
                do {
                    _ = try CertificateAuthorities(path: path)
                    return "taken"
                } catch {
                    return "\(error)"
                }
            }
        }
        #expect(reasons[0].hasPrefix("the authorities' file \(missing) cannot be read: "))
        #expect(reasons[0].contains("No such file") && reasons[0].hasSuffix("name a PEM file with --ca-file"))
        #expect(reasons[1].hasPrefix("the authorities' file \(folder.path) cannot be read: "))
        #expect(reasons[2].hasPrefix("no certificate in the authorities' file \(empty); "))
        #expect(reasons[3].hasPrefix("the authorities' file \(broken) cannot be read: "))
        #expect(reasons[4].hasPrefix("the authorities' file /dev/zero cannot be read: it is no file; "))
    }
}
