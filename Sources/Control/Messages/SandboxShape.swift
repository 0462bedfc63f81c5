/// What stands around a component's process, in `inspect`.
public struct SandboxShape: JSONShape {
    /// `on`; `degraded` when a wall is missing; `off` with `run --no-sandbox`.
    public var state: String
    /// Walls in force, as the process told when its sandbox closed. `docs/security.md` explains them.
    public var walls: [String]
    /// Walls that are not there, each with the reason.
    public var missing: [String]
    /// What the kernel says of the process; null for what it does not tell.
    public var kernel: Kernel?

    public struct Kernel: JSONShape {
        public var uid: Int?
        public var noNewPrivileges: Bool?
        /// System calls are filtered.
        public var filter: Bool?

        public init(uid: Int? = nil, noNewPrivileges: Bool? = nil, filter: Bool? = nil) {
            self.uid = uid
            self.noNewPrivileges = noNewPrivileges
            self.filter = filter
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            uid = try json.optional("uid")
            noNewPrivileges = try json.optional("noNewPrivileges")
            filter = try json.optional("filter")
        }

        public var json: JSONValue {
            [
                "uid": JSONValue(uid), "noNewPrivileges": JSONValue(noNewPrivileges), "filter": JSONValue(filter),
            ]
        }
    }

    public init(state: String, walls: [String] = [], missing: [String] = [], kernel: Kernel? = nil) {
        self.state = state
        self.walls = walls
        self.missing = missing
        self.kernel = kernel
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        state = try json.require("state")
        walls = try json.require("walls")
        missing = try json.require("missing")
        kernel = try json.optional("kernel")
    }

    public var json: JSONValue {
        [
            "state": .string(state), "walls": JSONValue(walls), "missing": JSONValue(missing),
            "kernel": JSONValue(kernel),
        ]
    }
}
