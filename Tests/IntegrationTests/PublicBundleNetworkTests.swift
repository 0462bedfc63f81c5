import FoundationEssentials
import TestSupport
import Testing

/// The tests' own bundle uses servers as the public library does, in a check of it.
@Suite struct PublicBundleNetworkTests {
    private static func reply(_ status: String, _ body: [UInt8] = [], headers: String = "") -> [UInt8] {
        let head = "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\(headers)\r\n"
        return Array(head.utf8) + body
    }

    private static func value(of name: String, in head: String) -> String {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
        return line.map { String($0.dropFirst(name.count + 2)) } ?? ""
    }

    private func webServer() throws -> RawServer {
        try RawServer { connection in
            guard let head = connection.readHead() else { return }
            let path = head.split(separator: " ").dropFirst().first ?? ""
            switch path {
            case "/made":
                let session = Self.value(of: "X-Session-Id", in: head)
                let type = Self.value(of: "Content-Type", in: head)
                connection.write(
                    Self.reply(
                        "201 Created", Array(#"{"session": "\#(session)", "type": "\#(type)"}"#.utf8),
                        headers: "X-Obj-Version: 7\r\n"))
            case "/empty": connection.write(Self.reply("200 OK"))
            case "/bytes": connection.write(Self.reply("200 OK", [1, 2, 3]))
            default: connection.write(Self.reply("\(path.split(separator: "/").last ?? "404") Status"))
            }
            // A body that was not read must not become a reset.
            connection.waitForEnd()
        }
    }

    private func socketServer() throws -> RawServer {
        try RawServer { connection in
            guard let socket = RawWebSocket(connection), let asked = socket.read() else { return }
            socket.send(text: #"{"asked": \#(asked.text)}"#)
            socket.send(close: asked.text.contains("1000") ? 1000 : 4000)
            connection.waitForEnd()
        }
    }

    @Test func requestsEventSourcesAndLookUpsAreAsTheLibraryExpects() throws {
        let (web, sockets) = (try webServer(), try socketServer())
        let pair = try PairOfBundles([
            PairOfBundles.core: (
                "const webServer = '';\nconst socketServer = '';",
                "const webServer = '\(web.url(""))';\nconst socketServer = '\(sockets.url("", scheme: "ws"))';"
            )
        ])
        let (code, lines) = try RunningSupervisor.corehost(["core", "check", pair.path])
        #expect(code == 0, "\(lines.suffix(15))")
        #expect(web.heads.count >= 7)
        #expect(sockets.count == 2)
    }
}
