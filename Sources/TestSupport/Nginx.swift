internal import Glibc

/// nginx with a configuration of one test's own, in a folder of its own, on free ports of the loopback device.
public final class Nginx: Sendable {
    public let folder: TemporaryFolder
    /// Of the servers in the configuration, in their order.
    public let ports: [Int]
    private let program: RunningProgram

    /// - Parameter servers: the inside of each `server` block but its `listen`; nil certificates = plain HTTP.
    public init(_ servers: [(certificates: Certificates.Pair?, inside: String)]) throws {
        folder = try TemporaryFolder()
        // A port that was free may be taken by the time that nginx asks for it: then others are tried.
        for attempt in 1... {
            let ports = try servers.map { _ in try Self.freePort() }
            let program = try Self.start(servers, ports, folder)
            do {
                try program.line { $0.contains("event method") || $0.contains("[emerg]") }
                guard !program.lines.contains(where: { $0.contains("[emerg]") }) else {
                    throw TestFailure("nginx did not start:\n\(program.lines.joined(separator: "\n"))")
                }
                self.ports = ports
                self.program = program
                return
            } catch  where attempt < 5 && program.lines.contains(where: { $0.contains("in use") }) {
                continue
            }
        }
        throw TestFailure("nginx was not started")
    }

    public func url(_ path: String, server: Int = 0, isSecure: Bool = false, host: String = "localhost") -> String {
        "\(isSecure ? "https" : "http")://\(host):\(ports[server])\(path)"
    }

    /// Ends at once, with its connections.
    public func kill() throws {
        program.signal(SIGKILL)
        _ = try program.waitForExit()
    }

    private static func start(
        _ servers: [(certificates: Certificates.Pair?, inside: String)], _ ports: [Int], _ folder: TemporaryFolder
    ) throws -> RunningProgram {
        let blocks = zip(servers, ports).map { server, port in
            let tls = server.certificates.map {
                " ssl; ssl_certificate \($0.certificate); ssl_certificate_key \($0.key);"
            }
            return "server { listen 127.0.0.1:\(port)\(tls ?? ";") \(server.inside) }"
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path temp-\($0);" }
        try folder.write(
            """
            daemon off;
            master_process off;
            pid nginx.pid;
            events { worker_connections 512; }
            http {
                access_log access.log;
                default_type application/octet-stream;
                client_max_body_size 1g;
                \(temporary.joined(separator: " "))
                \(blocks.joined(separator: "\n    "))
            }
            """, to: "nginx.conf")
        return try RunningProgram(
            "/usr/sbin/nginx",
            ["-p", folder.path + "/", "-c", "nginx.conf", "-e", "stderr", "-g", "error_log stderr notice;"])
    }

    private static func freePort() throws -> Int {
        let listener = try LoopbackListener()
        defer { listener.close() }
        return listener.port
    }
}
