/// `status`: the supervisor itself.
public struct StatusReply: JSONShape {
    public static let schema = "corehost.status/1"

    public var version: String
    public var pid: Int
    /// Seconds.
    public var uptime: Double
    /// `booting running closing`.
    public var state: String
    /// `not-logged-in logging-in logged-in`.
    public var login: String
    /// Who is logged in.
    public var user: String?
    public var places: Places
    /// Number of components in each state, states without any left out, in the order of a life.
    public var components: [Count]
    /// Names of the ports that are served.
    public var ports: [String]
    /// Stores whose keys are in use: `secret-service`, `file`.
    public var keyStores: [String]
    /// `on`; `degraded: ` and what is missing; `off`.
    public var sandbox: String?
    public var logs: Logs
    /// Calls into the core without an answer for longer than they should take.
    public var calls: [Call]
    /// Problems that are so at present, in words.
    public var problems: [String]

    public init(
        version: String, pid: Int, uptime: Double, state: String, login: String, user: String? = nil, places: Places,
        components: [Count], ports: [String], keyStores: [String] = [], sandbox: String? = nil, logs: Logs,
        calls: [Call] = [], problems: [String] = []
    ) {
        self.version = version
        self.pid = pid
        self.uptime = uptime
        self.state = state
        self.login = login
        self.user = user
        self.places = places
        self.components = components
        self.ports = ports
        self.keyStores = keyStores
        self.sandbox = sandbox
        self.logs = logs
        self.calls = calls
        self.problems = problems
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        version = try json.require("version")
        pid = try json.require("pid")
        uptime = try json.require("uptime")
        state = try json.require("state")
        login = try json.require("login")
        user = try json.optional("user")
        places = try json.require("places")
        components = (json["components"]?.members ?? []).map { Count($0.key, Int($0.value.int ?? 0)) }
        ports = try json.require("ports")
        keyStores = json["keyStores"] == nil ? [] : try json.require("keyStores")
        sandbox = try json.optional("sandbox")
        logs = try json.require("logs")
        calls = json["calls"] == nil ? [] : try json.require("calls")
        problems = try json.require("problems")
    }

    public var json: JSONValue {
        [
            "schema": .string(StatusReply.schema), "version": .string(version), "pid": JSONValue(pid),
            "uptime": .double(uptime), "state": .string(state), "login": .string(login), "user": JSONValue(user),
            "places": places.json,
            "components": .object(components.map { .init($0.state, JSONValue($0.number)) }),
            "ports": JSONValue(ports), "keyStores": JSONValue(keyStores), "sandbox": JSONValue(sandbox),
            "logs": logs.json,
            "calls": .array(calls.map(\.json)), "problems": JSONValue(problems),
        ]
    }

    public struct Count: Sendable, Equatable {
        public var state: String
        public var number: Int

        public init(_ state: String, _ number: Int) {
            self.state = state
            self.number = number
        }
    }

    public struct Call: JSONShape {
        /// Of the core's member.
        public var name: String
        /// Seconds.
        public var age: Double

        public init(name: String, age: Double) {
            self.name = name
            self.age = age
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            name = try json.require("name")
            age = try json.require("age")
        }

        public var json: JSONValue { ["name": .string(name), "age": .double(age)] }
    }

    /// Where things are, as absolute paths.
    public struct Places: JSONShape {
        public var data: String
        public var apps: String?
        public var resources: String?
        /// Folder of the user's own core; nil = the embedded one.
        public var core: String?
        public var configuration: String?
        public var socket: String
        public var logs: String?

        public init(
            data: String, apps: String? = nil, resources: String? = nil, core: String? = nil,
            configuration: String? = nil, socket: String, logs: String? = nil
        ) {
            self.data = data
            self.apps = apps
            self.resources = resources
            self.core = core
            self.configuration = configuration
            self.socket = socket
            self.logs = logs
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            data = try json.require("data")
            apps = try json.optional("apps")
            resources = try json.optional("resources")
            core = try json.optional("core")
            configuration = try json.optional("configuration")
            socket = try json.require("socket")
            logs = try json.optional("logs")
        }

        public var json: JSONValue {
            [
                "data": .string(data), "apps": JSONValue(apps), "resources": JSONValue(resources),
                "core": JSONValue(core), "configuration": JSONValue(configuration), "socket": .string(socket),
                "logs": JSONValue(logs),
            ]
        }
    }

    /// Lines on the disk, lines it did not take, lines that came faster than it took them.
    public struct Logs: JSONShape {
        public var written: Int
        public var lost: Int
        public var dropped: Int
        public var failure: String?

        public init(written: Int, lost: Int, dropped: Int, failure: String? = nil) {
            self.written = written
            self.lost = lost
            self.dropped = dropped
            self.failure = failure
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            written = try json.require("written")
            lost = try json.require("lost")
            dropped = try json.require("dropped")
            failure = try json.optional("failure")
        }

        public var json: JSONValue {
            [
                "written": JSONValue(written), "lost": JSONValue(lost), "dropped": JSONValue(dropped),
                "failure": JSONValue(failure),
            ]
        }
    }
}
