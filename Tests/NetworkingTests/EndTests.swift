import CoreHosting
import EventLoop
import Glibc
import JSEngine
import Networking
import TestSupport
import Testing

/// The end of the core with requests under way, and memory.
@Suite struct EndTests {
    @Test func requestsAreCancelledAndNothingIsAnswered() throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.waitForEnd()
        }
        let ended = try withHTTP { engine, requests in
            try engine.evaluate(
                """
                globalThis.settled = 0;
                for (let i = 0; i < 40; i++) {
                    const big = new Uint8Array(i % 2 ? 5_000_000 : 10);
                    http('PUT', '\(server.url())', { body: big }).finally(() => { settled += 1; });
                }
                """, sourceName: "test.js")
            #expect(engine.turn(until: { server.heads.count >= 10 }))
            requests.close()
            #expect(requests.pending == 0)
            return try engine.settle("settled")
        }
        #expect(ended == "0")
    }

    /// In a process of its own, whose descriptors are counted.
    @Test func nothingIsLeftOpen() async {
        await #expect(processExitsWith: .success) {
            let nginx = try Nginx([(nil, "return 200 ok;")])
            let stuck = try RawServer { connection in
                connection.readHead()
                connection.waitForEnd()
            }
            let url = nginx.url("/")
            let round = {
                try withHTTP { engine, _ in
                    _ = try engine.settle("Promise.all(Array.from({ length: 20 }, () => http('GET', '\(url)')))")
                    try engine.evaluate("http('GET', '\(stuck.url())')", sourceName: "test.js")
                    #expect(engine.turn(until: { stuck.heads.count > 0 }))
                }
            }
            try round()
            // The server's side of a connection is closed by a thread of its own.
            let settle = { for _ in 0..<200 where openConnections() > 0 { usleep(10_000) } }
            settle()
            let before = openDescriptors()
            let rounds = 8
            for _ in 0..<rounds { try round() }
            settle()
            // The process has threads of its own that open something now and then.
            #expect(openDescriptors() - before < rounds)
        }
    }

    /// 100 MiB there and back: at most two bodies of memory beside the one that JavaScript holds.
    @Test func largeBodiesAreNotCopiedAround() async {
        await #expect(processExitsWith: .success) {
            let nginx = try Nginx([
                (nil, "root www; location / { dav_methods PUT; create_full_put_path on; }")
            ])
            let url = nginx.url("/large")
            try withHTTP { engine, _ in
                _ = try engine.settle("http('GET', '\(url)').then(r => r.status)")
                try engine.evaluate("globalThis.sent = new Uint8Array(100 << 20).fill(7)", sourceName: "test.js")
                let peak = { (script: String) throws -> Int in
                    let before = resetPeak()
                    // What moves 200 MiB through two processes may find the machine busy.
                    #expect(try engine.settle(script, limit: .seconds(300)) == "true")
                    return (residentPeak() - before) >> 20
                }
                let up = try peak("http('PUT', '\(url)', { body: sent }).then(r => r.status === 201)")
                let down = try peak(
                    "http('GET', '\(url)').then(r => { globalThis.got = r.body; return r.body.length === sent.length })"
                )
                #expect(up <= 40)
                #expect(down <= 140)
                #expect(try engine.settle("got[0] === 7 && got[got.length - 1] === 7") == "true")
            }
        }
    }
}

private func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}

/// Established or half-closed TCP connections of this process.
private func openConnections() -> Int {
    (3..<256).count { descriptor in
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &length) == 0 }
        }
    }
}

/// Resident bytes now, which from now on are the peak.
private func resetPeak() -> Int {
    if let file = fopen("/proc/self/clear_refs", "w") {
        fputs("5", file)
        fclose(file)
    }
    return residentPeak()
}

private func residentPeak() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        if text.hasPrefix("VmHWM:") { return (Int(text.split(separator: " ").dropLast().last ?? "") ?? 0) << 10 }
    }
    return 0
}
