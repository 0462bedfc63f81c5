/// `tasks`: the components that start with the system, and when they run.
public struct TasksReply: JSONShape {
    public static let schema = "corehost.tasks/1"

    /// As it is now.
    public var machine: Machine
    /// Of the configuration; `*` is all.
    public var permitted: [String]
    public var tasks: [TaskRow]

    public init(machine: Machine, permitted: [String], tasks: [TaskRow]) {
        self.machine = machine
        self.permitted = permitted
        self.tasks = tasks
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        machine = try json.require("machine")
        permitted = try json.require("permitted")
        tasks = try json.require("tasks")
    }

    public var json: JSONValue {
        [
            "schema": .string(Self.schema), "machine": JSONValue(machine), "permitted": JSONValue(permitted),
            "tasks": JSONValue(tasks),
        ]
    }

    public struct Machine: JSONShape {
        /// Of the last minute, for each processor; nil where the kernel does not tell.
        public var load: Double?
        /// `external`, `battery`, `no-battery`.
        public var power: String

        public init(load: Double?, power: String) {
            self.load = load
            self.power = power
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            load = try json.optional("load")
            power = try json.require("power")
        }

        public var json: JSONValue { ["load": JSONValue(load), "power": .string(power)] }
    }
}

public struct TaskRow: JSONShape {
    public var task: String
    /// Its id.
    public var component: String
    /// `always`, `windowed`, `push`, `foreground`.
    public var mode: String
    public var permitted: Bool
    /// `unscheduled`, `scheduled`, `waiting`, `running`, `closing`.
    public var state: String
    /// Seconds to the next window, or until the machine is looked at again; below 0 when it is overdue.
    public var nextIn: Double?
    /// Seconds to the end of the cycle that runs.
    public var endsIn: Double?
    /// What keeps its window waiting, in words.
    public var waitsFor: [String]
    /// It was woken while a cycle runs: one more follows.
    public var again: Bool
    /// That are over, since the login.
    public var cycles: Int
    public var last: Cycle?

    public init(
        task: String, component: String, mode: String, permitted: Bool, state: String, nextIn: Double? = nil,
        endsIn: Double? = nil, waitsFor: [String] = [], again: Bool = false, cycles: Int = 0, last: Cycle? = nil
    ) {
        self.task = task
        self.component = component
        self.mode = mode
        self.permitted = permitted
        self.state = state
        self.nextIn = nextIn
        self.endsIn = endsIn
        self.waitsFor = waitsFor
        self.again = again
        self.cycles = cycles
        self.last = last
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        task = try json.require("task")
        component = try json.require("component")
        mode = try json.require("mode")
        permitted = try json.require("permitted")
        state = try json.require("state")
        nextIn = try json.optional("nextIn")
        endsIn = try json.optional("endsIn")
        waitsFor = try json.require("waitsFor")
        again = try json.require("again")
        cycles = try json.require("cycles")
        last = try json.optional("last")
    }

    public var json: JSONValue {
        [
            "task": .string(task), "component": .string(component), "mode": .string(mode),
            "permitted": .bool(permitted),
            "state": .string(state), "nextIn": JSONValue(nextIn), "endsIn": JSONValue(endsIn),
            "waitsFor": JSONValue(waitsFor), "again": .bool(again), "cycles": JSONValue(cycles),
            "last": JSONValue(last),
        ]
    }

    public struct Cycle: JSONShape {
        /// `window` or `wake`.
        public var by: String
        /// `ended`, `time-over`, `power-lost`, `failed`, `stopped-by-user`, `started-by-user`, `reconfigured`.
        public var outcome: String
        /// Seconds since it ended.
        public var ago: Double
        /// Seconds.
        public var took: Double

        public init(by: String, outcome: String, ago: Double, took: Double) {
            self.by = by
            self.outcome = outcome
            self.ago = ago
            self.took = took
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            by = try json.require("by")
            outcome = try json.require("outcome")
            ago = try json.require("ago")
            took = try json.require("took")
        }

        public var json: JSONValue {
            ["by": .string(by), "outcome": .string(outcome), "ago": .double(ago), "took": .double(took)]
        }
    }
}

/// `wake`.
public struct WakeReply: JSONShape {
    public static let schema = "corehost.wake/1"

    public var task: String
    public var component: String
    /// `started`: it runs; `queued`: one more cycle follows the one that runs; `merged`: one more followed already;
    /// `running`: it was started by somebody else.
    public var outcome: String

    public init(task: String, component: String, outcome: String) {
        self.task = task
        self.component = component
        self.outcome = outcome
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        task = try json.require("task")
        component = try json.require("component")
        outcome = try json.require("outcome")
    }

    public var json: JSONValue {
        [
            "schema": .string(Self.schema), "task": .string(task), "component": .string(component),
            "outcome": .string(outcome),
        ]
    }
}
