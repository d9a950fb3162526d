import NMEA
import Positioning
import Testing

@Suite struct FramingTests {
    private static let body = "GPRMC,100000,A,5222.3834,N,00453.5333,E,5.0,90.0,010526,,"
    private static let line = String(decoding: Recording.line(body), as: UTF8.self)
    private static let bare = String(line.dropLast(1))

    private func decode(_ text: String) -> Decoded {
        var recording = Recording()
        recording.add(raw: text)
        return Decoded(recording)
    }

    @Test(arguments: [
        line, "\(bare)\n", "\(bare)\r", bare, "\r\n\n\(line)", "2026-05-01T10:00:00Z \(line)", "\t\(line)",
        #"\s:r0,c:1777629600*23\"# + line, "\(bare),1777629600\r\n", "\(bare)  \r\n", "# a comment with \(line)\(line)",
        "!AIVDM,1,1,,B,13aGhtw0R<OJf=6LgQ?Ad1FF05`L,0*24\n\(line)", "\u{FEFF}\(line)",
        "$\(body)*\(bare.suffix(2).lowercased())\n", "$\(body)\n", "$\(body)\r\n",
    ])
    func aSentenceIsFoundBetweenOtherBytes(_ text: String) {
        let decoded = decode(text)
        #expect(decoded.times == ["2026-05-01T10:00:00.000Z"])
        #expect(decoded.reasons == [])
    }

    @Test(arguments: [
        ("\(line.dropLast(6))", "cut 1"), ("$\(body)", "cut 1"), ("$GPRMC,1000", "cut 1"), ("$", "cut 1"),
        ("$\(body)*00\n", "checksum 1"), ("$\(body)*\n", "checksum 1"), ("$\(body)*5\n", "checksum 1"),
        ("$\(body)*ZZ\n", "checksum 1"), ("\(bare)7\n", "checksum 1"), ("$GPRMC,100000,A,5222.3\n", "fields 1"),
        ("$\(body),,,,\n", "fields 1"), ("$\(body)5A\n", "fields 1"), ("$hello\n", "garbled 1"),
        ("$GPRMC,1000\u{0}00,A,5222.3834,N\n", "garbled 1"), ("$GPRMC,1000é00\n", "garbled 1"),
        ("no sentence\n", "not-nmea 1"), ("\u{1}\u{2}\u{3}\n", "not-nmea 1"), ("no line end", "not-nmea 1"),
        ("!AIVDM,1,1,,B,13aGhtw0R<OJf=6LgQ?Ad1FF05`L,0*00\n", "checksum 1"),
    ])
    func bytesThatAreNotASentenceAreCounted(_ text: String, _ reason: String) {
        let decoded = decode(text)
        #expect(decoded.fixes == [])
        #expect(decoded.reasons == [reason])
    }

    @Test func aSentenceCutByTheNextIsCountedAndTheNextIsRead() {
        let decoded = decode("$GPRMC,095959,A,5222.38\(Self.line)")
        #expect(decoded.times == ["2026-05-01T10:00:00.000Z"])
        #expect(decoded.reasons == ["cut 1"])
    }

    @Test func aSentenceWithAChecksumNeedsNoLineEnd() {
        let next = Recording.line("GPRMC,100001,A,5222.3834,N,00453.5333,E,5.0,90.0,010526,,")
        let decoded = decode(Self.bare + String(decoding: next, as: UTF8.self))
        #expect(decoded.times == ["2026-05-01T10:00:00.000Z", "2026-05-01T10:00:01.000Z"])
        #expect(decoded.reasons == [])
    }

    @Test func rubbishBeforeASentenceIsCountedAndTheSentenceIsRead() {
        let decoded = decode("\u{7}\u{1B}\(Self.line)")
        #expect(decoded.fixes.count == 1)
        #expect(decoded.reasons == ["not-nmea 1"])
    }

