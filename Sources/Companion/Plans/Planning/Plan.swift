import GRDB
import Geodesy
import Money
import RPC
import Service
import Store
import Time

/// A plan: an intended journey with its days, places, people and money.
struct Plan: Sendable {
    /// The row number in the table `plan`.
    var number: Int64
    /// The random id by which callers identify the plan; nobody can guess it.
    var id: String
    /// The revision, which is 1 at first and grows by 1 with each change.
    var revision: Int64
    /// The number of the owner.
    var owner: Int64
    /// The number of the person who created it; `nil` if the account is gone.
    var creator: Int64?
    /// The time at which it was created.
    var created: Timestamp
    /// The time of the last change.
    var changed: Timestamp
    /// What people have written about it.
    var fields: Fields
    /// The time at which it was published; `nil` if it is not published.
    var published: Timestamp?
    /// The number of people who like it.
    var likes: Int

    /// The kind of its subject.
    static let kind = "plan"
    /// The most plans of one owner: one a week for ten years.
    static let maximumPerPerson = 500
    /// The most postal codes of a plan.
    static let maximumPostalCodes = 50
    /// The longest postal code, in bytes.
    static let longestPostalCode = 20
    /// The most people who travel together.
    static let maximumPeople = 100_000

    /// The optional fields of a plan.
    enum Field: Int, WrittenFieldKey {
        case description, destination, people, coverURL

        static let declarations = allCases.map { field in
            switch field {
            case .description: WrittenField("description", .prose, "The description")
            case .destination: WrittenField("destination", .line, "The name of the destination")
            case .people:
                WrittenField(
                    "people", .integer(1...maximumPeople),
                    "The number of travellers, including people who are not members", isCopied: false)
            case .coverURL: WrittenField("cover_url", .link, "A link to a cover picture", isCopied: false)
            }
        }
    }

    /// What people write about a plan.
    struct Fields: WrittenFields {
        var title: String
        var values = WrittenValues<Field>()
        /// The place of the destination.
        var place: Coordinate?
        /// The default zone of times.
        var zone: Zone
        var span = PlannedSpan()
        var postalCodes: [String] = []
        /// The currency of its balances and sums.
        var currency: Currency
        var level = Level.friends

        /// Returns the fields with trimmed texts and without duplicate postal codes.
        ///
        /// - Throws: ``Refusal`` if a field is invalid.
        func checked() throws(Refusal) -> Fields {
            var fields = self
            fields.title = try PlanText.title(title, "title")
            fields.values = try values.checked()
            guard postalCodes.count <= Plan.maximumPostalCodes else {
                throw .invalid("postal_codes", "must have at most \(Plan.maximumPostalCodes) codes")
            }
            var codes: [String] = []
            for code in postalCodes {
                let code = try PlanText.line(code, "postal_codes", atMost: Plan.longestPostalCode)
                if let code, !codes.contains(code) { codes.append(code) }
            }
            fields.postalCodes = codes
            guard (span.start == nil) == (span.end == nil) else {
                throw .invalid(span.start == nil ? "start" : "end", "must be given; start and end go together")
            }
            try span.check()
            return fields
        }

        fileprivate var columns: ColumnValues {
            var columns = ColumnValues()
            columns["title"] = title
            columns["folded"] = PlanText.folded([title, self[.description], self[.destination]])
            values.add(to: &columns)
            columns.set(place)
            columns["zone"] = zone.name
            columns["currency"] = currency.code
            columns["level"] = level.rawValue
            columns.set("start", span.start)
            columns.set("end", span.end, isEnd: true)
            return columns
        }
    }

    var subject: SubjectID { SubjectID(kind: Self.kind, id: id) }

    /// Creates a plan from a row of `plan` with the column `codes`; see ``codes``.
    init(_ row: NamedRow) throws {
        guard let zone = Zone(row["zone"]), let currency = try? Currency(row["currency"]),
            let level = Level(rawValue: row["level"])
        else {
            throw row.damage("a plan has no valid zone, currency or level")
        }
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
            title: row["title"], values: WrittenValues(row), place: row.place, zone: zone,
            span: PlannedSpan(start: row.plannedTime("start"), end: row.plannedTime("end")),
            postalCodes: codes?.split(separator: "\n").map(String.init) ?? [],
            currency: currency, level: level)
    }

    /// The SQL expression for the postal codes of a plan, one per line, in their order.
    static let codes = """
        (SELECT group_concat(code, char(10))
            FROM (SELECT code FROM plan_postal_code WHERE plan = plan.number ORDER BY place))
        """

    /// Returns the plan with a number, whether or not the caller may see it.
    static func get(_ number: Int64, in db: Database) throws -> Plan {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(sql: "SELECT plan.*, \(codes) AS codes FROM plan WHERE number = ?"), arguments: [number])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a plan is missing") }
        return try Plan(row)
    }
}

