#if Companion
public import Callers
import GRDB
public import RPC
public import Service
import Store
import Time

/// The methods about mails: `mail.list`.
public struct MailMethods: Sendable {
    private let store: LocationDatabase

    /// Creates the methods for a daemon's service context.
    public init(_ context: ServiceContext) { store = context.store }

    /// All methods about mails.
    public var all: [Method<Principal>] {
        [
            .stored(
                "mail.list",
                "Lists the mails that are waiting, were sent or were given up, newest first, without their texts.",
                Parameter<MailRow.State?>.optional("state", "The state of the mails to list; all states by default."),
                Parameter<PageRequest<Int64>>.page(of: "mail.list", upTo: 1000, default: 50),
                answers: .page("mails", "The mails."), errors: [.invalidValue], right: .change, handler: list)
        ]
    }

    @Sendable private func list(
        _ call: Call<Principal>, in state: MailRow.State?, asked: PageRequest<Int64>
    ) async throws -> Page<MailRow> {
        try await store.read { db in
            var page = asked.page(of: MailRow.self)
            let rows = try NamedRow.soundRows(
                db.cachedStatement(
                    sql: """
                        SELECT \(MailRow.columns) FROM mail
                        WHERE number < :before AND \(state?.condition ?? "TRUE") ORDER BY number DESC LIMIT :limit
                        """),
                arguments: ["before": asked.after ?? .max, "limit": StoreDamage.widened(asked.limit + 1)])
            while let row = try rows.next() {
                let mail = MailRow(row)
                guard page.append(mail, at: mail.number) else { break }
            }
            return page
        }
    }
}

/// One mail in the list.
private struct MailRow: Answerable, Sendable {
    /// The state of a mail.
    enum State: String, CaseIterable, Sendable {
        case waiting
        case sent
        case givenUp = "given-up"

        /// The SQL condition that selects mails in this state.
        var condition: String {
            switch self {
            case .waiting: "next IS NOT NULL"
            case .sent: "sent IS NOT NULL"
            case .givenUp: "sent IS NULL AND next IS NULL"
            }
        }
    }

    var number: Int64
    var recipient: String
    var subject: String
    var made: Timestamp
    var tries: Int
    var next: Timestamp?
    var sent: Timestamp?
    var error: String?

    /// The state, which follows from the times.
    var state: State { sent != nil ? .sent : next != nil ? .waiting : .givenUp }

    static let columns = "number, recipient, subject, made, tries, next, sent, error"

    /// Reads ``columns`` from a row.
    init(_ row: NamedRow) {
        number = row["number"]
        recipient = row["recipient"]
        subject = row["subject"]
        made = Timestamp(milliseconds: row["made"])
        tries = row["tries"]
        next = (row["next"] as Int64?).map(Timestamp.init(milliseconds:))
        sent = (row["sent"] as Int64?).map(Timestamp.init(milliseconds:))
        error = row["error"]
    }

    static let shape = AnswerShape<MailRow>.object {
        Member("id", .text, "The mail's number.") { String($0.number) }
        Member("to", .text, "The recipient's address.") { $0.recipient }
        Member("subject", .text, "The subject line.") { $0.subject }
        Member("made", .time, "The time at which the mail was added.") { $0.made }
        Member("state", .choice, "The state of the mail.") { $0.state }
        Member("tries", .integer, "The number of attempts to send it.") { $0.tries }
        Member.optional("next", .time, "The time of the next attempt; absent if there is none.") { $0.next }
        Member.optional("sent", .time, "The time at which the mail was sent; absent if it was not.") { $0.sent }
        Member.optional("error", .text, "The reason why the last attempt failed; absent if it did not.") { $0.error }
    }
}
#endif
