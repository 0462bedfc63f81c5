/// `deaths`: the ends of a component's lives that are kept, newest first.
public struct DeathsReply: JSONShape {
    public static let schema = "corehost.deaths/1"

    public var component: String
    public var deaths: [Row]
    /// Lines of what is kept that could not be read, of all components.
    public var damaged: Int
    /// Deaths that are kept nowhere, of all components, since the supervisor's start.
    public var lost: Int
    /// Why the disk does not take any.
    public var problem: String?

    public init(component: String, deaths: [Row], damaged: Int, lost: Int, problem: String? = nil) {
        self.component = component
        self.deaths = deaths
        self.damaged = damaged
        self.lost = lost
        self.problem = problem
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        component = try json.require("component")
        deaths = try json.require("deaths")
        damaged = try json.require("damaged")
        lost = try json.require("lost")
        problem = try json.optional("problem")
    }

    public var json: JSONValue {
        [
            "schema": .string(DeathsReply.schema), "component": .string(component), "deaths": JSONValue(deaths),
            "damaged": JSONValue(damaged), "lost": JSONValue(lost), "problem": JSONValue(problem),
        ]
    }

    /// One of them in short.
    public struct Row: JSONShape {
        /// Counts the ends of a component's lives, over all runs of the platform.
        public var number: Int
        /// With its instance, where it has one.
        public var component: String
        public var generation: Int
        /// ISO 8601.
        public var time: String
        public var cause: String
        public var certainty: String
        public var message: String
        /// `restart`, `start`, `down`, `failed`.
        public var next: String
        /// The injected fault that explains it.
        public var fault: FaultTag?

        public init(
            number: Int, component: String, generation: Int, time: String, cause: String, certainty: String,
            message: String, next: String, fault: FaultTag? = nil
        ) {
            self.number = number
            self.component = component
            self.generation = generation
            self.time = time
            self.cause = cause
            self.certainty = certainty
            self.message = message
            self.next = next
            self.fault = fault
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            number = try json.require("number")
            component = try json.require("component")
            generation = try json.require("generation")
            time = try json.require("time")
            cause = try json.require("cause")
            certainty = try json.require("certainty")
            message = try json.require("message")
            next = try json.require("next")
            fault = try json.optional("fault")
        }

        public var json: JSONValue {
            [
                "number": JSONValue(number), "component": .string(component), "generation": JSONValue(generation),
                "time": .string(time), "cause": .string(cause), "certainty": .string(certainty),
                "message": .string(message), "next": .string(next), "fault": JSONValue(fault),
            ]
        }
    }
}

/// `deaths` with a number: all that is kept of one, as docs/verdicts.md describes it.
public struct DeathReply: JSONShape {
    public var death: JSONValue

    public init(death: JSONValue) { self.death = death }
    public init(json: JSONValue) throws(JSONShapeError) { death = json }
    public var json: JSONValue { death }
}
