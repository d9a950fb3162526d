import Foundation
import Geodesy
import Positioning
import Shapes
import TestSupport
import Testing
import Tracking

@testable import Service
@testable import Sights

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

    // MARK: Shapes

    private static let ring = "[[4,52],[5,52],[5,53],[4,53],[4,52]]"

    private static func shaped(_ type: String, _ coordinates: String, _ properties: String = "") -> String {
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"\(type)\",\"coordinates\":\(coordinates)},"
            + "\"properties\":{\"title\":\"A\"\(properties)}}"
    }

    private func content(_ text: String, radius: Double? = nil, repair: Bool = false) throws -> SightFile.Content {
        try SightFile.content(
            path: try folder.file("sights", text),
            SightFile.Options(radius: radius.map(Distance.meters), repair: repair))
    }

    @Test func polygonsAndLinesOfGeoJSONBecomeSights() throws {
        let sights = try read(
            Self.collection(
                Self.shaped("Polygon", "[\(Self.ring)]"), Self.shaped("MultiPolygon", "[[\(Self.ring)]]"),
                Self.shaped("LineString", "[[4,52],[5,53]]", ",\"radius_m\":40"), Self.shaped("Point", "[4,52]")))
        #expect(sights.map { $0.kind.rawValue } == ["polygon", "polygon", "corridor", "circle"])
        #expect(sights.map(\.radius.meters) == [0, 0, 40, 100])
        #expect(sights.map { $0.outline == nil } == [false, false, false, true])
        #expect(
            sights.first.map { abs($0.place.longitude - 4.5) < 0.01 && abs($0.place.latitude - 52.5) < 0.01 } == true)
        #expect(sights.first?.geofence.shape == sights.first?.outline)
    }

    @Test func aBadShapeIsNamedByFeatureRingAndPosition() throws {
        for (bad, says) in [
            (
                Self.shaped("Polygon", "[[[4,52],[5,53],[5,52],[4,53],[4,52]]]"),
                "features[1]: part 0, ring 0, position 0: the ring crosses itself"
            ),
            (
                Self.shaped("Polygon", "[[[4,52],[5,52],[5,53],[4,53]]]"),
                "features[1]: part 0, ring 0, position 3: the ring is not closed"
            ),
            (Self.shaped("LineString", "[[4,52],[5,53]]"), "features[1]: a line needs a radius"),
            (Self.shaped("LineString", "[[4,52],[5,53]]", ",\"radius_m\":0"), "features[1]: the radius is 0.0 m"),
            (
                Self.shaped("Polygon", "[[[4,52],[5,52],[5,91],[4,52]]]"),
                "features[1]: part 0, ring 0, position 2: latitude 91"
            ),
        ] {
            let said = try refusal(Self.collection(Self.shaped("Point", "[4,52]"), bad))
            #expect(said.hasPrefix(says), "\(said)")
        }
    }

    @Test func aRadiusForLinesAndRepairsAreGivenFromOutside() throws {
        let line = Self.collection(Self.shaped("LineString", "[[4,52],[5,53]]"), Self.shaped("Point", "[4,52]"))
        #expect(try content(line, radius: 30).sights.map(\.radius.meters) == [30, 30])
        let open = try content(Self.collection(Self.shaped("Polygon", "[[[4,52],[5,52],[5,53]]]")), repair: true)
        #expect(open.sights.first?.kind == .polygon)
        #expect(open.notes.count == 1)
        #expect(open.notes.first?.hasPrefix("features[0]: ") == true)
        let wide = try content(Self.collection(Self.shaped("Polygon", "[\(Self.ring)]", ",\"radius_m\":9")))
        #expect(wide.notes == ["features[0]: ignored the radius, which a polygon does not have"])
    }

    @Test func aTableMayHaveWellKnownText() throws {
        let sights = try read(
            """
            id,title,WKT,radius_m,lat,lon
            a,A,"POLYGON ((4 52, 5 52, 5 53, 4 52))",,,
            b,B,"LINESTRING (4 52, 5 53)",20,,
            c,C,POINT (4 52),,,
            d,D,,7,52,4

            """)
        #expect(sights.map { $0.kind.rawValue } == ["polygon", "corridor", "circle", "circle"])
        #expect(sights.map(\.radius.meters) == [0, 20, 100, 7])
        #expect(sights.last?.place == sights.dropLast().last?.place)
        #expect(try refusal("id,title,wkt\na,A,POINT (4)\n").hasPrefix("line 2: column wkt: "))
        #expect(try refusal("id,title,wkt\na,A,\n") == "line 2: column lat: it is empty")
    }

    @Test func placemarksOfKMLBecomeSights() throws {
        let text = """
            <?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
            <Placemark><name>Field</name><description>Wide</description><Polygon><outerBoundaryIs><LinearRing>
            <coordinates>4,52 5,52 5,53 4,52</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>
            <Placemark><name>Way</name><ExtendedData><Data name="radius_m"><value>25</value></Data>
            <Data name="id"><value>w</value></Data></ExtendedData>
            <LineString><coordinates>4,52 5,53</coordinates></LineString></Placemark>
            <Placemark><name>Nothing</name></Placemark></Document></kml>
            """
        let content = try content(text)
        #expect(content.sights.map(\.id) == ["field", "w"])
        #expect(content.sights.map { $0.kind.rawValue } == ["polygon", "corridor"])
        #expect(content.sights.map(\.radius.meters) == [0, 25])
        #expect(content.sights.first?.information == "Wide")
        #expect(content.notes.count == 1)
        #expect(try refusal(text.replacing("<name>Field</name>", with: "")) == "Placemark 1: it has no name")
    }

    @Test func regionsOfOwnTracksBecomeSights() throws {
        let sights = try read(
            """
            {"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"Home","lat":52,"lon":4,"rad":150,"rid":"h"},
            {"_type":"waypoint","desc":"Far","lat":1,"lon":2}]}
            """)
        #expect(sights.map(\.id) == ["h", "far"])
        #expect(sights.map(\.radius.meters) == [150, 100])
    }

    @Test func routesAndTracksBecomeCorridorsWithARadius() throws {
        let text = """
            <gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">
            <wpt lat="1" lon="2"><name>Mill</name></wpt>
            <rte><name>Way</name><rtept lat="1" lon="2"/><rtept lat="1" lon="3"/></rte>
            <trk><name>Ride</name><trkseg><trkpt lat="1" lon="2"/><trkpt lat="2" lon="2"/></trkseg>
            <trkseg><trkpt lat="3" lon="2"/></trkseg><trkseg><trkpt lat="4" lon="2"/><trkpt lat="5" lon="2"/></trkseg></trk>
            </gpx>
            """
        let sights = try content(text, radius: 60).sights
        #expect(sights.map(\.id) == ["mill", "way", "ride"])
        #expect(sights.map { $0.kind.rawValue } == ["circle", "corridor", "corridor"])
        #expect(sights.map(\.radius.meters) == [60, 60, 60])
        #expect(sights.last?.outline?.parts.count == 2)
        #expect(try content(text).sights.map(\.id) == ["mill"])
        let without = text.replacing("<wpt lat=\"1\" lon=\"2\"><name>Mill</name></wpt>", with: "")
        #expect(try refusal(without).contains("with a radius"))
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
