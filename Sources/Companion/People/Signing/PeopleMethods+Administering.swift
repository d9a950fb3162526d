#if Companion
import Callers
import GRDB
import RPC
import Service
import Store
import Time

extension PeopleMethods {
    /// The methods that make people administrators and list them.
    var administering: [Method<Principal>] {
        [
            .stored(
                "people.admin",
                "Makes a person an administrator in the browser, or ends that. Only a user of the machine can do so.",
                Self.person,
                .optional(
                    "remove", .boolean, default: false,
                    "Whether to remove the person from the administrators, with immediate effect."),
                answers: .object {
                    Member("person", .text, "The username.") { $0.id }
                    Member("admin", .boolean, "Whether the person is an administrator now.") { $0.isAdmin }
                }, errors: [.notFound, .conflict], right: .change, handler: administer),
            .stored(
                "people.admins", "Lists the people who are administrators in the browser, by username.",
                answers: .object {
                    Member("people", .array(of: Administrator.shape), "The administrators.") { $0 }
                }, right: .change, handler: administrators),
        ]
    }

    private struct Administrator: Answerable, Sendable {
        var row: PersonRow
        var since: Timestamp

        static let shape = AnswerShape<Administrator>.object {
            PersonRow.members.of { $0.row }
            Member("since", .time, "The time at which the person became an administrator.") { $0.since }
        }
    }

    /// The maximum number of administrators.
    ///
    /// One machine needs no more, and all of them fit into one answer.
    private static let maximumAdministrators = 100

    @Sendable private func administer(
        _ call: Call<Principal>, _ id: String, removing: Bool
    ) async throws -> (id: String, isAdmin: Bool) {
        // A session must not be able to give rights to itself or others, so only a user of the machine may call this.
        _ = try call.user()
        let (now, administrators) = (context.now(), accounts.administrators)
        return try await editor.change { db, _ in
            let person = try People.get(id, in: db)
            if removing {
                try db.cachedStatement(sql: "DELETE FROM administrator WHERE person = ?")
                    .execute(arguments: [person.number])
                guard db.changesCount > 0 else { throw Refusal.notFound("\(person.id) is not an administrator.") }
                // Runs in the order of the commits, so the last commit wins.
                db.afterNextTransaction { _ in administrators.remove(person.id) }
            } else {
                try db.cachedStatement(sql: "INSERT OR IGNORE INTO administrator (person, since) VALUES (?, ?)")
                    .execute(arguments: [person.number, now.milliseconds])
                let count = try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM administrator")) ?? 0
                guard count <= Self.maximumAdministrators else {
                    throw Refusal.conflict(
                        "There are already \(Self.maximumAdministrators) administrators, the maximum. Remove one first."
                    )
                }
                db.afterNextTransaction { _ in administrators.insert(person.id) }
            }
            return (person.id, !removing)
        }
    }

    @Sendable private func administrators(_ call: Call<Principal>) async throws -> [Administrator] {
        let viewer = call.viewer
        return try await store.read { db in
            let rows = try NamedRow.soundRows(
                db.cachedStatement(
                    sql: """
                        SELECT \(PersonRow.columns()), since
                        FROM administrator JOIN person ON person.number = administrator.person ORDER BY person.id
                        """),
                arguments: ["me": try People.number(of: viewer, in: db)])
            var list: [Administrator] = []
            while let row = try rows.next() {
                list.append(Administrator(row: PersonRow(row), since: Timestamp(milliseconds: row["since"])))
            }
            return list
        }
    }
}
#endif
