/// The version of this program, written here alone.
public enum Version {
    public static let number = "0.1.0"
}

/// `version`: what runs.
public struct VersionReply: JSONShape {
    public static let schema = "corehost.version/1"
    public var version: String
    /// Versions of what it stands on; nil where it cannot be known.
    public var swift: String?
    public var libuv: String?
    public var engine: String?

    public init(version: String = Version.number, swift: String?, libuv: String?, engine: String?) {
        self.version = version
        self.swift = swift
        self.libuv = libuv
        self.engine = engine
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        version = try json.require("version")
        swift = try json.optional("swift")
        libuv = try json.optional("libuv")
        engine = try json.optional("engine")
    }

    public var json: JSONValue {
        [
            "schema": .string(VersionReply.schema), "version": .string(version), "swift": JSONValue(swift),
            "libuv": JSONValue(libuv), "engine": JSONValue(engine),
        ]
    }
}
