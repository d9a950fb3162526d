import Foundation
import TestSupport
import Testing
import TextCoding

@Suite struct DecimalTextTests {
    @Test(arguments: [
        (52.373056, 7, "52.373056"), (4.8922222, 7, "4.8922222"), (-0.04, 1, "0"), (-0.05, 1, "-0.1"), (100, 1, "100"),
        (0.1 + 0.2, 3, "0.3"), (1e20, 2, "1e+20"), (-179.9999999, 7, "-179.9999999"), (0.0000001, 7, "0.0000001"),
        (9.999, 2, "10"), (12.0, 0, "12"), (-1.5, 0, "-2"),
    ])
    func numbersAreRoundedAndWrittenWithoutTrailingZeros(row: (Double, Int, String)) {
        #expect(DecimalText.string(row.0, decimals: row.1) == row.2)
    }

    @Test func writtenNumbersAreParsedBackWithinTheirRounding() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<5000 {
            let value = Double.random(in: -1000...1000, using: &random)
            let decimals = Int.random(in: 0...9, using: &random)
            let text = DecimalText.string(value, decimals: decimals)
            let back = DecimalText.parse(text)
            #expect(back.map { abs($0 - value) <= 0.5000001 * pow(10, -Double(decimals)) } == true)
            #expect(!text.contains(".") || !text.hasSuffix("0"))
        }
    }

    @Test(arguments: [(" 12.5\n", 12.5), ("-3", -3), ("+.5", 0.5), ("1e3", 1000)])
    func numbersAreParsed(row: (String, Double)) { #expect(DecimalText.parse(row.0) == row.1) }

    @Test(arguments: ["", " ", "nan", "inf", "0x10", "1,5", "1e999", "1 2", "--1", "12a"])
    func invalidNumbersAreNotParsed(text: String) { #expect(DecimalText.parse(text) == nil) }
}

@Suite struct JSONWriterTests {
    @Test func membersAreWrittenInOrderAndUnknownOnesAreOmitted() {
        var json = JSONWriter()
        json.object { json in
            json.member("b", "x")
            json.member("a", String?.none)
            json.member("n", 7)
            json.object("o") { $0.member("d", 1.25, decimals: 1) }
            json.array("l") { json in
                json.integer(1)
                json.string("zwei")
                json.array { _ in }
                json.boolean(false)
                json.null()
            }
            json.member("nan", Double.nan, decimals: 1)
            json.member("t", true)
        }
        #expect(json.text == #"{"b":"x","n":7,"o":{"d":1.3},"l":[1,"zwei",[],false,null],"t":true}"#)
    }

    @Test func controlCharactersAreEscapedAndNoneIsZero() {
        var json = JSONWriter()
        json.string("a\u{0}\u{1B}[2J\u{7F}\u{80}\u{9B}\u{9F}\u{A0}Â\u{20AC}")
        #expect(json.text == #""a\#u{FFFD}\u001b[2J\u007f\u0080\u009b\u009f\#u{A0}Â€""#)
        var xml: [UInt8] = []
        XMLText.append("a\u{0}\u{1B}\u{7F}\u{9B}\u{A0}\r\n\t", to: &xml)
        #expect(String(decoding: xml, as: UTF8.self) == "a\u{FFFD}\u{FFFD}&#127;&#155;\u{A0}&#13;\n\t")
    }

    @Test func anyStringIsParsedBackByFoundation() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<300 {
            let scalars = (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &random)) }
            let text = String(String.UnicodeScalarView(scalars)) + "\u{1F600}\u{7F}\\\"/"
            var json = JSONWriter()
            json.array { $0.string(text) }
            #expect(
                try JSONDecoder().decode([String].self, from: Data(json.bytes)) == [
                    text.replacing("\0", with: "\u{FFFD}")
                ])
        }
    }
}

@Suite struct UnicodeTranscoderTests {
    static let text = "$GPRMC,é€😀*00\r\n"

    static let encodings: [(String.Encoding, [UInt8])] = [
        (.utf8, []), (.utf8, [0xEF, 0xBB, 0xBF]), (.utf16LittleEndian, [0xFF, 0xFE]),
        (.utf16BigEndian, [0xFE, 0xFF]), (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]),
        (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
    ]

    @Test(arguments: 0..<6)
    func encodingsWithAMarkBecomeUTF8ForAnySplit(row: Int) throws {
        let (encoding, mark) = Self.encodings[row]
        let bytes = try mark + Array(#require(Self.text.data(using: encoding)))
        for length in 1...bytes.count {
            var transcoder = UnicodeTranscoder()
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: length) {
                let piece = Array(bytes[start..<min(bytes.count, start + length)])
                transcoder.feed(piece.span, into: &output)
            }
            transcoder.finish(into: &output)
            #expect(String(decoding: output, as: UTF8.self) == Self.text)
        }
    }

    @Test(arguments: [[UInt8](), [0xEF], [0xEF, 0xBB], [0x41], [0xFE]])
    func bytesWithoutACompleteMarkPassUnchanged(bytes: [UInt8]) {
        var transcoder = UnicodeTranscoder()
        var output: [UInt8] = []
        transcoder.feed(bytes.span, into: &output)
        transcoder.finish(into: &output)
        #expect(output == bytes)
    }

    @Test func halfASurrogatePairIsReplaced() {
        var transcoder = UnicodeTranscoder()
        var output: [UInt8] = []
        transcoder.feed([0xFF, 0xFE, 0x3D, 0xD8, 0x41, 0x00, 0x3D, 0xD8, 0x00].span, into: &output)
        transcoder.finish(into: &output)
        #expect(String(decoding: output, as: UTF8.self) == "\u{FFFD}A\u{FFFD}")
    }
}
