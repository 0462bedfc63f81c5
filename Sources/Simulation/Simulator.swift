public import Supervision

/// Runs of the supervision plane's machines in a simulated world.
public struct Simulator: Sendable {
    /// A component with the rules of its life, to be simulated.
    public struct Component: Sendable {
        public let id: ComponentID
        public let policy: RestartPolicy

        public init(id: ComponentID, policy: RestartPolicy) {
            self.id = id
            self.policy = policy
        }
    }

    public struct Report: Sendable {
        public let seed: UInt64
        public let hours: Double
        /// Steps of machines.
        public let events: Int
        /// Of all that happened.
        public let digest: UInt64
        public let failure: Failure?
    }

    public struct Failure: Sendable {
        public let violation: Violation
        /// Since the start of the run.
        public let at: Instant
        public let inputs: Int
        /// The inputs that suffice, and what happens with them.
        public let shortened: Int
        public let trace: [String]
    }

    private let components: [Setup.Component]?

    /// - Parameter components: nil = made from the seed, too, with rules of their own.
    public init(components: [Component]? = nil) {
        self.components = components?.map {
            Setup.Component(id: $0.id, policy: $0.policy, startsWithSystem: $0.policy.restart != .temporary)
        }
    }

    /// - Parameter trace: gets each line of what happens.
    public func run(seed: UInt64, hours: Double, trace: ((String) -> Void)? = nil) -> Report {
        let setup = Generator.setup(seed: seed, components: components)
        let end = Instant(nanoseconds: Int64(hours * 3600 * 1e9))
        let inputs = Generator.inputs(setup, until: end)
        let world = World(setup, inputs, trace: trace)
        var failure: Failure?
        do throws(Violation) {
            try world.run(until: end)
        } catch {
            failure = shrink(setup, inputs, error, at: world.now, end: end)
        }
        return Report(seed: seed, hours: hours, events: world.events, digest: world.digest, failure: failure)
    }

    private func shrink(
        _ setup: Setup, _ inputs: [Input], _ violation: Violation, at: Instant, end: Instant
    ) -> Failure {
        let before = inputs.filter { $0.at <= at }
        // Nothing that comes later has a part in it; a run that goes on without it still ends.
        let until = min(at, end)
        func breaks(_ setup: Setup, _ inputs: [Input]) -> Bool {
            do throws(Violation) {
                try World(setup, inputs).run(until: until)
                return false
            } catch {
                return error.invariant == violation.invariant
            }
        }
        var shrinker = Shrinker(most: 2000)
        let left = shrinker.shrink(before) { breaks(setup, $0) }
        var setup = setup
        for index in setup.components.indices where setup.components[index].startsWithSystem {
            var without = setup
            without.components[index].startsWithSystem = false
            if breaks(without, left) { setup = without }
        }
        var trace: [String] = []
        let world = World(setup, left) { trace.append($0) }
        var last = violation
        do throws(Violation) { try world.run(until: until) } catch { last = error }
        return Failure(
            violation: last, at: world.now, inputs: before.count, shortened: left.count, trace: trace)
    }
}
