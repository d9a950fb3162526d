import Geodesy
import Shapes
import Testing

/// GeoJSON and WKT in and out.
@Suite struct TextTests {
    private func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        (["\u{FEFF}" + text].joined()).utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBig ? bytes : bytes.reversed()
        }
    }

    @Test func formsOfATextAreRead() throws {
        let geometry = BadShapeTests.polygon(BadShapeTests.square)
        let feature =
            "{\"geometry\":\(geometry),\"x\":[[[]],{\"a\":{}}],\"properties\":{\"title\":\"é\\u00e9\\ud83d\\ude00\"},\"type\":\"Feature\"}"
        let collection = "{\"features\":[\(feature),\(feature)],\"bbox\":[0,0,1,1],\"type\":\"FeatureCollection\"}"
        for (text, count) in [
            (geometry, 1), (feature, 1), (collection, 2), ("\(feature)\n\(feature)\n\u{1E}\(feature)\n", 3),
        ] {
            let forms = [
                Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), utf16(text, isBig: true),
                utf16(text, isBig: false),
            ]
            for bytes in forms {
                let (features, refused) = try GeoJSONShapes.features(from: bytes)
                #expect(features.map(\.index) == Array(0..<count))
                #expect(refused.isEmpty)
                if text != geometry { #expect(features.allSatisfy { $0.properties == ["title": "éé😀"] }) }
                #expect(try features[0].shape().shape.contains(Unit(20_000_000, 20_000_000).place))
            }
        }
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text is empty"), ("[]", "GeoJSON is an object"),
        ("{\"type\":\"Feature\"", "cut off"),
        ("{\"type\":\"Polygon\",\n\"coordinates\":[[[NaN,1]]]}", "line 2, column 18: \"N\" is not JSON"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[1,Infinity]]]}", "\"I\" is not JSON"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[01,1]]]}", "a number must not begin"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[1.,1]]]}", "a digit must follow"),
        ("{\"type\":\"Polygon\",\"coordinates\":[[[1e999,1]]]}", "too large"),
        ("{\"type\":\"Topology\"}", "no type of GeoJSON"),
        ("{}", "has no type"), ("{\"type\":\"FeatureCollection\"}", "has no features"),
        ("{\"a\":\"\u{1}\"}", "control character"),
        ("{\"a\":\"\\x\"}", "a backslash"), ("{\"a\":tru}", "is not JSON here"), ("{\"a\":1,}", "is not JSON here"),
    ])
    func aTextThatIsNotGeoJSONIsRefused(text: String, reason: String) {
        let said = BadShapeTests.read(text).said
        #expect(said.contains(reason), "\(said)")
    }

    @Test func deepTextsAreRefused() {
        for deep in [String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000)] {
            for text in ["{\"coordinates\":\(deep)", "{\"x\":\(deep)", "{\"properties\":{\"x\":\(deep)"] {
                #expect(BadShapeTests.read(text).said.contains("nested deeper than 128"))
            }
        }
    }

    @Test func oneBadFeatureDoesNotHideTheOthers() {
        let good = "{\"type\":\"Feature\",\"id\":7,\"geometry\":\(BadShapeTests.polygon(BadShapeTests.square))}"
        let text =
            "{\"type\":\"FeatureCollection\",\"features\":[5,{\"type\":\"Thing\"},\(good),null,"
            + "{\"type\":\"Feature\",\"id\":\"a\\u0000\",\"geometry\":\(BadShapeTests.polygon(BadShapeTests.square))}]}"
        let (shapes, _, said) = BadShapeTests.read(text)
        #expect(shapes.count == 1)
        #expect(
            said
                == "features[0]: it is not an object; features[1]: it is a Thing, not a Feature; features[3]: it is not an "
                + "object; features[4]: a text contains the character U+0000, which is not allowed")
    }

    @Test(arguments: [
        "POINT (5.5 52.1)", "LINESTRING (1 2, 3.25 4)", "MULTILINESTRING ((1 2, 3 4), (5 6, 7 8, 9 1))",
        "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 2, 2 2, 1 1))",
        "MULTIPOLYGON (((179 0, -179 0, -179 2, 179 0)), ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 2, 2 2, 1 1)))",
    ])
    func aShapeIsWrittenAsItWasRead(text: String) throws {
        let shape = try Shape.read(WKT.geometry(from: text), radius: text.contains("POLYGON") ? nil : 10).shape
        #expect(WKT.text(shape) == text)
        let (features, _) = try GeoJSONShapes.features(from: Array(shape.geoJSON.utf8))
        let again = try features[0].shape(defaultRadius: 10).shape
        #expect(again == shape)
        #expect(again.hashValue == shape.hashValue)
    }

    @Test(arguments: [
        ("srid=4326;polygon z((0 0 9,4 0 9,4 4 9,0 0 9))", true), ("POINT ZM (1 2 3 4)", true), ("PointZ(1 2 3)", true),
        ("POINT(1e0 -2.5E-1)", true), ("SRID=3857;POINT(1 2)", false), ("POINT EMPTY", false), ("POINT(1)", false),
        ("POINT(1 2", false), ("POINT(1 2) x", false), ("POINT()", false), ("CIRCLE(1 2)", false), ("", false),
        ("POLYGON((1 2, a b))", false), ("LINESTRING((1 2, 3 4))", false),
    ])
    func wellKnownTextHasItsForms(text: String, isRead: Bool) {
        #expect(((try? WKT.geometry(from: text)) != nil) == isRead)
    }

    @Test func damagedTextsNeverTrap() throws {
        let geometry = BadShapeTests.polygon("\(BadShapeTests.square),[[1.5,1.5],[2,1.5],[2,2],[1.5,1.5]]")
        let multi =
            "{\"type\":\"MultiPolygon\",\"coordinates\":[[\(BadShapeTests.square)],[[[170,1e1],[-170,10],[180,-90.0],[170,1e1]]]]}"
        let text =
            BadShapeTests.feature(geometry)
            + BadShapeTests.feature(multi, properties: "{\"a\":\"\\u00e9\",\"radius_m\":3}")
        let wkt = Array(
            "MULTIPOLYGON (((179 0, -179 0, -179 2, 179 0)), ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 2, 2 2, 1 1)))".utf8)
        var random = Seeded(11)
        var readCount = 0
        for _ in 0..<700 {
            func damaged(_ bytes: [UInt8]) -> [UInt8] {
                var bytes = bytes
                for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                    let at = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[at] = .random(in: 0...255, using: &random)
                    case 1: bytes[at] = Array("0123456789-.,[]{}\"e()".utf8).randomElement(using: &random) ?? 0
                    case 2: bytes.removeSubrange(at..<min(bytes.count, at + .random(in: 1...9, using: &random)))
                    default:
                        bytes.insert(
                            contentsOf: bytes[at..<min(bytes.count, at + .random(in: 1...20, using: &random))], at: at)
                    }
                }
                return bytes
            }
            let read = BadShapeTests.read(damaged(Array(text.utf8)), repair: true)
            for shape in read.shapes {
                readCount += 1
                _ = shape.standing(Unit(15_000_000, 15_000_000).place)
                _ = (shape.box, shape.cap, shape.extent, shape.innerWidth)
            }
            if let geometry = try? WKT.geometry(from: String(decoding: damaged(wkt), as: UTF8.self)) {
                _ = try? Shape.read(geometry, radius: 10, repair: true)
            }
        }
        #expect(readCount > 50)
    }
}
