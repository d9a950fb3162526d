public import Positioning
public import Shapes
internal import TextCoding

/// A KML Placemark with points, lines or polygons.
public struct KMLShape: Hashable, Sendable {
    /// The number of the Placemark, counted from 1.
    public var number: Int
    /// The name of the place.
    public var name: String?
    /// The description without HTML tags.
    public var description: String?
    /// The texts of its extended data, by name.
    public var data: [String: String]
    /// The geometry before any check.
    public var geometry: RawGeometry
}

extension KMLReader {
    /// The most positions of a document.
    public static let maximumPositions = 1_000_000

    /// Returns the Placemarks of a document that have a geometry, in order, and the number of those that have none.
    ///
    /// A Placemark has a Point, LineStrings, or Polygons with holes, also within a MultiGeometry. Of several Points the
    /// first counts. Altitudes and styles are ignored.
    ///
    /// The time is linear in the length of the document.
    ///
    /// - Throws: ``RecordingError``, with the number of the Placemark or a line where it is known, if the document is
    ///   damaged, is not KML or is too long, if a position is not made of numbers, or if a Placemark has geometries of
    ///   different kinds.
    public static func shapes(from bytes: [UInt8]) throws(RecordingError) -> (shapes: [KMLShape], others: Int) {
        var placemarks = ShapePlacemarks()
        try walk(bytes, into: &placemarks)
        return (placemarks.shapes, placemarks.others)
    }
}

/// The Placemarks with a geometry of the part of a document that was read.
private struct ShapePlacemarks: KMLTaker {
    private(set) var shapes: [KMLShape] = []
    private(set) var others = 0
    private var positions = 0
    private var mark = ShapePlacemark(number: 1)

    mutating func begin(_ element: String, dataName: String?) {
        if element == "Placemark" { mark = ShapePlacemark(number: shapes.count + others + 1) }
        if element == "Polygon" { mark.beginPolygon() }
        if element == "Data" || element == "SimpleData" { mark.dataName = dataName }
    }

    mutating func end(
        _ element: String, of parent: String?, under grandparent: String?, _ text: String
    ) throws(RecordingError) {
        if element == "Placemark" {
            if let shape = try mark.shape() { shapes.append(shape) } else { others += 1 }
            mark = ShapePlacemark(number: shapes.count + others + 1)
        } else if let parent {
            positions += try mark.add(element, of: parent, under: grandparent, text)
            guard positions <= KMLReader.maximumPositions else {
                throw RecordingError(
                    "the text has more than \(KMLReader.maximumPositions) positions; simplify or split it")
            }
        }
    }
}

/// The values read so far of a Placemark.
private struct ShapePlacemark {
    let number: Int
    private var name: String?
    private var description: String?
    private var data: [String: String] = [:]
    var dataName: String?
    private var point: RawPosition?
    private var lines: [[RawPosition]] = []
    private var polygons: [(outer: [RawPosition]?, holes: [[RawPosition]])] = []

    init(number: Int) { self.number = number }

    mutating func beginPolygon() { polygons.append((nil, [])) }

    /// Returns the Placemark; `nil` if it has no geometry.
    func shape() throws(RecordingError) -> KMLShape? {
        let kinds = [point != nil, !lines.isEmpty, !polygons.isEmpty].filter(\.self).count
        guard kinds > 0 else { return nil }
        guard kinds == 1 else {
            throw error("it has geometries of different kinds; make a Placemark of each kind")
        }
        let geometry: RawGeometry
        if let point {
            geometry = .point(point)
        } else if !lines.isEmpty {
            geometry = .lines(lines)
        } else {
            geometry = .polygons(
                try polygons.map { (outer, holes) throws(RecordingError) in
                    guard let outer else { throw error("a Polygon has no outer boundary") }
                    return [outer] + holes
                })
        }
        return KMLShape(number: number, name: name, description: description, data: data, geometry: geometry)
    }

    private func error(_ reason: String) -> RecordingError { RecordingError("Placemark \(number): \(reason)") }

    /// Takes the text of an element.
    ///
    /// - Returns: the number of its positions.
    mutating func add(
        _ element: String, of parent: String, under grandparent: String?, _ text: String
    ) throws(RecordingError) -> Int {
        switch (parent, element) {
        case ("Placemark", "name"): name = KMLText.trimmed(text)
        case ("Placemark", "description"): description = KMLText.trimmed(KMLText.plain(text))
        case ("Data", "value"), ("SchemaData", "SimpleData"):
            if let dataName { data[dataName] = KMLText.trimmed(text) }
        case ("Point", "coordinates"):
            let positions = try positions(text)
            guard let first = positions.first else { throw error("the Point has no position") }
            if point == nil { point = first }
            return positions.count
        case ("LineString", "coordinates"):
            lines.append(try positions(text))
            return lines.last?.count ?? 0
        case ("LinearRing", "coordinates"):
            let ring = try positions(text)
            if grandparent == "outerBoundaryIs", let last = polygons.indices.last {
                polygons[last].outer = ring
            } else if grandparent == "innerBoundaryIs", let last = polygons.indices.last {
                polygons[last].holes.append(ring)
            } else {
                // A ring alone is a line that closes.
                lines.append(ring)
            }
            return ring.count
        default: break
        }
        return 0
    }

    private func positions(_ text: String) throws(RecordingError) -> [RawPosition] {
        try text.split(whereSeparator: \.isWhitespace).map { (tuple) throws(RecordingError) in
            let numbers = tuple.split(separator: ",", omittingEmptySubsequences: false).prefix(2).map {
                DecimalText.parse(String($0))
            }
            guard numbers.count == 2, let longitude = numbers[0], let latitude = numbers[1] else {
                throw error(
                    "\"\(tuple.prefix(60))\" is not a position, which is a longitude, a comma and a latitude")
            }
            return RawPosition(longitude: longitude, latitude: latitude)
        }
    }
}

/// Texts of KML.
enum KMLText {
    static func trimmed(_ text: String) -> String? {
        let rest = text.drop(while: \.isWhitespace)
        return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) }
    }

    /// Returns a text without HTML tags; tags that begin a new line or a block become a line feed.
    static func plain(_ text: String) -> String {
        guard text.contains("<") else { return text }
        var plain = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            plain += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ">") else { return plain + rest[start...] }
            let tag = rest[start...end].dropFirst().prefix { $0.isLetter }.lowercased()
            if ["br", "p", "div", "li", "tr"].contains(tag), !plain.isEmpty { plain += "\n" }
            rest = rest[rest.index(after: end)...]
        }
        return plain + rest
    }
}
