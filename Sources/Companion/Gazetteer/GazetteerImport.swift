import GRDB
import Geodesy
import RPC
import Store

/// Imports GeoNames' tables in parts, within transactions of the caller.
///
/// The parts are collected in a draft, which replaces the gazetteer once it is complete.
enum GazetteerImport {
    /// The most places of a gazetteer: all populated places of a continent.
    static let maximumPlaces = 2_000_000

    /// The progress of an import.
    struct Progress: Hashable, Sendable {
        /// The number of lines in all parts so far.
        var lines: Int
        /// The number of places in these lines.
        var places: Int
        /// Whether the import is complete and its places are now the gazetteer.
        var isDone: Bool
    }

    /// Imports a part of the lines.
    ///
    /// - Parameters:
    ///   - part: the number of the part, counted from 1. Part 1 starts a new import and discards an unfinished one.
    ///   - isLast: whether this is the last part, after which the draft replaces the gazetteer.
    /// - Throws: ``Refusal`` of the kind `conflict` if another part is expected, and of the kind `invalidValue` for an
    ///   invalid line, for too many places, or for an import without any place. Nothing of the part is kept then.
    static func importPart(_ text: String, part: Int64, isLast: Bool, in db: Database) throws -> Progress {
        let state = try StoredRow.fetchOne(db, sql: "SELECT parts, lines FROM gazetteer")
        var (parts, lines): (Int64, Int) = (state?[0] ?? 0, state?[1] ?? 0)
        if part == 1 {
            try db.execute(sql: "DELETE FROM gazetteer_draft")
            (parts, lines) = (0, 0)
        }
        guard part == parts + 1 else {
            throw Refusal.conflict(
                "Part \(parts + 1) of the import must come next. Someone else may have started one. Start again.",
                data: ["part": .integer(parts + 1)])
        }
        try keep(text, &lines, in: db)
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM gazetteer_draft") ?? 0
        guard count <= maximumPlaces else {
            throw Refusal.invalid("text", "has more than \(maximumPlaces) places, including the parts before")
        }
        guard isLast else {
            try db.execute(sql: "UPDATE gazetteer SET parts = ?, lines = ?", arguments: [part, lines])
            return Progress(lines: lines, places: count, isDone: false)
        }
        guard count > 0 else { throw Refusal.invalid("text", "has no populated place; a gazetteer needs at least one") }
        try finish(in: db)
        try db.execute(sql: "UPDATE gazetteer SET parts = 0, lines = 0, places = ?", arguments: [count])
        return Progress(lines: lines, places: count, isDone: true)
    }

    private static func keep(_ text: String, _ lines: inout Int, in db: Database) throws {
        let statement = try DirectStatement(
            """
            INSERT OR REPLACE INTO gazetteer_draft
                (id, name, spellings, lat_e7, lon_e7, cell, population, country, zone)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: db)
        var folding = NameFolding()
        for line in Substring(text).utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let line = line.last == 0x0D ? line.dropLast() : line
            lines += 1
            guard !line.isEmpty else { continue }
            do throws(GazetteerRow.Flaw) {
                guard let row = try GazetteerRow(line, &folding) else { continue }
                do {
                    try insert(row, by: statement)
                } catch {
                    throw GazetteerRow.Flaw(reason: "it cannot be stored: \(error)")
                }
            } catch {
                throw Refusal.invalid("text", "is not a table of GeoNames: line \(lines): \(error.reason)")
            }
        }
        // After a final line end there is an empty rest, which is not a line.
        if text.utf8.last == 0x0A { lines -= 1 }
    }

    private static func insert(_ row: GazetteerRow, by statement: borrowing DirectStatement) throws {
        try statement.bind(row.id, at: 1)
        try statement.bind(row.name, at: 2)
        try statement.bind(row.spellings, at: 3)
        try statement.bind(Int64(row.place.latitudeE7), at: 4)
        try statement.bind(Int64(row.place.longitudeE7), at: 5)
        try statement.bind(Cell(row.place).number, at: 6)
        try statement.bind(row.population, at: 7)
        try statement.bind(row.country, at: 8)
        try statement.bind(row.zone, at: 9)
        try statement.run()
    }

    /// Replaces the gazetteer with the draft, and builds the index of names.
    private static func finish(in db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM gazetteer_key;
                DELETE FROM gazetteer_place;
                INSERT INTO gazetteer_place
                SELECT row_number() OVER (ORDER BY population DESC, id), id, name, spellings, lat_e7, lon_e7, cell,
                    population, country, zone
                FROM gazetteer_draft;
                DELETE FROM gazetteer_draft;
                """)
        try NameKey.index(
            "SELECT number, spellings FROM gazetteer_place ORDER BY number", as: "gazetteer_key", in: db)
    }
}
