internal import FoundationEssentials
public import Geodesy
public import Positioning

/// A GeoJSON feature whose geometry is a point.
public struct PointFeature: Hashable, Sendable {
    /// The index in the collection, counted from 0; 0 for a single feature.
    public var index: Int
    /// The identifier; a number is converted to text.
    public var id: String?
    /// The position of the point.
    public var coordinate: Coordinate
    /// The properties that are texts, numbers or Booleans, as text; null, arrays and objects are omitted.
    public var properties: [String: String]
}

/// A GeoJSON feature that was not read, with the reason.
public struct RefusedFeature: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index in the collection, counted from 0; 0 for a single feature.
    public var index: Int
    /// The reason, as a clause without a full stop.
    public var reason: String

    /// The index and the reason: `features[3]: a Polygon, where only a Point is read`.
    public var description: String { "features[\(index)]: \(reason)" }
}

/// Reads the points of a GeoJSON text (RFC 7946).
public enum GeoJSONReader {
    /// The most bytes of a text, which is read as a whole; 200,000 places of a few lines each fit.
    public static let maximumLength = 64 * 1024 * 1024
    /// The most features of a text; a million points take a few hundred megabytes of memory.
    public static let maximumFeatures = 1_000_000

    /// Returns the points of a FeatureCollection or of a single Feature, and the features that are not points.
    ///
    /// Altitudes, and members that RFC 7946 does not define, are ignored. The JSON decoder refuses more than 512 levels
    /// of nesting. The time is linear in the length of the text, and the memory is a small multiple of it.
    ///
    /// - Throws: ``RecordingError`` if the text is not JSON, is neither a FeatureCollection nor a Feature, or is too
    ///   long.
    public static func points(
        from bytes: [UInt8]
    ) throws(RecordingError) -> (points: [PointFeature], refused: [RefusedFeature]) {
        guard bytes.count <= maximumLength else {
            throw RecordingError("the text is longer than \(maximumLength / 1_048_576) MiB; split it, or use CSV")
        }
        var points: [PointFeature] = []
        var refused: [RefusedFeature] = []
        for (index, entry) in try document(from: bytes).entries.enumerated() {
            switch entry.point(at: index) {
            case .success(let point): points.append(point)
            case .failure(let refusal): refused.append(refusal)
            }
        }
        return (points, refused)
    }

    private static func document(from bytes: [UInt8]) throws(RecordingError) -> Document {
        do {
            return try JSONDecoder().decode(Document.self, from: Data(bytes))
        } catch let error as RecordingError {
            throw error
        } catch DecodingError.dataCorrupted where String(validating: bytes, as: UTF8.self) == nil {
            throw RecordingError("the text is not UTF-8; save the file as UTF-8")
        } catch DecodingError.dataCorrupted {
            throw RecordingError(
                "the text is not JSON, is cut off, or is nested too deep; `python3 -m json.tool` shows where")
        } catch {
            throw RecordingError(describe(error))
        }
    }

    /// Translates a decoding error into a reason that refers to the members of the file.
    fileprivate static func describe(_ error: any Error) -> String {
        let path: [any CodingKey]
        switch error {
        case DecodingError.keyNotFound(let key, let context): path = context.codingPath + [key]
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            path = context.codingPath
        default: return "\(error)"
        }
        // The caller already writes the index of the feature.
        let inFeature = path.first?.stringValue == "features" ? path.dropFirst(2) : path[...]
        let names = inFeature.filter { $0.intValue == nil }.map(\.stringValue)
        guard !names.isEmpty else { return "not a JSON object" }
        return "\"\(names.joined(separator: "."))\" is missing or of the wrong type"
    }
}

private enum Key: String, CodingKey {
    case type, features, id, geometry, coordinates, properties
}

/// A GeoJSON text.
private struct Document: Decodable {
    var entries: [Entry] = []

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        switch try object.decode(String.self, forKey: .type) {
        case "FeatureCollection":
            guard var list = try? object.nestedUnkeyedContainer(forKey: .features) else {
                throw RecordingError("the FeatureCollection has no array \"features\"")
            }
            while !list.isAtEnd {
                guard entries.count < GeoJSONReader.maximumFeatures else {
                    throw RecordingError(
                        "the text has more than \(GeoJSONReader.maximumFeatures) features; split it, or use CSV")
                }
                entries.append(try list.decode(Entry.self))
            }
        case "Feature":
            entries = [Entry(from: decoder)]
        case let type:
            throw RecordingError("the text is a \(type.prefix(40)), not a FeatureCollection or a Feature")
        }
    }
}

/// A feature, or the reason why it was refused.
///
/// Decoding an entry never fails, so that one bad feature does not hide the others.
private enum Entry: Decodable {
    case feature(Feature)
    case refused(reason: String)

    init(from decoder: any Decoder) {
        do {
            self = .feature(try Feature(from: decoder))
        } catch {
            self = .refused(reason: (error as? RecordingError)?.reason ?? GeoJSONReader.describe(error))
        }
    }

    func point(at index: Int) -> Result<PointFeature, RefusedFeature> {
        switch self {
        case .feature(let feature):
            .success(
                PointFeature(
                    index: index, id: feature.id, coordinate: feature.coordinate, properties: feature.properties))
        case .refused(let reason):
            .failure(RefusedFeature(index: index, reason: reason))
        }
    }
}

private struct Feature: Decodable {
    let id: String?
    let coordinate: Coordinate
    let properties: [String: String]

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        let type = try object.decode(String.self, forKey: .type)
        guard type == "Feature" else { throw RecordingError("it is a \(type.prefix(40)), not a Feature") }
        guard let point = try object.decodeIfPresent(Point.self, forKey: .geometry) else {
            throw RecordingError("it has no geometry")
        }
        coordinate = point.coordinate
        id = try object.decodeIfPresent(Scalar.self, forKey: .id)?.text
        let scalars = try object.decodeIfPresent([String: Scalar].self, forKey: .properties) ?? [:]
        properties = scalars.compactMapValues(\.text)
    }
}

private struct Point: Decodable {
    let coordinate: Coordinate

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        let type = try object.decode(String.self, forKey: .type)
        guard type == "Point" else { throw RecordingError("its geometry is a \(type.prefix(40)), not a Point") }
        let numbers = try object.decode([Double].self, forKey: .coordinates)
        guard numbers.count >= 2 else { throw RecordingError("a position needs a longitude and a latitude") }
        guard let coordinate = Coordinate(latitude: numbers[1], longitude: numbers[0]) else {
            throw RecordingError(
                "longitude \(numbers[0]), latitude \(numbers[1]) is not a valid position; the longitude comes first")
        }
        self.coordinate = coordinate
    }
}

/// A scalar as text; the text is `nil` for null, and for arrays and objects, which are not read.
private struct Scalar: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let string = try? value.decode(String.self) {
            text = string
            guard !string.unicodeScalars.contains("\0") else {
                throw RecordingError("a text contains the character U+0000, which is not allowed")
            }
        } else if let integer = try? value.decode(Int64.self) {
            text = String(integer)
        } else if let number = try? value.decode(Double.self) {
            text = "\(number)"
        } else {
            text = (try? value.decode(Bool.self)).map { "\($0)" }
        }
    }
}
