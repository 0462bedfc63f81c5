import Foundation
import Testing

/// The table at the end of `BUILDING.md`: what each row names is a test that is there.
@Suite struct FactTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    private static func rows() throws -> [(fact: String, tests: [String])] {
        let text = try String(contentsOf: root.appending(path: "BUILDING.md"), encoding: .utf8)
        let part = try #require(text.range(of: "## What a core's library asks of its host"))
        let lines = text[part.upperBound...].split(separator: "\n").filter { $0.hasPrefix("| ") }
        return lines.dropFirst().map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let named = cells.last.map { $0.split(separator: "`").map(String.init) } ?? []
            return (cells.first ?? "", named.filter { $0.contains(".") })
        }
    }

    /// Text of each test file, by the suites in it.
    private static func sources() throws -> [String: String] {
        let folder = root.appending(path: "Tests")
        var bySuite: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /struct (\w+)/) { bySuite[String(match.1)] = text }
        }
        return bySuite
    }

    @Test func everyFactIsHeldByTestsThatExist() throws {
        let (rows, sources) = (try Self.rows(), try Self.sources())
        #expect(rows.count > 20)
        for (fact, tests) in rows {
            #expect(!tests.isEmpty, "no test holds: \(fact)")
            for test in tests {
                let parts = test.split(separator: ".").map(String.init)
                #expect(sources[parts[0]]?.contains("func \(parts[1])(") == true, "\(test), of: \(fact)")
            }
        }
    }
}
