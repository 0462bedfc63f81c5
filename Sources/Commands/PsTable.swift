internal import Control

/// The table of `ps`: one line for each component, columns aligned, PHASE only while something starts, HEAP, LAG and CALLS once
/// they are known.
struct PsTable {
    private struct Column {
        let title: String
        let alignsRight: Bool
        let cell: (ComponentRow) -> String

        init(_ title: String, right: Bool = false, _ cell: @escaping (ComponentRow) -> String) {
            self.title = title
            self.alignsRight = right
            self.cell = cell
        }
    }

    private static let gap = "  "
    private static let narrowestID = 16

    static func lines(_ components: [ComponentRow], console: Console) -> [String] {
        var columns = [Column("ID", \.id), Column("STATE", \.state)]
        if components.contains(where: { $0.phase != nil }) { columns.append(Column("PHASE") { $0.phase ?? "-" }) }
        columns += [
            Column("PID", right: true) { text($0.pid) { String($0) } },
            Column("UPTIME", right: true) { text($0.uptime, HumanUnits.duration) },
            Column("RESTARTS", right: true) { String($0.restarts) },
            Column("MEMORY", right: true) { text($0.memory, HumanUnits.size) },
        ]
        if components.contains(where: { $0.heap != nil }) {
            columns.append(Column("HEAP", right: true) { text($0.heap, HumanUnits.size) })
        }
        columns += [
            Column("IN", right: true) { text($0.in, HumanUnits.count) },
            Column("OUT", right: true) { text($0.out, HumanUnits.count) },
        ]
        if components.contains(where: { $0.lag != nil }) {
            columns.append(Column("LAG", right: true) { text($0.lag, HumanUnits.lag) })
        }
        if components.contains(where: { $0.calls != nil }) {
            columns.append(Column("CALLS", right: true) { text($0.calls, HumanUnits.count) })
        }
        if components.contains(where: { $0.status != nil }) { columns.append(Column("STATUS") { $0.status ?? "-" }) }
        let cells = components.map { row in columns.map { console.clean($0.cell(row)) } }
        var widths = columns.indices.map { index in
            max(columns[index].title.count, cells.map { $0[index].count }.max() ?? 0)
        }
        if let width = console.width {
            let excess = widths.reduce(gap.count * (columns.count - 1), +) - width
            if excess > 0 { widths[0] = max(min(narrowestID, widths[0]), widths[0] - excess) }
        }
        func line(_ cells: [String], state: String?) -> String {
            let padded = zip(cells, zip(widths, columns)).enumerated().map { index, item in
                let (cell, (width, column)) = item
                let short = shortened(cell, to: width)
                let blanks = String(repeating: " ", count: width - short.count)
                let text = index == 1 ? console.coloured(short, state.flatMap(colour)) : short
                return column.alignsRight ? blanks + text : text + blanks
            }
            return padded.joined(separator: gap).trimmingEnd()
        }
        return [line(columns.map(\.title), state: nil)]
            + zip(components, cells).map { row, cells in line(cells, state: row.state) }
    }

    private static func text<Value>(_ value: Value?, _ form: (Value) -> String) -> String { value.map(form) ?? "-" }

    private static func colour(of state: String) -> Console.Colour? {
        switch state {
        case "running": .green
        case "failed": .red
        case "down": .grey
        default: .yellow
        }
    }

    /// The middle goes: an id's beginning tells the app, its end the component.
    private static func shortened(_ text: String, to width: Int) -> String {
        guard text.count > width else { return text }
        let end = (width - 1) / 2
        return text.prefix(width - 1 - end) + "…" + text.suffix(end)
    }
}

extension String {
    fileprivate func trimmingEnd() -> String {
        var end = endIndex
        while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
        return String(self[..<end])
    }
}
