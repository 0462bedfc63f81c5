import Foundation
import Glibc

/// nginx on a free port of the loopback device, with one file.
final class WebServer {
    let url: String
    private let process = Process()

    init(_ scratch: Scratch, file: String, bytes: Int) throws {
        let port = try WebServer.freePort()
        let folder = scratch.folder
        try FileManager.default.createDirectory(at: folder.appending(path: "www"), withIntermediateDirectories: true)
        try Data(repeating: UInt8(ascii: "x"), count: bytes).write(to: folder.appending(path: "www/\(file)"))
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path temp-\($0);" }
        let configuration = """
            daemon off; master_process off; pid nginx.pid;
            events { worker_connections 64; }
            http {
                access_log off; keepalive_requests 10000000; \(temporary.joined(separator: " "))
                server { listen 127.0.0.1:\(port); root www; }
            }
            """
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        url = "http://127.0.0.1:\(port)/\(file)"
        process.executableURL = URL(filePath: "/usr/sbin/nginx")
        process.arguments = ["-p", folder.path + "/", "-c", "nginx.conf", "-e", "nginx.log"]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<200 where process.isRunning {
            if WebServer.answers(at: port) { return }
            usleep(10000)
        }
        throw BenchError("nginx does not listen; its words are in \(folder.path)/nginx.log")
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var address = loopback(port: 0)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, length) == 0 ? getsockname(descriptor, raw, &length) : -1
            }
        }
        guard code == 0 else { throw BenchError("no free port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func answers(at port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: port)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                connect(descriptor, raw, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }
}
