import Geodesy
package import RPC
import Service
import Shapes

/// The parameter `shape` of calls that add or change sights.
enum SightShape {
    /// The name of the parameter.
    static let name = "shape"

    static let field = Field.optional(
        name, Sight.shapeSchema,
        """
        The shape as a GeoJSON geometry: polygons, or lines of a corridor with `radius` metres on both sides; instead of \
        `lat` and `lon`.
        """)

    /// The parameter, whose value is the geometry as it was given.
    static let parameter = Parameter<JSONValue?>([field]) { members throws(Refusal) in try members.value(name) }

    /// Returns the shape of a geometry, as ``read(_:radius:)`` does.
    ///
    /// - Throws: `Refusal.invalid`.
    static func given(_ geometry: JSONValue, radius: Double?) throws(Refusal) -> Shapes.Shape {
        do throws(Sight.Flaw) {
            return try read(geometry, radius: radius)
        } catch {
            throw Refusal.invalid(error.field, error.reason)
        }
    }

    /// Returns the shape of a geometry.
    ///
    /// - Parameter radius: the radius in metres of a circle or corridor; a polygon ignores it.
    /// - Throws: the reason, which names the ring and the position, as a clause after a name.
    static func read(_ geometry: JSONValue, radius: Double?) throws(Sight.Flaw) -> Shapes.Shape {
        let text = JSONText { $0.value(geometry) }
        do {
            let (features, refused) = try GeoJSONShapes.features(from: text.bytes)
            if let refusal = refused.first { throw Sight.Flaw(field: name, reason: refusal.reason) }
            guard let feature = features.first else { throw Sight.Flaw(field: name, reason: "not a geometry") }
            return try feature.shape(defaultRadius: radius).shape
        } catch let flaw as Sight.Flaw {
            throw flaw
        } catch let refusal as RefusedShapeFeature {
            throw Sight.Flaw(field: name, reason: refusal.reason)
        } catch {
            throw Sight.Flaw(field: name, reason: "\(error)")
        }
    }
}

extension Sight {
    /// Gives the sight the shape of a GeoJSON geometry.
    ///
    /// - Parameter radius: the radius in metres of a circle or corridor; a polygon ignores it.
    package mutating func setShape(geometry: JSONValue, radius: Double?) throws(Flaw) {
        setShape(try SightShape.read(geometry, radius: radius))
    }

    /// The polygons or the lines as a GeoJSON geometry; `nil` for a circle.
    package var geometry: JSONValue? {
        guard let outline else { return nil }
        func list(_ places: [Coordinate]) -> JSONValue {
            .array(places.map { .array([.number($0.longitude), .number($0.latitude)]) })
        }
        func object(_ type: String, _ coordinates: JSONValue) -> JSONValue {
            ["type": .string(type), "coordinates": coordinates]
        }
        let isPolygon = outline.kind == .polygon
        let parts = outline.parts.map { part in isPolygon ? .array(part.map(list)) : list(part.first ?? []) }
        if let first = parts.first, parts.count == 1 { return object(isPolygon ? "Polygon" : "LineString", first) }
        return object(isPolygon ? "MultiPolygon" : "MultiLineString", .array(parts))
    }
}
