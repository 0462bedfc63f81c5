import Logging
import Testing

@Suite struct LogLineTests {
    static let time = LogTime(milliseconds: 1_769_903_999_123)

    @Test func writesTimeTagsTextAndFields() {
        let line = LogLine(
            time: Self.time, level: .warning, source: .component(id: "chat.app/bg.mjs#2", generation: 7),
            stream: .console, text: "slow\nreply", fields: ["ms": "812"])
        #expect(
            line.written == #"2026-01-31T23:59:59.123Z [chat.app/bg.mjs#2|g7|console|warning] slow\nreply | ms: 812"#)
        #expect(LogLine(written: line.written) == line)
    }

    @Test func writesTheSupervisorsOwnLines() {
        let line = LogLine(time: Self.time, level: .info, source: .supervisor, stream: .supervisor, text: "ready")
        #expect(line.written == "2026-01-31T23:59:59.123Z [corehost|info] ready")
        #expect(LogLine(written: line.written) == line)
    }

    @Test(arguments: [
        "", "hello", "2026-01-31T23:59:59.123Z", "2026-01-31T23:59:59.123Z [corehost] x",
        "2026-01-31 23:59:59.123Z [corehost|info] x", "2026-01-31T23:59:59.123Z [a|b|console|info] x",
    ])
    func refusesOtherLines(_ text: String) {
        #expect(LogLine(written: text) == nil)
    }

    @Test func timeReadsBackOverTheWholeRange() {
        for milliseconds: Int64 in [0, 1, 999, 951_782_400_000, 4_102_444_799_999, -1] {
            let time = LogTime(milliseconds: milliseconds)
            #expect(LogTime(time.description) == time)
        }
        #expect(LogTime(milliseconds: -1).description == "1969-12-31T23:59:59.999Z")
    }

    @Test func cutsLongTextAtACharacterAndSaysSo() {
        let line = LogLine(
            level: .info, source: .supervisor, stream: .supervisor, text: String(repeating: "é", count: 10_000))
        #expect(line.text.utf8.count <= LogLine.maxTextBytes)
        #expect(line.text.hasSuffix("é… cut, 20000 bytes"))
        #expect(BoundedText.text(line.text, bound: LogLine.maxTextBytes) == line.text)
    }

    @Test func isShownOnOneLineWithoutEscapesAndHarmlessForATerminal() {
        let line = LogLine(
            time: LogTime(milliseconds: 0), level: .info, source: .component(id: "a/b", generation: 2),
            stream: .console, text: "[x] a|b:\n\u{1B}[2J\tc\u{9B}", fields: ["k": "v: 1 | w", "key": nil])
        #expect(
            line.shown
                == #"1970-01-01T00:00:00.000Z [a/b|g2|console|info] [x] a|b:\n\u{1b}[2J c\u{9b} | k: v: 1 | w | key"#)
    }

    @Test func boundsFields() {
        let fields = Dictionary(uniqueKeysWithValues: (0..<100).map { ("k\($0)", String(repeating: "v", count: 5000)) })
        let line = LogLine(level: .info, source: .supervisor, stream: .supervisor, text: "", fields: fields)
        #expect(line.fields.count == 32)
        #expect(line.fields.values.allSatisfy { $0?.hasSuffix("… cut, 5000 bytes") == true })
    }
}
