/// What a component's process tells the supervisor on the control pipe.
public enum ComponentReport: Equatable, Sendable {
    /// First message: the process runs and speaks this version.
    case hello(version: UInt16, generation: UInt64, pid: UInt32)
    /// The engine, the preload scripts and the client bundle are in place.
    case preloaded
    /// The component's code has run up to its first suspension.
    case ready
    /// Why the process is about to end abnormally.
    case failure(FailureReport)
    /// `place`: `<file>:<line>` of the component's code that wrote it.
    case log(ReportedLevel, String, place: String? = nil)
    /// The component closes itself.
    case closing
    /// Answers `ComponentOrder.heartbeat` with the same number.
    case heartbeatReply(UInt32)
    /// One call into JavaScript has taken so long and still runs; `stack` is where it was then.
    case busy(milliseconds: UInt32, stack: String)
    /// The sandbox is closed; from here on scripts of the component run.
    case confined(SandboxReport)
    /// A system call that the sandbox refuses ends the process: the call's number, for the architecture as the kernel's
    /// audit numbers have it.
    case refused(call: UInt32, architecture: UInt32)
    /// What `ComponentOrder.evaluate` gave; `failure` in words in place of a value.
    case evaluated(number: UInt32, value: String?, failure: String?)
    /// A signal that ends the process, as its handler saw it: see `FatalSignalReport`.
    case fatal(FatalSignalReport)
    /// It holds more memory of its own than it was to say; bytes.
    case holds(UInt64)
    /// Answers `ComponentOrder.measure`.
    case measured(UInt32, MemoryFigures)
    /// The engine gives up, and the process ends by a signal. In bytes: its data, what the kernel has refused it just now (0 =
    /// nothing), and the most that its data may be.
    case gaveUp(data: UInt64, refused: UInt64, limit: UInt64)
    /// What the component says that it is doing.
    case status(String)
    /// The component is not ready yet, and asks for so long from now on.
    case extendStart(milliseconds: UInt32)
}

/// Where a signal came from that ended a process.
public struct FatalSignalReport: Equatable, Sendable {
    public let signal: Int32
    /// `si_code`: positive = the kernel's, for a fault of the process itself.
    public let code: Int32
    /// Of the sender; both 0 for a fault. Pid 0: a process that has no number in this namespace.
    public let pid: UInt32
    public let uid: UInt32
    /// That a fault was about, else 0.
    public let address: UInt64

    public init(signal: Int32, code: Int32, pid: UInt32, uid: UInt32, address: UInt64) {
        self.signal = signal
        self.code = code
        self.pid = pid
        self.uid = uid
        self.address = address
    }
}

/// What a process and its engine hold, in bytes.
public struct MemoryFigures: Equatable, Sendable {
    /// Resident, and the process's alone.
    public var own: UInt64
    /// Live JavaScript, what that keeps beside itself (texts, buffers), and room for it.
    public var heap: UInt64
    public var extra: UInt64
    public var capacity: UInt64
    public var objects: UInt64

    public init(own: UInt64 = 0, heap: UInt64 = 0, extra: UInt64 = 0, capacity: UInt64 = 0, objects: UInt64 = 0) {
        self.own = own
        self.heap = heap
        self.extra = extra
        self.capacity = capacity
        self.objects = objects
    }
}

/// Level of a line of the component's console.
public enum ReportedLevel: UInt8, Sendable, CaseIterable {
    case trace, debug, log, info, warn, error
}

/// A failure as the child saw it. `line` counts from 1 in the component's own file.
public struct FailureReport: Equatable, Sendable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        case uncaughtError, unhandledRejection, syntax, protocolViolation, sandbox, engine, start, tightLoop,
            outOfMemory
    }

    public let kind: Kind
    public let message: String
    public let file: String?
    public let line: UInt32?
    public let stack: String?

    public init(
        kind: Kind, message: String, file: String? = nil, line: UInt32? = nil, stack: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.file = file
        self.line = line
        self.stack = stack
    }
}

extension ComponentReport: ControlMessage {
    /// Longer texts are cut where they are encoded. A log line may be 1 MiB.
    static let logLimit = 1 << 20
    static let textLimit = 64 << 10
    static let placeLimit = 1 << 10
    /// The outcome and the mark of a cut.
    static let evaluationLimit = 65 << 10
    public static let statusLimit = 256
    public static let bodyLimit = logLimit + textLimit

    public var kind: UInt8 {
        switch self {
        case .hello: 1
        case .preloaded: 2
        case .ready: 3
        case .failure: 4
        case .log: 5
        case .closing: 6
        case .heartbeatReply: 7
        case .busy: 8
        case .confined: 9
        case .refused: 10
        case .evaluated: 30
        case .fatal: 16
        case .holds: 11
        case .measured: 12
        case .gaveUp: 13
        case .status: 14
        case .extendStart: 15
        }
    }

