/// What the supervisor tells a component's process on the control pipe.
public enum ComponentOrder: Equatable, Sendable {
    /// First message, the answer to the hello.
    case boot(BootOrder)
    /// Close: sent messages are delivered first, then the process ends.
    case stop
    case heartbeat(UInt32)
    /// Evaluate this JavaScript; answered by `ComponentReport.evaluated` with the same number.
    case evaluate(number: UInt32, milliseconds: UInt32, String)
    /// Limits that are other ones from now on.
    case limits(LiveLimits)
    /// Answered by `ComponentReport.measured` with the same number.
    case measure(UInt32, collecting: Bool)
    /// Only where the boot order accepts faults.
    case fault(ComponentFault)
    /// Undo the fault of this number; one that is over already is none.
    case undoFault(UInt32)
}

/// All that a component's process needs to begin.
public struct BootOrder: Equatable, Sendable {
    /// Largest entry file, in bytes.
    public static let codeLimit = 32 << 20

    public let generation: UInt64
    public let appDomain: String
    /// Starts with `/`.
    public let entrypoint: String
    public let connectorId: String
    /// Folder with `js/` and `core/`.
    public let resources: String
    /// Folder of the user's own pair of bundles; empty = the embedded core's, which are in the resources.
    public let bundles: String
    /// The entry file, UTF-8, `1...codeLimit` bytes.
    public let code: [UInt8]
    /// Largest body on the data pipe, in bytes.
    public let frameLimit: UInt32
    /// One call into JavaScript is reported when it takes longer than this; milliseconds.
    public let callReportedAfter: UInt32
    /// The same, after which it is ended, and the component with it.
    public let callEndedAfter: UInt32
    public let memory: MemoryOrder
    public let queue: QueueOrder
    /// Faults may be ordered; without it an order for one breaks the protocol.
    public let acceptsFaults: Bool
    /// Nil: the process is not confined.
    public let sandbox: SandboxOrder?

    public init(
        generation: UInt64, appDomain: String, entrypoint: String, connectorId: String, resources: String,
        bundles: String = "", code: [UInt8], frameLimit: UInt32, callReportedAfter: UInt32, callEndedAfter: UInt32,
        memory: MemoryOrder = MemoryOrder(), queue: QueueOrder = QueueOrder(), acceptsFaults: Bool = false,
        sandbox: SandboxOrder? = nil
    ) {
        self.generation = generation
        self.appDomain = appDomain
        self.entrypoint = entrypoint
        self.connectorId = connectorId
        self.resources = resources
        self.bundles = bundles
        self.code = code
        self.frameLimit = frameLimit
        self.callReportedAfter = callReportedAfter
        self.callEndedAfter = callEndedAfter
        self.memory = memory
        self.queue = queue
        self.acceptsFaults = acceptsFaults
        self.sandbox = sandbox
    }
}

/// Limits that a process takes on while it runs; as in `MemoryOrder` and `BootOrder`.
public struct LiveLimits: Equatable, Sendable {
    public let tellAbove: UInt64
    public let callReportedAfter: UInt32
    public let callEndedAfter: UInt32

    public init(tellAbove: UInt64, callReportedAfter: UInt32, callEndedAfter: UInt32) {
        self.tellAbove = tellAbove
        self.callReportedAfter = callReportedAfter
        self.callEndedAfter = callEndedAfter
    }
}

/// Bounds of what waits on a process's data pipe, in bytes.
public struct QueueOrder: Equatable, Sendable {
    public let highWater: UInt64
    public let limit: UInt64

    public init(highWater: UInt64 = 1 << 20, limit: UInt64 = 256 << 20) {
        self.highWater = highWater
        self.limit = limit
    }
}

/// Limits of a process's memory, in bytes.
public struct MemoryOrder: Equatable, Sendable {
    /// It says when it holds more of its own than this; 0 = never.
    public let tellAbove: UInt64
    /// Its data may grow by this much once the engine is there; 0 = without a limit.
    public let growth: UInt64

    public init(tellAbove: UInt64 = 0, growth: UInt64 = 0) {
        self.tellAbove = tellAbove
        self.growth = growth
    }
}

