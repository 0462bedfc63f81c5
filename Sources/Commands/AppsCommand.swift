internal import Control

/// `apps`.
enum AppsCommand {
    static let apps = CommandSpec(
        "apps", [.required("list|install|uninstall|show"), .optional("APP")],
        summary: "list apps and packs, install an app from its newest pack, uninstall one, show a manifest",
        options: [.json, .timeout] + Connection.options, exitCodes: Connection.exitCodes,
        example: "corehost apps install chat.app.privacysafe.io"
    ) { arguments, console in
        let request = try request(arguments)
        let connection = try Connection(arguments, console, of: "apps")
        let isJSON = arguments.has(.json)
        switch request {
        case .list:
            let reply = try connection.ask(.apps(request), as: AppsReply.self)
            let lines = isJSON ? [JSONWriter.indented(reply.json)] : table(reply.apps, console)
            for line in lines { try console.print(line) }
        case .install, .uninstall:
            let reply = try connection.ask(.apps(request), as: AppReply.self)
            let version = reply.version.map { " \($0)" } ?? ""
            let text = "\(reply.app)\(version): \(request.action)ed"
            try console.print(isJSON ? JSONWriter.indented(reply.json) : console.clean(text))
        case .show:
            let reply = try connection.ask(.apps(request), as: ManifestReply.self)
            try console.print(JSONWriter.indented(isJSON ? reply.json : reply.manifest))
        }
        return .ok
    }

    private static func request(_ arguments: ParsedArguments) throws(UsageError) -> AppsRequest {
        let action = arguments.operand(0) ?? ""
        if let request = AppsRequest(action: action, app: arguments.operand(1)) {
            if request.app == nil, arguments.operand(1) != nil { throw UsageError("apps list: takes no app") }
            return request
        }
        guard AppsRequest.actions.contains(action) else {
            throw UsageError("apps: \"\(action)\" is none of \(AppsRequest.actions.joined(separator: ", "))")
        }
        throw UsageError("apps \(action): which app? `corehost apps list` shows them")
    }

    private static func table(_ rows: [AppsReply.AppRow], _ console: Console) -> [String] {
        let cells =
            [["APP", "VERSION", "FROM", "PACK", "NAME"]]
            + rows.map { row in
                [row.app, row.version ?? "-", row.from ?? "-", row.pack ?? "-", row.name ?? "-"].map(console.clean)
            }
        let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { line in
            let last = line.count - 1
            return line.indices.map { index in
                index == last
                    ? line[index] : line[index] + String(repeating: " ", count: widths[index] - line[index].count)
            }.joined(separator: "  ")
        }
    }
}
