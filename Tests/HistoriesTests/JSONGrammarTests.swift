import Histories
import Positioning
import Testing

@Suite struct JSONGrammarTests {
    /// Returns a history with a text as the value of a member that has no meaning.
    private func history(around value: String) -> String {
        #"{"x": \#(value), "locations": [{"latitudeE7": 1, "longitudeE7": 2, "timestampMs": 1714557600000}]}"#
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1.5e-7", "1E400", #""""#, #""\u00e9\n\\\"\/""#, #""\ud83e\udd94""#, "[]",
        "{}",
        "[[],{},[1]]", #"{"a":{"b":[{"c":null}]}}"#, " \t\r\n 1 ", "\"\u{FFFD}°\"",
    ])
    func aMemberOfAnyValueIsSkipped(value: String) {
        for length in [1, 2, 3, .max] {
            let reading = Reading(history(around: value), pieces: length)
            #expect(reading.fixes.count == 1 && reading.error == nil, "\(value) in pieces of \(length)")
        }
    }

    @Test(arguments: [
        "", "nul", "nulL", "True", "NaN", "Infinity", "01", "-", "1.", ".5", "1e", "+1", "0x1", "'a'", #""\x""#,
        #""\u12g4""#,
        "\"a\nb\"", "\"a\tb\"", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\" 1}",
        "[1}",
        "{\"a\":1]", "]", "}", "1 // comment", "\u{FEFF}1", "\0",
    ])
    func anythingElseIsRefusedWithItsPlace(value: String) {
        let whole = Reading(history(around: value))
        #expect(whole.error?.line != nil && whole.error?.column != nil, "\(value)")
        for length in [1, 2, 5] { #expect(Reading(history(around: value), pieces: length) == whole, "\(value)") }
    }

    @Test func anErrorHasTheLineAndColumnOfItsByte() {
        let text = "{\r\n  \"locations\": [\n    {\"latitudeE7\": 1, \"x\": nil}]}"
        for length in [1, 4, .max] {
            let error = Reading(text, pieces: length).error
            #expect(error?.line == 3 && error?.column == 28, "\(error?.description ?? "no error")")
        }
    }

    @Test func aTextThatIsCutOffIsRefused() {
        let text = Array(Sample.googleRecords.utf8)
        for end in 1..<text.count {
            let reading = Reading(Array(text[..<end]))
            #expect(reading.error != nil, "cut after \(end) bytes")
        }
    }

    @Test func textBehindTheEndIsRefused() {
        #expect(Reading(Sample.googleRecords + " \n").error == nil)
        #expect(Reading(Sample.googleRecords + "{}").error != nil)
        #expect(Reading(Sample.googleRecords + ",").error != nil)
    }

    @Test func aByteOrderMarkIsAllowedAtTheBeginning() {
        let plain = Reading(Sample.timelineIOS)
        for length in [1, 2, .max] {
            #expect(Reading([0xEF, 0xBB, 0xBF] + Array(Sample.timelineIOS.utf8), pieces: length) == plain)
        }
        #expect(Reading([0xEF, 0xBB] + Array(Sample.timelineIOS.utf8)).error != nil)
    }

    @Test func otherUnicodeEncodingsAreReadWithTheirMark() {
        let plain = Reading(Sample.timelineAndroid)
        let units = Array("\u{FEFF}\(Sample.timelineAndroid)".utf16)
        let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        #expect(Reading(little, pieces: 3) == plain)
        #expect(Reading(big, pieces: 1) == plain)
    }

    @Test func nestingIsBounded() {
        func nested(_ depth: Int) -> String {
            history(around: String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        #expect(Reading(nested(63)).error == nil)
        #expect(Reading(nested(64)).error?.reason.contains("64 deep") == true)
        #expect(Reading(nested(100_000)).error?.reason.contains("64 deep") == true)
    }

    @Test func theLengthOfATextIsBounded() {
        func long(_ length: Int) -> String { history(around: "\"" + String(repeating: "a", count: length) + "\"") }
        #expect(Reading(long(1 << 20)).error == nil)
        for length in [4096, .max] {
            #expect(Reading(long(1 << 20 + 1), pieces: length).error?.column == 7)
        }
        #expect(Reading(history(around: String(repeating: "1", count: 1025))).error != nil)
    }

    @Test func theLengthOfARecordIsBounded() {
        let point = #"{"point":"geo:1,2","time":"2024-05-01T10:00:00Z"},"#
        let text =
            #"{"semanticSegments":[{"timelinePath":["# + String(repeating: point, count: 1 << 16)
            + #"{}]}]}"#
        #expect(Reading(text).error?.reason.contains("one location or segment has more than") == true)
    }

    @Test func aLongTextInSmallPiecesTakesLinearTime() {
        // Quadratic, this would copy and scan 100 GB.
        let text = history(around: "\"" + String(repeating: "é", count: 250_000) + "\"")
        #expect(Reading(text, pieces: 1).fixes.count == 1)
    }
}
