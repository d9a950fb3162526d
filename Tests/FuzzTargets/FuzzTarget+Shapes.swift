import Geodesy
import Interchange
import Positioning
import Shapes
import Time
import Tracking

extension FuzzTarget {
    /// A text with geometries, in any format: a shape that is read must be read again from what is written of it.
    static let shapes = FuzzTarget(
        "shapes",
        seeds: [
            #"{"type":"Feature","id":1,"geometry":{"type":"Polygon","coordinates":[[[4,52],[5,52],[5,53],[4,52]],"#
                + #"[[4.6,52.2],[4.8,52.2],[4.8,52.4],[4.6,52.2]]]},"properties":{"radius_m":2e2}}"#,
            "POLYGON ((4 52, 5 53, 5 52, 4 53, 4 52))",
            "SRID=4326;MULTILINESTRING Z ((179 1 0, -179 1 0), (0 90 0, 9 8 0))",
            "MULTIPOLYGON (((-180 -90, 180 -90, 180 -60, -180 -60, -180 -90)), ((170 1, -170 1, -170 2, 170 1)))",
            """
            <kml><Placemark><name>a</name><ExtendedData><Data name="radius_m"><value>5</value></Data></ExtendedData>\
            <MultiGeometry><Polygon><outerBoundaryIs><LinearRing><coordinates>1,2 3,4,5 5,2 1,2</coordinates></LinearRing>\
            </outerBoundaryIs></Polygon></MultiGeometry></Placemark></kml>
            """,
            #"{"_type":"waypoints","waypoints":[{"desc":"a:b","lat":1,"lon":2,"rad":30,"rid":"x"}]}"#,
            "Mo-Fr 08:00-17:00; Sa,Su 22:00-06:00",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let isRepaired = bytes.last.map { $0 % 2 == 0 } ?? false
        var geometries: [RawGeometry] = []
        if let (features, _) = try? GeoJSONShapes.features(from: bytes) { geometries += features.map(\.geometry) }
        if let geometry = try? WKT.geometry(from: text) { geometries.append(geometry) }
        if let (placemarks, _) = try? KMLReader.shapes(from: bytes) { geometries += placemarks.map(\.geometry) }
        if let regions = try? OwnTracksRegions.regions(from: bytes) {
            geometries += regions.map { .point(RawPosition($0.coordinate)) }
        }
        for geometry in geometries.prefix(8) {
            guard let shape = try? Shape.read(geometry, radius: 40, repair: isRepaired).shape else { continue }
            check(shape)
        }
        guard let spans = try? ActiveHours.spans(from: text) else { return }
        let hours = ActiveHours(spans: spans, offsets: [])
        let time = Timestamp(milliseconds: Int64(bytes.count) * 3_600_000)
        demand(hours.state(at: time).until > time, "the hours never change")
    }

    private static func check(_ shape: Shape) {
        let radius = shape.kind == .polygon ? nil : shape.radius.meters
        let again = (try? WKT.geometry(from: WKT.text(shape))).flatMap { try? Shape.read($0, radius: radius).shape }
        demand(again == shape, "what was written is not read again")
        for place in shape.parts.joined().joined().prefix(16) {
            let standing = shape.standing(place)
            // The tip of a spike, which has no area, is outside of a polygon.
            demand(standing.isInside || shape.kind == .polygon, "a position is outside of its own shape")
            demand(standing.gap.isFinite && standing.gap >= 0, "a gap is not a length")
        }
        demand(shape.arcCount <= Shape.greatestArcCount, "more arcs than allowed")
    }
}
