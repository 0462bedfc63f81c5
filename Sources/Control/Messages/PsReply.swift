/// One component in `ps`, `inspect` and the replies of commands that change one.
public struct ComponentRow: JSONShape {
    /// `<appDomain>/<entry without leading slash>`, with `#n` for one of many instances.
    public var id: String
    /// Id of the present connector.
    public var connector: String?
    public var app: String
    /// With the leading slash.
    public var entry: String
    /// `startup` or `service`.
    public var kind: String
    /// `down starting running closing gone waiting failed`.
    public var state: String
    /// Of starting: `queued code spawned hello preloaded`.
    public var phase: String?
    /// `up` or `down`.
    public var wanted: String
    public var pid: Int?
    public var generation: Int
    /// Seconds since it became ready.
    public var uptime: Double?
    public var restarts: Int
    /// Resident bytes.
    public var memory: Int?
    /// Bytes of live JavaScript, as its engine told last; nil until it has.
    public var heap: Int?
    /// Frames from the component and to it, this life.
    public var `in`: Int?
    public var out: Int?
    /// Seconds that its JavaScript took to give a turn when it was asked last.
    public var lag: Double?
    /// Its calls that the core has not answered; nil where the core does not tell.
    public var calls: Int?
    /// What the component says that it does.
    public var status: String?

    public init(
        id: String, connector: String? = nil, app: String, entry: String, kind: String, state: String,
        phase: String? = nil, wanted: String, pid: Int? = nil, generation: Int, uptime: Double? = nil,
        restarts: Int, memory: Int? = nil, heap: Int? = nil, in: Int? = nil, out: Int? = nil, lag: Double? = nil,
        calls: Int? = nil, status: String? = nil
    ) {
        self.id = id
        self.connector = connector
        self.app = app
        self.entry = entry
        self.kind = kind
        self.state = state
        self.phase = phase
        self.wanted = wanted
        self.pid = pid
        self.generation = generation
        self.uptime = uptime
        self.restarts = restarts
        self.memory = memory
        self.heap = heap
        self.in = `in`
        self.out = out
        self.lag = lag
        self.calls = calls
        self.status = status
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        id = try json.require("id")
        connector = try json.optional("connector")
        app = try json.require("app")
        entry = try json.require("entry")
        kind = try json.require("kind")
        state = try json.require("state")
        phase = try json.optional("phase")
        wanted = try json.require("wanted")
        pid = try json.optional("pid")
        generation = try json.require("generation")
        uptime = try json.optional("uptime")
        restarts = try json.require("restarts")
        memory = try json.optional("memory")
        heap = try json.optional("heap")
        self.in = try json.optional("in")
        out = try json.optional("out")
        lag = try json.optional("lag")
        calls = try json.optional("calls")
        status = try json.optional("status")
    }

    public var json: JSONValue {
        [
            "id": .string(id), "connector": JSONValue(connector), "app": .string(app), "entry": .string(entry),
            "kind": .string(kind), "state": .string(state), "phase": JSONValue(phase), "wanted": .string(wanted),
            "pid": JSONValue(pid), "generation": JSONValue(generation), "uptime": JSONValue(uptime),
            "restarts": JSONValue(restarts), "memory": JSONValue(memory), "heap": JSONValue(heap),
            "in": JSONValue(self.in), "out": JSONValue(out), "lag": JSONValue(lag), "calls": JSONValue(calls),
            "status": JSONValue(status),
        ]
    }
}

/// `ps`.
public struct PsReply: JSONShape {
    public static let schema = "corehost.ps/1"
    public var components: [ComponentRow]
    public var supervisor: SupervisorRow?

    public init(components: [ComponentRow]) { self.components = components }

    public init(json: JSONValue) throws(JSONShapeError) {
        components = try json.require("components")
        supervisor = try json.optional("supervisor")
    }

    public var json: JSONValue {
        [
            "schema": .string(PsReply.schema), "components": JSONValue(components),
            "supervisor": JSONValue(supervisor),
        ]
    }

    /// The process whose children the components' are.
    public struct SupervisorRow: JSONShape {
        public var pid: Int
        /// Seconds.
        public var uptime: Double
        /// Resident bytes.
        public var memory: Int?
        /// Names; `core` is the core's.
        public var threads: [String]
        /// Process that components are forked from; nil while there is none.
        public var zygote: Int?

        public init(pid: Int, uptime: Double, memory: Int? = nil, threads: [String] = [], zygote: Int? = nil) {
            self.pid = pid
            self.uptime = uptime
            self.memory = memory
            self.threads = threads
            self.zygote = zygote
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            pid = try json.require("pid")
            uptime = try json.require("uptime")
            memory = try json.optional("memory")
            threads = try json.require("threads")
            zygote = try json.optional("zygote")
        }

        public var json: JSONValue {
            [
                "pid": JSONValue(pid), "uptime": .double(uptime), "memory": JSONValue(memory),
                "threads": JSONValue(threads), "zygote": JSONValue(zygote),
            ]
        }
    }
}
