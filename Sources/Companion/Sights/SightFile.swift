public import Geodesy
import Interchange
public import Positioning
import Receivers
import Service
import Shapes
import TextCoding

/// A reader of sights from a file, recognised by its content: CSV, GeoJSON, KML, GPX or OwnTracks' regions.
///
/// Points are circles, lines are corridors, and polygons are themselves.
///
/// Reading is all or nothing. One bad row rejects the file, and the error names the row and column, or the feature, the
/// ring and the position.
public enum SightFile {
    /// How a file is read.
    public struct Options: Sendable {
        /// The radius of circles and corridors for which the file has none.
        ///
        /// Without it, circles have ``Sight/defaultRadius``, and lines are refused.
        public var radius: Distance?
        /// Whether to close open rings, and to take polygons whose edges cross by the even-odd rule.
        public var repair: Bool

        /// Creates the options.
        public init(radius: Distance? = nil, repair: Bool = false) {
            self.radius = radius
            self.repair = repair
        }
    }

    /// What a file holds.
    public struct Content: Sendable {
        /// The sights.
        public internal(set) var sights: [Sight] = []
        /// What was ignored or repaired, a line for each, which names the feature.
        public internal(set) var notes: [String] = []
    }

    /// Reads the sights of a file.
    ///
    /// The path `-` stands for standard input.
    ///
    /// Memory use is that of the sights; for GeoJSON, KML and regions, that of the text as well.
    ///
    /// - Throws: ``RecordingError`` with the line and column if the format knows them.
    public static func content(path: String, _ options: Options = Options()) throws(RecordingError) -> Content {
        let file = try FileBytes(path: path)
        guard let first = try file.next() else { throw RecordingError("the file is empty") }
        let kind = ContentKind(of: first.span)
        if kind == .json, OwnTracksRegions.isBeginning(first) { return try regions(first, file, options) }
        if let kind = FileKind(first.span), kind != .geoJSON {
            throw RecordingError("this is \(kind.name); \(kind.remedy)")
        }
        switch kind {
        case .text: return try csv(first, file, options)
        case .json: return try geoJSON(first, file, options)
        case .xml where isKML(first): return try kml(first, file, options)
        case .xml: return try gpx(first, file, options)
        }
    }

    /// Reads the sights of a file; see ``content(path:_:)``.
    public static func read(path: String) throws(RecordingError) -> [Sight] { try content(path: path).sights }

    private static func csv(
        _ first: [UInt8], _ file: FileBytes, _ options: Options
    ) throws(RecordingError) -> Content {
        var reader = CSVReader()
        var table = SightTable(options)
        var rows: [CSVRow] = []
        try reader.feed(first.span, into: &rows)
        try table.append(&rows)
        while let piece = try file.next() {
            try reader.feed(piece.span, into: &rows)
            try table.append(&rows)
        }
        try reader.finish(into: &rows)
        try table.append(&rows)
        return try table.finish()
    }

    private static func geoJSON(
        _ first: [UInt8], _ file: FileBytes, _ options: Options
    ) throws(RecordingError) -> Content {
        let bytes = try whole(first, file, atMost: GeoJSONShapes.maximumLength)
        let (features, refused) = try shapes(of: bytes)
        if let refusal = refused.first { throw RecordingError(refusal.description) }
        var sights = SightCollector(options)
        for feature in features {
            let properties = feature.properties
            let name = "features[\(feature.index)]"
            guard let title = properties["title"] ?? properties["name"] else {
                throw RecordingError("\(name): it has neither a \"title\" nor a \"name\" among its properties")
            }
            let radius = properties[ShapeFeature.radiusProperty] ?? properties["radius"]
            try sights.add(
                feature.geometry, radius: try Self.number(radius, of: name), name: name,
                id: feature.id ?? properties["id"], title: title, category: properties["category"],
                information: properties["description"])
        }
        return sights.content
    }

    private static func shapes(
        of bytes: [UInt8]
    ) throws(RecordingError) -> (features: [ShapeFeature], refused: [RefusedShapeFeature]) {
        do {
            return try GeoJSONShapes.features(from: bytes)
        } catch {
            throw RecordingError(error.reason, line: error.line, column: error.column)
        }
    }

    /// Returns all bytes of a file, or a few more than `most`.
    static func whole(_ first: [UInt8], _ file: FileBytes, atMost most: Int) throws(RecordingError) -> [UInt8] {
        var bytes = first
        while let piece = try file.next() {
            bytes.append(contentsOf: piece)
            guard bytes.count <= most else { break }
        }
        return bytes
    }

    /// Parses the text of a radius in metres; `nil` if there is none.
    static func number(_ text: String?, of name: String) throws(RecordingError) -> Double? {
        guard let text else { return nil }
        guard let number = DecimalText.parse(text) else { throw RecordingError("\(name): its radius is not a number") }
        return number
    }
}

/// The sights of a file as they are read.
struct SightCollector {
    private(set) var content = SightFile.Content()
    private let options: SightFile.Options
    private var names = Slugs()

    init(_ options: SightFile.Options) { self.options = options }

    /// Adds a sight.
    ///
    /// - Parameters:
    ///   - radius: the radius in metres that the file has for it.
    ///   - name: its name in errors.
    ///   - id: its id; `nil` to make one from the title.
    mutating func add(
        _ geometry: RawGeometry, radius: Double?, name: String, id: String?, title: String, category: String? = nil,
        information: String? = nil
    ) throws(RecordingError) {
        guard let known = names.id(id, title: title) else {
            throw RecordingError("\(name): an earlier sight has the same id \"\(id ?? "")\"")
        }
        let (shape, notes) = try options.shape(geometry, radius: radius, of: name)
        content.notes += notes
        var sight = Sight(
            id: known, title: title, place: .origin, category: category, information: information)
        sight.setShape(shape, radius: radius ?? options.radius?.meters)
        do {
            try sight.check()
        } catch {
            throw RecordingError("\(name): its \(error.field) is \(error.reason)")
        }
        content.sights.append(sight)
    }
}

extension SightFile.Options {
    /// Returns the shape of a geometry, and what was ignored or repaired.
    ///
    /// - Parameters:
    ///   - radius: the radius in metres that the file has for it.
    ///   - name: its name in errors.
    func shape(
        _ geometry: RawGeometry, radius: Double?, of name: String
    ) throws(RecordingError) -> (shape: Shape, notes: [String]) {
        // The radius of a circle is checked with the sight.
        let metres =
            switch geometry {
            case .point: 1.0 as Double?
            case .lines: radius ?? self.radius?.meters
            case .polygons: radius
            }
        if case .lines = geometry, metres == nil {
            throw RecordingError(
                "\(name): a line needs a radius, half the width: give it radius_m in metres, or --radius for all lines")
        }
        do {
            let (shape, mends) = try Shape.read(geometry, radius: metres, repair: repair)
            return (shape, mends.map { "\(name): \($0)" })
        } catch {
            throw RecordingError("\(name): \(error)")
        }
    }
}

extension Sight {
    /// Gives the sight a shape, whose radius counts only for lines.
    ///
    /// - Parameter radius: the radius in metres of a circle; `nil` for the default.
    fileprivate mutating func setShape(_ shape: Shape, radius: Double?) {
        setShape(shape)
        if shape.kind == .circle { self.radius = radius.map(Distance.meters) ?? Self.defaultRadius }
    }
}
