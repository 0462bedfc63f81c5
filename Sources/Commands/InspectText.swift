internal import Control

/// `inspect` for people: what is so as an outline, then a line each for rules, timers, connections and earlier lives.
enum InspectText {
    private static let listed: Set = ["spec", "timers", "ports", "history"]

    static func lines(_ reply: InspectReply, console: Console) -> [String] {
        let outline = JSONValue.object((reply.json.members ?? []).filter { !listed.contains($0.key) })
        let details = reply.details
        let width = details.spec.map(\.key.count).max() ?? 0
        let valueWidth = details.spec.map(\.value.count).max() ?? 0
        return Outline.lines(outline, console: console)
            + section("due", details.timers.map(text), console)
            + section("ports", details.ports.map(text), console)
            + section("history", details.history.map(text), console)
            + section(
                "rules",
                details.spec.map {
                    "\($0.key.padded(to: width))  \($0.value.padded(to: valueWidth))  \($0.from)\(place($0))"
                },
                console)
    }

    private static func place(_ setting: InspectDetails.Setting) -> String {
        guard let file = setting.file, let line = setting.line else { return "" }
        return " (\(file):\(line))"
    }

    private static func section(_ title: String, _ lines: [String], _ console: Console) -> [String] {
        lines.isEmpty ? [] : ["\(title):"] + lines.map { "  " + console.clean($0) }
    }

    private static func text(_ timer: InspectDetails.PendingTimer) -> String {
        timer.due < 0
            ? "\(timer.name) was due \(HumanUnits.duration(-timer.due)) ago"
            : "\(timer.name) in \(HumanUnits.duration(timer.due))"
    }

    private static func text(_ port: PortLedger) -> String {
        var parts = [
            "in \(HumanUnits.count(port.framesIn)) messages, \(HumanUnits.size(port.bytesIn))",
            "out \(HumanUnits.count(port.framesOut)) messages, \(HumanUnits.size(port.bytesOut))",
            "waiting \(HumanUnits.size(port.queued)), at most \(HumanUnits.size(port.mostQueued))",
            "blocked \(HumanUnits.duration(port.blocked))",
        ]
        if port.dropped > 0 { parts.append("\(port.dropped) messages came after the end") }
        if let bytes = port.unknown, bytes > 0 { parts.append("perhaps not read: \(HumanUnits.size(bytes))") }
        if let bytes = port.thrownAway, bytes > 0 { parts.append("thrown away: \(HumanUnits.size(bytes))") }
        if let bytes = port.partialFrame, bytes > 0 { parts.append("began a message: \(HumanUnits.size(bytes)) of it") }
        return "g\(port.generation) connector \(port.connector), \(port.state): \(parts.joined(separator: "; "))"
    }

    private static func text(_ life: InspectReply.Exit) -> String {
        let ready = life.uptime.map { ", ready for \(HumanUnits.duration($0))" } ?? ""
        return "g\(life.generation) \(life.time) \(life.cause)\(ready): \(life.message)"
    }
}
