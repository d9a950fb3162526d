import Geodesy
import Shapes
import Testing

/// Geometries that are refused, mended or accepted, read as GeoJSON.
@Suite struct BadShapeTests {
    static let square = "[[1,1],[3,1],[3,3],[1,3],[1,1]]"

    static func feature(_ geometry: String, properties: String = "{\"id\":\"S\"}") -> String {
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":\(properties),"
            + "\"geometry\":\(geometry)}]}"
    }

    static func polygon(_ rings: String) -> String { "{\"type\":\"Polygon\",\"coordinates\":[\(rings)]}" }

    /// Reads the shapes of a text, or why there are none.
    static func read(_ text: String, repair: Bool = false) -> (shapes: [Shape], mends: [ShapeMend], said: String) {
        read(Array(text.utf8), repair: repair)
    }

    static func read(_ bytes: [UInt8], repair: Bool = false) -> (shapes: [Shape], mends: [ShapeMend], said: String) {
        do {
            let (features, refused) = try GeoJSONShapes.features(from: bytes)
            var (shapes, mends): ([Shape], [ShapeMend]) = ([], [])
            var said = refused.map(\.description)
            for feature in features {
                do throws(RefusedShapeFeature) {
                    let read = try feature.shape(repair: repair)
                    shapes.append(read.shape)
                    mends += read.mends
                } catch {
                    said.append(error.description)
                }
            }
            return (shapes, mends, said.joined(separator: "; "))
        } catch {
            return ([], [], error.description)
        }
    }

    static func contains(_ shape: Shape?, _ longitude: Double, _ latitude: Double) -> Bool? {
        Coordinate(latitude: latitude, longitude: longitude).flatMap { shape?.contains($0) }
    }

    /// Writes a shape and reads it again.
    static func reread(_ shape: Shape) -> Shape? { try? Shape.read(WKT.geometry(from: WKT.text(shape))).shape }

    @Test(arguments: [
        (polygon("[[0,0],[4,4],[4,0],[0,4],[0,0]]"), "part 0, ring 0, position 0: the ring crosses itself"),
        (polygon("[[8,0],[-6,5],[2,-8],[2,8],[-6,-5],[8,0]]"), "the ring crosses itself"),
        (polygon("[[1,1],[3,1],[3,3],[1,3]]"), "part 0, ring 0, position 3: the ring is not closed"),
        (polygon("[[1,1],[3,1],[1,1]]"), "at least four positions"),
        (polygon("[[1,1],[3,1],[2,91],[1,1]]"), "position 2: latitude 91.0 is not within"),
        (polygon("[[1289535.9,5776712.2],[1,1],[2,2],[1289535.9,5776712.2]]"), "latitude 5776712.2"),
        (polygon("[[541,1],[3,1],[2,9],[541,1]]"), "longitude 541.0 is not within"),
        ("{\"type\":\"Polygon\",\"coordinates\":[]}", "an empty array"),
        (polygon("[]"), "an empty array"),
        (polygon("\(square),[[5,5],[6,5],[6,6],[5,5]]"), "part 0, ring 1, position 1: the hole is not inside"),
        (polygon("\(square),[[2,2],[5,2],[5,2.5],[2,2.5],[2,2]]"), "the hole crosses ring 0"),
        (
            polygon("\(square),[[1.2,1.2],[2.8,1.2],[2.8,2.8],[1.2,1.2]],[[2,1.5],[2.5,1.5],[2.5,2],[2,1.5]]"),
            "the hole is not"
        ),
        ("null", "it has no geometry"),
        ("{\"type\":\"LineString\",\"coordinates\":[[1,1],[2,2]]}", "a line needs a radius"),
        ("{\"type\":\"Point\",\"coordinates\":[1,1]}", "a point needs a radius"),
        ("{\"type\":\"MultiPoint\",\"coordinates\":[[1,1]]}", "a MultiPoint is not one shape"),
        (
            "{\"type\":\"GeometryCollection\",\"geometries\":[\(polygon(square))]}",
            "a GeometryCollection is not one shape"
        ),
        (polygon("[[\"1\",\"1\"],[3,1],[3,3],[1,1]]"), "position 0 is not made of numbers"),
        (polygon("[[1,1],[3,null],[3,3],[1,1]]"), "position 1 is not made of numbers"),
        (polygon("[[1,1],[3],[3,3],[1,1]]"), "needs a longitude and a latitude"),
        (polygon("[[1,1],[2,2],[3,3],[1,1]]"), "it has no area"),
        (polygon("[[-90,1],[90,1],[90,3],[-90,3],[-90,1]]"), "exactly 180 degrees"),
        (polygon("[[-120,60],[0,60],[120,60],[-120,60]]"), "goes round a pole"),
        ("{\"type\":\"MultiPolygon\",\"coordinates\":[]}", "an empty array"),
        ("{\"type\":\"Polygon\",\"coordinates\":\(square)}", "nested 2 deep"),
        ("{\"type\":\"Polygon\",\"coordinates\":[\(square),[1,2]]}", "not nested evenly"),
        ("{\"type\":\"Polygon\",\"coordinates\":{}}", "the coordinates are not an array"),
        ("{\"type\":\"Polygon\"}", "has no coordinates"),
        ("{\"type\":\"polygon\",\"coordinates\":[\(square)]}", "the unknown type \"polygon\""),
        ("{\"coordinates\":[\(square)]}", "the geometry has no type"),
        // Twice round, and a crossing in a common vertex.
        (polygon("[[0,0],[4,0],[0,4],[0,0],[4,0],[0,4],[0,0]]"), "crosses or retraces itself"),
        (polygon("[[0,0],[2,2],[4,4],[4,0],[2,2],[0,4],[0,0]]"), "crosses or retraces itself"),
    ])
    func isRefusedWithItsPlace(geometry: String, reason: String) {
        let (shapes, _, said) = Self.read(Self.feature(geometry))
        #expect(shapes.isEmpty)
        #expect(said.hasPrefix("features[0]: ") && said.contains(reason), "\(said)")
    }

