import GPX
import Geodesy
import Positioning
import Testing
import Time

@Suite struct GPXReaderTests {
    @Test func itemsComeInDocumentOrderWithTheirNames() throws {
        let reading = Reading(
            document(
                """
                <metadata><name>Holidays &amp; more</name><author><name>nobody</name></author>
                <time>2026-05-01T10:00:00Z</time></metadata>
                <wpt lat="1" lon="2"><name>A</name></wpt>
                <rte><name>R</name><rtept lat="3" lon="4"/></rte>
                <trk><name><![CDATA[<T>]]></name><trkseg><trkpt lat="5" lon="6"/></trkseg><trkseg/></trk><trk/>
                """))
        var header = GPXDocument()
        header.version = "1.1"
        header.creator = "test"
        header.name = "Holidays & more"
        header.time = Timestamp(rfc3339: "2026-05-01T10:00:00Z")
        var waypoint = try point(1, 2)
        waypoint.name = "A"
        #expect(
            try reading.items == [
                .document(header), .waypoint(waypoint), .route(name: "R"), .routePoint(point(3, 4)),
                .track(name: "<T>"), .segment, .trackPoint(point(5, 6)), .segment, .track(name: nil),
            ])
        #expect(reading.failure == nil)
        #expect(reading.malformed.isEmpty)
    }

    @Test func everyElementOfAPointIsRead() throws {
        let reading = Reading(
            track(
                """
                <trkpt lat="-0.5" lon="+180"><ele> 12.5 </ele><time>2026-05-01T12:00:00.25+02:00</time><name>n</name>
                <cmt>c</cmt><desc>d</desc><sym>s</sym><type>t</type><fix>3D</fix><sat>9</sat><hdop>1.5</hdop>
                <extensions><x:TrackPointExtension><x:speed>3.5</x:speed><x:course>360</x:course></x:TrackPointExtension>
                <x:accuracy_horizontal>4</x:accuracy_horizontal></extensions></trkpt>
                """))
        var expected = try point(-0.5, 180)
        expected.elevation = .meters(12.5)
        expected.time = Timestamp(rfc3339: "2026-05-01T10:00:00.250Z")
        expected.name = "n"
        expected.comment = "c"
        expected.description = "d"
        expected.symbol = "s"
        expected.category = "t"
        expected.fixType = .threeDimensional
        expected.satellites = 9
        expected.hdop = 1.5
        expected.speed = .metersPerSecond(3.5)
        expected.course = .degrees(0)
        expected.accuracy = .meters(4)
        #expect(reading.points == [expected])
        #expect(reading.malformed.isEmpty)
    }

    @Test(arguments: [
        "<speed>3.5</speed><course>90</course>",  // GPX 1.0, and many of 1.1
        "<extensions><speed>3.5</speed><heading>90</heading></extensions>",
        "<extensions><x:speed>3.5</x:speed><x:course>90</x:course></extensions>",
        """
        <extensions><g:TrackPointExtension xmlns:g="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
        <g:speed>3.5</g:speed><g:course>90</g:course></g:TrackPointExtension></extensions>
        """,
        """
        <extensions><TrackPointExtension xmlns="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
        <atemp>20</atemp><speed>3.5</speed><course>90</course></TrackPointExtension></extensions>
        """,
        "<speed>3.5</speed><speed>9</speed><course>90</course><extensions><x:speed>9</x:speed></extensions>",
    ])
    func speedAndCourseAreReadFromAllKnownPlaces(elements: String) throws {
        let point = try #require(Reading(track("<trkpt lat='1' lon='2'>\(elements)</trkpt>")).points.first)
        #expect(point.speed == .metersPerSecond(3.5))
        #expect(point.course == .degrees(90))
    }

    @Test(arguments: [
        "http://www.topografix.com/GPX/1/0", "http://www.topografix.com/GPX/1/1", "https://example.org/not/quite/GPX",
    ])
    func elementsMustBeInTheNamespaceOfTheRoot(namespace: String) {
        let points = "<trk><trkseg><trkpt lat='1' lon='2'><speed>1</speed></trkpt></trkseg></trk>"
        let plain = Reading("<gpx version='1.0' xmlns='\(namespace)'>\(points)</gpx>")
        #expect(plain.points.count == 1)
        let prefixed = points.replacing("</", with: "</g:").replacing(#/<(\w)/#) { "<g:\($0.1)" }
        #expect(Reading("<g:gpx version='1.0' xmlns:g='\(namespace)'>\(prefixed)</g:gpx>").points == plain.points)
        #expect(Reading("<gpx version='1.0'>\(points)</gpx>").points == plain.points)
        #expect(Reading("<gpx version='1.0' xmlns:g='\(namespace)'>\(prefixed)</gpx>").points.isEmpty)
    }

    @Test(arguments: [
        "<x:trk><x:trkseg><x:trkpt lat='1' lon='2'/></x:trkseg></x:trk>",
        "<trk><trkseg><extensions><x:trkpt lat='1' lon='2'/><trkpt lat='1' lon='2'/></extensions></trkseg></trk>",
        "<extensions><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></extensions>",
        "<trk><trkpt lat='1' lon='2'/></trk>", "<trkpt lat='1' lon='2'/>", "<rte><trkpt lat='1' lon='2'/></rte>",
        "<trk><trkseg><wpt lat='1' lon='2'/></trkseg></trk>", "<!-- <wpt lat='1' lon='2'/> -->",
    ])
    func pointsInOtherPlacesAreIgnored(body: String) {
        let reading = Reading(document(body))
        #expect(reading.points.isEmpty)
        #expect(reading.waypoints.isEmpty)
        #expect(reading.failure == nil)
    }

    @Test func aPointWithinExtensionsIsNotASeparatePoint() {
        let reading = Reading(
            track("<trkpt lat='1' lon='2'><extensions><x:trkpt lat='3' lon='4'/></extensions><ele>5</ele></trkpt>"))
        #expect(reading.points.map(\.elevation) == [.meters(5)])
    }

    @Test func theHeaderOfGPX10IsReadFromTheRoot() {
        let reading = Reading(
            """
            <gpx version="1.0" creator="c"><name>N</name><time>2026-05-01T10:00:00Z</time><bounds minlat="1"/>
            <wpt lat="1" lon="2"/></gpx>
            """)
        guard case .document(let header) = reading.items.first else {
            Issue.record("no header first")
            return
        }
        #expect(header.name == "N")
        #expect(header.time == Timestamp(rfc3339: "2026-05-01T10:00:00Z"))
        #expect(reading.items.count == 2)
    }

    @Test func textIsJoinedFromItsPiecesAndTrimmed() {
        let name = "\n  a<!-- no -->b<![CDATA[ &amp; ]]>c<b>no</b>&#233;&lt;\t"
        let reading = Reading(document("<wpt lat='1' lon='2'><name>\(name)</name><desc> \n </desc><cmt/></wpt>"))
        #expect(reading.waypoints.map(\.name) == ["ab &amp; cé<"])
        #expect(reading.waypoints.first?.description == nil)
        #expect(reading.waypoints.first?.comment == nil)
    }

    @Test(arguments: [
        "lat='1'", "lon='1'", "", "lat='' lon='1'", "lat='91' lon='1'", "lat='-90.00000001' lon='1'",
        "lat='1' lon='180.1'",
        "lat='NaN' lon='1'", "lat='1' lon='inf'", "lat='1,5' lon='2'", "lat='1e400' lon='2'", "lat='0x1' lon='2'",
        "lat='1 2' lon='2'", "lat='undefined' lon='2'", "x:lat='1' x:lon='2'", "lat='--1' lon='2'", "lat='.' lon='2'",
    ])
    func aPointWithoutAValidPositionIsSkippedAndCounted(attributes: String) {
        let reading = Reading(
            track("<trkpt lat='1' lon='2'/><trkpt \(attributes)><ele>x</ele></trkpt><trkpt lat='3' lon='4'/>"))
        #expect(reading.points.count == 2)
        #expect(reading.malformed["position"] == 1)
        #expect(reading.malformed.total == 1)
        #expect(reading.failure == nil)
    }

    @Test(arguments: [
        ("lat=' 1.5' lon='\n2 '", 1.5, 2.0), ("lat='+1.5' lon='-.5'", 1.5, -0.5), ("lat='1.5e1' lon='2.'", 15, 2),
        ("lat='0.123456749' lon='-90.12345675'", 0.1234567, -90.1234568), ("lat='-90' lon='-180'", -90, -180),
        ("lon='2' name='n' lat='1.50000000000000000000000001' x:lat='7'", 1.5, 2),
    ])
    func positionsAreRoundedToSevenDecimals(attributes: String, latitude: Double, longitude: Double) throws {
        let reading = Reading(track("<trkpt \(attributes)/>"))
        #expect(reading.points.map(\.coordinate) == [try point(latitude, longitude).coordinate])
        #expect(reading.malformed.isEmpty)
    }

    @Test(arguments: [
        ("<ele>abc</ele>", "elevation"), ("<ele>1e999</ele>", "elevation"), ("<ele>12,5</ele>", "elevation"),
        ("<ele>NaN</ele>", "elevation"), ("<ele>12 m</ele>", "elevation"), ("<time>yesterday</time>", "time"),
        ("<time>2021-02-30T00:00:00Z</time>", "time"), ("<speed>fast</speed>", "speed"),
        ("<course>N</course>", "course"),
        ("<hdop>?</hdop>", "hdop"), ("<sat>many</sat>", "satellites"), ("<fix>rtk</fix>", "fix"),
        ("<extensions><accuracy>good</accuracy></extensions>", "accuracy"),
    ])
    func anInvalidValueIsDroppedAndCounted(element: String, reason: String) throws {
        let reading = Reading(track("<trkpt lat='1' lon='2'>\(element)</trkpt>"))
        #expect(try reading.points == [point(1, 2)])
        #expect(reading.malformed.sorted.map(\.reason) == [reason])
        #expect(reading.malformed.total == 1)
    }

    @Test(arguments: [
        "<ele/>", "<ele> </ele>", "<time></time>", "<speed>-1</speed>", "<course>-1</course>", "<course>361</course>",
        "<hdop>-1</hdop>", "<sat>-3</sat>", "<accuracy>-1</accuracy>", "<fix/>", "<name> </name>", "<extensions/>",
    ])
    func valuesThatMeanUnknownAreNilAndNotCounted(element: String) throws {
        let reading = Reading(track("<trkpt lat='1' lon='2'>\(element)</trkpt>"))
        #expect(try reading.points == [point(1, 2)])
        #expect(reading.malformed.isEmpty)
    }

    private func point(_ latitude: Double, _ longitude: Double) throws -> GPXPoint {
        GPXPoint(try #require(Coordinate(latitude: latitude, longitude: longitude)))
    }
}
