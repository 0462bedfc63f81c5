internal import Glibc

/// A private authority and servers' certificates from it, made by `openssl` in a folder of one test's own.
public final class Certificates: Sendable {
    public struct Pair: Sendable {
        public let certificate: String
        public let key: String
    }

    private let folder: TemporaryFolder

    /// The authority's certificate.
    public var authority: String { "\(folder.path)/authority.pem" }

    public init() throws {
        folder = try TemporaryFolder()
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=Test authority", "-keyout", "\(folder.path)/authority.key", "-out", authority)
    }

    /// - Parameter days: until it expires; negative = it has.
    public func server(_ names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2) throws -> Pair {
        let place = "\(folder.path)/\(names.filter(\.isLetter))\(days)"
        try folder.write("subjectAltName=\(names)\n", to: "names.cnf")
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=server",
            "-keyout", "\(place).key", "-out", "\(place).csr")
        try openssl(
            "x509", "-req", "-in", "\(place).csr", "-CA", authority, "-CAkey", "\(folder.path)/authority.key",
            "-CAcreateserial", "-days", "\(days)", "-extfile", "\(folder.path)/names.cnf", "-out", "\(place).pem")
        return Pair(certificate: "\(place).pem", key: "\(place).key")
    }

    public func selfSigned() throws -> Pair {
        let place = "\(folder.path)/self"
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "\(place).key", "-out",
            "\(place).pem")
        return Pair(certificate: "\(place).pem", key: "\(place).key")
    }

    private func openssl(_ arguments: String...) throws {
        let program = try RunningProgram("/usr/bin/openssl", arguments)
        let code = try program.waitForExit()
        guard code == 0 else {
            throw TestFailure("openssl \(arguments) ended with \(code):\n\(program.lines.joined(separator: "\n"))")
        }
    }
}
