import GRDB
import Geodesy
import Money
import Positioning
import RPC
import Service
import Store

/// What people intend: a journey with its days, places, people and money.
struct Plan: Sendable {
    /// Its number in the table `plan`.
    var number: Int64
    /// What it is known by; nobody can guess it.
    var id: String
    /// How often it was changed, and once for being made.
    var revision: Int64
    /// The number of its owner.
    var owner: Int64
    /// The number of who made it; nil where their account is gone.
    var creator: Int64?
    /// When it was made.
    var created: Timestamp
    /// When it was last changed.
    var changed: Timestamp
    /// What people write of it.
    var fields: Fields
    /// Since when it has been published; nil where it is not.
    var published: Timestamp?
    /// How many like it.
    var likes: Int

    /// What a subject of it is called.
    static let kind = "plan"
    /// As many plans someone owns at most: one a week for ten years.
    static let mostOfPerson = 500
    /// As many postal codes a plan has at most.
    static let mostPostalCodes = 50
    /// The longest postal code, in bytes.
    static let longestPostalCode = 20
    /// As many people as travel together at most.
    static let mostPeople = 100_000

    /// What people write of a plan.
    struct Fields: Hashable, Sendable {
        var title: String
        var description: String?
        /// What the destination is called.
        var destination: String?
        /// Where that is.
        var place: Coordinate?
        /// The zone of times that have none of their own.
        var zone: Zone
        var span = PlannedSpan()
        /// How many travel, those included who are no members.
        var people: Int?
        var postalCodes: [String] = []
        var coverURL: String?
        /// What its money is counted in.
        var currency: Currency
        var level = Level.friends

        /// The same with its texts tidied.
        ///
        /// - Throws: what is wrong with a field.
        func checked() throws(Refusal) -> Fields {
            var fields = self
            fields.title = try PlanText.title(title, "title")
            fields.description = try PlanText.prose(description, "description")
            fields.destination = try PlanText.line(destination, "destination")
            fields.coverURL = try PlanText.link(coverURL, "cover_url")
            guard people.map({ (1...Plan.mostPeople).contains($0) }) ?? true else {
                throw .invalid("people", "must be 1 to \(Plan.mostPeople)")
            }
            guard postalCodes.count <= Plan.mostPostalCodes else {
                throw .invalid("postal_codes", "must be \(Plan.mostPostalCodes) at most")
            }
            var codes: [String] = []
            for code in postalCodes {
                let code = try PlanText.line(code, "postal_codes", atMost: Plan.longestPostalCode)
                if let code, !codes.contains(code) { codes.append(code) }
            }
            fields.postalCodes = codes
            guard (span.start == nil) == (span.end == nil) else {
                throw .invalid(span.start == nil ? "start" : "end", "must be given where the other is")
            }
            try span.check()
            return fields
        }

        fileprivate var columns: ColumnValues {
            var columns = ColumnValues()
            columns["title"] = title
            columns["folded"] = PlanText.folded([title, description, destination])
            columns["description"] = description
            columns["destination"] = destination
            columns.set(place)
            columns["zone"] = zone.name
            columns["people"] = people
            columns["cover_url"] = coverURL
            columns["currency"] = currency.code
            columns["level"] = level.rawValue
            columns.set("start", span.start)
            columns.set("end", span.end, isEnd: true)
            return columns
        }
    }

    /// Its subject.
    var subject: SubjectID { SubjectID(kind: Self.kind, id: id) }

    /// A row of `plan`, with the postal codes in the column `codes`, one a line.
    init(_ row: NamedRow) throws {
        guard let zone = Zone(row["zone"]), let currency = try? Currency(row["currency"]),
            let level = Level(rawValue: row["level"])
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a plan of no zone, currency or level") }
        number = row["number"]
        id = row["id"]
        revision = row["revision"]
        owner = row["owner"]
        creator = row["creator"]
        created = Timestamp(milliseconds: row["created"])
        changed = Timestamp(milliseconds: row["changed"])
        published = row.time("published")
        likes = row["likes"]
        let codes: String? = row["codes"]
        fields = Fields(
            title: row["title"], description: row["description"], destination: row["destination"], place: row.place,
            zone: zone, span: PlannedSpan(start: row.plannedTime("start"), end: row.plannedTime("end")),
            people: row["people"], postalCodes: codes?.split(separator: "\n").map(String.init) ?? [],
            coverURL: row["cover_url"], currency: currency, level: level)
    }

    /// The postal codes of a plan, one a line, in their order.
    static let codes = """
        (SELECT group_concat(code, char(10))
            FROM (SELECT code FROM plan_postal_code WHERE plan = plan.number ORDER BY place))
        """

    /// The plan of a number, whoever may see it.
    static func get(_ number: Int64, in db: Database) throws -> Plan {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT plan.*, \(codes) AS codes FROM plan WHERE number = ?"), arguments: [number])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a plan is gone") }
        return try Plan(row)
    }
}

