import GRDB
import Geodesy
import RPC
import Service
import Store
import TextCoding
import Time

/// A place of a plan, which has a position in the order of visits.
struct Location: Sendable, Planned {
    /// The row number in the table `location`.
    var number: Int64
    /// The random id by which callers identify the location.
    var id: String
    /// The row number of the plan.
    var plan: Int64
    /// The revision, which is 1 at first and grows by 1 with each change.
    var revision: Int64
    /// The position in the order of the plan.
    var position: Int64
    /// The number of the person who added it; `nil` if the account is gone.
    var person: Int64?
    /// What people have written about it.
    var fields: Fields
    /// The time at which a traveller first passed it; `nil` if none has.
    var passed: Timestamp?
    /// The time at which that traveller's device left it; `nil` if it has not.
    var departed: Timestamp?

    /// The kind of its subject.
    static let kind = "location"
    /// The most locations of a plan.
    static let maximumPerPlan = 500
    /// The default radius.
    static let defaultRadius = Distance.meters(100)
    /// The largest radius; anything larger is a region.
    static let greatestRadius = Distance.kilometers(100)

    /// The optional fields of a location.
    enum Field: Int, WrittenFieldKey {
        case address, description, coverURL

        static let declarations = allCases.map { field in
            switch field {
            case .address: WrittenField("address", .line, "The address")
            case .description: WrittenField("description", .prose, "The description")
            case .coverURL: WrittenField("cover_url", .link, "A link to a cover picture", isCopied: false)
            }
        }
    }

    /// What people write about a location.
    struct Fields: WrittenFields {
        var name: String
        var values = WrittenValues<Field>()
        var place: Coordinate?
        var radius = Location.defaultRadius
        var span = PlannedSpan()
        /// Who sees it, among those who see the plan.
        var level = Level.everyone

        /// Returns the fields with trimmed texts.
        ///
        /// - Throws: ``Refusal`` if a field is invalid.
        func checked() throws(Refusal) -> Fields {
            var fields = self
            fields.name = try PlanText.title(name, "name")
            fields.values = try values.checked()
            guard radius > .zero, radius <= Location.greatestRadius else {
                throw .invalid(
                    "radius_m",
                    "must be above 0 and at most \(DecimalText.string(Location.greatestRadius.meters, decimals: 3))")
            }
            try span.check(startField: "from", endField: "to")
            return fields
        }

        fileprivate var columns: ColumnValues {
            var columns = ColumnValues()
            columns["name"] = name
            columns["folded"] = PlanText.folded([name, self[.address]])
            values.add(to: &columns)
            columns.set(place)
            columns["radius_m"] = radius.meters
            columns["level"] = level.rawValue
            columns.set("start", span.start)
            columns.set("end", span.end, isEnd: true)
            return columns
        }
    }

    /// The planned beginning of the visit.
    var start: PlannedTime? { fields.span.start }
    /// The planned end of the visit.
    var end: PlannedTime? { fields.span.end }
    var subject: SubjectID { SubjectID(kind: Self.kind, id: id) }

    /// Creates a location from a row of `location`.
    init(_ row: NamedRow) throws {
        guard let level = Level(rawValue: row["level"]) else {
            throw row.damage("a location has no valid level")
        }
        number = row["number"]
        id = row["id"]
        plan = row["plan"]
        revision = row["revision"]
        position = row["position"]
        person = row["person"]
        passed = row.time("passed")
        departed = row.time("departed")
        fields = Fields(
            name: row["name"], values: WrittenValues(row), place: row.place, radius: .meters(row["radius_m"]),
            span: PlannedSpan(start: row.plannedTime("start"), end: row.plannedTime("end")), level: level)
    }

    /// Returns the location with a number, whether or not the caller may see it.
    static func get(_ number: Int64, in db: Database) throws -> Location {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM location WHERE number = ?"), arguments: [number])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a location is missing") }
        return try Location(row)
    }
}

