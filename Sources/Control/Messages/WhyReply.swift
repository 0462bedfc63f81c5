/// `why`: why a component is where it is.
public struct WhyReply: JSONShape {
    public static let schema = "corehost.why/1"

    public var component: String
    public var state: String
    /// Of a start.
    public var phase: String?
    public var wanted: String
    /// One sentence.
    public var reason: String
    /// What says so.
    public var rule: String
    public var evidence: [String]
    /// What comes next by itself.
    public var next: String?
    /// Seconds until then.
    public var nextIn: Double?
    public var commands: [Command]

    public init(
        component: String, state: String, phase: String? = nil, wanted: String, reason: String, rule: String,
        evidence: [String], next: String? = nil, nextIn: Double? = nil, commands: [Command]
    ) {
        self.component = component
        self.state = state
        self.phase = phase
        self.wanted = wanted
        self.reason = reason
        self.rule = rule
        self.evidence = evidence
        self.next = next
        self.nextIn = nextIn
        self.commands = commands
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        component = try json.require("component")
        state = try json.require("state")
        phase = try json.optional("phase")
        wanted = try json.require("wanted")
        reason = try json.require("reason")
        rule = try json.require("rule")
        evidence = try json.require("evidence")
        next = try json.optional("next")
        nextIn = try json.optional("nextIn")
        commands = try json.require("commands")
    }

    public var json: JSONValue {
        [
            "schema": .string(WhyReply.schema), "component": .string(component), "state": .string(state),
            "phase": JSONValue(phase), "wanted": .string(wanted), "reason": .string(reason), "rule": .string(rule),
            "evidence": JSONValue(evidence), "next": JSONValue(next), "nextIn": JSONValue(nextIn),
            "commands": JSONValue(commands),
        ]
    }

    /// A command that changes it.
    public struct Command: JSONShape {
        /// As it is typed.
        public var command: String
        public var effect: String

        public init(command: String, effect: String) {
            self.command = command
            self.effect = effect
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            command = try json.require("command")
            effect = try json.require("effect")
        }

        public var json: JSONValue { ["command": .string(command), "effect": .string(effect)] }
    }
}