/// Changing plans, within a transaction of the caller.
extension Plan {
    /// Makes a plan, whose owner and first member someone is.
    ///
    /// - Returns: its number.
    static func create(_ fields: Fields, by person: Int64, at now: Timestamp, in db: Database) throws -> Int64 {
        let fields = try fields.checked()
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM plan WHERE owner = ?"), arguments: [person])
        guard count ?? 0 < mostOfPerson else {
            throw Refusal.unavailable("You have \(mostOfPerson) plans, as many as may be; remove one first.")
        }
        var columns = fields.columns
        columns["id"] = RandomID.make()
        columns["owner"] = person
        columns["creator"] = person
        columns["created"] = now.milliseconds
        columns["changed"] = now.milliseconds
        columns["level_before"] = min(fields.level, .friends).rawValue
        columns["published"] = fields.level == .everyone ? now.milliseconds : nil
        let number = try columns.insert(into: "plan", in: db)
        try putPostalCodes(fields.postalCodes, of: number, in: db)
        var member = ColumnValues()
        member["plan"] = number
        member["person"] = person
        member["state"] = "member"
        member["edits"] = true
        member["travels"] = true
        member["time"] = now.milliseconds
        _ = try member.insert(into: "plan_member", in: db)
        return number
    }

    /// Changes what is written of a plan.
    ///
    /// - Parameter revision: the revision that the caller has seen; nil for whatever there is.
    /// - Throws: ``Refusal/outdated(_:id:revision:)`` where there is a newer one.
    static func update(
        _ access: PlanAccess, to fields: Fields, from revision: Int64?, at now: Timestamp, in db: Database
    ) throws {
        try access.checkEdits()
        let old = try get(access.plan, in: db)
        try checkRevision(revision, old.revision, "plan", old.id)
        let fields = try fields.checked()
        if fields.level != old.fields.level, !access.isOwner {
            throw Refusal.notAllowed("Only the owner changes who sees the plan \(old.id).")
        }
        if fields.currency != old.fields.currency, try hasMoney(access.plan, in: db) {
            throw Refusal.conflict("The plan \(old.id) has expenses in \(old.fields.currency); remove them first.")
        }
        var columns = fields.columns
        columns["changed"] = now.milliseconds
        if fields.level != old.fields.level { setLevel(fields.level, &columns, at: now) }
        try columns.update("plan", access.plan, in: db)
        try putPostalCodes(fields.postalCodes, of: access.plan, in: db)
    }

    /// Shows a plan to everybody, or as before to fewer.
    static func publish(_ access: PlanAccess, _ isPublished: Bool, at now: Timestamp, in db: Database) throws {
        try access.checkOwner("publishes it")
        let plan = try get(access.plan, in: db)
        guard (plan.published != nil) != isPublished else { return }
        var columns = ColumnValues()
        if isPublished {
            columns["level"] = Level.everyone.rawValue
            columns["level_before"] = min(plan.fields.level, .friends).rawValue
            columns["published"] = now.milliseconds
        } else {
            let before = try Int.fetchOne(
                db.cachedStatement(sql: "SELECT level_before FROM plan WHERE number = ?"), arguments: [access.plan])
            columns["level"] = before ?? Level.friends.rawValue
            columns["published"] = nil
        }
        columns["changed"] = now.milliseconds
        try columns.update("plan", access.plan, in: db)
    }

    /// Removes a plan with all that is in it.
    static func remove(_ access: PlanAccess, in db: Database) throws {
        try access.checkOwner("removes it")
        try db.cachedStatement(sql: "DELETE FROM plan WHERE number = ?").execute(arguments: [access.plan])
    }

    /// Refuses a revision that is not the one there is.
    static func checkRevision(_ seen: Int64?, _ current: Int64, _ kind: String, _ id: String) throws(Refusal) {
        guard let seen, seen != current else { return }
        throw .outdated(kind, id: id, revision: current)
    }

    private static func setLevel(_ level: Level, _ columns: inout ColumnValues, at now: Timestamp) {
        columns["published"] = level == .everyone ? now.milliseconds : nil
        if level < .everyone { columns["level_before"] = level.rawValue }
    }

    private static func hasMoney(_ plan: Int64, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM expense WHERE plan = :plan)
                        OR EXISTS (SELECT 1 FROM repayment WHERE plan = :plan)
                    """), arguments: ["plan": plan]) ?? false
    }

    private static func putPostalCodes(_ codes: [String], of plan: Int64, in db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM plan_postal_code WHERE plan = ?").execute(arguments: [plan])
        let statement = try db.cachedStatement(sql: "INSERT INTO plan_postal_code (plan, place, code) VALUES (?, ?, ?)")
        for (place, code) in codes.enumerated() { try statement.execute(arguments: [plan, place, code]) }
    }
}
