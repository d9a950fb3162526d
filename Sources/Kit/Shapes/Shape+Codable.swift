import Geodesy

extension Shape: Hashable {
    /// Whether two shapes have the same kind, radius and positions in the same order.
    public static func == (a: Shape, b: Shape) -> Bool {
        a.kind == b.kind && a.radius == b.radius && a.parts == b.parts
    }

    /// Hashes the kind, radius and positions.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(radius.meters)
        hasher.combine(parts)
    }
}

extension Shape: Codable {
    private enum CodingKeys: CodingKey { case wkt, radius }

    /// Decodes a shape from its well-known text and its radius, with all checks.
    ///
    /// - Throws: `DecodingError` if they are not a shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .wkt)
        let radius = try container.decodeIfPresent(Double.self, forKey: .radius)
        do throws(ShapeError) {
            self = try Shape.read(try WKT.geometry(from: text), radius: radius).shape
        } catch {
            throw DecodingError.dataCorruptedError(forKey: .wkt, in: container, debugDescription: error.description)
        }
    }

    /// Encodes the members `wkt` and, but for polygons, `radius` in metres.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(WKT.text(self), forKey: .wkt)
        if kind != .polygon { try container.encode(radius.meters, forKey: .radius) }
    }
}
