internal import Control
internal import EventLoop
internal import Supervision

/// Follows the supervisor's journal from its present end, on a thread of its own, until the supervisor has gone.
final class EventWatch: Sendable {
    private let socket: String

    init(_ socket: String) { self.socket = socket }

    /// Returns once nothing that happens from now on is missed.
    func start(_ tell: @escaping @Sendable (ChaosRun.Event, Instant) -> Void) throws {
        let client = try ControlClient(path: socket)
        var last: UInt64 = 0
        var page: EventsReply
        repeat {
            page = try client.ask(
                .events(EventsRequest(since: .number(last))), as: EventsReply.self, within: .seconds(30))
            last = page.next
        } while page.more
        let begin = last
        let socket = socket
        _ = try Thread(stackBytes: 1 << 20) {
            do throws(ControlError) {
                try ControlClient(path: socket).stream(
                    .events(EventsRequest(since: .number(begin), follow: true)), as: EventsReply.self,
                    of: EventEntry.self, within: .seconds(30), onReply: { _ in true },
                    onItem: { event in
                        if let sighting = Sighting(event) { tell(.seen(sighting), .now) }
                        return true
                    })
                tell(.gone("it ended the stream of its events"), .now)
            } catch {
                tell(.gone(error.message), .now)
            }
        }
    }
}

extension Sighting {
    init?(_ event: EventEntry) {
        let component = event.component ?? ""
        switch EventKind(rawValue: event.kind) {
        case .componentDied: self = .died(component: component, cause: event.fields["cause"] ?? "unknown")
        case .componentState:
            switch event.fields["to"] {
            case "running": self = .running(component: component)
            case "down": self = .down(component: component)
            default: return nil
            }
        case .componentQuarantined:
            self = .failed(
                component: component,
                reason: "more than \(event.fields["restarts"] ?? "?") restarts within \(event.fields["period"] ?? "?")")
        case .componentFailed: self = .failed(component: component, reason: event.fields["reason"] ?? "its code")
        case .faultApplied, .faultFailed:
            guard let fault = event.fields["fault"].flatMap(Int.init) else { return nil }
            self =
                event.kind == EventKind.faultApplied.rawValue
                ? .applied(fault: fault, component: event.component)
                : .notApplied(fault: fault, reason: event.fields["reason"] ?? "no reason given")
        case .supervisorCloses: self = .closes
        case .eventsLost: self = .missed(event.fields["count"].flatMap(Int.init) ?? 1)
        default: return nil
        }
    }
}
