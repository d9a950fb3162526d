package import GRDB
import Geodesy
import RPC
import Store

/// The names that come with the maps: places, streets and points of OpenStreetMap.
///
/// They are imported in parts, within transactions of the caller. The parts are collected in a draft, which replaces the
/// names of the map once it is complete.
package enum MapNames {
    /// The most names of a map, as many as its reader gives.
    static let most = 2_000_000

    /// The progress of an import.
    package struct Progress: Hashable, Sendable {
        /// The number of lines in all parts so far.
        package var lines: Int
        /// The number of names in these lines.
        package var names: Int
        /// Whether the import is complete and its names are found now.
        package var isDone: Bool
    }

    /// Imports a part of the names of a map.
    ///
    /// - Parameters:
    ///   - text: Lines as ``MapNameRow`` reads them. A name without letters and digits is left out.
    ///   - part: The number of the part, counted from 1. Part 1 starts a new import and discards an unfinished one.
    ///   - isLast: Whether this is the last part, after which the draft replaces the names of the map.
    /// - Throws: `Refusal` of the kind `conflict` if another part is expected, and of the kind `invalidValue` for an
    ///   invalid line or too many names. Nothing of the part is kept then.
    package static func importPart(
        _ text: String, of map: String, part: Int64, isLast: Bool, in db: Database
    ) throws -> Progress {
        let state = try StoredRow.fetchOne(db, sql: "SELECT map, parts, lines FROM map_import")
        var (current, parts, lines): (String, Int64, Int) = (state?[0] ?? "", state?[1] ?? 0, state?[2] ?? 0)
        if part == 1 {
            try db.execute(sql: "DELETE FROM map_name_draft")
            (current, parts, lines) = (map, 0, 0)
        }
        guard part == parts + 1, current == map else {
            throw Refusal.conflict(
                "Part \(parts + 1) of the names of \"\(current)\" must come next. Someone else may have started an import. "
                    + "Start again.",
                data: ["part": .integer(parts + 1)])
        }
        try keep(text, &lines, in: db)
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM map_name_draft") ?? 0
        guard count <= most else {
            throw Refusal.invalid("text", "has more than \(most) names, including the parts before")
        }
        if isLast { try finish(map, in: db) }
        try db.execute(
            sql: "UPDATE map_import SET map = ?, parts = ?, lines = ?",
            arguments: isLast ? ["", 0, 0] : [map, part, lines])
        return Progress(lines: lines, names: count, isDone: isLast)
    }

    /// Removes the names of a map.
    ///
    /// - Returns: The number of names.
    @discardableResult
    package static func remove(_ map: String, in db: Database) throws -> Int {
        let range = try StoredRow.fetchOne(
            db, sql: "SELECT min(number), max(number), count(*) FROM map_name WHERE map = ?", arguments: [map])
        guard let range else { return 0 }
        let count: Int = range[2]
        guard count > 0 else { return 0 }
        let (first, last): (Int64, Int64) = (range[0], range[1])
        try db.execute(sql: "DELETE FROM map_name_key WHERE place BETWEEN ? AND ?", arguments: [first, last])
        try db.execute(sql: "DELETE FROM map_name WHERE map = ?", arguments: [map])
        return count
    }

    private static func keep(_ text: String, _ lines: inout Int, in db: Database) throws {
        let statement = try DirectStatement(
            """
            INSERT INTO map_name_draft (kind, word, name, spellings, lat_e7, lon_e7, cell, population)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, in: db)
        var folding = NameFolding()
        for line in Substring(text).utf8.split(separator: 0x0A) {
            lines += 1
            do throws(GazetteerRow.Flaw) {
                guard let row = try MapNameRow(line, &folding) else { continue }
                do {
                    try insert(row, by: statement)
                } catch {
                    throw GazetteerRow.Flaw(reason: "it cannot be stored: \(error)")
                }
            } catch {
                throw Refusal.invalid("text", "is not a list of names: line \(lines): \(error.reason)")
            }
        }
    }

    private static func insert(_ row: MapNameRow, by statement: borrowing DirectStatement) throws {
        try statement.bind(row.kind.rawValue, at: 1)
        try statement.bind(row.word, at: 2)
        try statement.bind(row.name, at: 3)
        try statement.bind(row.spellings, at: 4)
        try statement.bind(Int64(row.place.latitudeE7), at: 5)
        try statement.bind(Int64(row.place.longitudeE7), at: 6)
        try statement.bind(Cell(row.place).number, at: 7)
        try statement.bind(row.population, at: 8)
        try statement.run()
    }

    /// Replaces the names of a map with the draft, and builds the index of names.
    private static func finish(_ map: String, in db: Database) throws {
        try remove(map, in: db)
        let last = try Int64.fetchOne(db, sql: "SELECT max(number) FROM map_name") ?? 0
        try db.execute(
            sql: """
                INSERT INTO map_name
                SELECT ? + row_number() OVER (
                        ORDER BY population DESC, CASE kind WHEN 'settlement' THEN 0 WHEN 'point' THEN 1 ELSE 2 END, number
                    ), ?, kind, word, name, spellings, lat_e7, lon_e7, cell, population
                FROM map_name_draft
                """, arguments: [last, map])
        try db.execute(sql: "DELETE FROM map_name_draft")
        try NameKey.index(
            "SELECT number, spellings FROM map_name WHERE number > \(last) ORDER BY number", as: "map_name_key", in: db)
    }
}
