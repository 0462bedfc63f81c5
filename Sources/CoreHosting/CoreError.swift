public import JSEngine

/// A call into the core that did not give what it should.
public enum CoreError: Error, Sendable, CustomStringConvertible {
    /// The core threw, or rejected.
    case thrown(call: String, JSError)
    /// The core answered with something else than the contract says.
    case badAnswer(call: String, String)

    public var description: String {
        switch self {
        case .thrown(let call, let error): "\(call): \(error)"
        case .badAnswer(let call, let what): "\(call): the core answered \(what), which the contract does not allow"
        }
    }

    /// The core is not what the contract wants of a bundle (`core/contract/core.js`).
    var isOfBundle: Bool { exceptionJSON?.contains(#""type":"core-bundle""#) ?? false }

    /// What went wrong, without the call's name: for those who asked for the call.
    var reason: String {
        switch self {
        case .thrown(_, let error): error.name == "String" ? error.message : "\(error)"
        case .badAnswer: description
        }
    }

    /// For people who know no types and flags: what an exception object itself says.
    var plainReason: String {
        if case .thrown(_, let error) = self { error.plainMessage ?? reason } else { reason }
    }

    /// The exception object's JSON, where the core threw one.
    var exceptionJSON: String? {
        if case .thrown(_, let error) = self { error.exceptionJSON } else { nil }
    }
}
