import Foundation
import Geodesy
import Interchange
import Positioning
import Shapes
import TestSupport
import Testing

@Suite struct ShapeFormatTests {
    private static let texts = [
        ("POLYGON ((4 52, 5 52, 5 53, 4 53, 4 52), (4.2 52.2, 4.2 52.4, 4.4 52.4, 4.2 52.2))", nil),
        ("MULTIPOLYGON (((4 52, 5 52, 5 53, 4 52)), ((179 1, -179 1, -179 2, 179 1)))", nil),
        ("LINESTRING (4 52, 4.5 52.5, 5 52)", 200),
        ("MULTILINESTRING ((4 52, 4.5 52.5), (5 52, 6 52))", 7.5), ("POINT (4.1234567 52)", 50.0 as Double?),
    ]

    @Test(arguments: texts) func writtenShapesAreReadBackFromKMLAndGeoJSON(text: String, radius: Double?) throws {
        let shape = try Shape.read(try WKT.geometry(from: text), radius: radius).shape
        let data = radius.map { [ExportedProperty("radius_m", $0)] } ?? []
        var (kml, geoJSON) = (KMLWriter(), GeoJSONWriter())
        var (kmlBytes, geoJSONBytes) = ([UInt8](), [UInt8]())
        kml.begin(to: &kmlBytes)
        kml.append(shape: shape, name: "A <b>", description: "one", data: data, to: &kmlBytes)
        kml.end(to: &kmlBytes)
        let (placemarks, others) = try KMLReader.shapes(from: kmlBytes)
        let placemark = try #require(placemarks.first)
        #expect((placemarks.count, others) == (1, 0))
        #expect((placemark.name, placemark.description, placemark.number) == ("A <b>", "one", 1))
        let wide = placemark.data["radius_m"].flatMap(Double.init)
        #expect(try Shape.read(placemark.geometry, radius: wide).shape == shape)

        geoJSON.begin(to: &geoJSONBytes)
        geoJSON.append(shape: shape, id: "a", properties: data, to: &geoJSONBytes)
        geoJSON.end(to: &geoJSONBytes)
        let feature = try #require(try GeoJSONShapes.features(from: geoJSONBytes).features.first)
        #expect(feature.id == "a")
        #expect(try feature.shape().shape == shape)
    }

    private static func kml(_ body: String) -> [UInt8] {
        Array("<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>\(body)</Document></kml>".utf8)
    }

    @Test func foldersStylesAndPlacemarksWithoutGeometryAreSkipped() throws {
        let (shapes, others) = try KMLReader.shapes(
            from: Self.kml(
                """
                <Folder><Placemark><name>Nothing</name></Placemark><Placemark><name>Area</name><Style/>
                <ExtendedData><SchemaData><SimpleData name="id">a1</SimpleData></SchemaData></ExtendedData>
                <MultiGeometry><Polygon><outerBoundaryIs><LinearRing><coordinates>
                4,52,7 5,52,7
                5,53,7 4,52,7 </coordinates></LinearRing></outerBoundaryIs></Polygon></MultiGeometry>
                </Placemark></Folder>
                """))
        #expect(others == 1)
        #expect(shapes.map(\.number) == [2])
        #expect(shapes.first?.data == ["id": "a1"])
        let ring = [(4.0, 52.0), (5, 52), (5, 53), (4, 52)].map { RawPosition(longitude: $0, latitude: $1) }
        #expect(shapes.first?.geometry == .polygons([[ring]]))
    }

    @Test(arguments: [
        ("<Point><coordinates>4</coordinates></Point>", "Placemark 1: \"4\" is not a position"),
        ("<Point><coordinates> </coordinates></Point>", "Placemark 1: the Point has no position"),
        (
            "<MultiGeometry><Point><coordinates>4,5</coordinates></Point><LineString><coordinates>1,2 3,4</coordinates>"
                + "</LineString></MultiGeometry>", "Placemark 1: it has geometries of different kinds"
        ),
        ("<Polygon></Polygon>", "Placemark 1: a Polygon has no outer boundary"),
    ])
    func aBadPlacemarkIsNamed(body: String, says: String) throws {
        let error = #expect(throws: RecordingError.self) {
            try KMLReader.shapes(from: Self.kml("<Placemark>\(body)</Placemark>"))
        }
        #expect(try #require(error).reason.hasPrefix(says))
    }

    @Test func regionsOfOwnTracksAreRead() throws {
        let text = """
            {"_type": "waypoints", "waypoints": [
            {"_type": "waypoint", "desc": "Home", "lat": 52.5, "lon": 4.5, "rad": 150, "tst": 1700000000, "rid": "h1"},
            {"_type": "waypoint", "desc": "Desk:B9407F30-F5F8-466E-AFF9-25556B57FE6D:1:2", "lat": -1, "lon": 2, "rad": 0}]}
            """
        #expect(OwnTracksRegions.isBeginning(Array(text.utf8)))
        #expect(!OwnTracksRegions.isBeginning(Array("{\"type\":\"FeatureCollection\"}".utf8)))
        let regions = try OwnTracksRegions.regions(from: Array(text.utf8))
        #expect(regions.map(\.name) == ["Home", "Desk"])
        #expect(regions.map(\.radius) == [.meters(150), nil])
        #expect(regions.map(\.id) == ["h1", nil])
        #expect(regions.first?.coordinate == Coordinate(latitude: 52.5, longitude: 4.5))
    }

    @Test(arguments: [
        "{\"_type\":\"waypoints\",\"waypoints\":[{\"desc\":\"A\",\"lat\":91,\"lon\":0}]}",
        "{\"_type\":\"waypoints\",\"waypoints\":[{\"desc\":\" \",\"lat\":1,\"lon\":0}]}",
        "{\"_type\":\"waypoints\",\"waypoints\":[{\"lat\":1", "{\"_type\":\"waypoints\"}",
    ])
    func badRegionsAreRefused(text: String) {
        #expect(throws: RecordingError.self) { try OwnTracksRegions.regions(from: Array(text.utf8)) }
    }
}
