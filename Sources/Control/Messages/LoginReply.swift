/// `login` and `signup`: a user is signed in; `logout`: he is no longer.
public struct LoginReply: JSONShape {
    public static let schema = "corehost.login/1"
    /// Of a logout that gave up a login: nil.
    public var user: String?
    /// `not-logged-in logging-in logged-in`.
    public var login: String

    public init(user: String?, login: String) {
        self.user = user
        self.login = login
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        user = try json.optional("user")
        login = try json.require("login")
    }

    public var json: JSONValue {
        ["schema": .string(LoginReply.schema), "user": JSONValue(user), "login": .string(login)]
    }
}

/// How far a login is: an item on the way to the answer. One of the two is there.
public struct LoginNews: JSONShape {
    /// Of the work on the password: 0 to 100.
    public var percent: Int?
    /// What the core does, in its words.
    public var message: String?

    public init(percent: Int? = nil, message: String? = nil) {
        self.percent = percent
        self.message = message
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        percent = try json.optional("percent")
        message = try json.optional("message")
    }

    public var json: JSONValue { ["percent": JSONValue(percent), "message": JSONValue(message)] }
}

/// `users`: whose storage is in the data folder.
public struct UsersReply: JSONShape {
    public static let schema = "corehost.users/1"
    public var users: [User]
    /// Why accounts that are there are not listed.
    public var problems: [String]

    public struct User: JSONShape {
        public var address: String
        public var isLoggedIn: Bool
        /// Logged in automatically when the platform starts.
        public var isAutomatic: Bool

        public init(address: String, isLoggedIn: Bool, isAutomatic: Bool) {
            self.address = address
            self.isLoggedIn = isLoggedIn
            self.isAutomatic = isAutomatic
        }

        public init(json: JSONValue) throws(JSONShapeError) {
            address = try json.require("address")
            isLoggedIn = try json.require("loggedIn")
            isAutomatic = try json.require("autologin")
        }

        public var json: JSONValue {
            ["address": .string(address), "loggedIn": .bool(isLoggedIn), "autologin": .bool(isAutomatic)]
        }
    }

    public init(users: [User], problems: [String] = []) {
        self.users = users
        self.problems = problems
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        users = try json.require("users")
        problems = try json.require("problems")
    }

    public var json: JSONValue {
        ["schema": .string(UsersReply.schema), "users": .array(users.map(\.json)), "problems": JSONValue(problems)]
    }
}

/// `autologin`: whether, and whom, the next start logs in without a password.
public struct AutologinReply: JSONShape {
    public static let schema = "corehost.autologin/1"
    public var isOn: Bool
    public var user: String?

    public init(isOn: Bool, user: String?) {
        self.isOn = isOn
        self.user = user
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        isOn = try json.require("on")
        user = try json.optional("user")
    }

    public var json: JSONValue {
        ["schema": .string(AutologinReply.schema), "on": .bool(isOn), "user": JSONValue(user)]
    }
}

/// `open-url`: what came of it.
public struct OpenURLReply: JSONShape {
    public static let schema = "corehost.open-url/1"
    public var app: String
    /// `command-started`, `after-login`.
    public var outcome: String

    public init(app: String, outcome: String) {
        self.app = app
        self.outcome = outcome
    }

    public init(json: JSONValue) throws(JSONShapeError) {
        app = try json.require("app")
        outcome = try json.require("outcome")
    }

    public var json: JSONValue {
        ["schema": .string(OpenURLReply.schema), "app": .string(app), "outcome": .string(outcome)]
    }
}
