import Logging
import Testing

@Suite struct RatlogTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let message: String, tags: [String], fields: [String: String?], line: String
        var testDescription: String { line }
        /// Text that itself holds `\n` or a carriage return reads back otherwise; all else reads back as it was.
        var readsBack = true
    }

    static let cases = [
        Case(message: "", tags: [], fields: [:], line: ""),
        Case(message: "hello", tags: [], fields: [:], line: "hello"),
        Case(message: "hello\nworld", tags: [], fields: [:], line: #"hello\nworld"#),
        Case(message: "one\r\ntwo", tags: [], fields: [:], line: #"one\n\ntwo"#, readsBack: false),
        Case(message: "", tags: [], fields: ["hello": "world"], line: " | hello: world"),
        Case(message: "hi", tags: ["a", "b"], fields: ["x": "1", "k": "2"], line: "[a|b] hi | k: 2 | x: 1"),
        Case(message: "hi", tags: ["tag"], fields: ["yo": nil], line: "[tag] hi | yo"),
        Case(
            message: "hello", tags: [], fields: ["[:]key": "[value:]"], line: #"hello | [\:]key: [value\:]"#),
        Case(message: "[hello | world]", tags: [], fields: [:], line: #"\[hello \| world]"#),
        Case(message: "hi", tags: ["tag"], fields: ["yo ": " "], line: "[tag] hi | yo :  "),
        Case(message: "hi", tags: [""], fields: [:], line: "[] hi"),
        Case(message: "hi", tags: ["]", "a|b"], fields: [:], line: #"[\]|a\|b] hi"#),
        Case(message: "hi", tags: [], fields: ["key": ""], line: "hi | key: "),
        Case(message: "", tags: ["a"], fields: ["k": "v|w"], line: #"[a]  | k: v\|w"#),
    ]

    @Test(arguments: cases) func writes(_ example: Case) {
        #expect(Ratlog.format(example.message, tags: example.tags, fields: example.fields) == example.line)
    }

    @Test(arguments: cases.filter(\.readsBack)) func readsBackWhatItWrote(_ example: Case) {
        let (tags, message, fields) = Ratlog.parse(example.line)
        #expect(tags == example.tags)
        #expect(message == example.message)
        #expect(fields == example.fields)
    }

    @Test func readsLinesThatNobodyWrote() {
        #expect(Ratlog.parse("[open").message == "[open")
        #expect(Ratlog.parse("a | ").fields == ["": nil])
        #expect(Ratlog.parse("[a]b").message == "b")
    }
}
