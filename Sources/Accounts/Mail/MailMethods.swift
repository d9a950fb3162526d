public import EventStream
import GRDB
import Positioning
public import RPC
public import Service
import Store
import TextCoding

/// The methods about mails: `mail.list`.
public struct MailMethods: Sendable {
    private let store: LocationDatabase

    /// The methods of a companion.
    public init(_ context: ServiceContext) { store = context.store }

    /// The methods.
    public var all: [Method<Principal>] {
        [
            .stored(
                "mail.list", "The mails that are to be sent or were, the last first, without their texts.",
                parameters: [
                    .optional("state", .choice(["waiting", "sent", "given-up"]), "Only those; all if left out."),
                    Field.limit(upTo: 1000, usually: 50), Field.after,
                ],
                result: .object([
                    .required("mails", .array(of: Self.mail), "The mails."),
                    Field.next,
                ]),
                errors: [.invalidValue], right: .change, handler: list)
        ]
    }

    private static let mail = Schema.object([
        .required("id", .string, "Its number."),
        .required("to", .string, "The address."),
        .required("subject", .string, "What it is about."),
        .required("made", Schema.time, "When it was put in."),
        .required("state", .choice(["waiting", "sent", "given-up"]), "What has become of it."),
        .required("tries", .integer, "How often it was tried to be sent."),
        .optional("next", Schema.time, "When it is tried again."),
        .optional("sent", Schema.time, "When it was sent."),
        .optional("error", .string, "Why it could not be sent the last time."),
    ])

    @Sendable private func list(_ call: Call<Principal>) async throws -> JSONText {
        let state: String? = try call.optional("state")
        let limit = try call.limit(usually: 50)
        var before = Int64.max
        if let after: String = try call.optional("after") {
            guard let number = Int64(after) else {
                throw RPCError.invalid("after", "must be the next of a page before")
            }
            before = number
        }
        let (page, last) = try await store.read { [before] db in
            var page = TextPage(limit: limit)
            var last: Int64?
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT * FROM (
                            SELECT number, recipient, subject, made, tries, next, sent, error,
                                CASE WHEN sent IS NOT NULL THEN 'sent' WHEN next IS NULL THEN 'given-up' ELSE 'waiting' END
                                    AS state
                            FROM mail)
                        WHERE number < ?1 AND (?2 IS NULL OR state = ?2) ORDER BY number DESC
                        """),
                arguments: [before, state])
            while let row = try rows.next() {
                guard page.take(.object { Self.write(row, to: &$0) }) else { break }
                last = row[0]
            }
            return (page, last)
        }
        return .object { json in
            page.write("mails", to: &json)
            if page.isFull { json.member("next", last.map { String($0) }) }
        }
    }

    private static func write(_ row: Row, to json: inout JSONWriter) {
        func time(_ column: Int) -> String? {
            (row[column] as Int64?).map { Timestamp(milliseconds: $0).description }
        }
        json.member("id", String(row[0] as Int64))
        json.member("to", row[1] as String)
        json.member("subject", row[2] as String)
        json.member("made", time(3))
        json.member("state", row[8] as String)
        json.member("tries", row[4] as Int)
        json.member("next", time(5))
        json.member("sent", time(6))
        json.member("error", row[7] as String?)
    }
}
