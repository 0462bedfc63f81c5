/// A fault that was injected on purpose, as it is named in what it leads to.
public struct InjectedFault: Hashable, Sendable {
    /// Ends of a life that it explains.
    public enum Effect: Hashable, Sendable {
        case signal(Int32)
        case exit(Int32)
        case causes(Set<Verdict.Cause>)
        case any
    }

    public let id: Int
    public let kind: String
    public let seed: UInt64
    public let effect: Effect

    public init(id: Int, kind: String, seed: UInt64, effect: Effect) {
        self.id = id
        self.kind = kind
        self.seed = seed
        self.effect = effect
    }

    func explains(_ cause: Verdict.Cause, _ exit: ExitStatus?) -> Bool {
        switch effect {
        case .signal(let number): exit == .signalled(number)
        case .exit(let code): exit == .exited(code)
        case .causes(let causes): causes.contains(cause)
        case .any: true
        }
    }
}

extension InjectedFault: CustomStringConvertible {
    public var description: String { "injected fault \(id) (\(kind), seed \(seed))" }
}
