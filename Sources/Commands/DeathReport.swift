internal import Control

/// All that is kept of one death, for people.
enum DeathReport {
    static func lines(_ death: JSONValue, _ console: Console) -> [String] {
        let title =
            "\(text(death, "component")): death \(text(death, "number")), generation \(text(death, "generation")),"
            + " \(text(death, "time"))"
        var lines = [title]
        lines.append("  verdict:  \(text(death, "cause")) (\(text(death, "certainty"))): \(text(death, "message"))")
        lines += evidence(death["evidence"] ?? .null).map { "  evidence: \($0)" }
        lines.append("  decision: \(decision(death["decision"] ?? .null))")
        lines += port(death["port"] ?? .null)
        lines += samples(death["samples"]?.array ?? [])
        let log = death["log"]?.array ?? []
        if !log.isEmpty { lines += ["  last lines:"] + log.compactMap(\.string).map { "    \($0)" } }
        return lines.map(console.clean)
    }

    /// A member as a person reads it; `-` for none.
    private static func text(_ value: JSONValue, _ key: String) -> String {
        switch value[key] {
        case nil, .null?: "-"
        case .string(let text)?: text
        case let other?: JSONWriter.text(other)
        }
    }

    private static func seconds(_ value: JSONValue, _ key: String) -> String? {
        value[key]?.double.map { HumanUnits.duration($0) }
    }

    private static func evidence(_ evidence: JSONValue) -> [String] {
        var facts: [String] = []
        func add(_ key: String, _ words: (String) -> String) {
            if evidence[key]?.isNull == false { facts.append(words(text(evidence, key))) }
        }
        add("exitCode") { "exit code \($0)" }
        add("signal") { "signal \($0)" }
        if let from = evidence["signalFrom"], !from.isNull {
            let sender = from["pid"]?.isNull == false ? " \(text(from, "pid")), uid \(text(from, "uid"))" : ""
            let program = from["program"]?.isNull == false ? ", \(text(from, "program"))" : ""
            let place = from["address"]?.isNull == false ? " at \(text(from, "address"))" : ""
            facts.append("\(text(from, "signal")) came from: \(text(from, "from"))\(sender)\(program)\(place)")
        }
        add("kernel") { "the kernel's log: \($0)" }
        let sent = evidence["signalsSent"]?.array?.compactMap(\.string) ?? []
        if !sent.isEmpty { facts.append("the supervisor sent \(sent.joined(separator: ", "))") }
        add("command") { "command: \($0), of \(text(evidence, "requester"))" }
        add("errno") { "errno \($0) (\(text(evidence, "errnoName")))" }
        add("portEnd") { "its port: \($0)" }
        if let report = evidence["report"], !report.isNull {
            facts.append("it reported \(text(report, "kind")): \(text(report, "message"))")
            if report["stack"]?.isNull == false {
                facts += text(report, "stack").split(separator: "\n").map { "  \($0)" }
            }
        }
        if let watchdog = evidence["watchdog"], !watchdog.isNull {
            facts.append(
                "no turn for \(seconds(watchdog, "silentFor") ?? "-"), process state \(text(watchdog, "processState"))")
            if watchdog["stack"]?.isNull == false {
                facts += text(watchdog, "stack").split(separator: "\n").map { "  \($0)" }
            }
        }
        add("phase") { "while starting: \($0)" }
        if let ready = seconds(evidence, "readyFor") { facts.append("it had been ready for \(ready)") }
        return facts
    }

    private static func decision(_ decision: JSONValue) -> String {
        let delay = seconds(decision, "delay").map { " in \($0)" } ?? ""
        return "\(text(decision, "next"))\(delay) (\(text(decision, "type")), wanted \(text(decision, "wanted")),"
            + " \(text(decision, "restartsInPeriod")) of \(text(decision, "maxRestarts")) restarts within"
            + " \(seconds(decision, "period") ?? "-"); healthy after \(seconds(decision, "healthyPeriod") ?? "-"))"
    }

    private static func port(_ port: JSONValue) -> [String] {
        guard port["framesIn"] != nil else { return [] }
        let head =
            "  port:     \(text(port, "framesIn")) frames in (\(text(port, "bytesIn")) bytes), \(text(port, "framesOut"))"
            + " out (\(text(port, "bytesOut")) bytes), \(text(port, "dropped")) dropped"
        let frames = (port["last"]?.array ?? []).map { frame in
            let arrow = frame["direction"]?.string == "in" ? "<-" : "->"
            return
                "    \(seconds(frame, "age") ?? "-") before  \(arrow) \(text(frame, "kind")) #\(text(frame, "sequence")),"
                + " \(text(frame, "length")) bytes, generation \(text(frame, "generation"))"
        }
        return [head] + (frames.isEmpty ? [] : ["  last frames (<- from the component, -> to it):"] + frames)
    }

    private static func samples(_ samples: [JSONValue]) -> [String] {
        samples.isEmpty
            ? []
            : ["  signs of life:"]
                + samples.map { sample in
                    let memory = sample["memory"]?.int.map { ", \(HumanUnits.size(Int($0))) resident" } ?? ""
                    let heap = sample["heap"]?.int.map { ", heap \(HumanUnits.size(Int($0)))" } ?? ""
                    return "    \(seconds(sample, "age") ?? "-") before: lag"
                        + " \(((sample["lag"]?.double ?? 0) * 10_000).rounded() / 10) ms\(memory)\(heap)"
                }
    }
}
