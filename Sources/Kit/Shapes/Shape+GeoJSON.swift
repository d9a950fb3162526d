import Geodesy
public import TextCoding

extension Shape {
    /// Writes the shape as the value of a GeoJSON `geometry` (RFC 7946).
    ///
    /// The radius is not part of it; it belongs into the property ``ShapeFeature/radiusProperty``. Positions are written
    /// as they were read, with 7 decimals: a shape over the antimeridian is one geometry, whose edges take the shorter
    /// way, and is not cut there.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            let lists = parts.compactMap(\.first)
            switch kind {
            case .circle:
                writer.member("type", "Point")
                writer.key("coordinates")
                if let center = lists.first?.first { Self.write(center, to: &writer) }
            case .corridor where lists.count == 1:
                writer.member("type", "LineString")
                writer.key("coordinates")
                Self.write(lists[0], to: &writer)
            case .corridor:
                writer.member("type", "MultiLineString")
                writer.array("coordinates") { writer in for line in lists { Self.write(line, to: &writer) } }
            case .polygon where parts.count == 1:
                writer.member("type", "Polygon")
                writer.array("coordinates") { writer in for ring in parts[0] { Self.write(ring, to: &writer) } }
            case .polygon:
                writer.member("type", "MultiPolygon")
                writer.array("coordinates") { writer in
                    for part in parts {
                        writer.array { writer in for ring in part { Self.write(ring, to: &writer) } }
                    }
                }
            }
        }
    }

    /// The geometry as GeoJSON text; see ``write(to:)``.
    public var geoJSON: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    private static func write(_ places: [Coordinate], to writer: inout JSONWriter) {
        writer.array { writer in for place in places { write(place, to: &writer) } }
    }

    private static func write(_ place: Coordinate, to writer: inout JSONWriter) {
        writer.array { writer in
            writer.number(place.longitude, decimals: 7)
            writer.number(place.latitude, decimals: 7)
        }
    }
}
