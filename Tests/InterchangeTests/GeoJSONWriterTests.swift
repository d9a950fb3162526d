import Foundation
import Geodesy
import Interchange
import Positioning
import TestSupport
import Testing

@Suite struct GeoJSONWriterTests {
    @Test func tracksAreWrittenAsLinesWithTheirTimes() throws {
        let one = ExportedTrack(
            name: "A \"walk\"", description: "in\nmay",
            segments: [[try fix(0, 52, 13, altitude: 34.56), try fix(1.5, 52.0000001, 13.25)]])
        let two = ExportedTrack(
            name: "Two",
            segments: [
                [try fix(0, 1, 2), try fix(nil, 1, 3)], [], [try fix(9, -1, -2)],
                [try fix(10, 0, 0), try fix(11, 0, 0)],
            ])
        let untimed = ExportedTrack(
            name: "?", segments: [[try fix(nil, 1, 2), try fix(nil, 3, 4)], [try fix(nil, 5, 6)]])
        let expected = #"""
            {"type":"FeatureCollection","features":[
            {"type":"Feature","properties":{"name":"A \"walk\"","description":"in\nmay","coordTimes":["2026-05-01T10:00:00.000Z","2026-05-01T10:00:01.500Z"]},"geometry":{"type":"LineString","coordinates":[[13,52,34.6],[13.25,52.0000001]]}},
            {"type":"Feature","properties":{"name":"Two","coordTimes":[["2026-05-01T10:00:00.000Z",null],["2026-05-01T10:00:10.000Z","2026-05-01T10:00:11.000Z"]]},"geometry":{"type":"MultiLineString","coordinates":[[[2,1],[3,1]],[[0,0],[0,0]]]}},
            {"type":"Feature","properties":{"name":"Two","time":"2026-05-01T10:00:09.000Z"},"geometry":{"type":"Point","coordinates":[-2,-1]}},
            {"type":"Feature","properties":{"name":"?"},"geometry":{"type":"LineString","coordinates":[[2,1],[4,3]]}},
            {"type":"Feature","properties":{"name":"?"},"geometry":{"type":"Point","coordinates":[6,5]}}
            ]}

            """#
        #expect(text([one, two, untimed], by: GeoJSONWriter()) == expected)
    }

    @Test func withoutTracksTheCollectionIsEmpty() {
        let empty = "{\"type\":\"FeatureCollection\",\"features\":[\n]}\n"
        #expect(text([], by: GeoJSONWriter()) == empty)
        #expect(text([ExportedTrack(name: "", segments: [[]])], by: GeoJSONWriter()) == empty)
    }

    @Test func writtenPointsAreReadBack() throws {
        var writer = GeoJSONWriter()
        var bytes: [UInt8] = []
        let place = try #require(Coordinate(latitude: -33.8567844, longitude: 151.2152967))
        writer.begin(to: &bytes)
        writer.append(
            point: place, id: "op\"era",
            properties: [ExportedProperty("title", "Oper\u{1}ä"), ExportedProperty("radius_m", 200)], to: &bytes)
        writer.append(point: place, properties: [], to: &bytes)
        writer.end(to: &bytes)
        let (points, refused) = try GeoJSONReader.points(from: bytes)
        #expect(refused.isEmpty)
        #expect(points.map(\.coordinate) == [place, place])
        #expect(points.map(\.id) == ["op\"era", nil])
        #expect(points.map(\.properties) == [["title": "Oper\u{1}ä", "radius_m": "200"], [:]])
    }
}

@Suite struct AntimeridianCutTests {
    /// Returns the lines that a segment is written as.
    private func lines(_ fixes: [Fix]) throws -> [[[Double]]] {
        let text = text([ExportedTrack(name: "", segments: [fixes])], by: GeoJSONWriter())
        return try lines(inText: text)
    }

    private func lines(inText text: String) throws -> [[[Double]]] {
        struct Collection: Decodable { var features: [Feature] }
        struct Feature: Decodable { var geometry: Geometry }
        struct Geometry: Decodable {
            var lines: [[[Double]]]
            enum Key: CodingKey { case type, coordinates }
            init(from decoder: any Decoder) throws {
                let object = try decoder.container(keyedBy: Key.self)
                if try object.decode(String.self, forKey: .type) == "LineString" {
                    lines = [try object.decode([[Double]].self, forKey: .coordinates)]
                } else {
                    lines = try object.decode([[[Double]]].self, forKey: .coordinates)
                }
            }
        }
        return try JSONDecoder().decode(Collection.self, from: Data(text.utf8)).features.flatMap(\.geometry.lines)
    }

    @Test(
        arguments: [
            // Crossing eastward and westward.
            ([179, -179], [[[179, 0], [180, 0.5]], [[-180, 0.5], [-179, 1]]]),
            ([-179, 179], [[[-179, 0], [-180, 0.5]], [[180, 0.5], [179, 1]]]),
            ([178, -179], [[[178, 0], [180, 0.6666667]], [[-180, 0.6666667], [-179, 1]]]),
            // To the antimeridian and back, with either of its longitudes.
            ([179, 180, 179], [[[179, 0], [180, 1], [179, 2]]]),
            ([179, -180, 179], [[[179, 0], [180, 1], [179, 2]]]),
            ([-179, 180], [[[-179, 0], [-180, 1]]]),
            // Across it, with a fix on it.
            ([179, 180, -179], [[[179, 0], [180, 1]], [[-180, 1], [-179, 2]]]),
            ([179, -180, -179], [[[179, 0], [180, 1]], [[-180, 1], [-179, 2]]]),
            ([179, -179, 180], [[[179, 0], [180, 0.5]], [[-180, 0.5], [-179, 1], [-180, 2]]]),
            // From it and along it.
            ([180, -179], [[[-180, 0], [-179, 1]]]),
            ([-180, 180, 179], [[[180, 0], [180, 1], [179, 2]]]),
            ([180, -180], [[[180, 0], [180, 1]]]),
            // Half a turn and more.
            ([0, 180, 1], [[[0, 0], [180, 1], [1, 2]]]),
            ([-90, 90], [[[-90, 0], [90, 1]]]),
            ([-91, 90], [[[-91, 0], [-180, 0.4972067]], [[180, 0.4972067], [90, 1]]]),
            // Across it and back.
            (
                [179, -179, 179],
                [[[179, 0], [180, 0.5]], [[-180, 0.5], [-179, 1], [-180, 1.5]], [[180, 1.5], [179, 2]]]
            ),
        ] as [([Double], [[[Double]]])])
    func linesAreCutAtTheAntimeridian(longitudes: [Double], expected: [[[Double]]]) throws {
        let fixes = try longitudes.enumerated().map { try fix(nil, Double($0.offset), $0.element) }
        #expect(try lines(fixes) == expected)
    }

    @Test func altitudeAndTimeOfACutAreInterpolated() throws {
        let track = ExportedTrack(
            name: "", segments: [[try fix(0, 0, 179.5, altitude: 10), try fix(4, 0, -178.5, altitude: 30)]])
        let written = text([track], by: GeoJSONWriter())
        #expect(written.contains("[[[179.5,0,10],[180,0,15]],[[-180,0,15],[-178.5,0,30]]]"))
        #expect(written.contains("10:00:00.000Z\",\"2026-05-01T10:00:01.000Z\"],[\"2026-05-01T10:00:01.000Z\",\"2026"))
    }

    @Test func aCutHasNoAltitudeOrTimeThatOneEndLacks() throws {
        let track = ExportedTrack(name: "", segments: [[try fix(0, 0, 179.5, altitude: 10), try fix(nil, 0, -179.5)]])
        let written = text([track], by: GeoJSONWriter())
        #expect(written.contains("[[[179.5,0,10],[180,0]],[[-180,0],[-179.5,0]]]"))
        #expect(written.contains("[[\"2026-05-01T10:00:00.000Z\",null],[null,null]]"))
    }

    @Test func anyTrackIsCutIntoLinesWithAllFixesAndWithoutJumps() throws {
        var generator = SeededGenerator(seed: 7946)
        let longitudes: [Double] = [-180, -179.9999999, -179, -91, -1, 0, 1, 90, 179, 179.9999999, 180]
        for _ in 0..<500 {
            let fixes = try (0..<Int.random(in: 2...8, using: &generator)).map { _ in
                try fix(
                    nil, Double.random(in: -90...90, using: &generator),
                    longitudes[Int.random(in: 0..<longitudes.count, using: &generator)])
            }
            let lines = try lines(fixes)
            for line in lines {
                #expect(line.count >= 2)
                for (a, b) in zip(line, line.dropFirst()) { #expect(abs(a[0] - b[0]) <= 180) }
            }
            for (a, b) in zip(lines, lines.dropFirst()) {
                let (end, start) = (try #require(a.last), try #require(b.first))
                #expect(abs(end[0]) == 180 && start[0] == -end[0] && start[1] == end[1])
            }
            // A random latitude identifies its fix: all fixes are there, in order.
            var corners = lines.joined().map { $0[1] }[...]
            for fix in fixes {
                let place = try #require(corners.firstIndex(of: fix.coordinate.latitude))
                corners = corners[(place + 1)...]
            }
        }
    }
}