    public func body() -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .hello(let version, let generation, let pid):
            writer.put(version)
            writer.put(generation)
            writer.put(pid)
        case .preloaded, .ready, .closing:
            break
        case .failure(let report):
            writer.put(report.kind.rawValue)
            writer.put(report.message, limit: Self.textLimit)
            writer.put(report.file ?? "", limit: Self.textLimit)
            writer.put(report.line ?? 0)
            writer.put(report.stack ?? "", limit: Self.textLimit)
        case .log(let level, let text, let place):
            writer.put(level.rawValue)
            writer.put(text, limit: Self.logLimit)
            writer.put(place ?? "", limit: Self.placeLimit)
        case .heartbeatReply(let number):
            writer.put(number)
        case .busy(let milliseconds, let stack):
            writer.put(milliseconds)
            writer.put(stack, limit: Self.textLimit)
        case .confined(let report):
            report.write(to: &writer)
        case .refused(let call, let architecture):
            writer.put(call)
            writer.put(architecture)
        case .evaluated(let number, let value, let failure):
            writer.put(number)
            writer.put(UInt8(value == nil ? 1 : 0))
            writer.put(value ?? failure ?? "", limit: Self.evaluationLimit)
        case .fatal(let fatal):
            writer.put(UInt32(bitPattern: fatal.signal))
            writer.put(UInt32(bitPattern: fatal.code))
            writer.put(fatal.pid)
            writer.put(fatal.uid)
            writer.put(fatal.address)
        case .holds(let bytes):
            writer.put(bytes)
        case .measured(let number, let figures):
            writer.put(number)
            for figure in [figures.own, figures.heap, figures.extra, figures.capacity, figures.objects] {
                writer.put(figure)
            }
        case .gaveUp(let data, let refused, let limit):
            writer.put(data)
            writer.put(refused)
            writer.put(limit)
        case .status(let text):
            writer.put(text, limit: Self.statusLimit)
        case .extendStart(let milliseconds):
            writer.put(milliseconds)
        }
        return writer.bytes
    }

    public init?(kind: UInt8, body: UnsafeRawBufferPointer) throws(ControlError) {
        var fields = ControlFields(kind: kind, body: body)
        switch kind {
        case 1:
            self = .hello(version: try fields.number(), generation: try fields.number(), pid: try fields.number())
        case 2: self = .preloaded
        case 3: self = .ready
        case 4: self = .failure(try FailureReport(&fields))
        case 5:
            let level: UInt8 = try fields.number()
            guard let level = ReportedLevel(rawValue: level) else {
                throw .unknownValue(field: "log level", level)
            }
            let text = try fields.text()
            let place = try fields.text()
            self = .log(level, text, place: place.isEmpty ? nil : place)
        case 6: self = .closing
        case 7: self = .heartbeatReply(try fields.number())
        case 8: self = .busy(milliseconds: try fields.number(), stack: try fields.text())
        case 9: self = .confined(try SandboxReport(&fields))
        case 10: self = .refused(call: try fields.number(), architecture: try fields.number())
        case 30:
            let number: UInt32 = try fields.number()
            let hasFailed: UInt8 = try fields.number()
            let text = try fields.text()
            self = .evaluated(
                number: number, value: hasFailed == 0 ? text : nil, failure: hasFailed == 0 ? nil : text)
        case 16: self = .fatal(try FatalSignalReport(&fields))
        case 11: self = .holds(try fields.number())
        case 12:
            self = .measured(
                try fields.number(),
                MemoryFigures(
                    own: try fields.number(), heap: try fields.number(), extra: try fields.number(),
                    capacity: try fields.number(), objects: try fields.number()))
        case 13:
            self = .gaveUp(
                data: try fields.number(), refused: try fields.number(), limit: try fields.number())
        case 14: self = .status(try fields.text())
        case 15: self = .extendStart(milliseconds: try fields.number())
        default: return nil
        }
        try fields.end()
    }
}

extension FatalSignalReport {
    fileprivate init(_ fields: inout ControlFields) throws(ControlError) {
        let signal: UInt32 = try fields.number()
        let code: UInt32 = try fields.number()
        self.init(
            signal: Int32(bitPattern: signal), code: Int32(bitPattern: code), pid: try fields.number(),
            uid: try fields.number(), address: try fields.number())
    }
}

extension FailureReport {
    fileprivate init(_ fields: inout ControlFields) throws(ControlError) {
        let kind: UInt8 = try fields.number()
        guard let kind = Kind(rawValue: kind) else { throw .unknownValue(field: "failure kind", kind) }
        let message = try fields.text()
        let file = try fields.text()
        let line: UInt32 = try fields.number()
        let stack = try fields.text()
        self.init(
            kind: kind, message: message, file: file.isEmpty ? nil : file, line: line == 0 ? nil : line,
            stack: stack.isEmpty ? nil : stack)
    }
}
