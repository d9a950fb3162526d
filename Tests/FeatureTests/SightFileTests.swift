import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing

@testable import Places
@testable import Service

@Suite struct SightFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ text: String) throws -> [Sight] { try SightFile.read(path: try folder.file("sights", text)) }

    private func refusal(_ text: String) throws -> String {
        let path = try folder.file("sights", text)
        return "\(try #require(#expect(throws: RecordingError.self) { try SightFile.read(path: path) }))"
    }

    // MARK: CSV

    @Test func columnsMayBeInAnyOrderAndUnknownOnesAreIgnored() throws {
        let sights = try read(
            "lon,colour,title,lat,id,description\n4.5,red,\"Mill, old\",52.5,mill,\"Says \"\"hello\"\"\"\n")
        let mill = try #require(sights.first)
        #expect(sights.count == 1)
        #expect(mill.id == "mill")
        #expect(mill.title == "Mill, old")
        #expect(mill.place.latitude == 52.5)
        #expect(mill.place.longitude == 4.5)
        #expect(mill.radius == Sight.defaultRadius)
        #expect(mill.category == nil)
        #expect(mill.information == "Says \"hello\"")
    }

    @Test func radiiAboveZeroUpToTheMaximumAreAccepted() throws {
        let sights = try read(
            "id,title,lat,lon,radius_m\na,A,1,2,0.5\nb,B,1,2,100000\nc,C,1,2,\n")
        #expect(sights.map(\.radius.meters) == [0.5, 100_000, 100])
    }

    @Test func blankRowsAndOtherLineEndsAreAccepted() throws {
        for end in ["\n", "\r\n", "\r"] {
            let sights = try read(["id,title,lat,lon", "a,A,1,2", "", "b,B,-90,-180", ""].joined(separator: end))
            #expect(sights.map(\.id) == ["a", "b"])
        }
        #expect(try read("id,title,lat,lon\n").isEmpty)
    }

    @Test func aTableInUTF16IsRead() throws {
        let text = "id,title,lat,lon\ncafé,Café Müller ☕,52.5,4.5\n"
        for (encoding, mark) in [
            (String.Encoding.utf16LittleEndian, [0xFF, 0xFE]), (.utf16BigEndian, [0xFE, 0xFF] as [UInt8]),
        ] {
            let content = try #require(text.data(using: encoding))
            let sights = try SightFile.read(path: try folder.file("sights", mark + content))
            #expect(sights.map(\.id) == ["café"])
            #expect(sights.map(\.title) == ["Café Müller ☕"])
        }
    }

    @Test(arguments: [
        ("a,A,north,4,5,", "column lat: \"north\" is not a number"),
        ("a,A,52,,5,", "column lon: it is empty"),
        (",A,52,4,5,", "column id: it is empty"),
        ("a,,52,4,5,", "column title: it is empty"),
        ("a,A,90.1,4,5,", "column lat: 90.1 is outside -90 to 90"),
        ("a,A,52,-180.5,5,", "column lon: -180.5 is outside -180 to 180"),
        ("a,A,52,4,wide,", "column radius_m: \"wide\" is not a number"),
        ("a,A,52,4,0,", "column radius_m: 0.0 m; the radius must be above 0"),
        ("a,A,52,4,-5,", "column radius_m: -5.0 m; the radius must be above 0"),
        ("a,A,52,4,100001,", "column radius_m: 100001.0 m; the radius must be above 0 and at most 100000.0 m"),
        ("a,A,nan,4,5,", "column lat: \"nan\" is not a number"),
        ("good,A,52,4,5,", "column id: \"good\" is already in line 2"),
    ])
    func aBadRowIsNamedByLineAndColumn(row: String, says: String) throws {
        let table = "id,title,lat,lon,radius_m,description\ngood,Good,52,4,5,\"over\ntwo lines\"\n"
        #expect(try refusal(table + row + "\nlast,Last,52,4,5,\n").hasPrefix("line 4: \(says)"))
    }

    @Test func textsThatAreTooLongAreRefused() throws {
        let head = "id,title,lat,lon,description\n"
        let id = String(repeating: "i", count: Sight.longestID)
        let title = String(repeating: "t", count: Sight.longestTitle)
        let article = String(repeating: "d", count: Sight.longestInformation)
        #expect(try read("\(head)\(id),\(title),1,2,\(article)\n").count == 1)
        #expect(try refusal("\(head)\(id)i,T,1,2,\n") == "line 2: column id: longer than 200 bytes")
        #expect(try refusal("\(head)a,\(title)t,1,2,\n") == "line 2: column title: longer than 1000 bytes")
        #expect(try refusal("\(head)a,T,1,2,\(article)d\n") == "line 2: column description: longer than 100000 bytes")
    }

    @Test func aTableWithoutItsColumnsSaysWhichAreMissing() throws {
        #expect(try refusal("id,title,lat\na,A,1\n").contains("lon"))
        #expect(try refusal("title;lat;lon\nA;1;2\n").contains("id"))
        #expect(try refusal("").contains("the file is empty"))
        #expect(try refusal("\n\n").contains("empty"))
    }

    // MARK: GeoJSON

    private static func feature(_ properties: String, id: String? = nil, at place: String = "[4.5,52.5]") -> String {
        let id = id.map { "\"id\":\($0)," } ?? ""
        return "{\"type\":\"Feature\",\(id)\"geometry\":{\"type\":\"Point\",\"coordinates\":\(place)},"
            + "\"properties\":\(properties)}"
    }

    private static func collection(_ features: String...) -> String {
        "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
    }

    @Test func pointsOfGeoJSONBecomeSights() throws {
        let sights = try read(
            Self.collection(
                Self.feature(
                    "{\"title\":\"Mill\",\"radius_m\":40,\"category\":\"mill\",\"description\":\"Old\"}", id: "\"m\""),
                Self.feature("{\"name\":\"The Old Mill!\"}"), Self.feature("{\"name\":\"the old mill\",\"radius\":7}")))
        #expect(sights.map(\.id) == ["m", "the-old-mill", "the-old-mill-2"])
        #expect(sights.map(\.radius.meters) == [40, 100, 7])
        #expect(sights.first?.category == "mill")
        #expect(sights.first?.information == "Old")
        #expect(sights.allSatisfy { $0.place.latitude == 52.5 && $0.place.longitude == 4.5 })
    }

    @Test func aBadFeatureIsNamedByItsIndex() throws {
        let good = Self.feature("{\"title\":\"Good\"}", id: "\"good\"")
        for (bad, says) in [
            (Self.feature("{\"colour\":\"red\"}"), "features[1]: it has neither a \"title\" nor a \"name\""),
            (Self.feature("{\"title\":\"A\",\"radius\":\"wide\"}"), "features[1]: its radius is not a number"),
            (
                Self.feature("{\"title\":\"A\",\"radius\":0}"),
                "features[1]: its radius is 0.0 m; the radius must be above 0"
            ),
            (
                Self.feature("{\"title\":\"A\"}", id: "\"good\""),
                "features[1]: an earlier sight has the same id \"good\""
            ),
            (Self.feature("{\"title\":\" \"}", id: "\"a\""), "features[1]: its title is empty"),
            (Self.feature("{\"title\":\"A\"}", at: "[4.5,91]"), "features[1]"),
        ] {
            #expect(try refusal(Self.collection(good, bad)).hasPrefix(says))
        }
        #expect(try !refusal("{\"type\":").isEmpty)
    }

    // MARK: GPX

    @Test func waypointsBecomeSightsAndTracksDoNot() throws {
        let sights = try read(
            """
            <?xml version="1.0"?>
            <gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">
            <wpt lat="52.5" lon="4.5"><name>Mill</name><desc>Old</desc><type>mill</type></wpt>
            <wpt lat="52.6" lon="4.6"><name>Mill</name><cmt>New</cmt><sym>Flag</sym></wpt>
            <trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>
            """)
        #expect(sights.map(\.id) == ["mill", "mill-2"])
        #expect(sights.map(\.information) == ["Old", "New"])
        #expect(sights.map(\.category) == ["mill", "Flag"])
    }

    /// Garmin's programs write the distance of the warning in one or both of two namespaces.
    @Test(arguments: [["gpxx"], ["wptx1"], ["gpxx", "wptx1"]]) func theProximityOfAWaypointIsTheRadius(
        _ prefixes: [String]
    ) throws {
        let extensions = prefixes.map {
            "<\($0):WaypointExtension><\($0):Proximity>500</\($0):Proximity></\($0):WaypointExtension>"
        }
        let sights = try read(
            """
            <gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxx="http://www.garmin.com/xmlschemas/GpxExtensions/v3" \
            xmlns:wptx1="http://www.garmin.com/xmlschemas/WaypointExtension/v1">
            <wpt lat="1" lon="2"><name>A</name><extensions>\(extensions.joined())</extensions></wpt>
            <wpt lat="1" lon="2"><name>B</name><extensions>\(extensions.joined().replacing("500", with: "0"))</extensions></wpt>
            </gpx>
            """)
        #expect(sights.map(\.radius) == [.meters(500), Sight.defaultRadius])
    }

    @Test func aGPXFileMustHaveWaypointsWithNames() throws {
        func gpx(_ content: String) -> String {
            "<gpx version=\"1.1\" creator=\"t\" xmlns=\"http://www.topografix.com/GPX/1/1\">\(content)</gpx>"
        }
        #expect(try refusal(gpx("")).contains("no waypoints"))
        let named = "<wpt lat=\"1\" lon=\"2\"><name>A</name></wpt>"
        #expect(try refusal(gpx(named + "<wpt lat=\"1\" lon=\"2\"/>")) == "waypoint 2: it has no name")
        #expect(try refusal("<gpx version=\"1.1\">\n<wpt lat=\"1\" lo").contains("line 2"))
    }
}
