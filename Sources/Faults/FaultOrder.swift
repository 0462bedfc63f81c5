internal import Supervision

/// A fault as it is asked for, checked as far as it can be without looking at the platform.
public struct FaultOrder: Hashable, Sendable {
    /// What is given of a leash; the rest has defaults.
    public struct Wish: Hashable, Sendable {
        public var count: Int?
        public var rate: Double?
        public var duration: Duration?
        public var most: Int?

        public init(count: Int? = nil, rate: Double? = nil, duration: Duration? = nil, most: Int? = nil) {
            self.count = count
            self.rate = rate
            self.duration = duration
            self.most = most
        }
    }

    public let kind: FaultKind
    public let fault: Fault
    public let selector: FaultSelector
    /// All parameters as text, defaults too.
    public let parameters: [String: String]
    public private(set) var wish: Wish
    public let seed: UInt64

    public init(
        kind name: String, target: String?, parameters: [String: String] = [:], wish: Wish = Wish(), seed: UInt64
    ) throws(FaultRefusal) {
        guard let kind = FaultKind(rawValue: name) else {
            let names = FaultKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("there is no kind of fault \"\(name.prefix(80))\"; kinds are \(names)")
        }
        let row = FaultTable.row(kind)
        if let unknown = parameters.keys.sorted().first(where: { name in !row.parameters.contains { $0.name == name } })
        {
            let names = row.parameters.map(\.name)
            let takes = names.isEmpty ? "it takes none" : "it takes " + names.joined(separator: ", ")
            throw .usage("\(kind.rawValue) has no parameter \"\(unknown.prefix(80))\"; \(takes)")
        }
        var values: [String: FaultValue] = [:]
        var texts: [String: String] = [:]
        for parameter in row.parameters {
            guard let text = parameters[parameter.name] ?? parameter.usual else {
                throw .usage("\(kind.rawValue) needs \(parameter.name)=…: \(parameter.bounds)")
            }
            do throws(FaultRefusal) {
                values[parameter.name] = try parameter.read(text)
            } catch {
                throw .usage("\(kind.rawValue): \(error)")
            }
            texts[parameter.name] = text
        }
        switch (target, kind.isOfPlatform) {
        case (nil, true), ("platform", true): selector = .platform
        case (let target?, true):
            throw .usage(
                "\(kind.rawValue) is about the platform as a whole; leave out the target \"\(target.prefix(80))\"")
        case (nil, false): throw .usage("\(kind.rawValue) needs a target: \(FaultSelector.forms)")
        case (let target?, false): selector = try FaultSelector(target)
        }
        self.kind = kind
        fault = Fault(kind, FaultValues(values))
        if fault == .clockStep(.zero) { throw .usage("clock-step: by must be a step, forth or back, not \"0\"") }
        self.parameters = texts
        self.wish = wish
        // What is asked to take long is not cut short by what nobody asked for.
        if wish.duration == nil, parameters["for"] != nil, let wanted = fault.span,
            wanted > FaultLeash.usualDuration(kind.manner)
        {
            self.wish.duration = wanted
        }
        self.seed = seed
        // What is wrong with it whatever is there is said at once.
        _ = try FaultLeash(self.wish, kind.manner, choosing: 1)
    }

    /// How long it is in force, if nothing ends it before.
    public var duration: Duration { wish.duration ?? FaultLeash.usualDuration(kind.manner) }

    /// Why the platform would refuse this one while `earlier` is in force, whatever components there are; nil: it would not, or
    /// that depends on them.
    public func contradiction(with earlier: FaultOrder) -> String? {
        guard earlier.kind.manner != .once, selector.isSureToMeet(earlier.selector) else { return nil }
        return FaultConflicts.reason(fault, kind, earlier.kind)
    }
}

/// Parameters that the table has checked, by name.
struct FaultValues {
    private let values: [String: FaultValue]

    init(_ values: [String: FaultValue]) { self.values = values }

    func number(_ name: String) -> Int {
        guard case .number(let number)? = values[name] else { preconditionFailure("the table has no number \(name)") }
        return number
    }

    func duration(_ name: String) -> Duration {
        guard case .duration(let time)? = values[name] else { preconditionFailure("the table has no time \(name)") }
        return time
    }

    func text(_ name: String) -> String {
        guard case .text(let text)? = values[name] else { preconditionFailure("the table has no text \(name)") }
        return text
    }
}
