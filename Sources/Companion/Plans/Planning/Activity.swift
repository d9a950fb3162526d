import GRDB
import Geodesy
import RPC
import Service
import Store
import Time

/// An item of one of the five tabs of a plan: something that people do on the way.
struct Activity: Sendable, Planned {
    /// The tabs of a plan.
    enum Tab: String, CaseIterable, Sendable {
        case itinerary, transport, lodging, food, places
    }

    /// The row number in the table `activity`.
    var number: Int64
    /// The random id by which callers identify the activity.
    var id: String
    /// The row number of the plan.
    var plan: Int64
    /// The revision, which is 1 at first and grows by 1 with each change.
    var revision: Int64
    /// The tab, which never changes.
    var tab: Tab
    /// The number of the person who added it; `nil` if the account is gone.
    var person: Int64?
    /// What people have written about it; contact and bookings are present only for members.
    var fields: Fields { written.fields }
    // A reference, because a row is copied several times and contains thirty values.
    private let written: Content
    /// The ids of the linked items that the reader sees.
    var links: [String] = []
    /// The numbers of the members who take part.
    var members: [Int64] = []

    /// The kind of its subject.
    static let kind = "activity"
    /// The most activities of a plan.
    static let maximumPerPlan = 2000
    /// The most items to which one activity links.
    static let maximumLinks = 50

    /// The optional fields of an activity.
    enum Field: Int, WrittenFieldKey {
        case description, location, address, contact, booked, bookingCode, bookingURL, thumbnailURL, url, note
        case mode, departure, arrival, rating, recommendation

        static let declarations = allCases.map { field in
            switch field {
            case .description: WrittenField("description", .prose, "The description")
            case .location: WrittenField("location", column: "location_name", .line, "The name of the place")
            case .address: WrittenField("address", .line, "The address")
            case .contact: WrittenField("contact", .line, "The contact", isPrivate: true)
            case .booked: WrittenField("booked", .flag, "Whether it is booked", isPrivate: true)
            case .bookingCode: WrittenField("booking_code", .line, "The code of the booking", isPrivate: true)
            case .bookingURL: WrittenField("booking_url", .link, "A link to the booking", isPrivate: true)
            case .thumbnailURL: WrittenField("thumbnail_url", .link, "A link to a small picture", isCopied: false)
            case .url: WrittenField("url", .link, "A link")
            case .note: WrittenField("note", .prose, "A note")
            case .mode: WrittenField("mode", .line, "The mode of transport", only: .transport)
            case .departure: WrittenField("departure", .line, "The place of departure", only: .transport)
            case .arrival: WrittenField("arrival", .line, "The place of arrival", only: .transport)
            case .rating: WrittenField("rating", .integer(0...5), "The rating, 0 to 5", only: .food)
            case .recommendation:
                WrittenField("recommendation", .prose, "A recommendation of what to eat there", only: .food)
            }
        }
    }

    /// What people write about an activity.
    struct Fields: WrittenFields {
        var title: String
        var values = WrittenValues<Field>()
        var place: Coordinate?
        var span = PlannedSpan()
        /// Who sees it, among those who see the plan.
        var level = Level.everyone

        /// Returns the fields with trimmed texts.
        ///
        /// - Throws: ``Refusal`` if a field is invalid or the tab has no such field.
        func checked(for tab: Tab) throws(Refusal) -> Fields {
            var fields = self
            fields.title = try PlanText.title(title, "title")
            fields.values = try values.checked()
            for field in fields.values.written {
                guard let only = field.declared.tab, only != tab else { continue }
                throw .invalid(field.declared.name, "must be omitted; only the tab \(only) has it")
            }
            try span.check(startField: "from", endField: "to")
            return fields
        }

        fileprivate var columns: ColumnValues {
            var columns = ColumnValues()
            columns["title"] = title
            values.add(to: &columns)
            columns.set(place)
            columns["level"] = level.rawValue
            columns.set("start", span.start)
            columns.set("end", span.end, isEnd: true)
            return columns
        }
    }

    /// The planned beginning.
    var start: PlannedTime? { fields.span.start }
    /// The planned end.
    var end: PlannedTime? { fields.span.end }
    var subject: SubjectID { SubjectID(kind: Self.kind, id: id) }
    /// The sort key in milliseconds: the beginning, otherwise the end; activities without a time come last.
    var rank: Int64 { start?.instant.milliseconds ?? end?.end.milliseconds ?? .max }

