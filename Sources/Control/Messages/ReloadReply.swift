/// `reload`: what the configuration has otherwise than before.
public struct ReloadReply: JSONShape {
    public static let schema = "corehost.reload/1"

    /// The file that was read.
    public var file: String
    public var changes: [Change]

    public init(file: String, changes: [Change]) {
        self.file = file
        self.changes = changes
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        file = try json.require("file")
        changes = try json.require("changes")
    }

    public var json: JSONValue {
        ["schema": .string(Self.schema), "file": .string(file), "changes": JSONValue(changes)]
    }

    public struct Change: JSONShape, Equatable {
        /// Nil: it is the platform's as a whole.
        public var component: String?
        public var key: String
        public var from: String
        public var to: String
        /// `now`, `next-start` of the component, `next-run` of the supervisor.
        public var applies: String

        public init(component: String?, key: String, from: String, to: String, applies: String) {
            self.component = component
            self.key = key
            self.from = from
            self.to = to
            self.applies = applies
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            component = try json.optional("component")
            key = try json.require("key")
            from = try json.require("from")
            to = try json.require("to")
            applies = try json.require("applies")
        }

        public var json: JSONValue {
            [
                "component": JSONValue(component), "key": .string(key), "from": .string(from), "to": .string(to),
                "applies": .string(applies),
            ]
        }
    }
}
