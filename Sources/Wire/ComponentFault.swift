/// A fault that a component's process does to itself, because the supervisor was told to inject it.
public struct ComponentFault: Equatable, Sendable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        case exit = 1
        case uncaughtError, unhandledRejection, tightLoop, stalledLoop, microtaskLoop, memoryGrowth,
            descriptorExhaustion, clockStep
    }

    /// Of the injected fault; what undoes it names it.
    public let number: UInt32
    public let kind: Kind
    /// Exit code; milliseconds of a loop; bytes of memory; descriptors that are left; nanoseconds of a clock's step, as the
    /// bits of a signed number.
    public let amount: UInt64
    /// Bytes of memory per second.
    public let rate: UInt64
    /// Message of an error.
    public let text: String

    public init(number: UInt32, _ kind: Kind, amount: UInt64 = 0, rate: UInt64 = 0, text: String = "") {
        self.number = number
        self.kind = kind
        self.amount = amount
        self.rate = rate
        self.text = text
    }
}

extension ComponentFault {
    private static let textLimit = 4096

    func write(to writer: inout ByteWriter) {
        writer.put(number)
        writer.put(kind.rawValue)
        writer.put(amount)
        writer.put(rate)
        writer.put(text, limit: Self.textLimit)
    }

    init(_ fields: inout ControlFields) throws(ControlError) {
        number = try fields.number()
        let kind: UInt8 = try fields.number()
        guard let known = Kind(rawValue: kind) else { throw .unknownValue(field: "kind of fault", kind) }
        self.kind = known
        amount = try fields.number()
        rate = try fields.number()
        text = try fields.text()
    }
}
