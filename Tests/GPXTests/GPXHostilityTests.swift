import Foundation
import Positioning
import Testing
import TextCoding

@testable import GPX

@Suite struct GPXHostilityTests {
    private static let body = "<gpx version='1.1'><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>"

    @Test func anEntityBombIsRefusedAtItsFirstDeclaration() {
        let levels = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">\n" }
        let reading = Reading(
            """
            <!DOCTYPE gpx [<!ENTITY l0 "lol">
            \(levels.joined())]>
            <gpx version='1.1'><metadata><name>&l9;</name></metadata></gpx>
            """)
        #expect(reading.items.isEmpty)
        #expect(reading.failure?.reason.contains("declares an entity") == true)
        #expect(reading.failure?.line == 1)
    }

    @Test(arguments: [
        "<!DOCTYPE gpx [<!ENTITY s SYSTEM 'FILE'>]><gpx><wpt lat='1' lon='2'><name>&s;</name></wpt></gpx>",
        "<!DOCTYPE gpx [<!ENTITY % x SYSTEM 'FILE'>%x;]><gpx><wpt lat='1' lon='2'><name>&s;</name></wpt></gpx>",
        "<!DOCTYPE gpx SYSTEM 'FILE'><gpx><wpt lat='1' lon='2'><name>&s;</name></wpt></gpx>",
        "<!DOCTYPE gpx SYSTEM 'FILE'><gpx creator='&s;'><wpt lat='1' lon='2'/></gpx>",
    ])
    func noOtherFileIsOpened(text: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).ent")
        try Data("<!ENTITY s \"secret\">".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reading = Reading(text.replacing("FILE", with: file.absoluteString))
        #expect(reading.failure != nil)
        #expect(reading.waypoints.isEmpty)
        #expect(!"\(reading)".contains("secret"))
    }

    @Test func anExternalDocumentTypeIsNotLoaded() {
        let reading = Reading("<!DOCTYPE gpx SYSTEM \"http://127.0.0.1:9/gpx.dtd\">" + Self.body)
        #expect(reading.points.count == 1)
        #expect(reading.failure == nil)
    }

    @Test func defaultAttributesAreRefused() {
        let reading = Reading("<!DOCTYPE gpx [<!ATTLIST trkpt a CDATA \"b\">]>" + Self.body)
        #expect(reading.points.isEmpty)
        #expect(reading.failure?.reason.contains("by default") == true)
    }

    @Test(arguments: [XMLBounds.maximumDepth, XMLBounds.maximumDepth + 1, 60_000])
    func elementsMayBeNestedOnlyUpToTheLimit(depth: Int) {
        // Two elements are open around the nested ones.
        let inside = String(repeating: "<a>", count: depth - 1) + String(repeating: "</a>", count: depth - 1)
        let reading = Reading(
            document("<extensions>\(inside.dropFirst(3).dropLast(4))</extensions><wpt lat='1' lon='2'/>"))
        let fits = depth <= XMLBounds.maximumDepth
        #expect((reading.failure == nil) == fits)
        #expect(reading.waypoints.count == (fits ? 1 : 0))
    }

    @Test(arguments: [XMLBounds.maximumAttributes, XMLBounds.maximumAttributes + 1])
    func anElementMayHaveAttributesOnlyUpToTheLimit(count: Int) {
        let attributes = (0..<count).map { " a\($0)=''" }.joined()
        let reading = Reading(document("<extensions><a\(attributes)/></extensions><wpt lat='1' lon='2'/>"))
        let fits = count <= XMLBounds.maximumAttributes
        #expect((reading.failure == nil) == fits)
        #expect(reading.waypoints.count == (fits ? 1 : 0))
    }

    @Test func aLongAttributeIsReadAndTruncated() throws {
        let creator = String(repeating: "é", count: 100_000)
        let reading = Reading("<gpx version='1.1' creator='\(creator)'><wpt lat='1' lon='2'/></gpx>")
        guard case .document(let header) = reading.items.first else {
            Issue.record("no header")
            return
        }
        #expect(header.creator?.utf8.count == GPXText.maximumLength)
        #expect(reading.waypoints.count == 1)
    }

    @Test(arguments: ["<a b='", "<!-- ", "<?p ", "<![CDATA[", "<a ", "<"])
    func endlessMarkupIsRefused(beginning: String) {
        let reading = Reading(document("\(beginning)\(String(repeating: "x ", count: XMLBounds.maximumMarkup))"))
        #expect(reading.failure?.reason.contains("does not end within") == true)
    }

    @Test func aLongTextIsTruncatedBetweenCharactersAndCounted() {
        let name = "a" + String(repeating: "中", count: 100_000)
        let reading = Reading(document("<wpt lat='1' lon='2'><name>\(name)</name><ele>\(name)</ele></wpt>"))
        #expect(reading.waypoints.first?.name == "a" + String(repeating: "中", count: (GPXText.maximumLength - 1) / 3))
        #expect(reading.malformed["long-text"] == 1)
        #expect(reading.malformed["elevation"] == 1)
    }

    @Test func tooManyDifferentNamesAreRefused() {
        let names = (0..<100_000).map { "<name-without-meaning-\($0)/>" }.joined()
        let reading = Reading(document(names))
        #expect(reading.failure?.reason.contains("different names") == true)
    }
}
