import GPX
package import Geodesy
import Interchange
public import Positioning
import Receivers
import Service
import TextCoding

/// A reader of sights from a file: CSV, GeoJSON points or GPX waypoints, recognised by content.
///
/// Reading is all or nothing. One bad row rejects the file, and the error names the row and column.
public enum SightFile {
    /// Reads the sights of a file.
    ///
    /// The path `-` stands for standard input.
    ///
    /// Memory use is that of the sights; for GeoJSON, that of the text as well.
    ///
    /// - Throws: ``RecordingError`` with the line and column if the format knows them.
    public static func read(path: String) throws(RecordingError) -> [Sight] {
        let file = try FileBytes(path: path)
        guard let first = try file.next() else { throw RecordingError("the file is empty") }
        if let kind = FileKind(first.span), kind != .geoJSON {
            throw RecordingError("this is \(kind.name); \(kind.remedy)")
        }
        switch ContentKind(of: first.span) {
        case .text: return try csv(first, file)
        case .json: return try geoJSON(first, file)
        case .xml: return try gpx(first, file)
        }
    }

    private static func csv(_ first: [UInt8], _ file: FileBytes) throws(RecordingError) -> [Sight] {
        var reader = CSVReader()
        var table = SightTable()
        var rows: [CSVRow] = []
        try reader.feed(first.span, into: &rows)
        try table.take(&rows)
        while let piece = try file.next() {
            try reader.feed(piece.span, into: &rows)
            try table.take(&rows)
        }
        try reader.finish(into: &rows)
        try table.take(&rows)
        return try table.finish()
    }

    private static func geoJSON(_ first: [UInt8], _ file: FileBytes) throws(RecordingError) -> [Sight] {
        var bytes = first
        while let piece = try file.next() {
            bytes.append(contentsOf: piece)
            guard bytes.count <= GeoJSONReader.maximumLength else { break }
        }
        let (points, refused) = try GeoJSONReader.points(from: bytes)
        if let refusal = refused.first { throw RecordingError("\(refusal)") }
        var names = Slugs()
        return try points.map { (point) throws(RecordingError) in
            let properties = point.properties
            let name = "features[\(point.index)]"
            guard let title = properties["title"] ?? properties["name"] else {
                throw RecordingError("\(name): it has neither a \"title\" nor a \"name\" among its properties")
            }
            guard let radius = radius(properties["radius_m"] ?? properties["radius"]) else {
                throw RecordingError("\(name): its radius is not a number")
            }
            let sight = Sight(
                id: try names.id(point.id ?? properties["id"], title: title, of: name), title: title,
                place: point.coordinate, radius: radius, category: properties["category"],
                information: properties["description"])
            return try checked(sight, of: name)
        }
    }

    private static func gpx(_ first: [UInt8], _ file: FileBytes) throws(RecordingError) -> [Sight] {
        let reader = GPXReader()
        var items: [GPXItem] = []
        var names = Slugs()
        var sights: [Sight] = []
        func take() throws(RecordingError) {
            for case .waypoint(let point) in items {
                let name = "waypoint \(sights.count + 1)"
                guard let title = point.name else { throw RecordingError("\(name): it has no name") }
                // 0 means that no warning is wanted.
                let radius = point.proximity.flatMap { $0 > .zero ? $0 : nil } ?? Sight.defaultRadius
                let sight = Sight(
                    id: try names.id(nil, title: title, of: name), title: title, place: point.coordinate,
                    radius: radius, category: point.category ?? point.symbol,
                    information: point.description ?? point.comment)
                sights.append(try checked(sight, of: name))
            }
            items.removeAll(keepingCapacity: true)
        }
        try reader.feed(first.span, into: &items)
        try take()
        while let piece = try file.next() {
            try reader.feed(piece.span, into: &items)
            try take()
        }
        try reader.finish(into: &items)
        try take()
        guard !sights.isEmpty else { throw RecordingError("the GPX file has no waypoints to import as sights") }
        return sights
    }

    /// Parses a radius in metres.
    ///
    /// Returns the default radius if there is no text, and `nil` if the text is not a number.
    package static func radius(_ text: String?) -> Distance? {
        guard let text else { return Sight.defaultRadius }
        return DecimalText.parse(text).map(Distance.meters)
    }

    private static func checked(_ sight: Sight, of name: String) throws(RecordingError) -> Sight {
        do {
            try sight.check()
        } catch {
            throw RecordingError("\(name): its \(error.field) is \(error.reason)")
        }
        return sight
    }
}

/// The rows of a CSV file, converted to sights as they are read.
private struct SightTable {
    private var header: CSVHeader?
    private var sights: [Sight] = []
    private var lines: [String: Int] = [:]

    mutating func take(_ rows: inout [CSVRow]) throws(RecordingError) {
        for row in rows {
            guard let header else {
                header = try CSVHeader(
                    row, required: ["id", "title", "lat", "lon"],
                    optional: ["radius_m", "category", "description"])
                continue
            }
            if row.fields.allSatisfy(\.isEmpty) { continue }
            try header.check(row)
            let sight = try Self.sight(row, header)
            if let before = lines.updateValue(row.line, forKey: sight.id) {
                throw RecordingError(
                    "column id: \"\(sight.id)\" is already in line \(before)", line: row.line)
            }
            sights.append(sight)
        }
        rows.removeAll(keepingCapacity: true)
    }

    func finish() throws(RecordingError) -> [Sight] {
        guard header != nil else { throw RecordingError("the file is empty") }
        return sights
    }

    private static func sight(_ row: CSVRow, _ header: CSVHeader) throws(RecordingError) -> Sight {
        func text(_ column: String) throws(RecordingError) -> String {
            guard let text = header.field(column, of: row) else {
                throw RecordingError("column \(column): it is empty", line: row.line)
            }
            return text
        }
        func number(_ column: String) throws(RecordingError) -> Double {
            let text = try text(column)
            guard let number = DecimalText.parse(text) else {
                let comma = text.contains(",") ? "; write a point instead of the comma" : ""
                throw RecordingError(
                    "column \(column): \"\(text.prefix(40))\" is not a number\(comma)", line: row.line)
            }
            return number
        }
        let (latitude, longitude) = (try number("lat"), try number("lon"))
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            let column = abs(latitude) <= 90 ? "lon" : "lat"
            let range = abs(latitude) <= 90 ? "-180 to 180" : "-90 to 90"
            throw RecordingError(
                "column \(column): \(column == "lat" ? latitude : longitude) is outside \(range)", line: row.line)
        }
        let radius = header.field("radius_m", of: row)
        guard let distance = SightFile.radius(radius) else {
            throw RecordingError("column radius_m: \"\(radius?.prefix(40) ?? "")\" is not a number", line: row.line)
        }
        let sight = Sight(
            id: try text("id"), title: try text("title"), place: place, radius: distance,
            category: header.field("category", of: row), information: header.field("description", of: row))
        do {
            try sight.check()
        } catch {
            let column = error.field == "radius" ? "radius_m" : error.field
            throw RecordingError("column \(column): \(error.reason)", line: row.line)
        }
        return sight
    }
}

extension Slugs {
    /// Returns the given id, or one made from the title.
    ///
    /// Rejects an id that an earlier sight has.
    fileprivate mutating func id(_ given: String?, title: String, of name: String) throws(RecordingError) -> String {
        guard let id = id(given, title: title) else {
            throw RecordingError("\(name): an earlier sight has the same id \"\(given ?? "")\"")
        }
        return id
    }
}
