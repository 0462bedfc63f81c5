/// What texts of 1 MiB cost a component: `TextEncoder` and `TextDecoder` beside the engine's own conversion and a copy in C.
enum TextFigures {
    private static let names = ["encode-ascii", "encode-mixed", "decode-ascii", "decode-mixed"]

    static let all = names.map { name in
        let words = name.split(separator: "-")
        let title = words[0] == "encode" ? "TextEncoder" : "TextDecoder"
        return Figure(
            id: "text-\(name)", title: "\(title), 1 MiB, \(words[1]), p50", unit: .nanoseconds,
            goal: .ratio(atMost: 1.5))
    }

    /// Samples by figure id.
    static func run(_ places: Places) throws -> [String: Sample] {
        let reference = try places.references.values(of: "jsc-text", [])
        let ours = try Scratch.withSupervisor { scratch in
            try Supervisor(
                scratch, programs: places.programs, apps: places.textApps,
                resources: places.resources(with: "Resources", in: scratch))
        } _: { supervisor in
            try supervisor.log.benchLines()
        }
        var samples: [String: Sample] = [:]
        for name in names {
            let key = "\(name.replacing("-", with: "_"))_p50_ns"
            guard let value = ours[name], let other = reference[key] else {
                throw BenchError("no figure \(name) of the component, or no \(key) of jsc-text")
            }
            samples["text-\(name)"] = Sample(ours: value, reference: other)
        }
        return samples
    }
}
