import GRDB
import Positioning
import RPC
import TestSupport
import Testing

@testable import Plans

@Suite struct PlanLinkTests {
    @Test func aLinkShowsPublicContentUntilItExpiresOrIsRevoked() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome", level: .members), in: db)
            var numbers: [Int64] = []
            for (name, level) in [("Forum", Level.everyone), ("Home", .members)] {
                var fields = Location.Fields(name: name)
                fields.level = level
                numbers.append(try Location.create(fields, in: access, at: moment(0), in: db))
            }
            var meal = Activity.Fields(title: "Pizza")
            (meal[.contact], meal[.bookingCode]) = ("+39", "X")
            _ = try Activity.create(meal, tab: .food, in: access, at: moment(0), in: db)
            let (secret, number) = try PlanLink.create(to: nil, in: access, at: moment(0), in: db)
            #expect(secret.utf8.count == 22)
            let content = try PlanLink.look(secret, at: moment(1), in: db)
            #expect(content.locations.map(\.fields.name) == ["Forum"])
            #expect(content.activities.map(\.fields.title) == ["Pizza"])
            #expect(content.activities[0].fields[.contact] == nil && content.activities[0].fields[.bookingCode] == nil)
            // A link to one location shows it, whatever its level.
            let one = try PlanLink.create(to: numbers[1], in: access, days: 1, at: moment(0), in: db)
            let single = try PlanLink.look(one.secret, at: moment(1), in: db)
            #expect(single.locations.map(\.fields.name) == ["Home"] && single.activities.isEmpty)
            try PlanLink.countOpening(one.secret, in: db)
            #expect(try PlanLink.list(of: access, at: moment(2), in: db).map(\.opened).sorted() == [0, 1])
            // The first link expires after its one day, the other after thirty.
            refuses(.notFound) { try PlanLink.look(one.secret, at: moment(86_400), in: db) }
            #expect(try PlanLink.list(of: access, at: moment(86_400), in: db).map(\.number) == [number])
            #expect(throws: Never.self) { try PlanLink.look(secret, at: moment(30 * 86_400 - 1), in: db) }
            refuses(.notFound) { try PlanLink.look(secret, at: moment(30 * 86_400), in: db) }
            try PlanLink.revoke(number, in: access, in: db)
            refuses(.notFound) { try PlanLink.look(secret, at: moment(1), in: db) }
            refuses(.notFound) { try PlanLink.revoke(number, in: access, in: db) }
            refuses(.notFound) { try PlanLink.look("", at: moment(1), in: db) }
            refuses(field: "days") { try PlanLink.create(to: nil, in: access, days: 0, at: moment(0), in: db) }
            // The secret is not stored.
            let texts = try Row.fetchAll(db, sql: "SELECT * FROM plan_link").map(\.description).joined()
            #expect(!texts.contains(secret))
        }
    }

    @Test func onlyEditorsOfAPlanCreateLinks() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome", level: .everyone), in: db)
            let stranger = try PlansFixture.access(access, as: 2, in: db)
            refuses(.notAllowed) { try PlanLink.create(to: nil, in: stranger, at: moment(0), in: db) }
            refuses(.notAllowed) { try PlanLink.list(of: stranger, at: moment(0), in: db) }
        }
    }
}
