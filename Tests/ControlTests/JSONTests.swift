import Testing

@testable import Control

@Suite struct JSONTests {
    static let values: [(String, JSONValue)] = [
        ("null", .null), (" true ", true), ("-0", 0), ("12", 12), ("1.5", 1.5), ("2.5e3", .double(2500)),
        ("9223372036854775808", .double(9_223_372_036_854_775_808)), (#""a\u00e9\ud83d\ude00\n""#, "aé😀\n"),
        ("[]", []), ("[1, [2]]", [1, [2]]), (#"{"b": 1, "a": {}}"#, ["b": 1, "a": [:]]),
    ]

    @Test(arguments: values) func reads(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONParser.parse(text) == value)
        let written = try JSONParser.parse(JSONWriter.text(value))
        #expect(written == value || written.double == value.double)
        #expect(try JSONParser.parse(JSONWriter.indented(value)) == written)
    }

    @Test(arguments: [
        "", " ", "nul", "01", "1.", ".5", "+1", "-", "1e", "1e999", "[1,]", "[1 2]", "{a: 1}", #"{"a" 1}"#,
        #"{"a": 1,}"#, "[1", #"{"a": 1"#, #"""#, #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#,
        "1 2", "'a'", "\"\n\"", "// c", "NaN",
    ])
    func refuses(_ text: String) {
        #expect(throws: JSONError.self) { try JSONParser.parse(text) }
    }

    @Test func refusesInvalidUTF8AndDepth() {
        #expect(throws: JSONError(offset: 4, reason: "not UTF-8")) {
            try JSONParser.parse([0x22, 0xC3, 0x28, 0x22] as [UInt8])
        }
        let deep = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
        #expect(throws: JSONError(offset: 128, reason: "nested deeper than 128")) { try JSONParser.parse(deep) }
        #expect(throws: Never.self) { try JSONParser.parse(String(deep.dropFirst().dropLast())) }
    }

    @Test func writesWhatTerminalsAndLinesBear() {
        #expect(JSONWriter.text("a\"\\\n\u{1B}\u{7F}\u{2028}é") == #""a\"\\\n\u001b\u007f\u2028é""#)
        #expect(JSONWriter.text([1.0, .double(.nan), 0.1, .double(1e300)]) == "[1,null,0.1,1e+300]")
        #expect(
            JSONWriter.indented(["a": [1, [:]], "b": []])
                == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}")
    }

    @Test func keepsTheOrderOfKeysAndTheLastOfTwo() throws {
        let value = try JSONParser.parse(#"{"z": 1, "a": 2, "z": 3}"#)
        #expect(value.members?.map(\.key) == ["z", "a", "z"])
        #expect(value["z"] == 3)
    }
}
