package import Geodesy
package import Shapes
package import TextCoding

/// The shape of a sight, as the store and the answers have it.
extension Sight {
    /// What the sight is, unless it is a circle.
    package var form: String? { kind == .circle ? nil : kind.rawValue }

    /// The shape as well-known text, without its radius; `nil` for a circle.
    package var outlineText: String? { outline.map(WKT.text) }

    /// The radius of a circle around the place that holds the sight; for circles and corridors ``radius``.
    ///
    /// The store's table needs one above 0.
    package var storedRadius: Distance {
        guard let outline, outline.kind == .polygon else { return radius }
        return max(.meters(1), Sphere.distance(squaredChord: outline.cap.squaredRadius))
    }

    /// Returns the shape that the store has; `nil` if it is damaged.
    ///
    /// - Parameters:
    ///   - form: what it is, polygon or corridor.
    ///   - text: its well-known text.
    ///   - radius: half the width of a corridor.
    package static func outline(_ form: String, _ text: String, radius: Distance) -> Shape? {
        let isCorridor = form == Shape.Kind.corridor.rawValue
        guard let geometry = try? WKT.geometry(from: text),
            let shape = try? Shape.read(geometry, radius: isCorridor ? radius.meters : nil).shape,
            shape.kind.rawValue == form
        else { return nil }
        return shape
    }

    /// Says what a sight of an answer is whose shape is not in it.
    package mutating func setKind(form: String) { setKind(Shape.Kind(rawValue: form) ?? .circle) }

    /// Gives a sight of the store its shape.
    ///
    /// - Parameters:
    ///   - form: what it is, polygon or corridor.
    ///   - text: its well-known text; `nil` in a short list, where a sight keeps its circle.
    /// - Returns: whether the shape is sound.
    mutating func setShape(_ form: String, _ text: String?) -> Bool {
        guard let text else {
            setKind(Shape.Kind(rawValue: form) ?? .circle)
            return true
        }
        guard let shape = Self.outline(form, text, radius: radius) else { return false }
        setShape(shape)
        return true
    }

    /// The most positions of a shape in an answer or a call: as many as surely fit into a line of the socket.
    package static let mostSpokenPositions = 20_000

    /// Whether answers contain the shape.
    package var isSpoken: Bool {
        guard let outline else { return false }
        return outline.parts.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } } <= Self.mostSpokenPositions
    }

    /// Writes the shape as a GeoJSON geometry; a circle as its centre.
    package func writeGeometry(to json: inout JSONWriter) {
        if let outline { return outline.write(to: &json) }
        json.object { json in
            json.member("type", "Point")
            json.key("coordinates")
            json.array { json in
                json.number(place.longitude, decimals: 7)
                json.number(place.latitude, decimals: 7)
            }
        }
    }
}
