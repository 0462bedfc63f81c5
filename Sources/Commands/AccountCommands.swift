internal import CSystem
internal import Control
internal import Secrets
internal import Supervision

/// Commands about users: `users signup login logout autologin open-url`.
enum AccountCommands {
    static let all = [users, signup, login, logout, autologin, openURL]

    /// A password's work alone may take many seconds on a small machine.
    private static let loginTimeout = Duration.seconds(120)
    private static let timeout = OptionSpec(
        "--timeout", value: "TIME", meaning: "how long to wait for it to be done: 2m by default, 30s, 500ms")

    static let users = CommandSpec(
        "users", summary: "list the users who have storage in the data folder", options: [.json] + Connection.options,
        exitCodes: Connection.exitCodes, example: "corehost users --json"
    ) { arguments, console in
        let reply = try Connection(arguments, console, of: "users").ask(.users, as: UsersReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
            return .ok
        }
        for problem in reply.problems { console.error("corehost: \(console.clean(problem))") }
        if reply.users.isEmpty, reply.problems.isEmpty {
            try console.print("there are no users yet; `corehost signup ADDRESS` makes one")
        }
        for user in reply.users {
            let marks = [user.isLoggedIn ? "logged in" : nil, user.isAutomatic ? "automatic login" : nil]
            let text = marks.compactMap { $0 }.joined(separator: ", ")
            try console.print(console.clean(user.address) + (text.isEmpty ? "" : "  \(text)"))
        }
        return .ok
    }

    static let signup = signingIn(
        "signup", "make a user with storage in the data folder, and log in as that user", isNew: true,
        example: "corehost signup ada@example.org"
    ) { .signup(address: $0, password: $1) }

    static let login = signingIn(
        "login", "log a user in; the apps' start-up components start then", isNew: false,
        example: "corehost login ada@example.org --password-file ada.password"
    ) { .login(address: $0, password: $1) }

    static let logout = CommandSpec(
        "logout", summary: "close all components and log the user out; ends the automatic login too",
        options: [.json, timeout] + Connection.options, exitCodes: Connection.exitCodes, example: "corehost logout"
    ) { arguments, console in
        let connection = try Connection(arguments, console, of: "logout", timeout: loginTimeout)
        let reply = try connection.ask(.logout, as: LoginReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            let user =
                reply.user.map { "\(console.clean($0)) is logged out, and is not logged in automatically" }
                ?? "the login was given up"
            try console.print(user)
        }
        return .ok
    }

    static let autologin = CommandSpec(
        "autologin", [.optional("on|off")],
        summary: "log the present user in without a password at the next start, or no longer; alone: show it",
        options: [.json] + Connection.options, exitCodes: Connection.exitCodes, example: "corehost autologin on"
    ) { arguments, console in
        let on: Bool? =
            switch arguments.operand(0) {
            case nil: nil
            case "on": true
            case "off": false
            case let other?: throw UsageError("autologin: \"\(other)\" is neither on nor off")
            }
        let connection = try Connection(arguments, console, of: "autologin")
        let reply = try connection.ask(.autologin(on: on), as: AutologinReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            let user = reply.user.map { "automatic login is on for \(console.clean($0))" }
            try console.print(user ?? "automatic login is off")
        }
        return .ok
    }

    static let openURL = CommandSpec(
        "open-url", [.required("URL")], summary: "open what a w3n URL names, now or after the login",
        options: [.json] + Connection.options, exitCodes: Connection.exitCodes,
        example: "corehost open-url w3n://chat.app.privacysafe.io"
    ) { arguments, console in
        let url = arguments.operand(0) ?? ""
        guard url.utf8.count <= ControlRequest.maxURLBytes else {
            throw UsageError("open-url: the URL has more than \(ControlRequest.maxURLBytes) bytes")
        }
        let reply = try Connection(arguments, console, of: "open-url").ask(.openURL(url), as: OpenURLReply.self)
        if arguments.has(.json) {
            try console.print(JSONWriter.indented(reply.json))
        } else {
            let words = reply.outcome == "after-login" ? "opens after the login" : "has its command"
            try console.print(console.clean("\(reply.app) \(words)"))
        }
        return .ok
    }

    /// Before somebody types a password for nothing.
    private static func refuseIfSomebodyIsLoggedIn(_ connection: Connection) throws {
        let status = try connection.ask(.status, as: StatusReply.self)
        guard status.login == "logged-in", let user = status.user else { return }
        throw ControlError(.refused, "\(LoginRefusal.loggedInAlready(user))")
    }

    private static func signingIn(
        _ name: String, _ summary: String, isNew: Bool, example: String,
        _ request: @escaping @Sendable (String, Secret) -> ControlRequest
    ) -> CommandSpec {
        CommandSpec(
            name, [.required("ADDRESS")], summary: summary,
            options: PasswordSource.options + [.json, timeout] + Connection.options,
            exitCodes: Connection.exitCodes, example: example
        ) { arguments, console in
            // From here on this process holds a password: no core dump of it, no look into it by other programs.
            _ = chs_set_not_dumpable()
            let address = arguments.operand(0) ?? ""
            if let problem = Address.problem(address) {
                throw UsageError("\(name): \"\(console.clean(String(address.prefix(80))))\" \(problem)")
            }
            let source = try PasswordSource(arguments, of: name)
            // Before the password is asked for: without a supervisor there is nothing to ask it for.
            let connection = try Connection(arguments, console, of: name, timeout: loginTimeout)
            if source.asks { try refuseIfSomebodyIsLoggedIn(connection) }
            let password = try source.password(for: address, isNew: isNew)
            var bar = ProgressBar(console)
            defer { bar.end() }
            let reply = try connection.client.ask(
                request(address, password), as: LoginReply.self, within: connection.limit
            ) { (news: LoginNews) in bar.show(news) }
            bar.end()
            try console.print(
                arguments.has(.json)
                    ? JSONWriter.indented(reply.json) : "\(console.clean(reply.user ?? address)) is logged in")
            return .ok
        }
    }
}
