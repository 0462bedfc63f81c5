import Glibc
import Simulation

/// For `scripts/mutation-check`: `<program> SEEDS HOURS` prints what the first seed that fails shows; 1 = one has, 0 = none.
@main enum MutationCheck {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let seeds = UInt64(arguments[1]), let hours = Double(arguments[2]) else {
            print("usage: \(arguments[0]) SEEDS HOURS")
            exit(2)
        }
        for seed in 1...seeds {
            guard let failure = Simulator().run(seed: seed, hours: hours).failure else { continue }
            print(
                "seed \(seed), \(failure.violation.invariant.rawValue), \(failure.shortened) of \(failure.inputs) inputs"
            )
            exit(1)
        }
    }
}
