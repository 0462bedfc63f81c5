/// What `apps` asks for.
public enum AppsRequest: Sendable, Equatable {
    case list
    case install(app: String)
    case uninstall(app: String)
    case show(app: String)

    public static let actions = ["list", "install", "uninstall", "show"]

    public var action: String {
        switch self {
        case .list: "list"
        case .install: "install"
        case .uninstall: "uninstall"
        case .show: "show"
        }
    }

    public var app: String? {
        switch self {
        case .list: nil
        case .install(let app), .uninstall(let app), .show(let app): app
        }
    }

    public var changes: Bool {
        switch self {
        case .install, .uninstall: true
        case .list, .show: false
        }
    }

    /// Nil: no such action, or an action without its app.
    public init?(action: String, app: String?) {
        switch (action, app) {
        case ("list", _): self = .list
        case ("install", let app?): self = .install(app: app)
        case ("uninstall", let app?): self = .uninstall(app: app)
        case ("show", let app?): self = .show(app: app)
        default: return nil
        }
    }
}

extension AppsRequest {
    var params: JSONValue { ["action": .string(action), "app": JSONValue(app)] }

    init(params: JSONValue) throws(JSONShapeError) {
        let action: String = try params.require("action")
        guard AppsRequest.actions.contains(action) else {
            let expected = "one of \(AppsRequest.actions.joined(separator: ", "))"
            throw JSONShapeError(key: "action", expected: expected, found: .string(action))
        }
        let app: String? = try params.optional("app")
        guard let request = AppsRequest(action: action, app: app) else {
            throw JSONShapeError(key: "app", expected: "the domain of an app", found: .null)
        }
        self = request
    }
}