/// Changing plans, within a transaction of the caller.
extension Plan {
    /// Creates a plan and makes a person its owner and first member.
    ///
    /// - Returns: the number of the plan.
    static func create(_ fields: Fields, by person: Int64, at now: Timestamp, in db: Database) throws -> Int64 {
        let fields = try fields.checked()
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM plan WHERE owner = ?"), arguments: [person])
        guard count ?? 0 < maximumPerPerson else {
            throw Refusal.unavailable("You have \(maximumPerPerson) plans, the maximum. Remove one first.")
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

    /// Changes the fields of a plan.
    ///
    /// - Parameter revision: the revision that the caller has read; `nil` for any.
    /// - Throws: ``Refusal/outdated(_:id:revision:)`` if there is a newer revision.
    static func update(
        _ access: PlanAccess, to fields: Fields, from revision: Int64?, at now: Timestamp, in db: Database
    ) throws {
        try access.checkEdits()
        let old = try get(access.plan, in: db)
        try checkRevision(revision, old.revision, "plan", old.id)
        let fields = try fields.checked()
        if fields.level != old.fields.level, !access.isOwner {
            throw Refusal.notAllowed("Only the owner can change who sees the plan \(old.id).")
        }
        if fields.level == .me, old.fields.level != .me, try hasOthers(access.plan, in: db) {
            throw Refusal.conflict(
                "The plan \(old.id) has other members, who would no longer see it. Remove them first, or set its level "
                    + "to members.")
        }
        if fields.currency != old.fields.currency, try hasMoney(access.plan, in: db) {
            throw Refusal.conflict(
                "The plan \(old.id) has expenses or repayments in \(old.fields.currency). Remove them first.")
        }
        var columns = fields.columns
        columns["changed"] = now.milliseconds
        if fields.level != old.fields.level { setLevel(fields.level, &columns, at: now) }
        try columns.update("plan", access.plan, in: db)
        try putPostalCodes(fields.postalCodes, of: access.plan, in: db)
    }

    /// Shows a plan to everybody, or restores the level that it had before it was published.
    static func publish(_ access: PlanAccess, _ isPublished: Bool, at now: Timestamp, in db: Database) throws {
        try access.checkOwner("publish it")
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
            let level = before.flatMap(Level.init) ?? .friends
            columns["level"] = try hasOthers(access.plan, in: db) ? max(level, .members).rawValue : level.rawValue
            columns["published"] = nil
        }
        columns["changed"] = now.milliseconds
        try columns.update("plan", access.plan, in: db)
    }

    /// Moves a plan with all its contents to the bin.
    static func remove(_ access: PlanAccess, at now: Timestamp, in db: Database) throws {
        try access.checkOwner("remove it")
        try PlanBin.keep(
            .plan, access.plan, id: access.id, titled: get(access.plan, in: db).fields.title, isHidden: true,
            in: access, at: now, in: db)
        try db.cachedStatement(sql: "DELETE FROM plan WHERE number = ?").execute(arguments: [access.plan])
    }

    /// Refuses a revision that is not the current one.
    static func checkRevision(_ seen: Int64?, _ current: Int64, _ kind: String, _ id: String) throws(Refusal) {
        guard let seen, seen != current else { return }
        throw .outdated(kind, id: id, revision: current)
    }

    private static func setLevel(_ level: Level, _ columns: inout ColumnValues, at now: Timestamp) {
        columns["published"] = level == .everyone ? now.milliseconds : nil
        if level < .everyone { columns["level_before"] = level.rawValue }
    }

    /// Whether the plan has members other than its owner, or people who are asked to be members.
    private static func hasOthers(_ plan: Int64, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM plan_member JOIN plan ON plan.number = plan_member.plan
                        WHERE plan = ? AND person IS NOT plan.owner AND state <> 'left')
                    """), arguments: [plan]) ?? false
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
