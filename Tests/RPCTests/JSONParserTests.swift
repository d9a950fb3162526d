import RPC
import TestSupport
import Testing
import TextCoding

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONValue(parsing: Array(text.utf8).span)
    }

    @Test(
        arguments: [
            ("null", JSONValue.null), (" true ", true), ("false", false), ("\t\r\n0\n", 0), ("-0", 0), ("42", 42),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.5", 1.5), ("-0.25e2", -25.0),
            ("1E+3", .number(1000)), ("1e-400", .number(0)), ("2.0", .number(2)), ("[]", []), ("[ ]", []), ("{}", [:]),
            ("[1,[2,{\"a\":null}]]", [1, [2, ["a": nil]]]), ("{\"a\":1,\"b\":[true]}", ["b": [true], "a": 1]),
            ("{\"\":1}", ["": 1]), ("\"\"", ""), ("\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "a\"\\/\u{8}\u{C}\n\r\tz"),
            ("\"\\u0041\\u00e9\\u20AC\"", "Aé€"), ("\"\\uD83D\\ude00\"", "😀"), ("\"é😀\u{7F}\"", "é😀\u{7F}"),
            ("\"\\\\u0000\"", "\\u0000"), ("\"x\\u000d\\u000a\"", "x\r\n"),
        ] as [(String, JSONValue)])
    func validTextsAreParsed(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("nul", 0), ("nulL", 0), ("True", 0), ("1 2", 2), ("[1,]", 3), ("[1 2]", 3), ("[", 1),
        ("[1", 2), ("]", 0), ("{", 1), ("{a:1}", 1), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1,}", 7),
        ("{\"a\":1 \"b\":2}", 7), ("{\"a\":1,\"a\":2}", 7), ("{'a':1}", 1), ("01", 1), ("-", 1), ("+1", 0), (".5", 0),
        ("1.", 2), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("0x10", 1), ("NaN", 0), ("Infinity", 0), ("1e400", 0),
        ("-1e999", 0), ("\"", 0), ("\"a", 0), ("\"\n\"", 1), ("\"\t\"", 1), ("\"\\x\"", 2), ("\"\\", 2),
        ("\"\\u12\"", 5), ("\"\\u12G4\"", 5), ("\"\\uD800\"", 3), ("\"\\uDC00\"", 3), ("\"\\uD800\\uD800\"", 3),
        ("\"\\uD800\\n\"", 3), ("\"\\uD800x\"", 3), ("[1]x", 3), ("//c\n1", 0), ("\u{FEFF}1", 0), ("\u{A0}1", 0),
        ("\"a\0b\"", 2), ("\"a\\u0000b\"", 4), ("{\"a\\u0000\":1}", 5),
    ])
    func anInvalidTextIsRefusedAtItsOffset(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try parse(text) }
        #expect(error?.offset == offset)
    }

    @Test func theNullCharacterIsRefusedByName() {
        for text in ["\"a\0\"", "\"a\\u0000\""] {
            let error = #expect(throws: JSONError.self) { try parse(text) }
            #expect(error?.reason.contains("U+0000") == true)
        }
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func bytesThatAreNotUTF8AreRefused(bytes: [UInt8]) {
        let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        #expect(throws: JSONError.self) { try JSONValue(parsing: text.span) }
        let escaped = Array("\"\\n".utf8) + bytes + [UInt8(ascii: "\"")]
        #expect(throws: JSONError.self) { try JSONValue(parsing: escaped.span) }
    }

    @Test func nestingIsLimitedToThirtyTwoLevels() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        _ = try parse(nested(32, "[", "]"))
        _ = try parse(nested(32, "{\"a\":", "}"))
        let error = #expect(throws: JSONError.self) { try parse(nested(33, "[", "]")) }
        #expect(error?.description == "nested deeper than 32 levels, at byte 33")
        #expect(throws: JSONError.self) { try parse(nested(33, "{\"a\":", "}")) }
        #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: 1_000_000)) }
    }

    @Test func writtenJSONIsParsedAndWrittenUnchanged() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            let text = JSONText { json in
                json.object { json in
                    json.member("whole", Int64.random(in: .min ... .max, using: &generator))
                    json.array("numbers") { json in
                        for decimals in 0...7 {
                            let scale: Double = [1e-6, 1e-3, 1, 180, 1e6].randomElement(using: &generator) ?? 1
                            json.number(Double.random(in: -scale...scale, using: &generator), decimals: decimals)
                        }
                    }
                    json.member("text", "a\"\\/\n\u{1}é😀")
                    json.member("flag", Bool.random(using: &generator))
                    json.object("none") {
                        $0.key("null"); $0.null()
                    }
                }
            }
            #expect(JSONText(try JSONValue(parsing: text.bytes.span)) == text)
        }
    }

    @Test func finiteNumbersAreWrittenWithoutLoss() throws {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite else { continue }
            let again = try JSONValue(parsing: JSONText(.number(number)).bytes.span)
            #expect(Double(json: again) == number, "\(number)")
        }
        #expect(JSONText(.number(.infinity)).bytes == Array("null".utf8))
    }

    @Test func anyBytesGiveAValueOrAnError() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("[]{}:,\"\\u0D8etrfalsn-1.E+ \n".utf8) + [0xC3, 0xA9, 0xFF]
        var values = 0
        for _ in 0..<50_000 {
            let length = Int.random(in: 0...12, using: &generator)
            let text = (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            if (try? JSONValue(parsing: text.span)) != nil { values += 1 }
        }
        #expect((1..<50_000).contains(values))
    }
}