    @Test(arguments: [
        (-20.0, "the radius is -20.0 m"), (0, "the radius is 0.0 m"), (2e7, "the radius is 2"),
    ])
    func aRadiusOutOfRangeIsRefused(radius: Double, reason: String) {
        for geometry in [
            "{\"type\":\"LineString\",\"coordinates\":[[1,1],[2,2]]}", "{\"type\":\"Point\",\"coordinates\":[1,1]}",
        ] {
            let (shapes, _, said) = Self.read(Self.feature(geometry, properties: "{\"radius_m\":\(radius)}"))
            #expect(shapes.isEmpty)
            #expect(said.contains(reason), "\(said)")
        }
    }

    @Test(arguments: [
        // Either winding, doubled points, altitudes, exponents, positions in the middle of edges.
        "[[1,1],[1,3],[3,3],[3,1],[1,1]]", "[[1,1],[1,1],[3,1],[3,1],[3,3],[1,3],[1,3],[1,1],[1,1]]",
        "[[1,1,5],[3,1,6],[3,3,7],[1,3,8],[1,1,5]]", "[[1e0,10E-1],[3,1],[3,3],[1,3],[1.0,1.0]]",
        "[[1,1],[2,1],[3,1],[3,2],[3,3],[1,3],[1,1]]",
        // Spikes outward, inward and along an edge; a bridge to a ring that is a hole; touching itself from inside.
        "[[1,1],[3,1],[5,1],[3,1],[3,3],[1,3],[1,1]]", "[[1,1],[3,1],[3,3],[2.5,2.5],[3,3],[1,3],[1,1]]",
        "[[1,1],[2.5,1],[1.5,1],[3,1],[3,3],[1,3],[1,1]]",
        "[[1,1],[2.6,2.6],[2.6,2.8],[2.8,2.6],[2.6,2.6],[1,1],[3,1],[3,3],[1,3],[1,1]]",
        "[[1,1],[3,1],[3,3],[2.5,2],[2.9,1.5],[2.7,1.5],[2.5,2],[3,3],[1,3],[1,1]]",
    ])
    func isAccepted(ring: String) throws {
        let (shapes, mends, said) = Self.read(Self.feature(Self.polygon(ring)))
        #expect(said.isEmpty)
        #expect(mends.isEmpty)
        let shape = try #require(shapes.first)
        for (longitude, latitude, isInside) in [
            (1.5, 2.0, true), (1, 1, true), (2, 1, true), (3, 3, true), (4, 1, false), (0, 2, false), (4, 2, false),
        ] {
            #expect(Self.contains(shape, longitude, latitude) == isInside, "\(longitude), \(latitude)")
        }
    }

    @Test(arguments: [
        // A corner on an edge, all corners on edges, and an edge on an edge.
        ("[[3,2],[2.5,2.5],[2.5,1.5],[3,2]]", true), ("[[2,1],[3,2],[2,3],[1,2],[2,1]]", false),
        ("[[1,1],[2,1],[2,2],[1,1]]", true),
    ])
    func aHoleMayTouchItsRing(hole: String, isMiddleInside: Bool) {
        let (shapes, _, said) = Self.read(Self.feature(Self.polygon("\(Self.square),\(hole)")))
        #expect(said.isEmpty)
        #expect(Self.contains(shapes.first, 1.1, 2.9) == true)
        #expect(Self.contains(shapes.first, 2.1, 1.9) == isMiddleInside)
    }

