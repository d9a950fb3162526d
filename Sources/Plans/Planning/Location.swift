import GRDB
import Geodesy
import Positioning
import RPC
import Service

/// A place of a plan, in the order in which it is to be visited.
struct Location: Sendable, Planned {
    /// Its number in the table `location`.
    var number: Int64
    /// What it is known by.
    var id: String
    /// The number of its plan.
    var plan: Int64
    /// How often it was changed, and once for being added.
    var revision: Int64
    /// Where it stands in the order.
    var position: Int64
    /// The number of who added it; nil where their account is gone.
    var person: Int64?
    /// What people write of it.
    var fields: Fields
    /// When a traveller passed it first; nil where nobody has.
    var passed: Timestamp?
    /// When they left it; nil where they have not.
    var departed: Timestamp?

    /// What a subject of it is called.
    static let kind = "location"
    /// As many locations a plan has at most.
    static let mostOfPlan = 500
    /// The radius where none is given.
    static let defaultRadius = Distance.meters(100)
    /// The largest radius: what lies beyond it is a region.
    static let greatestRadius = Distance.kilometers(100)

    /// What people write of a location.
    struct Fields: Hashable, Sendable {
        var name: String
        var address: String?
        var description: String?
        var place: Coordinate?
        var radius = Location.defaultRadius
        var coverURL: String?
        var span = PlannedSpan()
        /// Who sees it, at most as many as see the plan.
        var level = Level.everyone

        /// The same with its texts tidied.
        ///
        /// - Throws: what is wrong with a field.
        func checked() throws(Refusal) -> Fields {
            var fields = self
            fields.name = try PlanText.title(name, "name")
            fields.address = try PlanText.line(address, "address")
            fields.description = try PlanText.prose(description, "description")
            fields.coverURL = try PlanText.link(coverURL, "cover_url")
            guard radius > .zero, radius <= Location.greatestRadius else {
                throw .invalid("radius_m", "must be above 0 and up to \(Location.greatestRadius.meters) m")
            }
            try span.check(startField: "from", endField: "to")
            return fields
        }

        fileprivate var columns: ColumnValues {
            var columns = ColumnValues()
            columns["name"] = name
            columns["folded"] = PlanText.folded([name, address])
            columns["address"] = address
            columns["description"] = description
            columns.set(place)
            columns["radius_m"] = radius.meters
            columns["cover_url"] = coverURL
            columns["level"] = level.rawValue
            columns.set("start", span.start)
            columns.set("end", span.end, isEnd: true)
            return columns
        }
    }

    /// When a visit is planned to begin.
    var start: PlannedTime? { fields.span.start }
    /// When a visit is planned to end.
    var end: PlannedTime? { fields.span.end }
    /// Its subject.
    var subject: SubjectID { SubjectID(kind: Self.kind, id: id) }

    /// A row of `location`.
    init(_ row: NamedRow) throws {
        guard let level = Level(rawValue: row["level"]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a location of no level")
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
            name: row["name"], address: row["address"], description: row["description"], place: row.place,
            radius: .meters(row["radius_m"]), coverURL: row["cover_url"],
            span: PlannedSpan(start: row.plannedTime("start"), end: row.plannedTime("end")), level: level)
    }

    /// The location of a number, whoever may see it.
    static func get(_ number: Int64, in db: Database) throws -> Location {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM location WHERE number = ?"), arguments: [number])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a location is gone") }
        return try Location(row)
    }
}

