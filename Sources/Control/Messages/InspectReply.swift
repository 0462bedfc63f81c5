/// `inspect`: everything known about one component.
public struct InspectReply: JSONShape {
    public static let schema = "corehost.inspect/1"

    public var component: ComponentRow
    public var version: String?
    public var services: [String]
    public var restart: Restart
    /// How its last life ended.
    public var lastExit: Exit?
    public var process: Process?
    /// Of the running process.
    public var memory: MemoryShape?
    /// Of its process, once that is closed.
    public var sandbox: SandboxShape?
    /// Problems that are so at present, in words.
    public var problems: [String]
    public var details = InspectDetails()

    public init(
        component: ComponentRow, version: String? = nil, services: [String], restart: Restart, lastExit: Exit? = nil,
        process: Process? = nil, memory: MemoryShape? = nil, sandbox: SandboxShape? = nil,
        problems: [String] = []
    ) {
        self.component = component
        self.version = version
        self.services = services
        self.restart = restart
        self.lastExit = lastExit
        self.process = process
        self.memory = memory
        self.sandbox = sandbox
        self.problems = problems
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        component = try json.require("component")
        version = try json.optional("version")
        services = try json.require("services")
        restart = try json.require("restart")
        lastExit = try json.optional("lastExit")
        process = try json.optional("process")
        memory = try json.optional("memory")
        sandbox = try json.optional("sandbox")
        problems = try json.require("problems")
        details = try InspectDetails(json: json)
    }

    public var json: JSONValue {
        let state: JSONValue = [
            "schema": .string(InspectReply.schema), "component": component.json, "version": JSONValue(version),
            "services": JSONValue(services), "restart": restart.json, "lastExit": JSONValue(lastExit),
            "process": JSONValue(process), "memory": JSONValue(memory),
            "sandbox": JSONValue(sandbox), "problems": JSONValue(problems),
        ]
        return .object((state.members ?? []) + (details.json.members ?? []))
    }

    /// The restart policy and where the component stands in it.
    public struct Restart: JSONShape {
        /// `permanent transient temporary`.
        public var type: String
        /// Restarts within the period now, and how many the period may hold.
        public var recent: Int
        public var max: Int
        /// Seconds.
        public var period: Double
        /// Seconds until the next attempt, while waiting for it.
        public var nextIn: Double?

        public init(type: String, recent: Int, max: Int, period: Double, nextIn: Double? = nil) {
            self.type = type
            self.recent = recent
            self.max = max
            self.period = period
            self.nextIn = nextIn
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            type = try json.require("type")
            recent = try json.require("recent")
            max = try json.require("max")
            period = try json.require("period")
            nextIn = try json.optional("nextIn")
        }

        public var json: JSONValue {
            [
                "type": .string(type), "recent": JSONValue(recent), "max": JSONValue(max),
                "period": .double(period), "nextIn": JSONValue(nextIn),
            ]
        }
    }

    /// The end of a life.
    public struct Exit: JSONShape {
        public var generation: Int
        /// ISO 8601.
        public var time: String
        /// One word of a closed list.
        public var cause: String
        /// How sure that is: `proved`, `told` (by its process) or `likely`.
        public var certainty: String
        /// The same in a sentence.
        public var message: String
        /// Exit code or signal name, one of the two.
        public var code: Int?
        public var signal: String?
        /// Seconds that it had been ready.
        public var uptime: Double?
        /// The injected fault that explains it.
        public var fault: FaultTag?

        public init(
            generation: Int, time: String, cause: String, certainty: String, message: String, code: Int? = nil,
            signal: String? = nil, uptime: Double? = nil, fault: FaultTag? = nil
        ) {
            self.generation = generation
            self.time = time
            self.cause = cause
            self.certainty = certainty
            self.message = message
            self.code = code
            self.signal = signal
            self.uptime = uptime
            self.fault = fault
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            generation = try json.require("generation")
            time = try json.require("time")
            cause = try json.require("cause")
            certainty = try json.require("certainty")
            message = try json.require("message")
            code = try json.optional("code")
            signal = try json.optional("signal")
            uptime = try json.optional("uptime")
            fault = try json.optional("fault")
        }

        public var json: JSONValue {
            [
                "generation": JSONValue(generation), "time": .string(time), "cause": .string(cause),
                "certainty": .string(certainty), "message": .string(message), "code": JSONValue(code),
                "signal": JSONValue(signal), "uptime": JSONValue(uptime), "fault": JSONValue(fault),
            ]
        }
    }

    /// What the kernel says of the running process.
    public struct Process: JSONShape {
        public var pid: Int
        /// Bytes: resident, and proportional (shared pages divided among their users).
        public var memory: Int?
        public var proportionalMemory: Int?
        /// Seconds of processor time.
        public var cpu: Double?
        public var threads: Int?
        public var descriptors: Int?

        public init(
            pid: Int, memory: Int? = nil, proportionalMemory: Int? = nil, cpu: Double? = nil, threads: Int? = nil,
            descriptors: Int? = nil
        ) {
            self.pid = pid
            self.memory = memory
            self.proportionalMemory = proportionalMemory
            self.cpu = cpu
            self.threads = threads
            self.descriptors = descriptors
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            pid = try json.require("pid")
            memory = try json.optional("memory")
            proportionalMemory = try json.optional("proportionalMemory")
            cpu = try json.optional("cpu")
            threads = try json.optional("threads")
            descriptors = try json.optional("descriptors")
        }

        public var json: JSONValue {
            [
                "pid": JSONValue(pid), "memory": JSONValue(memory),
                "proportionalMemory": JSONValue(proportionalMemory), "cpu": JSONValue(cpu),
                "threads": JSONValue(threads), "descriptors": JSONValue(descriptors),
            ]
        }
    }
}
