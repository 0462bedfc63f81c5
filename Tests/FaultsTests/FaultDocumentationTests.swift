import Faults
import Foundation
import TestSupport
import Testing

/// docs/faults.md has what the table has.
@Suite struct FaultDocumentationTests {
    private static func line(_ row: FaultTable.Row) -> String {
        let parameters = row.parameters.map { parameter in
            let usual = parameter.usual.map { ", `\($0)`" } ?? ", required"
            return "`\(parameter.name)`: \(parameter.meaning); \(parameter.bounds)\(usual)"
        }
        let cells = [
            "`\(row.kind.rawValue)`", row.purpose, parameters.isEmpty ? "–" : parameters.joined(separator: "<br>"),
            row.kind.isOfPlatform ? "platform" : "components", row.kind.manner.rawValue, row.kind.plane.rawValue,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    @Test func theDocumentHasEachKindAsTheTableHasIt() throws {
        let text = try String(contentsOfFile: RunningSupervisor.repository + "/docs/faults.md", encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.split(separator: "|").count == 6 }
        let table = FaultTable.rows.map(Self.line)
        #expect(lines.map(String.init) == table, "docs/faults.md should have:\n\(table.joined(separator: "\n"))")
        for ending in FaultEnding.allCases { #expect(text.contains("`\(ending.rawValue)`")) }
    }
}
