import GRDB
import Geodesy
import RPC
import Service
import Time

/// The values of the columns to write to a row, by column name.
struct ColumnValues {
    private(set) var names: [String] = []
    private var values: [String: (any DatabaseValueConvertible)?] = [:]

    subscript(name: String) -> (any DatabaseValueConvertible)? {
        get { values[name] ?? nil }
        set {
            if values.updateValue(newValue, forKey: name) == nil { names.append(name) }
        }
    }

    /// Sets the columns `lat_e7` and `lon_e7`.
    mutating func set(_ place: Coordinate?) {
        self["lat_e7"] = place?.latitudeE7
        self["lon_e7"] = place?.longitudeE7
    }

    /// Sets the four columns of a planned time, whose names begin with `name`.
    ///
    /// - Parameter isEnd: whether the column of the moment contains the end of the time, which matters for whole days.
    mutating func set(_ name: String, _ time: PlannedTime?, isEnd: Bool = false) {
        self["\(name)_clock"] = time?.clock.description
        self["\(name)_zone"] = time?.zone.name
        self["\(name)_offset_s"] = time?.offset
        self["\(name)_time"] = (isEnd ? time?.end : time?.instant)?.milliseconds
    }

    /// Inserts a row.
    ///
    /// - Returns: the number of the row.
    func insert(into table: String, in db: Database) throws -> Int64 {
        try db.cachedStatement(
            sql: """
                INSERT INTO \(table) (\(names.joined(separator: ", ")))
                VALUES (\(names.map { ":" + $0 }.joined(separator: ", ")))
                """
        ).execute(arguments: StatementArguments(values))
        return db.lastInsertedRowID
    }

    /// Updates a row and increments its revision.
    func update(_ table: String, _ number: Int64, in db: Database) throws {
        var arguments = StatementArguments(values)
        arguments += ["number": number]
        try db.cachedStatement(
            sql: """
                UPDATE \(table) SET revision = revision + 1\(names.map { ", \($0) = :\($0)" }.joined())
                WHERE number = :number
                """
        ).execute(arguments: arguments)
    }
}

extension NamedRow {
    /// The place in the columns `lat_e7` and `lon_e7`.
    var place: Coordinate? {
        guard let latitude: Int32 = self["lat_e7"], let longitude: Int32 = self["lon_e7"] else { return nil }
        return Coordinate(latitudeE7: latitude, longitudeE7: longitude)
    }

    /// Returns the planned time in the columns whose names begin with `name`.
    func plannedTime(_ name: StaticString) -> PlannedTime? {
        let time = under(name)
        guard let clock = (time["_clock"] as String?).flatMap({ WallClock($0) }),
            let zone = (time["_zone"] as String?).flatMap({ Zone($0) })
        else { return nil }
        return PlannedTime(clock, in: zone, offset: time["_offset_s"])
    }

    func time(_ name: StaticString) -> Timestamp? { (self[name] as Int64?).map { Timestamp(milliseconds: $0) } }
}

/// A planned beginning and a planned end, both optional.
struct PlannedSpan: Hashable, Sendable, Planned {
    var start: PlannedTime?
    var end: PlannedTime?

    /// Refuses an end before the beginning, and, if `needsStart` is set, an end without a beginning.
    func check(needsStart: Bool = false, startField: String = "start", endField: String = "end") throws(Refusal) {
        guard let end else { return }
        guard let start else {
            if needsStart { throw .invalid(startField, "must be given if \(endField) is given") }
            return
        }
        // A whole day that ends at the moment of the start is the day before the start.
        let isAfter = end.clock.minute == nil ? end.end > start.instant : end.instant >= start.instant
        guard isAfter else { throw .invalid(endField, "must not be before \(startField)") }
    }

    /// Returns the span moved by a number of calendar days.
    func moved(byDays days: Int64) -> PlannedSpan {
        func move(_ time: PlannedTime?) -> PlannedTime? {
            time.map { time in
                var moved = time
                moved.clock.date = time.clock.date.advanced(byDays: days)
                if days != 0 { moved.offset = nil }
                return moved
            }
        }
        return PlannedSpan(start: move(start), end: move(end))
    }
}
