import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Histories

@Suite struct KMLDecoderTests {
    static func document(_ body: String) -> String {
        """
        <?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document><name>My way</name>\(body)</Document></kml>
        """
    }

    static func when(_ seconds: Int...) -> String {
        seconds.map { "<when>2024-05-11T05:30:\($0)Z</when>" }.joined()
    }

    static func coord(_ degrees: Int...) -> String {
        degrees.map { "<gx:coord>\($0).5 4\($0) 5\($0)</gx:coord>" }.joined()
    }

    static func track(_ body: String) -> String { "<Placemark><gx:Track>\(body)</gx:Track></Placemark>" }

    static func point(_ coordinates: String, _ time: String) -> String {
        "<Placemark><name>P &amp; Q</name>\(time)<Point><coordinates>\(coordinates)</coordinates></Point></Placemark>"
    }

    static let stamp = "<TimeStamp><when>2024-05-11T06:00:00Z</when></TimeStamp>"
    static let span =
        "<TimeSpan><begin>2024-05-11T06:00:00Z</begin><end>2024-05-11T07:00:00+01:00</end></TimeSpan>"

    private static func read(_ body: String) -> ActivityReading { ActivityReading(KMLDecoder(), document(body)) }

    @Test(arguments: [
        when(10, 11, 12) + coord(1, 2, 3), coord(1, 2, 3) + when(10, 11, 12),
        when(10) + coord(1) + coord(2) + when(11) + when(12) + coord(3),
        when(10, 11) + coord(1) + when(12) + coord(2, 3),
    ])
    func aTrackPairsTimesAndPlacesInAnyOrder(body: String) throws {
        let reading = Self.read(Self.track("<altitudeMode>absolute</altitudeMode>" + body))
        #expect(reading.failure == nil)
        #expect(reading.times == [10, 11, 12].map { "2024-05-11T05:30:\($0).000Z" })
        #expect(
            reading.fixes.map(\.coordinate)
                == [1.0, 2, 3].map { (step: Double) in Coordinate(latitude: 40 + step, longitude: step + 0.5).known })
        #expect(reading.fixes.map(\.altitude) == [.meters(51), .meters(52), .meters(53)])
        #expect(reading.fixes.map(\.beginsSegment) == [true, false, false])
    }

    @Test func eachTrackBeginsASegment() {
        let tracks = "<gx:Track>\(Self.when(10, 11) + Self.coord(1, 2))</gx:Track>"
        let reading = Self.read("<Placemark><gx:MultiTrack>\(tracks)\(tracks)</gx:MultiTrack></Placemark>")
        #expect(reading.fixes.map(\.beginsSegment) == [true, false, true, false])
    }

    /// As Waymark and as Google write it; the data is in its Placemark alone.
    @Test func theDataOfAPlacemarkTellsHowSomebodyTravelled() {
        func track(_ data: String) -> String {
            "<Placemark><ExtendedData>\(data)</ExtendedData>"
                + "<gx:Track>\(Self.when(10, 11) + Self.coord(1, 2))</gx:Track></Placemark>"
        }
        func data(_ name: String, _ value: String) -> String {
            "<Data name=\"\(name)\"><value>\(value)</value></Data>"
        }
        let tracks = [
            track(data("kind", "cycling")), track(""), track(data("Category", "Driving") + data("Distance", "12")),
            track(data("colour", "walking")), track(data("kind", "nonsense")),
        ]
        let reading = Self.read(tracks.joined())
        #expect(reading.failure == nil)
        let kinds: [TripKind?] = [.cycling, nil, .driving, nil, nil]
        #expect(reading.fixes.map(\.kind) == kinds.flatMap { [$0, $0] })
    }

    @Test func whatHasNothingToPairWithIsDropped() {
        let reading = Self.read(
            Self.track(Self.when(10, 11, 12) + Self.coord(1))
                + Self.track(Self.when(10) + Self.coord(1, 2, 3))
                + Self.track(Self.when(10, 11) + "<gx:coord/><gx:coord>2,50,7</gx:coord>")
                + Self.track("<when>soon</when><when/>" + Self.coord(1, 2)))
        #expect(reading.fixes.count == 3)
        #expect(reading.fixes.last?.coordinate == Coordinate(latitude: 50, longitude: 2))
        #expect(reading.dropped == [.noPosition: 3, .noTime: 3, .unreadable: 1])
    }

    @Test func pointsCountWhereThereIsNoTrack() throws {
        let points = Self.point("7.5,46.5,0", Self.stamp) + Self.point(" 7.6,46.6 ", Self.stamp)
        let alone = Self.read(points + Self.point("1,2", "") + Self.point("1,2", "<TimeStamp/>"))
        #expect(alone.fixes.map(\.coordinate.latitude) == [46.5, 46.6])
        #expect(alone.fixes.map(\.beginsSegment) == [true, false])
        #expect(alone.fixes.map(\.altitude) == [nil, nil])
        #expect(alone.dropped == [.noTime: 2])
        for body in [
            points + Self.track(Self.when(10) + Self.coord(1)), Self.track(Self.when(10) + Self.coord(1)) + points,
        ] {
            #expect(Self.read(body).fixes.map(\.coordinate.latitude) == [41])
        }
        // A track without a point is none.
        #expect(Self.read(points + Self.track(Self.when(10))).fixes.count == 2)
    }

    @Test func aPointWithASpanIsAVisit() throws {
        let reading = Self.read(
            Self.point("7.5,46.5", "<TimeSpan><begin>2024-05-11T06:00:00Z</begin></TimeSpan>")
                + Self.point("7.5,46.5", Self.span.replacing("2024-05-11T07", with: "2024-05-11T09"))
                + "<TimeSpan><begin>2024-05-11T06:00:00Z</begin></TimeSpan>")
        let visit = try #require(reading.visits.first)
        #expect(reading.items.count == 1)
        #expect(visit.name == "P & Q")
        #expect(visit.coordinate == Coordinate(latitude: 46.5, longitude: 7.5))
        #expect(visit.start.description == "2024-05-11T06:00:00.000Z")
        #expect(visit.end.description == "2024-05-11T08:00:00.000Z")
        #expect(reading.dropped == [.noTime: 1])
        #expect(Self.read(Self.point("7.5,46.5", Self.span.replacing("T06", with: "T08"))).dropped == [.outOfRange: 1])
    }

    @Test func altitudesDependOnTheirMode() {
        func altitude(_ mode: String, _ value: String) -> Distance? {
            let mode = mode.isEmpty ? "" : "<altitudeMode>\(mode)</altitudeMode>"
            return Self.read(Self.track("\(mode)\(Self.when(10))<gx:coord>1 2 \(value)</gx:coord>")).fixes.first?
                .altitude
        }
        #expect(altitude("", "12.5") == .meters(12.5))
        #expect(altitude("", "0") == nil)
        #expect(altitude("absolute", "0") == .zero)
        #expect(altitude("relativeToGround", "12.5") == nil)
        #expect(altitude("absolute", "x") == nil)
        #expect(altitude("absolute", "1e30") == nil)
    }

    @Test(arguments: [
        ("1,91", DroppedPoint.outOfRange), ("1,nan", .notANumber), ("", .noPosition), ("1", .noPosition),
        ("a,b", .unreadable),
    ])
    func aPointThatIsNoPlaceIsDropped(coordinates: String, reason: DroppedPoint) {
        #expect(Self.read(Self.point(coordinates, Self.stamp)).dropped == [reason: 1])
    }

    @Test func entitiesAreRefused() {
        for start in ["<!DOCTYPE k [<!ENTITY x SYSTEM \"file:///x\">]>", "<!DOCTYPE kml>"] {
            let reading = ActivityReading(KMLDecoder(), start + "<kml><name>&x;</name></kml>")
            #expect(reading.failure?.reason.contains("document type") == true)
        }
        #expect(ActivityReading(KMLDecoder(), "<gpx/>").failure?.reason.contains("<gpx>, not <kml>") == true)
    }

    @Test func prefixesNeedNotBeDeclared() {
        let text = "<kml>\(Self.track(Self.when(10, 11) + Self.coord(1, 2)))</kml>"
        #expect(ActivityReading(KMLDecoder(), text).fixes.count == 2)
        #expect(ActivityReading(KMLDecoder(), text).failure == nil)
    }

    @Test func aDocumentInUTF16IsRead() {
        let text = Self.document(Self.track(Self.when(10) + Self.coord(1)))
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(ActivityReading(KMLDecoder(), bytes).fixes.count == 1)
    }

    @Test func aTrackOfTooManyTimesIsRefused() {
        func read(_ body: String) -> ActivityReading {
            ActivityReading(KMLDecoder(maximumWaiting: 3, maximumWaitingPoints: 3), Self.document(body))
        }
        for body in [Self.when(10, 11, 12, 13), Self.coord(1, 2, 3, 4)] {
            #expect(read(Self.track(body)).failure?.reason.contains("split it") == true)
        }
        #expect(read(Self.track(Self.when(10, 11, 12) + Self.coord(1, 2, 3))).fixes.count == 3)
    }

    @Test func moreThanSomePointsDoNotWaitForATrack() {
        let track = Self.track(Self.when(10) + Self.coord(1))
        for (count, expected) in [
            (2, [true]), (3, [true, false, false, true]), (4, [true, false, false, false, true]),
        ] {
            let points = String(repeating: Self.point("7,46", Self.stamp), count: count)
            let decoder = KMLDecoder(maximumWaiting: 3, maximumWaitingPoints: 3)
            let reading = ActivityReading(decoder, Self.document(points + track))
            #expect(reading.fixes.map(\.beginsSegment) == expected)
        }
    }
}
