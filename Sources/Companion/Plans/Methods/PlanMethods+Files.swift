import Callers
import GRDB
import Geodesy
import Interchange
import Money
import RPC
import Service

/// The methods that import and export files of plans.
extension PlanMethods {
    var files: [Method<Principal>] { [importing, table] }

    private static let imported = Schema.object(
        [
            .required("name", .string(length: 1...PlanText.longestLine), "The name."),
            .required("lat", .latitude, "Degrees north."), .required("lon", .longitude, "Degrees east."),
        ] + Location.Field.fields(through: .description))

    private var importing: Method<Principal> {
        .stored(
            "locations.import",
            "Adds locations to a plan, in the given order after all others. Adds all of them or none.", .plan,
            Parameter<[JSONObject]>.required(
                "locations", .array(of: Self.imported, count: 1...Location.maximumPerPlan), "The locations."),
            answers: AnswerShape<[String]>.object {
                Member("locations", .array(of: .text), "The ids of the new locations.") { $0 }
            }, errors: [.notFound, .notAllowed, .invalidValue], right: .person
        ) { call, id, objects in
            try await change(call) { changing, consequences in
                let access = try changing.plan(id)
                var numbers: [Int64] = []
                for (index, object) in objects.enumerated() {
                    do {
                        let fields = try Location.Fields(imported: object)
                        try changing.spend([fields.name, fields[.address]] + fields.values.prose)
                        numbers.append(
                            try Location.create(fields, in: access, at: changing.now, in: changing.db))
                    } catch let refusal as Refusal {
                        guard let (field, reason) = refusal.fault else { throw refusal }
                        throw Refusal.invalid("locations.\(field)", "in element \(index + 1): \(reason)")
                    }
                }
                try changing.did(.added, .location, numbers, in: access, &consequences)
                return try numbers.map { try Location.get($0, in: changing.db).id }
            }
        }
    }

    /// The number of expenses in one piece of the table.
    ///
    /// With 200 members each, a piece of this size fits in one line of the socket protocol.
    private static let pieceOfTable = 50

    private var table: Method<Principal> {
        .stored(
            "expenses.csv", "Returns the expenses of a plan as a CSV table, one piece at a time. Only for members.",
            .plan,
            Parameter<Int64?>.after(in: "expenses.csv", by: Int64.self),
            answers: TablePiece.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .person
        ) { call, id, after in
            try await read(call) { db, person in
                let access = try PlanAccess.plan(id, for: person, in: db)
                let members = try PlanMember.list(of: access.plan, in: db)
                let request = PageRequest(list: "expenses.csv", limit: Self.pieceOfTable, after: after)
                var expenses = try Accounting.expenses(
                    of: access, after: after ?? 0, limit: Self.pieceOfTable + 1, in: db)
                let isLast = expenses.count <= Self.pieceOfTable
                expenses = Array(expenses.prefix(Self.pieceOfTable))
                var bytes: [UInt8] = []
                if after == nil { CSVWriter.append(ExpenseRow.columns, to: &bytes) }
                for expense in expenses { CSVWriter.append(ExpenseRow(expense, members, in: access).cells, to: &bytes) }
                return TablePiece(
                    text: String(decoding: bytes, as: UTF8.self),
                    next: isLast ? nil : expenses.last.map { request.next(after: $0.terms.turn) })
            }
        }
    }
}

/// A piece of a CSV table.
private struct TablePiece: Answerable, Sendable {
    var text: String
    var next: String?

    static let shape = AnswerShape<TablePiece>.object {
        Member("text", .text, "The piece; the first one begins with the names of the columns.") { $0.text }
        Member.next("The cursor for the next piece; absent with the last piece.") { $0.next }
    }
}

extension Location.Fields {
    /// Creates a location from an imported object, which has already been checked against the schema.
    fileprivate init(imported object: JSONObject) throws {
        let place = Coordinate(latitude: try object.value("lat") ?? .nan, longitude: try object.value("lon") ?? .nan)
        guard let place else { throw Refusal.invalid("lat", "must form a valid position together with lon") }
        self.init(name: try object.value("name") ?? "")
        try GivenFields(object).set(&values)
        self.place = place
    }
}

extension ExpenseRow {
    /// The names of the columns of the table.
    fileprivate static let columns = [
        "number", "day", "title", "category", "tab", "amount", "currency", "rate", "converted", "plan_currency",
        "payers",
        "split", "shares", "personal",
    ]

    /// The expense as a row of the table.
    ///
    /// Payers and shares are written as `ada 10.00; bob 2.30`, in the plan's currency.
    fileprivate var cells: [String] {
        let converted = expense.distribution.converted
        return [
            "\(expense.terms.turn)", expense.day ?? "", expense.title, expense.category ?? "",
            expense.tab?.rawValue ?? "", expense.terms.amount.text, expense.terms.amount.currency.code,
            expense.terms.rate?.text ?? "", converted.text, converted.currency.code, Self.list(payers),
            expense.terms.split.name.rawValue, Self.list(shares), expense.isPersonal ? "yes" : "",
        ]
    }

    private static func list(_ lines: [Line]) -> String {
        lines.map { "\($0.member.id ?? "member \($0.member.number)") \($0.converted.text)" }.joined(separator: "; ")
    }
}
