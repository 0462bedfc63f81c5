/// `apps list`: the apps that the user has, and those that there are packs of.
public struct AppsReply: JSONShape {
    public static let schema = "corehost.apps/1"
    public var apps: [AppRow]

    public struct AppRow: JSONShape {
        /// The app's domain.
        public var app: String
        public var name: String?
        /// Nil: it can be installed.
        public var version: String?
        /// `bundled` or `pack`.
        public var from: String?
        /// Version of the newest pack.
        public var pack: String?

        public init(app: String, name: String?, version: String?, from: String?, pack: String?) {
            self.app = app
            self.name = name
            self.version = version
            self.from = from
            self.pack = pack
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            app = try json.require("app")
            name = try json.optional("name")
            version = try json.optional("version")
            from = try json.optional("from")
            pack = try json.optional("pack")
        }

        public var json: JSONValue {
            [
                "app": .string(app), "name": JSONValue(name), "version": JSONValue(version), "from": JSONValue(from),
                "pack": JSONValue(pack),
            ]
        }
    }

    public init(apps: [AppRow]) { self.apps = apps }
    public init(json: JSONValue) throws(JSONShapeError) { apps = try json.require("apps") }
    public var json: JSONValue { ["schema": .string(AppsReply.schema), "apps": JSONValue(apps)] }
}

/// `apps install` and `apps uninstall`: the version that is there now, or was.
public struct AppReply: JSONShape {
    public static let schema = "corehost.app/1"
    public var app: String
    public var version: String?

    public init(app: String, version: String?) {
        self.app = app
        self.version = version
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        app = try json.require("app")
        version = try json.optional("version")
    }

    public var json: JSONValue {
        ["schema": .string(AppReply.schema), "app": .string(app), "version": JSONValue(version)]
    }
}

/// `apps show`: the app's manifest as it is.
public struct ManifestReply: JSONShape {
    public static let schema = "corehost.manifest/1"
    public var app: String
    public var version: String?
    public var manifest: JSONValue

    public init(app: String, version: String?, manifest: JSONValue) {
        self.app = app
        self.version = version
        self.manifest = manifest
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        app = try json.require("app")
        version = try json.optional("version")
        manifest = json["manifest"] ?? .null
    }

    public var json: JSONValue {
        [
            "schema": .string(ManifestReply.schema), "app": .string(app), "version": JSONValue(version),
            "manifest": manifest,
        ]
    }
}
