import Geodesy
import Interchange
import Positioning
import Testing

@Suite struct GeoJSONReaderTests {
    private func feature(_ geometry: String, rest: String = #""properties":{}"#) -> String {
        #"{"type":"Feature","geometry":\#(geometry),\#(rest)}"#
    }

    private func read(
        _ text: String
    ) throws(RecordingError) -> (points: [PointFeature], refused: [RefusedFeature]) {
        try GeoJSONReader.points(from: Array(text.utf8))
    }

    @Test func pointsOfACollectionAreRead() throws {
        let text = #"""
            {"type":"FeatureCollection","bbox":[0,0,1,1],"features":[
              {"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[13.4,52.5,34.1]},
               "properties":{"title":"Tor \u00e9","radius_m":200,"scale":1.5,"open":true,"none":null,"list":[1],"map":{"a":1}}},
              {"properties":null,"geometry":{"coordinates":[-180,-90],"type":"Point"},"id":9007199254740993,"type":"Feature"}
            ]}
            """#
        let (points, refused) = try read(text)
        #expect(refused.isEmpty)
        #expect(points.map(\.index) == [0, 1])
        #expect(points.map(\.id) == ["a", "9007199254740993"])
        #expect(points[0].coordinate == Coordinate(latitude: 52.5, longitude: 13.4))
        #expect(points[1].coordinate == Coordinate(latitude: -90, longitude: -180))
        #expect(
            points[0].properties
                == ["title": "Tor é", "radius_m": "200", "scale": "1.5", "open": "true"])
        #expect(points[1].properties.isEmpty)
    }

    @Test func aTextWithANullCharacterIsRefused() throws {
        for rest in [##""properties":{"title":"a\u0000b"}"##, ##""id":"a\u0000","properties":{}"##] {
            let (points, refused) = try read(feature(#"{"type":"Point","coordinates":[1,2]}"#, rest: rest))
            #expect(points.isEmpty)
            #expect(refused.first?.reason.contains("U+0000") == true)
        }
    }

    @Test func aSingleFeatureIsRead() throws {
        let (points, refused) = try read(feature(#"{"type":"Point","coordinates":[1,2]}"#, rest: #""id":null"#))
        #expect(points.map(\.coordinate) == [Coordinate(latitude: 2, longitude: 1)])
        #expect(points.first?.id == nil)
        #expect(refused.isEmpty)
    }

    @Test func aByteOrderMarkIsAccepted() throws {
        let text = feature(#"{"type":"Point","coordinates":[1,2]}"#)
        #expect(try GeoJSONReader.points(from: [0xEF, 0xBB, 0xBF] + Array(text.utf8)).points.count == 1)
    }

    @Test(arguments: [
        (#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#, "its geometry is a Polygon, not a Point"),
        (#"{"type":"GeometryCollection","geometries":[]}"#, "its geometry is a GeometryCollection, not a Point"),
        (#"{"type":"MultiPoint","coordinates":[]}"#, "its geometry is a MultiPoint, not a Point"),
        ("null", "it has no geometry"),
        ("7", #""geometry" is missing or of the wrong type"#),
        ("{}", #""geometry.type" is missing or of the wrong type"#),
        (#"{"type":"Point"}"#, #""geometry.coordinates" is missing or of the wrong type"#),
        (#"{"type":"Point","coordinates":["1","2"]}"#, #""geometry.coordinates" is missing or of the wrong type"#),
        (#"{"type":"Point","coordinates":[1,null]}"#, #""geometry.coordinates" is missing or of the wrong type"#),
        (#"{"type":"Point","coordinates":[1]}"#, "a position needs a longitude and a latitude"),
        (
            #"{"type":"Point","coordinates":[52.5,113.4]}"#,
            "longitude 52.5, latitude 113.4 is not a valid position; the longitude comes first"
        ),
    ])
    func anInvalidFeatureIsReportedAndTheOthersAreRead(geometry: String, reason: String) throws {
        let good = feature(#"{"type":"Point","coordinates":[1,2]}"#)
        let text = #"{"type":"FeatureCollection","features":[\#(good),\#(feature(geometry)),\#(good)]}"#
        let (points, refused) = try read(text)
        #expect(points.map(\.index) == [0, 2])
        #expect(refused.map(\.description) == ["features[1]: \(reason)"])
        #expect(try read(feature(geometry)).refused.map(\.reason) == [reason])
    }

    @Test func elementsThatAreNotFeaturesAreReported() throws {
        let text = #"{"type":"FeatureCollection","features":[7,{},{"type":"Point","coordinates":[1,2]},[],null]}"#
        let (points, refused) = try read(text)
        #expect(points.isEmpty)
        #expect(refused.map(\.index) == [0, 1, 2, 3, 4])
        #expect(refused[0].reason == "not a JSON object")
        #expect(refused[1].reason == #""type" is missing or of the wrong type"#)
        #expect(refused[2].reason == "it is a Point, not a Feature")
    }

    @Test func propertiesOfTheWrongTypeAreReported() throws {
        let (_, refused) = try read(feature(#"{"type":"Point","coordinates":[1,2]}"#, rest: #""properties":[1]"#))
        #expect(refused.map(\.reason) == [#""properties" is missing or of the wrong type"#])
    }

    @Test(arguments: [
        ("", "the text is not JSON"),
        ("{", "the text is not JSON"),
        (#"{"type":"Feature"} x"#, "the text is not JSON"),
        ("[]", "not a JSON object"),
        ("{}", #""type" is missing or of the wrong type"#),
        (#"{"type":7}"#, #""type" is missing or of the wrong type"#),
        (#"{"type":"FeatureCollection"}"#, #"the FeatureCollection has no array "features""#),
        (#"{"type":"FeatureCollection","features":{}}"#, #"the FeatureCollection has no array "features""#),
        (
            #"{"type":"Topology","objects":{}}"#,
            "the text is a Topology, not a FeatureCollection or a Feature"
        ),
        (#"{"type":"Point","coordinates":[1,2]}"#, "the text is a Point, not"),
    ])
    func aTextThatIsNotGeoJSONIsAnError(text: String, reason: String) {
        let error = #expect(throws: RecordingError.self) { try read(text) }
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func bytesThatAreNotUTF8AreAnError() {
        let bytes = Array(#"{"type":""#.utf8) + [0xF6] + Array(#""}"#.utf8)
        let error = #expect(throws: RecordingError.self) { try GeoJSONReader.points(from: bytes) }
        #expect(error?.reason == "the text is not UTF-8; save the file as UTF-8")
    }

    @Test(arguments: ["[", #"{"type":"Feature","x":["#, #"{"type":"Feature","properties":{"a":["#, #"{"a":"#])
    func aTextNestedTooDeeplyIsAnError(opening: String) {
        let level = opening.hasSuffix("[") ? "[" : opening
        for closing in ["", String(repeating: "]", count: 100_000)] {
            let text = opening + String(repeating: level, count: 100_000) + closing
            let error = #expect(throws: RecordingError.self) { try read(text) }
            #expect(error?.reason.contains("nested too deep") == true)
        }
    }

    @Test func deepNestingWithinTheLimitIsSkipped() throws {
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let text = feature(#"{"type":"Point","coordinates":[1,2]}"#, rest: #""properties":{"a":\#(deep),"b":1}"#)
        #expect(try read(text).points.map(\.properties) == [["b": "1"]])
        #expect(try read(feature(#"{"type":"Polygon","coordinates":\#(deep)}"#)).refused.count == 1)
        #expect(try read(feature(#"{"type":"Point","coordinates":\#(deep)}"#)).refused.count == 1)
    }

    @Test func aTextThatIsTooLongIsAnError() {
        let text = [UInt8](repeating: 0x20, count: GeoJSONReader.maximumLength + 1)
        let error = #expect(throws: RecordingError.self) { try GeoJSONReader.points(from: text) }
        #expect(error?.reason.hasPrefix("the text is longer than 64 MiB") == true)
    }
}