/// Changing locations, within a transaction of the caller.
extension Location {
    /// Adds a location behind all others of the plan.
    ///
    /// - Returns: its number.
    static func create(_ fields: Fields, in access: PlanAccess, at now: Timestamp, in db: Database) throws -> Int64 {
        try access.checkEdits()
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*) AS count, coalesce(max(position), 0) AS last FROM location WHERE plan = ?"),
            arguments: [access.plan])
        let (count, last): (Int, Int64) = (row?["count"] ?? 0, row?["last"] ?? 0)
        guard count < mostOfPlan else {
            throw Refusal.unavailable("The plan \(access.id) has \(mostOfPlan) locations, as many as may be.")
        }
        var columns = try fields.checked().columns
        columns["id"] = RandomID.make()
        columns["plan"] = access.plan
        columns["position"] = last + 1
        columns["person"] = access.person
        columns["created"] = now.milliseconds
        return try columns.insert(into: "location", in: db)
    }

    /// Changes what is written of a location.
    ///
    /// - Parameter revision: the revision that the caller has seen; nil for whatever there is.
    static func update(
        _ number: Int64, in access: PlanAccess, to fields: Fields, from revision: Int64?, in db: Database
    ) throws {
        try access.checkEdits()
        let old = try get(number, in: db)
        try Plan.checkRevision(revision, old.revision, kind, old.id)
        try fields.checked().columns.update("location", number, in: db)
    }

    /// Removes a location.
    static func remove(_ number: Int64, in access: PlanAccess, in db: Database) throws {
        try access.checkEdits()
        try db.cachedStatement(sql: "DELETE FROM location WHERE number = ?").execute(arguments: [number])
    }

    /// Where a location is moved to.
    enum Target: Hashable, Sendable {
        /// Right before the one of a number.
        case before(Int64)
        /// Right behind the one of a number.
        case after(Int64)
    }

    /// Moves a location in the order of its plan.
    static func move(_ number: Int64, in access: PlanAccess, to target: Target, in db: Database) throws {
        try access.checkEdits()
        var order = try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT number FROM location WHERE plan = ? ORDER BY position, number"),
            arguments: [access.plan])
        let (anchor, distance) =
            switch target {
            case .before(let anchor): (anchor, 0)
            case .after(let anchor): (anchor, 1)
            }
        guard anchor != number else { return }
        order.removeAll { $0 == number }
        guard let index = order.firstIndex(of: anchor) else {
            throw Refusal.invalid("location", "must be another location of the same plan")
        }
        order.insert(number, at: index + distance)
        let statement = try db.cachedStatement(
            sql: "UPDATE location SET position = :position WHERE number = :number AND position <> :position")
        for (position, number) in order.enumerated() {
            try statement.execute(arguments: ["position": position + 1, "number": number])
        }
    }

    /// Stamps a location that has no stamp with the time at which a traveller passed it.
    ///
    /// - Parameter isCrossed: whether they went through without a fix inside, and so left it in the same moment.
    static func stamp(
        _ number: Int64, at time: Timestamp, by device: String, isCrossed: Bool, in db: Database
    ) throws {
        try db.cachedStatement(sql: "UPDATE location SET passed = ?, departed = ?, device = ? WHERE number = ?")
            .execute(arguments: [time.milliseconds, isCrossed ? time.milliseconds : nil, device, number])
    }

    /// Notes when the device that stamped a location first left it.
    static func depart(_ id: String, at time: Timestamp, by device: String, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE location SET departed = :time
                WHERE id = :id AND device = :device AND departed IS NULL AND passed <= :time
                """
        ).execute(arguments: ["time": time.milliseconds, "id": id, "device": device])
    }

    /// Takes the stamp off a location.
    static func clearStamp(_ number: Int64, in access: PlanAccess, in db: Database) throws {
        try access.checkEdits()
        var columns = ColumnValues()
        for name in ["passed", "departed", "device"] { columns[name] = nil }
        try columns.update("location", number, in: db)
    }
}

/// Reading locations as someone sees them.
extension Location {
    /// The locations of a plan that someone sees, in their order.
    ///
    /// - Parameters:
    ///   - text: what must be in their names or addresses, in any case and with any accents; nil for all.
    ///   - after: the position and number of the last of the page before.
    static func list(
        of access: PlanAccess, containing text: String? = nil, after key: (position: Int64, number: Int64)? = nil,
        limit: Int = mostOfPlan, in db: Database
    ) throws -> [Location] {
        try rows("location.*", of: access, containing: text, after: key, limit: limit, in: db) { try Location($0) }
    }

    /// How many locations of a plan someone sees.
    static func count(of access: PlanAccess, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT count(*) FROM location JOIN plan ON plan.number = location.plan
                    WHERE location.plan = :plan AND \(Ladder.sees("location", reach: ":reach"))
                    """), arguments: ["plan": access.plan, "me": access.person, "reach": access.reach]) ?? 0
    }

    /// What `body` makes of some columns of the locations that ``list(of:containing:after:limit:in:)`` gives.
    static func rows<Value>(
        _ columns: String, of access: PlanAccess, containing text: String?,
        after key: (position: Int64, number: Int64)?,
        limit: Int, in db: Database, _ body: (NamedRow) throws -> Value
    ) throws -> [Value] {
        try NamedRow.list(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM location JOIN plan ON plan.number = location.plan
                    WHERE location.plan = :plan AND \(Ladder.sees("location", reach: ":reach"))
                        AND (:text IS NULL OR instr(location.folded, :text) > 0)
                        AND (location.position, location.number) > (:position, :number)
                    ORDER BY location.position, location.number LIMIT :limit
                    """),
            arguments: [
                "plan": access.plan, "me": access.person, "reach": access.reach,
                "text": text.map { PlanText.folded([$0]) }, "position": key?.position ?? .min,
                "number": key?.number ?? .min, "limit": limit,
            ], body)
    }

    /// The ids of the locations before and behind one, of those that someone sees.
    static func neighbors(
        of number: Int64, in access: PlanAccess, in db: Database
    ) throws -> (previous: String?, next: String?) {
        func neighbor(_ comparison: String, _ order: String) throws -> String? {
            try String.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT location.id FROM location JOIN plan ON plan.number = location.plan
                        WHERE location.plan = :plan AND \(Ladder.sees("location", reach: ":reach"))
                            AND (location.position, location.number) \(comparison)
                                (SELECT position, number FROM location WHERE number = :number)
                        ORDER BY location.position \(order), location.number \(order) LIMIT 1
                        """),
                arguments: ["plan": access.plan, "me": access.person, "reach": access.reach, "number": number])
        }
        return (try neighbor("<", "DESC"), try neighbor(">", "ASC"))
    }
}
