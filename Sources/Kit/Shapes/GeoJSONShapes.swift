import TextCoding

/// A GeoJSON feature with a geometry that may be a shape.
public struct ShapeFeature: Hashable, Sendable {
    /// The index in the text, counted from 0 over all its collections.
    public var index: Int
    /// The identifier; a number is converted to text.
    public var id: String?
    /// The geometry before any check.
    public var geometry: RawGeometry
    /// The properties that are texts, numbers or Booleans, as text; null, arrays and objects are omitted.
    public var properties: [String: String]

    /// The property that holds the radius of a circle or corridor in metres.
    public static let radiusProperty = "radius_m"

    /// Returns the shape, and what was changed for it.
    ///
    /// - Parameters:
    ///   - defaultRadius: the radius in metres where the property ``radiusProperty`` is missing.
    ///   - repair: see ``Shape/read(_:radius:repair:)``.
    /// - Throws: a ``RefusedShapeFeature``.
    public func shape(
        defaultRadius: Double? = nil, repair: Bool = false
    ) throws(RefusedShapeFeature) -> (shape: Shape, mends: [ShapeMend]) {
        var radius = defaultRadius
        if let text = properties[Self.radiusProperty] {
            guard let number = DecimalText.parse(text) else {
                throw RefusedShapeFeature(
                    index: index, id: id, reason: "\(Self.radiusProperty) is \"\(text.prefix(40))\", not a number")
            }
            radius = number
        } else if case .polygons = geometry {
            radius = nil
        }
        do {
            return try Shape.read(geometry, radius: radius, repair: repair)
        } catch {
            throw RefusedShapeFeature(index: index, id: id, reason: error.description)
        }
    }
}

/// A GeoJSON feature that is not a shape, with the reason.
public struct RefusedShapeFeature: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index in the text, counted from 0 over all its collections.
    public var index: Int
    /// The identifier, if it was read.
    public var id: String?
    /// The reason, as a clause without a full stop.
    public var reason: String

    /// The index and the reason: `features[3]: part 0, ring 0: the ring is not closed …`.
    public var description: String { "features[\(index)]: \(reason)" }
}

/// Reads the geometries of a GeoJSON text (RFC 7946).
public enum GeoJSONShapes {
    /// The most bytes of a text, which is read as a whole; a million positions of 9 decimals take half of it.
    public static let maximumLength = 64 * 1024 * 1024
    /// The most positions of a text.
    public static let maximumPositions = 1_000_000
    /// The most features of a text.
    public static let maximumFeatures = 1_000_000

    /// Returns the features of a text, and those without a usable geometry.
    ///
    /// A text is a FeatureCollection, a Feature, a geometry without a feature, or several of them one after another, such
    /// as a Feature a line (RFC 8142). It is UTF-8, or UTF-16 or UTF-32 with a byte-order mark. Altitudes, and members
    /// that RFC 7946 does not define, are ignored. Members may come in any order. Time and memory are linear in the
    /// length of the text.
    ///
    /// - Throws: a ``ShapeTextError`` if the text is not JSON or is too long.
    public static func features(
        from bytes: [UInt8]
    ) throws(ShapeTextError) -> (features: [ShapeFeature], refused: [RefusedShapeFeature]) {
        guard bytes.count <= maximumLength else {
            throw ShapeTextError(
                line: 1, column: 1, reason: "the text is longer than \(maximumLength / 1_048_576) MiB; split it")
        }
        var text: [UInt8] = []
        var transcoder = UnicodeTranscoder()
        transcoder.feed(bytes.span, into: &text)
        transcoder.finish(into: &text)
        var scanner = GeoJSONScanner(text)
        guard scanner.peek() != nil else { throw scanner.error("the text is empty") }
        var reader = Reader()
        while scanner.peek() != nil { try reader.document(&scanner) }
        return (reader.features, reader.refused)
    }
}

/// The state of reading a text.
private struct Reader {
    var features: [ShapeFeature] = []
    var refused: [RefusedShapeFeature] = []
    private var positionCount = 0
    private var index = 0

    /// The members of an object that GeoJSON defines.
    private struct Members {
        var type: String?
        var id: String?
        var geometry: Result<RawGeometry, RawCoordinates.Fault>?
        var coordinates: Result<RawCoordinates, RawCoordinates.Fault>?
        var properties: [String: String] = [:]
        var hasFeatures = false
        var fault: String?
    }