    /// Creates an activity from a row of ``columns``.
    ///
    /// The columns `links` and `members` are lists separated by commas.
    ///
    /// - Parameter seesPrivate: whether the reader sees contact and bookings.
    init(_ row: NamedRow, seesPrivate: Bool) throws {
        guard let level = Level(rawValue: row["level"]), let tab = Tab(rawValue: row["tab"]) else {
            throw row.damage("an activity has no valid level or tab")
        }
        number = row["number"]
        id = row["id"]
        plan = row["plan"]
        revision = row["revision"]
        self.tab = tab
        person = row["person"]
        if seesPrivate { members = Self.list(row["members"]).compactMap { Int64($0) } }
        written = Content(
            Fields(
                title: row["title"], values: WrittenValues(row, seesPrivate: seesPrivate), place: row.place,
                span: PlannedSpan(start: row.plannedTime("start"), end: row.plannedTime("end")), level: level))
        links = Self.list(row["links"]).map(String.init)
    }

    private final class Content: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private static func list(_ text: String?) -> [Substring] { text?.split(separator: ",") ?? [] }

    /// The columns of a row for a query with the arguments `:me` and `:reach`.
    ///
    /// The links contain only items that the person `:me`, who reaches the step `:reach` of the ladder, sees.
    static let columns = """
        activity.*, (
            SELECT group_concat(id) FROM (SELECT target.id FROM activity_link
                JOIN activity AS target ON target.number = activity_link.target
                WHERE activity_link.activity = activity.number AND \(PlanAccessRules.seesItem("target", reach: ":reach")) ORDER BY target.number)
        ) AS links, (
            SELECT group_concat(member) FROM (SELECT member FROM activity_member
                WHERE activity_member.activity = activity.number ORDER BY member)
        ) AS members
        """
}

