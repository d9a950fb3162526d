import GPX
import Positioning
import Testing

@Suite struct GPXEncodingTests {
    private static let name = "Žižkov 中文 🏔"

    private static func text(_ encoding: String?, name: String = name) -> String {
        let declaration = encoding.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>\n" } ?? ""
        return declaration + "<gpx version='1.1'><wpt lat='1' lon='2'><name>\(name)</name></wpt></gpx>"
    }

    private static func wide<Unit: FixedWidthInteger>(_ units: some Sequence<Unit>, bigEndian: Bool) -> [UInt8] {
        units.flatMap { unit in withBytes(of: bigEndian ? unit.bigEndian : unit.littleEndian) }
    }

    private static func withBytes<Unit: FixedWidthInteger>(of unit: Unit) -> [UInt8] {
        (0..<Unit.bitWidth / 8).map { UInt8(truncatingIfNeeded: unit >> (8 * Unit($0))) }
    }

    @Test(arguments: [nil, "UTF-8", "UTF-16"] as [String?], [true, false])
    func utf16WithAMarkIsReadForAnyDeclaration(encoding: String?, bigEndian: Bool) {
        let units = [0xFEFF] + Array(Self.text(encoding).utf16)
        #expect(Reading(Self.wide(units, bigEndian: bigEndian)).waypoints.map(\.name) == [Self.name])
    }

    @Test(arguments: [true, false])
    func utf16WithoutAMarkIsRecognised(bigEndian: Bool) {
        let bytes = Self.wide(Array(Self.text("UTF-16").utf16), bigEndian: bigEndian)
        #expect(Reading(bytes).waypoints.map(\.name) == [Self.name])
    }

    @Test(arguments: [true, false])
    func utf32WithAMarkIsRead(bigEndian: Bool) {
        let units = [0xFEFF] + Self.text(nil).unicodeScalars.map(\.value)
        #expect(Reading(Self.wide(units, bigEndian: bigEndian)).waypoints.map(\.name) == [Self.name])
    }

    @Test(arguments: [nil, "UTF-8", "utf-8"] as [String?], [true, false])
    func utf8IsReadWithAndWithoutAMark(encoding: String?, hasMark: Bool) {
        let bytes: [UInt8] = (hasMark ? [0xEF, 0xBB, 0xBF] : []) + Array(Self.text(encoding).utf8)
        #expect(Reading(bytes).waypoints.map(\.name) == [Self.name])
    }

    @Test(arguments: [("ISO-8859-1", 0xE9, "é"), ("windows-1252", 0x80, "€"), ("ISO-8859-2", 0xBE, "ž")])
    func oneByteEncodingsAreReadAsDeclared(encoding: String, byte: UInt8, character: String) {
        let bytes = Array(Self.text(encoding, name: "?").utf8)
        let replaced = bytes.enumerated().map { index, original in
            original == UInt8(ascii: "?") && index > 60 ? byte : original
        }
        #expect(Reading(replaced).waypoints.map(\.name) == [character])
    }

    @Test(arguments: ["UTF-16", "KLINGON"])
    func aDeclarationThatDoesNotFitTheBytesIsRefused(encoding: String) {
        let reading = Reading(Self.text(encoding))
        #expect(reading.failure?.line == 1)
        #expect(reading.items.isEmpty)
    }
}