    @Test func encodingsAreRecognisedByTheirByteOrderMark() {
        let units = Array(Self.line.utf16)
        let low = units.map { UInt8(truncatingIfNeeded: $0) }
        let encodings: [[UInt8]] = [
            [0xEF, 0xBB, 0xBF] + low, [0xFF, 0xFE] + low.flatMap { [$0, 0] }, [0xFE, 0xFF] + low.flatMap { [0, $0] },
            [0xFF, 0xFE, 0, 0] + low.flatMap { [$0, 0, 0, 0] }, [0, 0, 0xFE, 0xFF] + low.flatMap { [0, 0, 0, $0] },
        ]
        for bytes in encodings {
            for piece in [1, 2, 3, 7, bytes.count] {
                let decoded = Decoded(bytes: bytes, pieces: [piece])
                #expect(decoded.times == ["2026-05-01T10:00:00.000Z"])
                #expect(decoded.reasons == [])
            }
        }
    }

    @Test func theLongestSentenceIsReadAndALongerOneIsCounted() {
        for (length, isRead) in [(511, true), (512, true), (513, false), (2000, false)] {
            let padding = String(repeating: "0", count: length - Self.bare.utf8.count)
            let sentence = Self.body.replacing("5222.3834", with: "5222.3834" + padding)
            let bytes = Recording.line(sentence)
            #expect(bytes.count == length + 2)
            for piece in [1, 100, 511, 512, 513, bytes.count] {
                let decoded = Decoded(bytes: bytes, pieces: [piece])
                #expect(decoded.fixes.count == (isRead ? 1 : 0))
                #expect(decoded.reasons == (isRead ? [] : ["too-long 1"]))
            }
        }
    }

    @Test func aFloodOfDollarSignsIsCountedAndTheNextSentenceIsRead() {
        let decoded = decode(String(repeating: "$", count: 300_000) + Self.line)
        #expect(decoded.fixes.count == 1)
        #expect(decoded.reasons == ["cut 300000"])
    }

    @Test func aVeryLongLineIsCountedOnceAndTheNextSentenceIsRead() {
        for beginning in ["$GPRMC,", "!AIVDM,", "text "] {
            let bytes = Array((beginning + String(repeating: "1", count: 400_000) + "\r\n" + Self.line).utf8)
            for piece in [1000, bytes.count] {
                let decoded = Decoded(bytes: bytes, pieces: [piece])
                #expect(decoded.fixes.count == 1)
                #expect(decoded.reasons == [beginning == "text " ? "not-nmea 1" : "too-long 1"])
            }
        }
    }

    @Test(arguments: 7..<24)
    func everyByteIsJudgedTheSameAtEachPosition(_ place: Int) {
        for byte in UInt8.min...UInt8.max {
            var bytes = Array("$GPTXT,01,02,03,04,05,06,07\n".utf8)
            bytes[place] = byte
            let expected =
                switch byte {
                case UInt8(ascii: "$"): ["cut 1", "garbled 1"]
                case UInt8(ascii: "*"): ["checksum 1"]
                case UInt8(ascii: "\r"), UInt8(ascii: "\n"): ["not-nmea 1"]
                case 0x20...0x7E: [String]()
                default: ["garbled 1"]
                }
            for pieces in [[bytes.count], [1, place - 1, bytes.count]] {
                #expect(Decoded(bytes: bytes, pieces: pieces).reasons == expected, "byte \(byte)")
            }
        }
    }

    @Test func checksumsAreVerifiedForSentencesOfEveryLength() {
        for length in 0..<40 {
            let sentence = "GPTXT," + String(repeating: "az09", count: 10).prefix(length)
            for wrong in [0, 1, 0x10, 0x7F] as [UInt8] {
                let sum = sentence.utf8.reduce(wrong, ^)
                let digits = String(sum, radix: 16)
                let changed = Array("$\(sentence)*\(sum < 16 ? "0" : "")\(digits)\r\n".utf8)
                let expected = wrong == 0 ? [] : ["checksum 1"]
                for piece in [changed.count, length + 3] {
                    #expect(Decoded(bytes: changed, pieces: [piece]).reasons == expected, "length \(length)")
                }
            }
        }
    }
}
