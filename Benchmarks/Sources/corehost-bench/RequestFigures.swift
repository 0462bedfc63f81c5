import Foundation

/// What one request costs in the core's context, to nginx on the loopback device, beside a plain libsoup client in C that asks
/// the same server.
enum RequestFigures {
    static let request = Figure(
        id: "request-1024", title: "request, 1 KiB from nginx, p50", unit: .nanoseconds, goal: .ratio(atMost: 1.5))
    static let all = [request]

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let scratch = try Scratch()
        let server = try WebServer(scratch, file: "kib", bytes: 1024)
        defer { server.stop() }
        let reference = try places.references.value(
            "request_p50_ns", of: "http-client", server.url, "5000")
        let ours = try Scratch.withSupervisor { scratch in
            let resources = try places.resources(with: "HTTPResources", in: scratch)
            let script = resources.appending(path: "js/core-load.js")
            let text = try String(contentsOf: script, encoding: .utf8)
            try Data(text.replacing("{{URL}}", with: server.url).utf8).write(to: script)
            return try Supervisor(
                scratch, programs: places.programs, apps: places.noApps(in: scratch), resources: resources)
        } _: { supervisor in
            try supervisor.log.benchLines()
        }
        guard let value = ours[request.id] else { throw BenchError("the benchmark core did not say \(request.id)") }
        try scratch.remove()
        return [request.id: Sample(ours: value, reference: reference)]
    }
}
