import Geodesy
import Interchange
import Positioning
import Shapes
import TextCoding

/// The rows of a CSV file, converted to sights as they are read.
struct SightTable {
    private var header: CSVHeader?
    private var content = SightFile.Content()
    private var lines: [String: Int] = [:]
    private let options: SightFile.Options

    /// The column with well-known text, in place of `lat` and `lon`.
    private static let shapeColumn = "wkt"

    init(_ options: SightFile.Options) { self.options = options }

    mutating func append(_ rows: inout [CSVRow]) throws(RecordingError) {
        for row in rows {
            guard let header else {
                header = try Self.header(row)
                continue
            }
            if row.fields.allSatisfy(\.isEmpty) { continue }
            try header.check(row)
            let sight = try sight(row, header)
            if let before = lines.updateValue(row.line, forKey: sight.id) {
                throw RecordingError("column id: \"\(sight.id)\" is already in line \(before)", line: row.line)
            }
            content.sights.append(sight)
        }
        rows.removeAll(keepingCapacity: true)
    }

    func finish() throws(RecordingError) -> SightFile.Content {
        guard header != nil else { throw RecordingError("the file is empty") }
        return content
    }

    private static func header(_ row: CSVRow) throws(RecordingError) -> CSVHeader {
        let others = ["radius_m", "category", "description"]
        let shaped = try CSVHeader(row, required: [], optional: [shapeColumn])
        return shaped.has(shapeColumn)
            ? try CSVHeader(row, required: ["id", "title"], optional: ["lat", "lon", shapeColumn] + others)
            : try CSVHeader(row, required: ["id", "title", "lat", "lon"], optional: others)
    }

    private mutating func sight(_ row: CSVRow, _ header: CSVHeader) throws(RecordingError) -> Sight {
        func text(_ column: String) throws(RecordingError) -> String {
            guard let text = header.field(column, of: row) else {
                throw RecordingError("column \(column): it is empty", line: row.line)
            }
            return text
        }
        var radius = options.radius
        if let given = header.field("radius_m", of: row) {
            guard let number = DecimalText.parse(given) else {
                throw RecordingError("column radius_m: \"\(given.prefix(40))\" is not a number", line: row.line)
            }
            radius = .meters(number)
        }
        var sight = Sight(
            id: try text("id"), title: try text("title"), place: .origin, radius: radius ?? Sight.defaultRadius,
            category: header.field("category", of: row), information: header.field("description", of: row))
        if header.has(Self.shapeColumn), let text = header.field(Self.shapeColumn, of: row) {
            let shape = try shape(text, radius: radius, line: row.line)
            sight.setShape(shape)
            if shape.kind == .circle { sight.radius = radius ?? Sight.defaultRadius }
        } else {
            sight.place = try Self.place(text("lat"), text("lon"), line: row.line)
        }
        do {
            try sight.check()
        } catch {
            let column = error.field == "radius" ? "radius_m" : error.field
            throw RecordingError("column \(column): \(error.reason)", line: row.line)
        }
        return sight
    }

    private mutating func shape(_ text: String, radius: Distance?, line: Int) throws(RecordingError) -> Shape {
        let name = "column \(Self.shapeColumn)"
        do {
            let geometry = try WKT.geometry(from: text)
            // The column of radii also has those of circles, so a polygon's is not worth a word.
            var metres: Double? = 1
            if case .lines = geometry { metres = radius?.meters }
            if case .polygons = geometry { metres = nil }
            let (shape, mends) = try Shape.read(geometry, radius: metres, repair: options.repair)
            content.notes += mends.map { "line \(line): \(name): \($0)" }
            return shape
        } catch {
            throw RecordingError("\(name): \(error)", line: line)
        }
    }

    private static func place(_ north: String, _ east: String, line: Int) throws(RecordingError) -> Coordinate {
        let (latitude, longitude) = (try number("lat", north, line: line), try number("lon", east, line: line))
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            let column = abs(latitude) <= 90 ? "lon" : "lat"
            let range = abs(latitude) <= 90 ? "-180 to 180" : "-90 to 90"
            throw RecordingError(
                "column \(column): \(column == "lat" ? latitude : longitude) is outside \(range)", line: line)
        }
        return place
    }

    private static func number(_ column: String, _ text: String, line: Int) throws(RecordingError) -> Double {
        guard let number = DecimalText.parse(text) else {
            let comma = text.contains(",") ? "; write a point instead of the comma" : ""
            throw RecordingError("column \(column): \"\(text.prefix(40))\" is not a number\(comma)", line: line)
        }
        return number
    }
}
