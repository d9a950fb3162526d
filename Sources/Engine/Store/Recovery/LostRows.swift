import GRDB
import Time

/// Finds out what people call the rows that cannot be read.
///
/// The rows themselves are lost, but an index on the name of each may still be readable, and so may be the rows beside
/// them, which have the days.
struct LostRows {
    private let table: TableShape
    private let source: Database
    private let copy: Database

    /// The most names that are listed for a table.
    private static let maximumNames = 1000
    /// The number of bits of a trace's key that are the time since the start of the trip; see the migration.
    private static let timeBits: Int64 = 40

    init(_ table: TableShape, _ source: Database, _ copy: Database) {
        self.table = table
        self.source = source
        self.copy = copy
    }

    /// Returns what is lost in ranges of row numbers, in words; nothing if it cannot be found out.
    func names(_ ranges: [ClosedRange<Int64>]) -> [String] {
        guard !ranges.isEmpty else { return [] }
        var found: [String] = []
        for range in ranges {
            switch table.name {
            case "trace": found += trips(range)
            case "event": found.append(days(of: range).map { "events \($0)" } ?? "events")
            default: found += named(in: range)
            }
        }
        guard found.count > Self.maximumNames else { return found }
        return Array(found.prefix(Self.maximumNames)) + ["and \(found.count - Self.maximumNames) more"]
    }

    /// Returns the names of rows, which a unique index on a text column still has.
    private func named(in range: ClosedRange<Int64>) -> [String] {
        let indexes =
            (try? Row.fetchAll(
                copy,
                sql: """
                    SELECT list.name, info.name FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info
                    JOIN pragma_table_info(?) AS column ON column.name = info.name
                    WHERE list."unique" AND NOT list.partial AND info.seqno = 0 AND column.type = 'TEXT'
                        AND (SELECT count(*) FROM pragma_index_info(list.name)) = 1
                    """, arguments: [table.name, table.name])) ?? []
        for index in indexes {
            let (name, column): (String, String) = (index[0], index[1])
            // The index has the row's number too, so the damaged page of the table is not read.
            let sql =
                "SELECT \(column.quotedDatabaseIdentifier) FROM \(table.quoted) INDEXED BY \(name.quotedDatabaseIdentifier) "
                + "WHERE \(column.quotedDatabaseIdentifier) > '' AND rowid BETWEEN ? AND ?"
            if let names = try? String.fetchAll(source, sql: sql, arguments: [range.lowerBound, range.upperBound]),
                !names.isEmpty
            {
                return names
            }
        }
        return days(of: range).map { ["those \($0)"] } ?? []
    }

    /// Returns the days between the rows before and after a range, from their column `time` or `start`; `nil` if there
    /// is none.
    private func days(of range: ClosedRange<Int64>) -> String? {
        guard let column = ["time", "start"].first(where: table.columns.contains)?.quotedDatabaseIdentifier else {
            return nil
        }
        func day(_ condition: String, _ number: Int64) -> String? {
            let sql = "SELECT \(column.quotedDatabaseIdentifier) FROM \(table.quoted) WHERE rowid \(condition) LIMIT 1"
            return (try? Int64.fetchOne(copy, sql: sql, arguments: [number])).flatMap(Self.day)
        }
        switch (
            day("< ? ORDER BY rowid DESC", range.lowerBound), day("> ? ORDER BY rowid", range.upperBound)
        ) {
        case (let first?, let last?): return first == last ? "of \(first)" : "from \(first) to \(last)"
        case (let first?, nil): return "from \(first) on"
        case (nil, let last?): return "until \(last)"
        case (nil, nil): return "of all days"
        }
    }

    private static func day(_ milliseconds: Int64) -> String? {
        Timestamp(exactly: milliseconds).map { String($0.description.prefix(10)) }
    }

    /// Returns the trips whose points have keys in a range, with the time of the lost ones.
    private func trips(_ range: ClosedRange<Int64>) -> [String] {
        let (first, last) = (range.lowerBound >> Self.timeBits, range.upperBound >> Self.timeBits)
        let rows =
            (try? Row.fetchAll(
                source,
                sql: "SELECT number, id, start FROM trip WHERE number BETWEEN ? AND ? ORDER BY number LIMIT 1001",
                arguments: [first, last])) ?? []
        guard !rows.isEmpty else { return ["points of trips that cannot be read either"] }
        return rows.map { row in
            let (number, id, start): (Int64, String, Int64) = (row[0], row[1], row[2])
            func time(_ key: Int64) -> String? {
                let passed = key & ((1 << Self.timeBits) - 1)
                return Timestamp(exactly: start &+ passed).map { String($0.description.dropFirst(11).prefix(8)) }
            }
            let from = number == first ? time(range.lowerBound) : nil
            let until = number == last ? time(range.upperBound) : nil
            return switch (from, until) {
            case (let from?, let until?): "points of the trip \(id) from \(from) to \(until)"
            case (let from?, nil): "points of the trip \(id) from \(from) on"
            case (nil, let until?): "points of the trip \(id) until \(until)"
            case (nil, nil): "all points of the trip \(id)"
            }
        }
    }
}
