import GRDB

/// A table whose rows go to the bin together with a plan or a part of one, and come back with it.
struct BinTable: Sendable {
    let name: String
    /// The SQL condition on a row of the table, by the number `:number` of the removed object.
    let condition: String
    /// The columns that become NULL if the row to which they refer is gone by then, with the table of that row.
    var loose: [(column: String, table: String)] = []
    /// The SQL condition without which a row does not come back; `$column` stands for the value of a column.
    var needed = "TRUE"

    /// The tables of each kind of object, each after those to which it refers.
    static func tables(of kind: PlanBin.Kind) -> [BinTable] {
        switch kind {
        case .plan: plan
        case .location: [location("number = :number")]
        case .activity:
            activity("number = :number") + activityParts("activity = :number OR target = :number", "activity = :number")
                + expense("activity = :number", parts: "(SELECT number FROM expense WHERE activity = :number)")
        case .expense: expense("number = :number", parts: "(:number)")
        case .repayment: [repayment("number = :number")]
        case .checklist: [checklist("number = :number"), task("checklist = :number")]
        case .task: [task("number = :number")]
        }
    }

    private static let plan: [BinTable] =
        [
            BinTable(name: "plan", condition: "number = :number", loose: [("creator", "person")]),
            BinTable(name: "plan_postal_code", condition: "plan = :number"),
            // Who was asked has no request any more that could be answered.
            BinTable(
                name: "plan_member", condition: "plan = :number AND state <> 'asked'",
                loose: [("person", "person")]),
            BinTable(
                name: "plan_grant", condition: "plan = :number",
                needed: """
                    EXISTS (SELECT 1 FROM friend JOIN plan ON plan.owner = friend.person
                        WHERE plan.number = $plan AND friend.other = $person)
                    """),
            location("plan = :number"),
        ] + activity("plan = :number")
        + activityParts(
            "activity IN (SELECT number FROM activity WHERE plan = :number)",
            "activity IN (SELECT number FROM activity WHERE plan = :number)")
        + expense("plan = :number", parts: "(SELECT number FROM expense WHERE plan = :number)") + [
            repayment("plan = :number"), checklist("plan = :number"), task("plan = :number"),
            BinTable(
                name: "plan_trip", condition: "plan = :number",
                needed: "EXISTS (SELECT 1 FROM trip WHERE trip.number = $trip)"),
        ]

    private static func location(_ condition: String) -> BinTable {
        BinTable(name: "location", condition: condition, loose: [("person", "person")])
    }

    private static func activity(_ condition: String) -> [BinTable] {
        [BinTable(name: "activity", condition: condition, loose: [("person", "person")])]
    }

    private static func activityParts(_ links: String, _ members: String) -> [BinTable] {
        [
            BinTable(
                name: "activity_link", condition: links,
                needed: """
                    EXISTS (SELECT 1 FROM activity WHERE number = $activity)
                        AND EXISTS (SELECT 1 FROM activity WHERE number = $target)
                    """),
            BinTable(
                name: "activity_member", condition: members,
                needed: "EXISTS (SELECT 1 FROM plan_member WHERE number = $member)"),
        ]
    }

    /// - Parameter parts: the SQL list of the numbers of the expenses whose payments and shares these are.
    private static func expense(_ condition: String, parts: String) -> [BinTable] {
        [
            BinTable(
                name: "expense", condition: condition, loose: [("person", "person"), ("activity", "activity")]),
            BinTable(name: "expense_payer", condition: "expense IN \(parts)"),
            BinTable(name: "expense_share", condition: "expense IN \(parts)"),
        ]
    }

    private static func repayment(_ condition: String) -> BinTable {
        BinTable(name: "repayment", condition: condition, loose: [("person", "person")])
    }

    private static func checklist(_ condition: String) -> BinTable {
        BinTable(name: "checklist", condition: condition, loose: [("person", "person")])
    }

    private static func task(_ condition: String) -> BinTable {
        BinTable(
            name: "task", condition: condition, loose: [("person", "person"), ("member", "plan_member")],
            needed: "EXISTS (SELECT 1 FROM checklist WHERE number = $checklist)")
    }

    /// The columns that do not come back, because they describe what the daemon has made of the row.
    private static let forgotten: Set<String> = ["watched_as"]

    /// Returns the value of a column as JSON can hold it, in SQL: a BLOB, which no version writes, is NULL.
    static func jsonValue(of column: String) -> String { "iif(typeof(\(column)) = 'blob', NULL, \(column))" }

    /// Returns the rows that belong to an object, as a JSON array of objects by column name.
    func rows(of number: Int64, in db: Database) throws -> String {
        let columns = try String.fetchAll(
            db.cachedStatement(sql: "SELECT name FROM pragma_table_info(?) ORDER BY cid"), arguments: [name]
        ).filter { !Self.forgotten.contains($0) }
        let pairs = columns.map { "'\($0)', \(Self.jsonValue(of: "\(name).\($0)"))" }.joined(separator: ", ")
        return try String.fetchOne(
            db.cachedStatement(sql: "SELECT json_group_array(json_object(\(pairs))) FROM \(name) WHERE \(condition)"),
            arguments: ["number": number]) ?? "[]"
    }

    /// Inserts rows that ``rows(of:in:)`` has returned.
    func insert(_ rows: String, in db: Database) throws {
        let known = try String.fetchAll(
            db.cachedStatement(sql: "SELECT name FROM pragma_table_info(?) ORDER BY cid"), arguments: [name])
        let kept = try Set(
            String.fetchAll(db.cachedStatement(sql: "SELECT key FROM json_each(?, '$[0]')"), arguments: [rows]))
        let columns = known.filter(kept.contains)
        guard !columns.isEmpty else { return }
        func value(_ column: String) -> String { "(entry.value ->> '\(column)')" }
        let values = columns.map { column in
            guard let table = loose.first(where: { $0.column == column })?.table else { return value(column) }
            return "(SELECT number FROM \(table) WHERE number = \(value(column)))"
        }
        var needed = needed
        // The longest names first, for one may begin with another.
        for column in columns.sorted(by: { $0.count > $1.count }) {
            needed = needed.replacing("$\(column)", with: value(column))
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO \(name) (\(columns.joined(separator: ", ")))
                SELECT \(values.joined(separator: ", ")) FROM json_each(:rows) AS entry WHERE \(needed)
                """
        ).execute(arguments: ["rows": rows])
    }
}
