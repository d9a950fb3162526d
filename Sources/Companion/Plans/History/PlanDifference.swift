import GRDB
import Service

extension PlanHistory {
    /// What a change did to a subject.
    struct Difference: Sendable {
        /// What it takes to undo the change; `nil` if it cannot be undone.
        ///
        /// It is a JSON object: of a plan, a location or an activity, each changed column with its old and its new value;
        /// of an expense, the rows before and after; of what was moved, its old and its new place in the order.
        var content: String?
        /// The names of the changed fields, sorted.
        var fields: [String] = []
        /// Whether only members see what has changed.
        var isPrivate = false

        /// The difference of what is undone without knowing what it was, such as an addition.
        static let whole = Difference(content: "{}")
        /// The difference of what cannot be undone.
        static let none = Difference()
    }

    /// Returns the place of a location or of an entry of a list in its order, counted from 0; `nil` if it has none.
    static func place(
        _ kind: PlanBin.Kind, _ number: Int64, in access: PlanAccess, in db: Database
    ) throws -> Int? {
        switch kind {
        case .location: try Location.order(of: access.plan, in: db).firstIndex(of: number)
        case .task: try ChecklistTask.order(beside: number, in: db).firstIndex(of: number)
        default: nil
        }
    }

    /// The columns that people do not write, or that no change of fields changes.
    private static let ignored: Set<String> = [
        "number", "id", "plan", "revision", "owner", "creator", "created", "changed", "folded", "level_before",
        "published", "likes", "next_turn", "tab", "person", "position", "watched", "watched_as", "turn",
    ]

    /// The columns that are not called as their field, without the ends of those of a time.
    private static let names =
        [
            "lat_e7": "place", "lon_e7": "place", "passed": "stamp", "departed": "stamp", "device": "stamp",
            "member": "person",
        ].merging(
            (Plan.Field.declarations + Location.Field.declarations + Activity.Field.declarations)
                .map { ("\($0.column)", $0.name) }
        ) { name, _ in name }
    private static let privateFields = Set(
        Activity.Field.declarations.filter(\.isPrivate).map(\.name) + ["people", "person"])

    /// Returns the names of the columns of a table that a change can change.
    static func columns(of kind: PlanBin.Kind, in db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(sql: "SELECT name FROM pragma_table_info(?) ORDER BY cid"), arguments: [kind.rawValue]
        ).filter { !ignored.contains($0) }
    }

    /// The lists that belong to a subject, each a table with the column of the subject and that of the values.
    static func lists(of kind: PlanBin.Kind) -> [(name: String, table: String, owner: String, value: String)] {
        switch kind {
        case .plan: [("postal_codes", "plan_postal_code", "plan", "code")]
        case .activity:
            [
                ("links", "activity_link", "activity", "target"), ("people", "activity_member", "activity", "member"),
            ]
        default: []
        }
    }

    /// Returns what people have written about a subject, as a JSON object by column.
    static func snapshot(_ kind: PlanBin.Kind, _ number: Int64, in db: Database) throws -> String {
        if kind.isMoney {
            let tables = try BinTable.tables(of: kind).map { "\"\($0.name)\":\(try $0.rows(of: number, in: db))" }
            return "{\(tables.joined(separator: ","))}"
        }
        let table = kind.rawValue
        var members = try columns(of: kind, in: db).map { "'\($0)', \(BinTable.jsonValue(of: "\(table).\($0)"))" }
        members += lists(of: kind).map { list in
            let order = kind == .plan ? "place" : list.value
            return """
                '\(list.name)', '' || (SELECT json_group_array(\(BinTable.jsonValue(of: "listed.\(list.value)"))) FROM (
                    SELECT \(list.table).\(list.value) FROM \(list.table)
                    WHERE \(list.table).\(list.owner) = \(table).number
                    ORDER BY \(list.table).\(order)) AS listed)
                """
        }
        return try String.fetchOne(
            db.cachedStatement(
                sql: "SELECT json_object(\(members.joined(separator: ", "))) FROM \(table) WHERE \(table).number = ?"),
            arguments: [number]) ?? "{}"
    }

    /// Returns the difference of two snapshots; `nil` if they are equal.
    static func difference(
        _ kind: PlanBin.Kind, from old: String, to new: String, in db: Database
    ) throws -> Difference? {
        guard old != new else { return nil }
        if kind.isMoney { return Difference(content: "{\"before\":\(old),\"after\":\(new)}", isPrivate: true) }
        let changed = """
            FROM json_each(:old) AS earlier JOIN json_each(:new) AS later ON later.key = earlier.key
            WHERE earlier.value IS NOT later.value
            """
        let arguments: StatementArguments = ["old": old, "new": new]
        let columns = try String.fetchAll(
            db.cachedStatement(sql: "SELECT earlier.key \(changed)"), arguments: arguments)
        guard !columns.isEmpty else { return nil }
        let content = try String.fetchOne(
            db.cachedStatement(
                sql: "SELECT json_group_object(earlier.key, json_array(earlier.value, later.value)) \(changed)"),
            arguments: arguments)
        let fields = Set(columns.map { field($0, of: kind) })
        return Difference(
            content: content, fields: fields.sorted(),
            isPrivate: (kind == .activity || kind == .task) && fields.isSubset(of: privateFields))
    }

    /// Returns the name of the field to which a column belongs.
    static func field(_ column: String, of kind: PlanBin.Kind) -> String {
        for (prefix, name) in [("start", kind == .plan ? "start" : "from"), ("end", kind == .plan ? "end" : "to")]
        where ["_clock", "_zone", "_offset_s", "_time"].contains(where: { column == prefix + $0 }) {
            return name
        }
        return names[column] ?? column
    }
}

extension PlanHistory.Difference {
    /// Creates the difference of a move from one place of an order to another.
    init(from old: Int?, to new: Int?) {
        guard let old, let new else { return }
        content = "{\"place\":[\(old),\(new)]}"
    }
}