    @Test func repairClosesRingsAndTakesCrossingOnesByTheEvenOddRule() throws {
        let open = Self.read(Self.feature(Self.polygon("[[1,1],[3,1],[3,3],[1,3]]")), repair: true)
        #expect(open.mends.map(\.description) == ["part 0, ring 0: closed the ring"])
        #expect(Self.contains(open.shapes.first, 2, 2) == true)
        let bow = Self.read(Self.feature(Self.polygon("[[0,0],[4,4],[4,0],[0,4],[0,0]]")), repair: true)
        #expect(
            bow.mends.map(\.description) == ["part 0: took the polygon by the even-odd rule, because its edges cross"])
        for (longitude, latitude, isInside) in [(0.5, 2.0, true), (3.5, 2, true), (2, 0.5, false), (2, 3.5, false)] {
            #expect(Self.contains(bow.shapes.first, longitude, latitude) == isInside)
        }
        let star = Self.read(
            Self.feature(Self.polygon("[[8,0],[-6.5,4.7],[2.5,-7.6],[2.5,7.6],[-6.5,-4.7],[8,0]]")), repair: true)
        #expect(Self.contains(star.shapes.first, 0, 0) == false)
        #expect(Self.contains(star.shapes.first, 6, 0) == true)
        // Many crossing parts.
        let bows = (0..<40).map { part in
            let x = 10 * Double(part / 2), y = part % 2 == 0 ? 0.0 : 4
            return [
                [(0.0, 0.0), (4, 4), (4, 0), (0, 4), (0, 0)].map {
                    RawPosition(longitude: x / 4 + $0.0 / 4, latitude: y + $0.1)
                }
            ]
        }
        let many = Self.reread(try Shape.read(.polygons(bows), repair: true).shape)
        #expect(many?.parts.count == 40)
        #expect(
            Self.contains(many, 0.1, 2) == true && Self.contains(many, 0.5, 3.5) == false
                && Self.contains(many, 0.9, 6) == true)
        // Crossing rings over the antimeridian, many at once: the slow rule agrees.
        var random = Seeded(3)
        for count in [5, 12, 30] {
            var ring = (0..<count).map { _ in
                Unit(
                    1_800_000_000 + .random(in: -90_000...90_000, using: &random),
                    .random(in: -90_000...90_000, using: &random))
            }
            ring.append(ring[0])
            let slow = SlowRings(rings: [ring])
            let shape = try Shape.read(.polygons([slow.raw]), repair: true).shape
            // What is written needs no repair, and is the same.
            let again = try Shape.read(WKT.geometry(from: WKT.text(shape))).shape
            for _ in 0..<60 {
                let place = Unit(
                    1_800_000_000 + .random(in: -99_000...99_000, using: &random),
                    .random(in: -99_000...99_000, using: &random))
                // Crossings are rounded by half a unit.
                guard slow.gap(place) > 0.05 else { continue }
                #expect(shape.contains(place.place) == slow.contains(place))
                #expect(again.contains(place.place) == shape.contains(place.place))
            }
        }
    }

    @Test func aPolygonIgnoresTheRadiusAndSaysSo() {
        let (shapes, mends, said) = Self.read(Self.feature(Self.polygon(Self.square), properties: "{\"radius_m\":50}"))
        #expect(shapes.count == 1)
        #expect(said.isEmpty)
        #expect(mends.map(\.change) == ["ignored the radius, which a polygon does not have"])
    }

    @Test func tooManyPositionsAreRefused() throws {
        let ring = (0...100_000).map { RawPosition(longitude: Double($0) / 1e5, latitude: 0) }
        #expect(throws: ShapeError.self) { try Shape.read(.polygons([[ring]])) }
        #expect(throws: ShapeError.self) { try Shape.read(.lines([ring]), radius: 5) }
        // A comb whose teeth are too long in sum.
        let teeth = (0..<2000).flatMap { index in
            [0, 1].map { (side: Int) -> RawPosition in
                RawPosition(longitude: Double(120 * side), latitude: 50 + Double(2 * index + side) / 1e3)
            }
        }
        let error = #expect(throws: ShapeError.self) { try Shape.read(.lines([teeth]), radius: 5) }
        #expect(error?.reason.contains("too long in sum") == true)
    }
}
