internal import Configuration
internal import Control
internal import Simulation
internal import Supervision

/// `corehost simulate`: the machines of the supervision plane in a simulated world. No supervisor is asked.
enum SimulateCommand {
    private static let seed = OptionSpec(
        "--seed", value: "N", meaning: "what befalls it follows from this, 1 by default")
    private static let seeds = OptionSpec("--seeds", value: "COUNT", meaning: "so many seeds, from that one on")
    private static let hours = OptionSpec("--hours", value: "H", meaning: "simulated hours of each, 24 by default")
    private static let policy = OptionSpec(
        "--policy", value: "FILE", meaning: "with the rules of this configuration, instead of rules from the seed")
    private static let trace = OptionSpec("--trace", meaning: "show each step")

    static let simulate = CommandSpec(
        "simulate", summary: "try the supervisor's rules in a simulated world: crashes, hangs, commands at any moment",
        options: [.json, seed, seeds, hours, policy, trace], exitCodes: [.ok, .failed, .usage, .badConfiguration],
        example: "corehost simulate --seed 7 --hours 24"
    ) { arguments, console in
        let first = try number(seed, arguments, default: 1, 0...UInt64.max)
        let count = try number(seeds, arguments, default: 1, 1...1_000_000)
        guard first <= UInt64.max - (count - 1) else {
            throw UsageError("simulate: there are no \(count) seeds from \(first) on")
        }
        let hours = try hours(arguments)
        guard !arguments.has(.json) || !arguments.has(trace) else {
            throw UsageError("simulate: --trace is for people; with --json leave it out")
        }
        switch components(arguments) {
        case .failure(let error):
            console.error("corehost: \(error)")
            return .badConfiguration
        case .success(let components):
            var replay = "--hours \(text(hours))"
            if let file = arguments.value(of: policy) { replay += " --policy \(file)" }
            let run = Run(simulator: Simulator(components: components), hours: hours, replay: replay)
            return try run.all(first, count, json: arguments.has(.json), trace: arguments.has(trace), console)
        }
    }

    private struct Run {
        let simulator: Simulator
        let hours: Double
        let replay: String

        func all(
            _ first: UInt64, _ count: UInt64, json: Bool, trace: Bool, _ console: Console
        ) throws -> ExitCode {
            var (events, digest) = (0, UInt64(0))
            var failures: [(seed: UInt64, failure: Simulator.Failure)] = []
            for seed in first...(first + (count - 1)) {
                var unwritten: (any Error)?
                let write: (String) -> Void = { line in
                    guard unwritten == nil else { return }
                    do { try console.print(line) } catch { unwritten = error }
                }
                let report = simulator.run(seed: seed, hours: hours, trace: trace ? write : nil)
                if let unwritten { throw unwritten }
                events += report.events
                digest = digest &* 31 &+ report.digest
                guard let failure = report.failure else { continue }
                failures.append((seed, failure))
                if !json { try tell(seed, failure, console) }
            }
            let hex = String(digest, radix: 16)
            if json {
                try console.print(
                    JSONWriter.indented([
                        "schema": "corehost.simulate/1", "seed": .string("\(first)"), "seeds": .int(Int64(count)),
                        "hours": .double(hours), "events": .int(Int64(events)), "trace": .string(hex),
                        "invariants": .array(Invariant.allCases.map { .string($0.rawValue) }),
                        "failures": .array(failures.map { described($0.seed, $0.failure) }),
                    ]))
            } else if failures.isEmpty {
                let whose = count == 1 ? "seed \(first)" : "seeds \(first) to \(first + (count - 1))"
                try console.print(
                    "\(whose): \(text(hours * Double(count))) h simulated, \(events) events,"
                        + " \(Invariant.allCases.count) invariants held, trace \(hex)")
            }
            return failures.isEmpty ? .ok : .failed
        }

        private func command(_ seed: UInt64) -> String { "corehost simulate --seed \(seed) \(replay)" }

        private func tell(_ seed: UInt64, _ failure: Simulator.Failure, _ console: Console) throws {
            let invariant = failure.violation.invariant
            try console.print("seed \(seed): \(invariant.rawValue) does not hold: \(invariant.promise)")
            try console.print("  seen: \(failure.violation.text)")
            try console.print("  replay: \(command(seed))")
            try console.print("  \(failure.shortened) of its \(failure.inputs) inputs suffice:")
            for line in failure.trace { try console.print("    \(line)") }
        }

        private func described(_ seed: UInt64, _ failure: Simulator.Failure) -> JSONValue {
            [
                "seed": .string("\(seed)"), "invariant": .string(failure.violation.invariant.rawValue),
                "promise": .string(failure.violation.invariant.promise), "seen": .string(failure.violation.text),
                "at": .double(Double(failure.at.nanoseconds) / 1e9), "replay": .string(command(seed)),
                "inputs": .int(Int64(failure.inputs)), "shortened": .int(Int64(failure.shortened)),
                "trace": .array(failure.trace.map { .string($0) }),
            ]
        }
    }

    /// Those that the file names, an app or `*` with one component of each type; nil without a file.
    private static func components(
        _ arguments: ParsedArguments
    ) -> Result<[Simulator.Component]?, ConfigurationError> {
        guard let file = arguments.value(of: policy) else { return .success(nil) }
        do throws(ConfigurationError) {
            let configuration = try Configuration(path: file, isNamedByUser: true)
            let names = configuration.componentNames.isEmpty ? ["*"] : configuration.componentNames
            return .success(
                names.flatMap { name -> [Simulator.Component] in
                    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
                    let domain = name == "*" ? "any.app" : parts.first ?? name
                    let ids =
                        parts.count > 1
                        ? [(RestartType.permanent, "/" + parts[1])]
                        : RestartType.allCases.map { ($0, "/\($0.rawValue)") }
                    return ids.map { type, entry in
                        let id = ComponentID(appDomain: domain, entrypoint: entry)
                        return Simulator.Component(id: id, policy: configuration.policy(for: id, restart: type))
                    }
                })
        } catch {
            return .failure(error)
        }
    }

    private static func number(
        _ option: OptionSpec, _ arguments: ParsedArguments, default usual: UInt64, _ range: ClosedRange<UInt64>
    ) throws(UsageError) -> UInt64 {
        guard let text = arguments.value(of: option) else { return usual }
        guard let number = UInt64(text), range.contains(number) else {
            throw UsageError(
                "simulate: \(option.key) must be a whole number from \(range.lowerBound) to \(range.upperBound), not"
                    + " \"\(text)\"")
        }
        return number
    }

    private static func hours(_ arguments: ParsedArguments) throws(UsageError) -> Double {
        guard let text = arguments.value(of: hours) else { return 24 }
        guard let number = Double(text), number > 0, number <= 100_000 else {
            throw UsageError("simulate: --hours must be a number above 0, at most 100000, not \"\(text)\"")
        }
        return number
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? "\(Int64(number))" : "\(number)"
    }
}
