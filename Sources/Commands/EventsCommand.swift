internal import Control
internal import Logging

/// `events`.
enum EventsCommand {
    private static let follow = OptionSpec(
        "-f", "--follow", meaning: "go on with new events as they come, until Ctrl-C")
    private static let since = OptionSpec(
        "--since", value: "WHEN", meaning: "events after number N, or since a time: 42, 10m, 2026-01-31T23:59:59")
    private static let component = OptionSpec("--component", value: "ID", meaning: "events about this component only")
    private static let json = OptionSpec("--json", meaning: "write each event as a JSON object")

    static let events = CommandSpec(
        "events", summary: "show what happened: starts, ends, restarts, logins, commands, hangs, losses",
        options: [follow, since, component, json] + Connection.options,
        exitCodes: Connection.exitCodes + [.noSuchID], example: "corehost events --since 10m -f"
    ) { arguments, console in
        var request = EventsRequest(
            since: try start(arguments), id: arguments.value(of: component), follow: arguments.has(follow))
        let connection = try Connection(arguments, console, of: "events")
        let isJSON = arguments.has(json)
        func show(_ event: EventEntry) throws {
            try console.print(isJSON ? JSONWriter.text(event.json) : text(event, console))
        }
        guard request.follow else {
            while true {
                let page = try connection.ask(.events(request), as: EventsReply.self)
                for event in page.events { try show(event) }
                guard page.more else { return .ok }
                request.since = .number(page.next)
            }
        }
        var failure: (any Error)?
        try connection.client.stream(
            .events(request), as: EventsReply.self, of: EventEntry.self, within: connection.limit,
            onReply: { _ in true },
            onItem: { event in
                do {
                    try show(event)
                    return true
                } catch {
                    failure = error
                    return false
                }
            })
        if let failure { throw failure }
        return .ok
    }

    private static func start(_ arguments: ParsedArguments) throws(UsageError) -> EventsRequest.Since? {
        guard let text = arguments.value(of: since) else { return nil }
        if let number = UInt64(text), number <= UInt64(Int64.max) { return .number(number) }
        guard let time = TimePoint.parse(text) else {
            throw UsageError("events: --since must be the number of an event, \(TimePoint.forms), not \"\(text)\"")
        }
        return .time(time)
    }

    /// `<time> #<number> <kind> <component> g<generation> | key: value`.
    static func text(_ event: EventEntry, _ console: Console) -> String {
        if event.kind == EventKind.eventsLost.rawValue {
            let (first, last) = (event.fields["first"] ?? "?", event.fields["last"] ?? "?")
            let count = event.fields["count"] ?? "?"
            return console.coloured(
                "\(event.time) #\(first)…\(last) \(count) events are no longer there", .yellow)
        }
        var words = ["\(event.time)", "#\(event.number)", event.kind]
        if let component = event.component { words.append(component) }
        if let generation = event.generation { words.append("g\(generation)") }
        let fields = event.fields.sorted { $0.key < $1.key }.map { " | \($0.key): \($0.value)" }
        let line = Console.harmless((words.joined(separator: " ") + fields.joined()).replacing("\n", with: " "))
        return console.coloured(line, colour(of: event.kind))
    }

    private static func colour(of kind: String) -> Console.Colour? {
        switch EventKind(rawValue: kind) {
        case .componentDied, .componentQuarantined, .componentFailed, .componentHung, .coreStalled, .bootFailed,
            .logLoss:
            .red
        case .componentBusy, .componentSilent, .coreSilent, .coreCallLate, .loginRefused, .memorySoftLimit,
            .configRefused, .componentRestarts, .taskNotPermitted, .faultInjected, .faultApplied, .faultFailed,
            .faultLeftBehind, .eventsLost:
            .yellow
        case .supervisorStarted, .supervisorCloses, .login, .appsChanged, .command, .componentState, .componentEnded,
            .componentRecovered, .coreRecovered, .logRecovered, .memoryRecovered, .configReloaded,
            .taskBegan, .taskEnded, .taskWaits, .faultUndone, .faultEnded:
            nil
        // Of a newer supervisor.
        case nil: nil
        }
    }
}
