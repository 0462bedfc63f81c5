internal import Commands
internal import Control
internal import CoreCheck

/// What a check found, as lines and as JSON.
enum CheckTable {
    static let schema = "corehost.core-check/1"

    static func line(_ finding: CheckFinding, _ console: Console) -> String {
        switch finding {
        case .bundle(let bundle):
            let files = bundle.files.count == 1 ? bundle.files[0].name : "\(bundle.files.count) files"
            return line(
                "bundle", nil, bundle.half,
                "\(HumanUnits.size(bundle.bytes)), \(files), evaluated in \(milliseconds(bundle.milliseconds))", console
            )
        case .name(let name):
            let seen = name.status == .wrongKind ? "\(name.seen ?? "it") is there, not \(name.expected)" : nil
            let lacks = name.status == .missing ? name.expected : nil
            let detail = [seen, lacks, name.note].compactMap { $0 }.joined(separator: "; ")
            return line(name.status.rawValue, colour(name), name.name, detail, console)
        case .step(let step):
            let detail = [step.milliseconds.map(milliseconds), step.note].compactMap { $0 }.joined(separator: "; ")
            return line(step.status.rawValue, colour(step), step.name, detail, console)
        }
    }

    private static func line(
        _ status: String, _ colour: Console.Colour?, _ subject: String, _ detail: String, _ console: Console
    ) -> String {
        let padded = status + String(repeating: " ", count: max(0, 14 - status.count))
        let room = String(repeating: " ", count: max(2, 46 - subject.count))
        let rest = detail.isEmpty ? "" : room + console.clean(detail)
        return console.coloured(padded, colour) + console.clean(subject) + rest
    }

    static func verdict(_ folder: String, _ outcome: CoreCheck.Outcome, _ findings: [CheckFinding]) -> String {
        let faults = findings.filter(\.isFault).map { finding in
            switch finding {
            case .bundle(let bundle): bundle.half
            case .name(let name): "\(name.name) (\(name.status.rawValue))"
            case .step(let step): step.name
            }
        }
        let untried = findings.contains { if case .step(let step) = $0 { step.status == .notTried } else { false } }
        guard outcome.isValid else { return "not fit for use: \(faults.joined(separator: ", ")); see BUILDING.md" }
        return untried ? "fit for use, as far as it was tried" : "fit for use"
    }

    static func json(_ folder: String, _ outcome: CoreCheck.Outcome, _ findings: [CheckFinding]) -> JSONValue {
        var bundles: [JSONValue] = []
        var names: [JSONValue] = []
        var steps: [JSONValue] = []
        for finding in findings {
            switch finding {
            case .bundle(let bundle): bundles.append(json(bundle))
            case .name(let name):
                names.append([
                    "name": .string(name.name), "status": .string(name.status.rawValue),
                    "expected": .string(name.expected), "seen": JSONValue(name.seen), "note": JSONValue(name.note),
                ])
            case .step(let step):
                steps.append([
                    "name": .string(step.name), "status": .string(step.status.rawValue),
                    "took": JSONValue(step.milliseconds.map { $0 / 1000 }), "note": JSONValue(step.note),
                ])
            }
        }
        return [
            "schema": .string(schema), "folder": .string(folder), "valid": .bool(outcome.isValid),
            "bundles": .array(bundles), "names": .array(names), "steps": .array(steps),
        ]
    }

    private static func json(_ bundle: CheckedBundle) -> JSONValue {
        let files = bundle.files.map { file -> JSONValue in
            [
                "name": .string(file.name), "size": JSONValue(file.bytes),
                "evaluation": .double(file.milliseconds / 1000),
            ]
        }
        return [
            "half": .string(bundle.half), "size": JSONValue(bundle.bytes),
            "evaluation": .double(bundle.milliseconds / 1000), "files": .array(files),
        ]
    }

    private static func colour(_ name: CheckedName) -> Console.Colour? {
        switch name.status {
        case .ok: .green
        case .absent: .grey
        case .missing, .wrongKind: .red
        }
    }

    private static func colour(_ step: CheckedStep) -> Console.Colour? {
        switch step.status {
        case .ok: .green
        case .failed: .red
        case .notTried: .yellow
        case .noted: .yellow
        }
    }

    /// `0.4 ms`, `152 ms`, `2.1 s`.
    private static func milliseconds(_ figure: Double) -> String {
        let tenths = Int((figure * 10).rounded())
        if tenths < 100 { return "\(tenths / 10).\(tenths % 10) ms" }
        let whole = Int(figure.rounded())
        return whole < 1000 ? "\(whole) ms" : "\(whole / 1000).\(whole % 1000 / 100) s"
    }
}