    /// Reads a FeatureCollection, a Feature or a geometry.
    mutating func document(_ scanner: inout GeoJSONScanner) throws(ShapeTextError) {
        let start = scanner.at
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw scanner.error("GeoJSON is an object, which begins with {")
        }
        let members = try members(&scanner, isTop: true)
        switch members.type {
        case "FeatureCollection":
            guard members.hasFeatures else { throw scanner.error("the FeatureCollection has no features", at: start) }
        case "Feature": add(members)
        case "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection":
            add(geometry(members), members)
        case let type?:
            throw scanner.error(
                "\"\(type.prefix(40))\" is no type of GeoJSON; a FeatureCollection, a Feature or a geometry is needed",
                at: start)
        case nil: throw scanner.error("the object has no type; GeoJSON is a FeatureCollection or a Feature", at: start)
        }
    }

    private mutating func members(
        _ scanner: inout GeoJSONScanner, isTop: Bool
    ) throws(ShapeTextError) -> Members {
        var members = Members()
        // The features of a top object are added as they are read; its type may come later.
        try scanner.object { scanner, key throws(ShapeTextError) in
            switch key {
            case "type":
                if case .text(let type) = try scanner.scalar() { members.type = type }
            case "id": members.id = Self.text(try scanner.scalar(), &members.fault)
            case "properties" where scanner.peek() == UInt8(ascii: "{"):
                try scanner.object { scanner, key throws(ShapeTextError) in
                    members.properties[key] = Self.text(try scanner.scalar(), &members.fault)
                }
            case "geometry" where scanner.peek() == UInt8(ascii: "{"):
                members.geometry = geometry(try self.members(&scanner, isTop: false))
            case "coordinates":
                members.coordinates = try coordinates(&scanner)
            case "features" where isTop && scanner.peek() == UInt8(ascii: "["):
                members.hasFeatures = true
                try scanner.array { scanner throws(ShapeTextError) in try feature(&scanner) }
            default: try scanner.skip()
            }
        }
        return members
    }

    private mutating func coordinates(
        _ scanner: inout GeoJSONScanner
    ) throws(ShapeTextError) -> Result<RawCoordinates, RawCoordinates.Fault> {
        _ = scanner.peek()
        let start = scanner.at
        let result = try RawCoordinates.read(&scanner)
        switch result {
        case .success(let coordinates):
            positionCount += coordinates.positions.count
            guard positionCount <= GeoJSONShapes.maximumPositions else {
                throw scanner.error(
                    "the text has more than \(GeoJSONShapes.maximumPositions) positions; simplify or split it",
                    at: start)
            }
        case .failure:
            scanner.goBack(to: start)
            try scanner.skip()
        }
        return result
    }

    private mutating func feature(_ scanner: inout GeoJSONScanner) throws(ShapeTextError) {
        guard index < GeoJSONShapes.maximumFeatures else {
            throw scanner.error("the text has more than \(GeoJSONShapes.maximumFeatures) features; split it")
        }
        guard scanner.peek() == UInt8(ascii: "{") else {
            try scanner.skip()
            refuse("it is not an object", id: nil)
            return
        }
        let members = try members(&scanner, isTop: false)
        guard members.type == "Feature" else {
            refuse("it is a \(members.type?.prefix(40) ?? "thing without a type"), not a Feature", id: members.id)
            return
        }
        add(members)
    }

    private func geometry(_ members: Members) -> Result<RawGeometry, RawCoordinates.Fault> {
        guard let type = members.type else {
            return .failure(RawCoordinates.Fault(reason: "the geometry has no type"))
        }
        guard let coordinates = members.coordinates else {
            // The type alone may be the mistake.
            if case .failure(let fault) = RawCoordinates().geometry(type), type.hasSuffix("Collection") {
                return .failure(fault)
            }
            return .failure(RawCoordinates.Fault(reason: "the \(type.prefix(40)) has no coordinates"))
        }
        return coordinates.flatMap { $0.geometry(type) }
    }

    private mutating func add(_ members: Members) {
        add(members.geometry ?? .failure(RawCoordinates.Fault(reason: "it has no geometry")), members)
    }

    private mutating func add(_ geometry: Result<RawGeometry, RawCoordinates.Fault>, _ members: Members) {
        if let fault = members.fault { return refuse(fault, id: members.id) }
        switch geometry {
        case .success(let geometry):
            features.append(
                ShapeFeature(index: index, id: members.id, geometry: geometry, properties: members.properties))
            index += 1
        case .failure(let fault): refuse(fault.reason, id: members.id)
        }
    }

    private mutating func refuse(_ reason: String, id: String?) {
        refused.append(RefusedShapeFeature(index: index, id: id, reason: reason))
        index += 1
    }

    private static func text(_ scalar: GeoJSONScanner.Scalar, _ fault: inout String?) -> String? {
        switch scalar {
        case .text(let text):
            if text.unicodeScalars.contains("\0") {
                fault = "a text contains the character U+0000, which is not allowed"
            }
            return text
        case .number(let number): return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .truth(let truth): return "\(truth)"
        case .other: return nil
        }
    }
}
