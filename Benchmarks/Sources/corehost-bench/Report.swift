import Foundation

/// Prints outcomes for people and for programs.
struct Report {
    let outcomes: [Outcome]
    let runs: Int

    func printTable() {
        let header = ["figure", "ours", "reference", "ratio", "goal", ""]
        let rows = outcomes.map { outcome in
            [
                outcome.figure.title,
                text(outcome.ours, outcome.figure.unit),
                outcome.reference.map { text($0, outcome.figure.unit) } ?? "–",
                outcome.ratio.map { String(format: "%.2f", $0) } ?? "–",
                goalText(outcome.figure),
                outcome.isMet.map { $0 ? "met" : "missed" } ?? "",
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        for row in [header] + rows {
            let cells = row.enumerated().map { column, cell in
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + blanks : blanks + cell
            }
            print(cells.joined(separator: "  "))
        }
        print("\nMedian of \(runs) runs; ratios are taken run by run.")
    }

    /// `{"schema": "corehost.bench/1", "runs", "figures": [{"id", "title", "unit", "goal", "ours", "reference", "ratio",
    /// "met", "samples": [{"ours", "reference"}]}]}`; absent = null. `goal` is `{"ratio": most}`, `{"value": most}` or null.
    func printJSON() throws {
        let figures = outcomes.map { outcome in
            [
                "id": outcome.figure.id,
                "title": outcome.figure.title,
                "unit": outcome.figure.unit.rawValue,
                "goal": goalJSON(outcome.figure.goal),
                "ours": outcome.ours,
                "reference": orNull(outcome.reference),
                "ratio": orNull(outcome.ratio),
                "met": orNull(outcome.isMet),
                "samples": outcome.samples.map {
                    ["ours": $0.ours, "reference": orNull($0.reference)] as [String: Any]
                },
            ] as [String: Any]
        }
        let document: [String: Any] = ["schema": "corehost.bench/1", "runs": runs, "figures": figures]
        let data = try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys])
        FileHandle.standardOutput.write(data + Data("\n".utf8))
    }

    private func goalText(_ figure: Figure) -> String {
        switch figure.goal {
        case .ratio(let most): "≤ \(String(format: "%.2f", most))"
        case .value(let most): "≤ \(text(most, figure.unit))"
        case .none: "–"
        }
    }

    private func goalJSON(_ goal: Figure.Goal) -> Any {
        switch goal {
        case .ratio(let most): ["ratio": most]
        case .value(let most): ["value": most]
        case .none: NSNull()
        }
    }

    private func text(_ value: Double, _ unit: Figure.Unit) -> String {
        switch unit {
        case .nanoseconds where value >= 1e6: String(format: "%.2f ms", value / 1e6)
        case .nanoseconds: String(format: "%.1f µs", value / 1e3)
        case .bytes: String(format: "%.2f MiB", value / 1_048_576)
        case .perSecond where value >= 1e6: String(format: "%.2f M/s", value / 1e6)
        case .perSecond: String(format: "%.0f /s", value)
        }
    }
}

private func orNull(_ value: (some Any)?) -> Any {
    value.map { $0 as Any } ?? NSNull()
}