/// Changing locations, within a transaction of the caller.
extension Location {
    /// Adds a location after all others of the plan.
    ///
    /// - Returns: the number of the location.
    static func create(_ fields: Fields, in access: PlanAccess, at now: Timestamp, in db: Database) throws -> Int64 {
        try access.checkEdits()
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*) AS count, coalesce(max(position), 0) AS last FROM location WHERE plan = ?"),
            arguments: [access.plan])
        let (count, last): (Int, Int64) = (row?["count"] ?? 0, row?["last"] ?? 0)
        guard count < maximumPerPlan else {
            throw Refusal.unavailable(
                "The plan \(access.id) has \(maximumPerPlan) locations, the maximum. Remove one first.")
        }
        var columns = try fields.checked().columns
        columns["id"] = RandomID.make()
        columns["plan"] = access.plan
        columns["position"] = last + 1
        columns["person"] = access.person
        columns["created"] = now.milliseconds
        return try columns.insert(into: "location", in: db)
    }

    /// Changes the fields of a location.
    ///
    /// If its level is narrowed from everyone, the links to it end.
    ///
    /// - Parameter revision: the revision that the caller has read; `nil` for any.
    static func update(
        _ number: Int64, in access: PlanAccess, to fields: Fields, from revision: Int64?, in db: Database
    ) throws {
        try access.checkEdits()
        let old = try get(number, in: db)
        try Plan.checkRevision(revision, old.revision, kind, old.id)
        try fields.checked().columns.update("location", number, in: db)
        if old.fields.level == .everyone, fields.level != .everyone { try PlanLink.endAll(to: number, in: db) }
    }

    /// Moves a location to the bin.
    static func remove(_ number: Int64, in access: PlanAccess, at now: Timestamp, in db: Database) throws {
        try access.checkEdits()
        let old = try get(number, in: db)
        try PlanBin.keep(
            .location, number, id: old.id, titled: old.fields.name, isHidden: old.fields.level == .me, in: access,
            at: now, in: db)
        try db.cachedStatement(sql: "DELETE FROM location WHERE number = ?").execute(arguments: [number])
    }

    /// The position to which a location is moved.
    enum Target: Hashable, Sendable {
        /// Directly before the location with this number.
        case before(Int64)
        /// Directly after the location with this number.
        case after(Int64)
        /// At this place of the order, counted from 0, or at its end.
        case at(Int)

        /// Returns an order in which one has moved here; `nil` if what it is to stand beside is missing.
        func order(moving number: Int64, in order: [Int64]) -> [Int64]? {
            var order = order
            let (anchor, distance): (Int64, Int)
            switch self {
            case .before(let other): (anchor, distance) = (other, 0)
            case .after(let other): (anchor, distance) = (other, 1)
            case .at(let place):
                order.removeAll { $0 == number }
                order.insert(number, at: min(max(place, 0), order.count))
                return order
            }
            guard anchor != number else { return order }
            order.removeAll { $0 == number }
            guard let index = order.firstIndex(of: anchor) else { return nil }
            order.insert(number, at: index + distance)
            return order
        }
    }

    /// Returns the numbers of the locations of a plan, in their order.
    static func order(of plan: Int64, in db: Database) throws -> [Int64] {
        try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT number FROM location WHERE plan = ? ORDER BY position, number"),
            arguments: [plan])
    }

    /// Moves a location within the order of its plan.
    static func move(_ number: Int64, in access: PlanAccess, to target: Target, in db: Database) throws {
        try access.checkEdits()
        guard
            let order = try target.order(moving: number, in: order(of: access.plan, in: db))
        else { throw Refusal.invalid("location", "must be another location of the same plan") }
        let statement = try db.cachedStatement(
            sql: "UPDATE location SET position = :position WHERE number = :number AND position <> :position")
        for (position, number) in order.enumerated() {
            try statement.execute(arguments: ["position": position + 1, "number": number])
        }
    }

    /// Stamps a location with the time at which a traveller passed it.
    ///
    /// - Parameter isCrossed: whether the device crossed the geofence without a fix inside, and therefore left it at
    ///   the same moment.
    static func stamp(
        _ number: Int64, at time: Timestamp, by device: String, isCrossed: Bool, in db: Database
    ) throws {
        try db.cachedStatement(sql: "UPDATE location SET passed = ?, departed = ?, device = ? WHERE number = ?")
            .execute(arguments: [time.milliseconds, isCrossed ? time.milliseconds : nil, device, number])
    }

    /// Records the time at which the device that stamped a location first left it.
    static func depart(_ id: String, at time: Timestamp, by device: String, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE location SET departed = :time
                WHERE id = :id AND device = :device AND departed IS NULL AND passed <= :time
                """
        ).execute(arguments: ["time": time.milliseconds, "id": id, "device": device])
    }

    /// Removes the stamp of a location.
    static func clearStamp(_ number: Int64, in access: PlanAccess, in db: Database) throws {
        try access.checkEdits()
        var columns = ColumnValues()
        for name in ["passed", "departed", "device"] { columns[name] = nil }
        try columns.update("location", number, in: db)
    }
}

/// Reading locations as the caller sees them.
extension Location {
    /// Returns the locations of a plan that the caller sees, in the order of the plan.
    ///
    /// - Parameters:
    ///   - text: a text that the name or the address must contain, ignoring case and accents; `nil` for all locations.
    ///   - key: the position and number of the last location of the previous page.
    static func list(
        of access: PlanAccess, containing text: String? = nil, after key: (position: Int64, number: Int64)? = nil,
        limit: Int = maximumPerPlan, in db: Database
    ) throws -> [Location] {
        try rows("location.*", of: access, containing: text, after: key, limit: limit, in: db) { try Location($0) }
    }

    /// Returns the number of locations of a plan that the caller sees.
    static func count(of access: PlanAccess, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT count(*) FROM location JOIN plan ON plan.number = location.plan
                    WHERE location.plan = :plan AND \(PlanAccessRules.sees("location", reach: ":reach"))
                    """), arguments: ["plan": access.plan, "me": access.person, "reach": access.reach]) ?? 0
    }

    /// Calls `body` with the selected columns of each location of ``list(of:containing:after:limit:in:)``.
    ///
    /// - Returns: the results of `body`, in the order of the plan.
    static func rows<Value>(
        _ columns: String, of access: PlanAccess, containing text: String?,
        after key: (position: Int64, number: Int64)?,
        limit: Int, in db: Database, _ body: (NamedRow) throws -> Value
    ) throws -> [Value] {
        try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM location JOIN plan ON plan.number = location.plan
                    WHERE location.plan = :plan AND \(PlanAccessRules.sees("location", reach: ":reach"))
                        AND (:text IS NULL OR instr(location.folded, :text) > 0)
                        AND (location.position, location.number) > (:position, :number)
                    ORDER BY location.position, location.number LIMIT :limit
                    """),
            arguments: [
                "plan": access.plan, "me": access.person, "reach": access.reach,
                "text": text.map { PlanText.folded([$0]) }, "position": key?.position ?? .min,
                "number": key?.number ?? .min, "limit": StoreDamage.widened(limit),
            ], body)
    }

    /// Returns the ids of the locations directly before and after one, among those that the caller sees.
    static func neighbors(
        of number: Int64, in access: PlanAccess, in db: Database
    ) throws -> (previous: String?, next: String?) {
        func neighbor(_ comparison: String, _ order: String) throws -> String? {
            try String.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT location.id FROM location JOIN plan ON plan.number = location.plan
                        WHERE location.plan = :plan AND \(PlanAccessRules.sees("location", reach: ":reach"))
                            AND (location.position, location.number) \(comparison)
                                (SELECT position, number FROM location WHERE number = :number)
                        ORDER BY location.position \(order), location.number \(order) LIMIT 1
                        """),
                arguments: ["plan": access.plan, "me": access.person, "reach": access.reach, "number": number])
        }
        return (try neighbor("<", "DESC"), try neighbor(">", "ASC"))
    }
}
