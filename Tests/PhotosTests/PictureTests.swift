import FeatureSupport
import Foundation
import Geodesy
import TestSupport
import Testing
import Time

@testable import ImageMetadata
@testable import Service

@Suite(.slow) struct PictureTests {
    private static let secret = Array("SECRET-PLACE".utf8)
    private static let xmp = TestPicture.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + secret)
    private static let iptc = TestPicture.segment(0xED, Array("Photoshop 3.0\0".utf8) + secret)
    private static let profile = TestPicture.profile(secret: secret)
    private static let embedded = TestPicture.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile)

    /// A picture of each kind, with metadata and with other parts that a copy leaves out.
    private static let noted: [[UInt8]] = [
        TestPicture.jpeg(
            notes: TestPicture.notes, more: [xmp, embedded, iptc, TestPicture.segment(0xFE, secret)], tail: secret),
        TestPicture.png(
            notes: TestPicture.notes,
            more: [
                Picture.chunk("tEXt", Array("Comment\0".utf8) + secret),
                Picture.chunk("pHYs", [0, 0, 0, 1, 0, 0, 0, 1, 0]), Picture.chunk("iCCP", secret),
                Picture.chunk("gAMA", secret),
            ],
            tail: secret),
        TestPicture.webp(
            notes: TestPicture.notes,
            more: [
                TestPicture.chunk("ICCP", profile), TestPicture.chunk("XMP ", secret),
                TestPicture.chunk("ANYT", secret),
            ],
            tail: secret),
        TestPicture.heic(
            turns: 1, notes: TestPicture.notes, xmp: secret, tail: TestPicture.box("mpvd", secret)),
    ]

    @Test func kindAndSizeAreReadFromTheContent() throws {
        let jpeg = try Picture(bytes: TestPicture.jpeg(width: 300, height: 200))
        #expect((jpeg.kind, jpeg.width, jpeg.height) == (.jpeg, 300, 200))
        let png = try Picture(bytes: TestPicture.png(width: 9, height: 5))
        #expect((png.kind, png.width, png.height) == (.png, 9, 5))
        let webp = try Picture(bytes: TestPicture.webp(width: 700, height: 3))
        #expect((webp.kind, webp.width, webp.height) == (.webp, 700, 3))
        let heic = try Picture(bytes: TestPicture.heic(width: 4032, height: 3024))
        #expect((heic.kind, heic.width, heic.height) == (.heic, 4032, 3024))
    }

    @Test func lossyAndLosslessWebPAreRead() throws {
        let lossy = TestPicture.chunk(
            "VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A] + TestPicture.little(0x4000 | 33, 2) + TestPicture.little(21, 2))
        let lossless = TestPicture.chunk("VP8L", [0x2F] + TestPicture.little(32 | 20 << 14, 4))
        for chunk in [lossy, lossless] {
            let picture = try Picture(
                bytes: Array("RIFF".utf8) + TestPicture.little(chunk.count + 4, 4) + Array("WEBP".utf8) + chunk)
            #expect((picture.width, picture.height) == (33, 21))
            #expect(picture.copy != nil)
        }
    }

    @Test func theSizeIsThatOfTheTurnedPicture() throws {
        for orientation in 1...8 {
            let notes = TestPicture.Notes(orientation: orientation)
            let picture = try Picture(bytes: TestPicture.jpeg(width: 30, height: 20, notes: notes))
            #expect(picture.width == (orientation > 4 ? 20 : 30))
            #expect(picture.exif.orientation == orientation)
        }
        for turns in UInt8(0)...3 {
            // The orientation of the metadata does not turn it again.
            let picture = try Picture(
                bytes: TestPicture.heic(width: 30, height: 20, turns: turns, notes: TestPicture.notes))
            #expect(picture.width == (turns % 2 == 1 ? 20 : 30))
        }
    }

    @Test(arguments: noted) func theMetadataOfTheCameraIsRead(_ bytes: [UInt8]) throws {
        let exif = try Picture(bytes: bytes).exif
        #expect(exif.orientation == 6)
        #expect(exif.taken == Timestamp(rfc3339: "2026-05-01T10:00:01Z"))
        #expect(
            exif.place == Coordinate(latitude: 52 + 22.0 / 60 + 12.0 / 3600, longitude: 4 + 53.0 / 60 + 24.0 / 3600))
    }

    @Test(arguments: noted) func aCopyHasNoMetadataAndLooksTheSame(
        _ bytes: [UInt8]
    ) throws {
        let picture = try Picture(bytes: bytes)
        guard let copy = picture.copy?.bytes(of: bytes) else {
            #expect(picture.kind == .heic)
            return
        }
        #expect(copy.count == picture.copy?.count)
        #expect(!contains(copy, Self.secret))
        #expect(!contains(copy, Array("2026:05:01".utf8)))
        let again = try Picture(bytes: copy)
        #expect((again.kind, again.width, again.height) == (picture.kind, picture.width, picture.height))
        #expect(again.exif.orientation == 6)
        #expect(again.exif.taken == nil && again.exif.place == nil)
        #expect(PictureReport(bytes)?.isSound == true)
        if picture.kind != .png { #expect(contains(copy, Array("rTRC".utf8))) }
        if picture.kind == .png { #expect(contains(copy, Array("pHYs".utf8)) && !contains(copy, Array("gAMA".utf8))) }
        if picture.kind == .webp {
            let declared = PictureBytes(Data(copy)).number(at: 4, width: 4, isLittleEndian: true)
            #expect(declared == copy.count - 8)
        }
    }

    @Test(arguments: noted) func aPieceOfACopyEqualsThatPartOfTheWholeCopy(_ bytes: [UInt8]) throws {
        guard let copy = try Picture(bytes: bytes).copy else { return }
        let whole = copy.bytes(of: bytes)
        #expect(PictureCopy(encoded: Data(copy.encoded), of: bytes.count) == copy)
        #expect(PictureCopy(encoded: Data(copy.encoded), of: 10) == nil)
        var random = SeededGenerator(seed: 6)
        for _ in 0..<200 {
            let offset = Int.random(in: 0..<whole.count, using: &random)
            let count = Int.random(in: 0...whole.count, using: &random)
            let piece = copy.read(from: offset, count: count) { Array(bytes[$0]) }
            #expect(piece == Array(whole[offset..<min(offset + count, whole.count)]))
        }
    }

    @Test func aPictureWithoutMetadataIsCopiedUnchanged() throws {
        for bytes in [TestPicture.jpeg(), TestPicture.png(), TestPicture.webp()] {
            #expect(try Picture(bytes: bytes).copy?.bytes(of: bytes) == bytes)
        }
        #expect(try Picture(bytes: TestPicture.heic()).copy == nil)
    }

    @Test func `a thumbnail in the JFIF segment and what stands in places of no use are not copied`() throws {
        let thumbnail = TestPicture.segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 4, 1] + Self.secret)
        let reserved = TestPicture.segment(0xF5, Self.secret)
        let adobe = TestPicture.segment(0xEE, Array("Adobe".utf8) + [0, 100, 1, 2, 3, 4, 1] + Self.secret)
        for more in [[thumbnail], [reserved], [adobe]] {
            let bytes = TestPicture.jpeg(more: more)
            let copy = try Picture(bytes: bytes).copy?.bytes(of: bytes)
            #expect(copy.map { !contains($0, Self.secret) } == true)
        }
    }

    @Test func aPictureWithUnknownPartsHasNoCopy() throws {
        let whole = TestPicture.jpeg()
        let refused = [
            // Tables with more bytes behind them, a missing end, a second frame.
            TestPicture.jpeg(more: [TestPicture.segment(0xDB, [0] + [UInt8](repeating: 1, count: 64) + Self.secret)]),
            TestPicture.jpeg(more: [TestPicture.segment(0xDD, [0, 0] + Self.secret)]), Array(whole.dropLast(2)),
            TestPicture.jpeg(more: [TestPicture.segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])]),
            TestPicture.webp(more: [
                TestPicture.chunk("ANMF", [UInt8](repeating: 0, count: 16) + TestPicture.chunk("XMP ", Self.secret))
            ]),
        ]
        for bytes in refused { #expect(try Picture(bytes: bytes).copy == nil) }
    }

    @Test func withoutAZoneTheGPSTimeIsUsedAndOtherwiseUTC() throws {
        var notes = TestPicture.Notes(clock: "2026:05:01 12:00:01")
        notes.isLittleEndian = true
        func taken() throws -> String? { try Picture(bytes: TestPicture.jpeg(notes: notes)).exif.taken?.description }
        #expect(try taken() == "2026-05-01T12:00:01.000Z")
        notes.gpsDay = "2026:05:01"
        notes.gpsTime = [10, 0, 250]
        #expect(try taken() == "2026-05-01T10:00:02.500Z")
        notes.zone = "-03:30"
        #expect(try taken() == "2026-05-01T15:30:01.000Z")
        notes = TestPicture.Notes(clock: "2026:02:30 12:00:01")
        #expect(try taken() == nil)
        for clock in ["0000:00:00 00:00:00", "0001:01:01 00:00:00", "9999:12:31 23:59:59"] {
            notes = TestPicture.Notes(clock: clock, zone: "-14:00")
            #expect(try taken() == nil)
        }
    }

    @Test func southAndWestAreNegativeAndBadCoordinatesAreIgnored() throws {
        var notes = TestPicture.Notes(latitude: ("S", [33, 30, 0]), longitude: ("W", [70, 45, 0]))
        #expect(
            try Picture(bytes: TestPicture.png(notes: notes)).exif.place
                == Coordinate(latitude: -33.5, longitude: -70.75))
        notes.latitude = ("X", [33, 30, 0])
        #expect(try Picture(bytes: TestPicture.png(notes: notes)).exif.place == nil)
        notes.latitude = ("N", [133, 30, 0])
        #expect(try Picture(bytes: TestPicture.png(notes: notes)).exif.place == nil)
    }

    @Test func aFileThatIsNoPictureOrTooLargeIsRefused() throws {
        let refused: [([UInt8], String)] = [
            ([], "not a picture"), (Array("Just a text, called photo.jpg".utf8), "not a picture"),
            (Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0], "not a picture"),
            ([0xFF, 0xD8, 0xFF, 0xD9], "damaged JPEG"), (Picture.pngSignature, "damaged PNG"),
            (TestPicture.png(width: 20_000, height: 5001), "pixels"),
            (TestPicture.png(width: 1, height: 40_000), "30000 on each side"),
            (TestPicture.webp(width: 16_384, height: 16_384), "pixels"),
            (TestPicture.heic(width: 1 << 31, height: 1 << 31), "pixels"), (TestPicture.png(width: 0), "damaged PNG"),
            (TestPicture.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8)), "of a kind"),
            (TestPicture.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0]), "damaged HEIC"),
        ]
        for (bytes, reason) in refused {
            let flaw = #expect(throws: Picture.Flaw.self) { try Picture(bytes: bytes) }
            #expect(flaw?.reason.contains(reason) == true, "\(flaw?.reason ?? "")")
        }
        #expect(try Picture(bytes: TestPicture.png(width: 20_000, height: 5000, notes: nil)).width == 20_000)
    }

    /// A required box is empty, or ends before its parts do.
    @Test(arguments: ["meta", "pitm", "iinf", "infe", "iloc", "iprp", "ipco", "ispe", "ipma", "ftyp"])
    func aHEICFileWithAnEmptyOrTruncatedBoxIsRefused(_ name: String) throws {
        let whole = TestPicture.heic(turns: 1, notes: TestPicture.notes)
        let place = try #require(Data(whole).firstRange(of: Array(name.utf8))?.lowerBound)
        let length = try #require(PictureBytes(Data(whole)).number(at: place - 4, width: 4))
        for left in [8, 9, 10, 12, 14, length - 1] where left < length {
            var bytes = whole
            bytes.replaceSubrange(place - 4..<place, with: TestPicture.big(left, 4))
            bytes.replaceSubrange(
                place - 4 + left..<place - 4 + length, with: TestPicture.free(length - left))
            // Reading may succeed or throw, but must not crash.
            _ = try? Picture(bytes: bytes)
        }
        if name == "ipco" {
            var bytes = whole
            bytes.replaceSubrange(place - 4..<place + 4, with: TestPicture.box("ipco", []))
            bytes.replaceSubrange(place + 4..<place - 4 + length, with: TestPicture.free(length - 8))
            #expect(throws: Picture.Flaw.self) { try Picture(bytes: bytes) }
        }
    }

    @Test func aFileWithTooManyPartsHasNoCopy() throws {
        let interval = TestPicture.segment(0xDD, [0, 0])
        let remarks = (0..<1001).flatMap { _ in [TestPicture.segment(0xFE, []), interval] }
        #expect(try Picture(bytes: TestPicture.jpeg(more: remarks)).copy == nil)
        let together = (0..<5000).map { _ in TestPicture.segment(0xFE, []) }
        let bytes = TestPicture.jpeg(more: together)
        #expect(try Picture(bytes: bytes).copy?.bytes(of: bytes) == TestPicture.jpeg())
    }

    /// A damaged picture is refused or read without reading beyond its end, and every offered copy can be made.
    @Test func randomDamageNeverReadsOutOfBounds() throws {
        var random = SeededGenerator(seed: 20_260_501)
        var read = 0
        for bytes in Self.noted {
            for round in 0..<3000 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<damaged.count, using: &random)
                    switch round % 4 {
                    case 0: damaged[place] = UInt8.random(in: .min ... .max, using: &random)
                    case 1: damaged[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                    case 2:
                        damaged.removeLast(min(damaged.count - 1, Int.random(in: 1...damaged.count, using: &random)))
                    default:
                        for step in place..<min(place + 4, damaged.count) {
                            damaged[step] = Bool.random(using: &random) ? 0xFF : 0
                        }
                    }
                }
                guard let report = PictureReport(damaged) else { continue }
                read += 1
                #expect(report.width * report.height <= Picture.maximumPixels)
                #expect(report.isSound)
                #expect(report.copy.map { contains($0, Array("2026:05:01".utf8)) } != true)
            }
        }
        #expect(read > 1000)
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool { Data(bytes).firstRange(of: part) != nil }
}
