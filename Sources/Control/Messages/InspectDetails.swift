/// What `inspect` shows beside the state: where rules are from, what is due, what was before, the engine, the ports.
public struct InspectDetails: JSONShape {
    /// The rules, each with what it is from.
    public var spec: [Setting]
    /// What happens by itself, and when.
    public var timers: [PendingTimer]
    public var engine: Engine?
    /// Of the present connection first, then of those before it.
    public var ports: [PortLedger]
    /// How earlier lives ended, the last one first.
    public var history: [InspectReply.Exit]

    public init(
        spec: [Setting] = [], timers: [PendingTimer] = [], engine: Engine? = nil, ports: [PortLedger] = [],
        history: [InspectReply.Exit] = []
    ) {
        self.spec = spec
        self.timers = timers
        self.engine = engine
        self.ports = ports
        self.history = history
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        spec = json["spec"] == nil ? [] : try json.require("spec")
        timers = json["timers"] == nil ? [] : try json.require("timers")
        engine = try json.optional("engine")
        ports = json["ports"] == nil ? [] : try json.require("ports")
        history = json["history"] == nil ? [] : try json.require("history")
    }

    public var json: JSONValue {
        [
            "spec": JSONValue(spec), "timers": JSONValue(timers), "engine": JSONValue(engine),
            "ports": JSONValue(ports), "history": JSONValue(history),
        ]
    }

    public struct Setting: JSONShape {
        public var key: String
        /// As in the configuration.
        public var value: String
        /// `manifest`, `default`, or the key of the configuration: `components."*"`.
        public var from: String
        /// Where the configuration says so.
        public var file: String?
        public var line: Int?

        public init(key: String, value: String, from: String, file: String? = nil, line: Int? = nil) {
            self.key = key
            self.value = value
            self.from = from
            self.file = file
            self.line = line
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            key = try json.require("key")
            value = try json.require("value")
            from = try json.require("from")
            file = try json.optional("file")
            line = try json.optional("line")
        }

        public var json: JSONValue {
            [
                "key": .string(key), "value": .string(value), "from": .string(from), "file": JSONValue(file),
                "line": JSONValue(line),
            ]
        }
    }

    public struct PendingTimer: JSONShape {
        /// `restart`, `start-timeout`, `stop-grace`, `heartbeat`.
        public var name: String
        /// Seconds from now; below 0 when it is overdue.
        public var due: Double

        public init(name: String, due: Double) {
            self.name = name
            self.due = due
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            name = try json.require("name")
            due = try json.require("due")
        }

        public var json: JSONValue { ["name": .string(name), "due": .double(due)] }
    }

    /// JavaScript in the component's process.
    public struct Engine: JSONShape {
        /// Seconds from the last heartbeat's question to its answer by a turn of JavaScript.
        public var lag: Double?
        /// Seconds for which a question has been without an answer; nil while none is open.
        public var silentFor: Double?
        /// Its calls to the core that are open; nil where the core does not tell.
        public var openCalls: Int?

        public init(lag: Double? = nil, silentFor: Double? = nil, openCalls: Int? = nil) {
            self.lag = lag
            self.silentFor = silentFor
            self.openCalls = openCalls
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            lag = try json.optional("lag")
            silentFor = try json.optional("silentFor")
            openCalls = try json.optional("openCalls")
        }

        public var json: JSONValue {
            ["lag": JSONValue(lag), "silentFor": JSONValue(silentFor), "openCalls": JSONValue(openCalls)]
        }
    }
}

/// What crossed one connection of a component to the core. `in` is what the component sent; bytes are with headers.
public struct PortLedger: JSONShape {
    public var generation: Int
    public var connector: String
    /// `open`; `bye`, `died`, `violation`, `closed-by-platform` once it has ended.
    public var state: String
    public var framesIn: Int
    public var framesOut: Int
    public var bytesIn: Int
    public var bytesOut: Int
    /// Bytes for the component that its socket did not take yet, and the most that these were.
    public var queued: Int
    public var mostQueued: Int
    /// Seconds in which its socket took no more.
    public var blocked: Double
    /// Messages that arrived after the core had closed the port.
    public var dropped: Int
    /// Once it has ended, bytes for the component: those that it may or may not have read, and those that never left.
    public var unknown: Int?
    public var thrownAway: Int?
    /// Bytes of a frame that it had begun.
    public var partialFrame: Int?

    public init(
        generation: Int, connector: String, state: String, framesIn: Int, framesOut: Int, bytesIn: Int, bytesOut: Int,
        queued: Int, mostQueued: Int, blocked: Double, dropped: Int, unknown: Int? = nil, thrownAway: Int? = nil,
        partialFrame: Int? = nil
    ) {
        self.generation = generation
        self.connector = connector
        self.state = state
        self.framesIn = framesIn
        self.framesOut = framesOut
        self.bytesIn = bytesIn
        self.bytesOut = bytesOut
        self.queued = queued
        self.mostQueued = mostQueued
        self.blocked = blocked
        self.dropped = dropped
        self.unknown = unknown
        self.thrownAway = thrownAway
        self.partialFrame = partialFrame
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        generation = try json.require("generation")
        connector = try json.require("connector")
        state = try json.require("state")
        framesIn = try json.require("framesIn")
        framesOut = try json.require("framesOut")
        bytesIn = try json.require("bytesIn")
        bytesOut = try json.require("bytesOut")
        queued = try json.require("queued")
        mostQueued = try json.require("mostQueued")
        blocked = try json.require("blocked")
        dropped = try json.require("dropped")
        unknown = try json.optional("unknown")
        thrownAway = try json.optional("thrownAway")
        partialFrame = try json.optional("partialFrame")
    }

    public var json: JSONValue {
        [
            "generation": JSONValue(generation), "connector": .string(connector), "state": .string(state),
            "framesIn": JSONValue(framesIn), "framesOut": JSONValue(framesOut), "bytesIn": JSONValue(bytesIn),
            "bytesOut": JSONValue(bytesOut), "queued": JSONValue(queued), "mostQueued": JSONValue(mostQueued),
            "blocked": .double(blocked), "dropped": JSONValue(dropped), "unknown": JSONValue(unknown),
            "thrownAway": JSONValue(thrownAway), "partialFrame": JSONValue(partialFrame),
        ]
    }
}