/// Reading activities as the caller sees them.
extension Activity {
    /// Returns the activity with a number, which the caller must be able to see.
    static func get(_ number: Int64, in access: PlanAccess, in db: Database) throws -> Activity {
        let row = try NamedRow.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM activity JOIN plan ON plan.number = activity.plan
                    WHERE activity.number = :number
                    """), arguments: ["number": number, "me": access.person, "reach": access.reach])
        guard let row else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an activity is missing") }
        return try Activity(row, seesPrivate: access.seesPrivate)
    }

    /// Returns the activities of a plan that the caller sees, in order of time; activities without a time come last.
    ///
    /// - Parameters:
    ///   - tab: the tab to read; `nil` for all tabs, as in the itinerary.
    ///   - key: the rank and number of the last activity of the previous page.
    static func list(
        of access: PlanAccess, tab: Tab? = nil, after key: (rank: Int64, number: Int64)? = nil,
        limit: Int = maximumPerPlan, in db: Database
    ) throws -> [Activity] {
        let rank = "coalesce(activity.start_time, activity.end_time, 9223372036854775807)"
        return try NamedRow.soundList(
            db.cachedStatement(
                sql: """
                    SELECT \(columns) FROM activity JOIN plan ON plan.number = activity.plan
                    WHERE activity.plan = :plan AND (:tab IS NULL OR activity.tab = :tab) AND \(PlanAccessRules.sees("activity", reach: ":reach"))
                        AND (\(rank), activity.number) > (:rank, :number)
                    ORDER BY \(rank), activity.number LIMIT :limit
                    """),
            arguments: [
                "plan": access.plan, "me": access.person, "reach": access.reach, "tab": tab?.rawValue,
                "rank": key?.rank ?? .min,
                "number": key?.number ?? .min, "limit": StoreDamage.widened(limit),
            ]
        ) { try Activity($0, seesPrivate: access.seesPrivate) }
    }

    /// Returns all activities that the caller sees, grouped by day, each once.
    static func itinerary(of access: PlanAccess, in db: Database) throws -> Days<Activity> {
        Days(try list(of: access, in: db))
    }
}

/// Changing activities, within a transaction of the caller.
extension Activity {
    /// Adds an activity.
    ///
    /// - Returns: the number of the activity.
    static func create(
        _ fields: Fields, tab: Tab = .itinerary, in access: PlanAccess, at now: Timestamp, in db: Database
    ) throws -> Int64 {
        try access.checkEdits()
        let count = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM activity WHERE plan = ?"), arguments: [access.plan])
        guard count ?? 0 < maximumPerPlan else {
            throw Refusal.unavailable(
                "The plan \(access.id) has \(maximumPerPlan) activities, the maximum. Remove one first.")
        }
        var columns = try fields.checked(for: tab).columns
        try checkPrivate(fields, in: access)
        columns["id"] = RandomID.make()
        columns["plan"] = access.plan
        columns["tab"] = tab.rawValue
        columns["person"] = access.person
        columns["created"] = now.milliseconds
        return try columns.insert(into: "activity", in: db)
    }

    /// Changes the fields of an activity.
    ///
    /// Contact and booking keep their values if the caller does not see them.
    ///
    /// - Parameter revision: the revision that the caller has read; `nil` for any.
    static func update(
        _ number: Int64, in access: PlanAccess, to fields: Fields, from revision: Int64?, in db: Database
    ) throws {
        try access.checkEdits()
        let old = try get(number, in: access, in: db)
        try Plan.checkRevision(revision, old.revision, kind, old.id)
        var fields = try fields.checked(for: old.tab)
        try checkPrivate(fields, in: access)
        if !access.seesPrivate {
            let row = try NamedRow.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM activity WHERE number = ?"), arguments: [number])
            if let row { fields.values.setPrivate(try Activity(row, seesPrivate: true).fields.values) }
        }
        try fields.columns.update("activity", number, in: db)
    }

    /// Moves an activity with its expenses and all links to it to the bin.
    ///
    /// Only members may remove an activity that has expenses.
    static func remove(_ number: Int64, in access: PlanAccess, at now: Timestamp, in db: Database) throws {
        try access.checkEdits()
        let hasMoney = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM expense WHERE activity = ?)"), arguments: [number])
        if hasMoney ?? false { try access.checkMember() }
        let old = try get(number, in: access, in: db)
        try PlanBin.keep(
            .activity, number, id: old.id, titled: old.fields.title, isHidden: old.fields.level == .me, in: access,
            at: now, in: db)
        try db.cachedStatement(sql: "DELETE FROM activity WHERE number = ?").execute(arguments: [number])
    }

    /// Replaces the links from an item of the itinerary to items of other tabs.
    ///
    /// - Parameter targets: the ids of the linked items.
    static func link(_ number: Int64, to targets: [String], in access: PlanAccess, in db: Database) throws {
        try access.checkEdits()
        guard targets.count <= maximumLinks else {
            throw Refusal.invalid("links", "must have at most \(maximumLinks) ids")
        }
        let item = try get(number, in: access, in: db)
        guard item.tab == .itinerary || targets.isEmpty else {
            throw Refusal.invalid("links", "must be omitted; only items of the itinerary have links")
        }
        let numbers = try Set(targets).map { id in
            let (other, target) = try PlanAccess.item("activity", id, for: access.person, in: db)
            guard other.plan == access.plan, try get(target, in: access, in: db).tab != .itinerary else {
                throw Refusal.invalid("links", "must be items of other tabs of the same plan")
            }
            return target
        }
        // Links to items that the caller does not see are kept.
        try db.cachedStatement(
            sql: """
                DELETE FROM activity_link WHERE activity = :number AND target IN (
                    SELECT activity.number FROM activity JOIN plan ON plan.number = activity.plan
                    WHERE \(PlanAccessRules.seesItem("activity")))
                """
        ).execute(arguments: ["number": number, "me": access.person])
        for target in numbers {
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO activity_link (activity, target) VALUES (?, ?)")
                .execute(arguments: [number, target])
        }
        try ColumnValues().update("activity", number, in: db)
    }

    /// Sets the members who take part in an activity.
    ///
    /// - Parameter members: their numbers in the table `plan_member`.
    static func setMembers(_ members: [Int64], of number: Int64, in access: PlanAccess, in db: Database) throws {
        try access.checkEdits()
        try access.checkMember()
        try db.cachedStatement(sql: "DELETE FROM activity_member WHERE activity = ?").execute(arguments: [number])
        for member in members {
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO activity_member (activity, member) VALUES (?, ?)")
                .execute(arguments: [number, member])
        }
        try ColumnValues().update("activity", number, in: db)
    }

    /// Refuses contact and booking fields from callers who do not see them.
    private static func checkPrivate(_ fields: Fields, in access: PlanAccess) throws(Refusal) {
        guard !access.seesPrivate else { return }
        if let field = fields.values.written.first(where: \.declared.isPrivate) {
            throw .notAllowed("Only members of the plan \(access.id) can see and change \(field.declared.name).")
        }
    }
}