extension ComponentOrder: ControlMessage {
    /// Room for the code and the texts beside it.
    public static let bodyLimit = BootOrder.codeLimit + 1 << 20
    private static let textLimit = 16 << 10
    private static let evaluationLimit = 64 << 10

    public var kind: UInt8 {
        switch self {
        case .boot: 65
        case .stop: 66
        case .heartbeat: 67
        case .evaluate: 80
        case .limits: 68
        case .measure: 69
        case .fault: 81
        case .undoFault: 82
        }
    }

    public func body() -> [UInt8] {
        switch self {
        case .boot(let order):
            var writer = ByteWriter(capacity: order.code.count + 1024)
            writer.put(order.generation)
            writer.put(order.frameLimit)
            writer.put(order.callReportedAfter)
            writer.put(order.callEndedAfter)
            for text in [order.appDomain, order.entrypoint, order.connectorId, order.resources, order.bundles] {
                writer.put(text, limit: Self.textLimit)
            }
            writer.put(order.code)
            writer.put(order.memory.tellAbove)
            writer.put(order.memory.growth)
            writer.put(order.queue.highWater)
            writer.put(order.queue.limit)
            writer.put(order.acceptsFaults ? UInt8(1) : 0)
            writer.put(order.sandbox == nil ? UInt8(0) : 1)
            order.sandbox?.write(to: &writer)
            return writer.bytes
        case .stop:
            return []
        case .fault(let fault):
            var writer = ByteWriter()
            fault.write(to: &writer)
            return writer.bytes
        case .heartbeat(let number), .undoFault(let number):
            var writer = ByteWriter()
            writer.put(number)
            return writer.bytes
        case .evaluate(let number, let milliseconds, let text):
            var writer = ByteWriter()
            writer.put(number)
            writer.put(milliseconds)
            writer.put(text, limit: Self.evaluationLimit)
            return writer.bytes
        case .limits(let limits):
            var writer = ByteWriter()
            writer.put(limits.tellAbove)
            writer.put(limits.callReportedAfter)
            writer.put(limits.callEndedAfter)
            return writer.bytes
        case .measure(let number, let collecting):
            var writer = ByteWriter()
            writer.put(number)
            writer.put(collecting ? UInt8(1) : 0)
            return writer.bytes
        }
    }

    public init?(kind: UInt8, body: UnsafeRawBufferPointer) throws(ControlError) {
        var fields = ControlFields(kind: kind, body: body)
        switch kind {
        case 65:
            let generation: UInt64 = try fields.number()
            let frameLimit: UInt32 = try fields.number()
            let callReportedAfter: UInt32 = try fields.number()
            let callEndedAfter: UInt32 = try fields.number()
            self = .boot(
                BootOrder(
                    generation: generation, appDomain: try fields.text(), entrypoint: try fields.text(),
                    connectorId: try fields.text(), resources: try fields.text(), bundles: try fields.text(),
                    code: try fields.data(), frameLimit: frameLimit, callReportedAfter: callReportedAfter,
                    callEndedAfter: callEndedAfter,
                    memory: MemoryOrder(tellAbove: try fields.number(), growth: try fields.number()),
                    queue: QueueOrder(highWater: try fields.number(), limit: try fields.number()),
                    acceptsFaults: try Self.flag(&fields), sandbox: try Self.sandbox(&fields)))
        case 66: self = .stop
        case 67: self = .heartbeat(try fields.number())
        case 80:
            self = .evaluate(
                number: try fields.number(), milliseconds: try fields.number(), try fields.text())
        case 68:
            self = .limits(
                LiveLimits(
                    tellAbove: try fields.number(), callReportedAfter: try fields.number(),
                    callEndedAfter: try fields.number()))
        case 69:
            let number: UInt32 = try fields.number()
            self = .measure(number, collecting: try Self.flag(&fields))
        case 81: self = .fault(try ComponentFault(&fields))
        case 82: self = .undoFault(try fields.number())
        default: return nil
        }
        try fields.end()
    }

    private static func sandbox(_ fields: inout ControlFields) throws(ControlError) -> SandboxOrder? {
        try flag(&fields) ? try SandboxOrder(&fields) : nil
    }

    private static func flag(_ fields: inout ControlFields) throws(ControlError) -> Bool {
        let flag: UInt8 = try fields.number()
        return flag != 0
    }
}
