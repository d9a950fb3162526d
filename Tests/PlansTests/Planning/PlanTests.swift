import GRDB
import Geodesy
import Money
import Positioning
import RPC
import TestSupport
import Testing

@testable import People
@testable import Plans

@Suite struct PlanTests {
    private func full() throws -> Plan.Fields {
        var fields = try Plan.Fields.titled("Rome", from: "2026-06-01T08:00", to: "2026-06-05")
        fields[.description] = "Five days.\nWith the train."
        fields[.destination] = "Roma Termini"
        fields.place = Coordinate(latitude: 41.901, longitude: 12.5)
        fields[integer: .people] = 4
        fields.postalCodes = ["00185", "1012 AB"]
        fields[.coverURL] = "https://example.org/rome.jpg"
        fields.level = .members
        return fields
    }

    @Test func aPlanIsReadBackUnchanged() throws {
        try PlansFixture("ada").queue.write { db in
            let access = try PlansFixture.plan(full(), in: db)
            let plan = try Plan.get(access.plan, in: db)
            #expect(plan.fields == (try full()))
            #expect((plan.revision, plan.owner, plan.creator, plan.likes) == (1, 1, 1, 0))
            #expect(plan.created == moment(0) && plan.published == nil)
            let members = try PlanMember.list(of: access.plan, in: db)
            #expect(members.map(\.id) == ["ada"] && members[0].isOwner && members[0].edits && members[0].travels)
            var other = try Plan.Fields.titled(" Milan ", level: .everyone)
            other.postalCodes = ["1", " 1 ", ""]
            try Plan.update(access, to: other, from: 1, at: moment(9), in: db)
            let changed = try Plan.get(access.plan, in: db)
            #expect(changed.fields.title == "Milan" && changed.fields.postalCodes == ["1"])
            #expect((changed.revision, changed.changed, changed.published) == (2, moment(9), moment(9)))
        }
    }

    @Test func invalidFieldsAreNamed() throws {
        try PlansFixture("ada").queue.write { db in
            func refuse(_ field: String, _ change: (inout Plan.Fields) throws -> Void) throws {
                var fields = try full()
                try change(&fields)
                refuses(field: field) { try Plan.create(fields, by: 1, at: moment(0), in: db) }
            }
            let zone = try #require(Zone("Europe/Rome"))
            try refuse("title") { $0.title = " \n" }
            try refuse("title") { $0.title = "a\u{7}b" }
            try refuse("title") { $0.title = String(repeating: "é", count: 251) }
            try refuse("description") { $0[.description] = String(repeating: "x", count: 10_001) }
            try refuse("cover_url") { $0[.coverURL] = "javascript:alert(1)" }
            try refuse("cover_url") { $0[.coverURL] = "https://" }
            try refuse("people") { $0[integer: .people] = 0 }
            try refuse("postal_codes") { $0.postalCodes = Array(repeating: "1", count: 51) }
            try refuse("end") { $0.span.end = try PlannedTime("2026-06-01T07:59", in: zone) }
            try refuse("end") {
                $0.span.start?.clock.minute = nil
                $0.span.end = try PlannedTime("2026-05-31", in: zone)
            }
            try refuse("end") { $0.span.end = nil }
            try refuse("start") { $0.span.start = nil }
            // A plan may start and end on the same whole day.
            var day = try full()
            day.span.end = try PlannedTime("2026-06-01", in: zone)
            #expect(throws: Never.self) { try Plan.create(day, by: 1, at: moment(0), in: db) }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM plan") == 1)
        }
    }

    @Test func anUpdateFromAnOlderRevisionIsRefused() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome"), in: db)
            _ = try PlansFixture.join(2, access, edits: true, in: db)
            let ben = try PlansFixture.access(access, as: 2, in: db)
            try Plan.update(ben, to: .titled("Rome by Ben"), from: 1, at: moment(1), in: db)
            refusesOutdated {
                try Plan.update(access, to: .titled("Rome by Ada"), from: 1, at: moment(2), in: db)
            }
            #expect(try Plan.get(access.plan, in: db).fields.title == "Rome by Ben")
            try Plan.update(access, to: .titled("Rome by both"), from: 2, at: moment(2), in: db)
            #expect(try Plan.get(access.plan, in: db).revision == 3)
            // Only the owner decides who sees the plan.
            refuses(.notAllowed) {
                try Plan.update(ben, to: .titled("Rome", level: .everyone), from: nil, at: moment(3), in: db)
            }
        }
    }

    @Test func aPublishedPlanIsVisibleToEverybodyUntilUnpublished() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome", level: .members), in: db)
            refuses(.notFound) { try PlansFixture.access(access, as: 2, in: db) }
            try Plan.publish(access, true, at: moment(1), in: db)
            #expect(try PlansFixture.access(access, as: nil, in: db).edits == false)
            try Plan.publish(access, false, at: moment(2), in: db)
            refuses(.notFound) { try PlansFixture.access(access, as: 2, in: db) }
            #expect(try Plan.get(access.plan, in: db).fields.level == .members)
            refuses(.notAllowed) {
                try Plan.update(access, to: .titled("Rome", level: .everyone), from: nil, at: moment(3), in: db)
                return try Plan.publish(PlansFixture.access(access, as: 2, in: db), false, at: moment(3), in: db)
            }
        }
    }

    @Test func removingAPlanRemovesEverythingOfIt() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome"), in: db)
            let ben = try PlansFixture.join(2, access, in: db)
            let location = try Location.create(.init(name: "Forum"), in: access, at: moment(0), in: db)
            let activity = try Activity.create(.init(title: "Pizza"), tab: .food, in: access, at: moment(0), in: db)
            let euro = try Currency("EUR")
            _ = try Accounting.add(
                .init(
                    title: "Pizza", activity: activity, amount: Amount(minor: 100, euro),
                    payers: [.init(member: ben, weight: 100)], split: .evenly([ben])), to: access, at: moment(0), in: db
            )
            _ = try PlanLink.create(to: location, in: access, at: moment(0), in: db)
            for id in ["plan/\(access.id)", "location/\(try Location.get(location, in: db).id)"] {
                try db.execute(sql: "INSERT INTO subject (id) VALUES (?)", arguments: [id])
            }
            refuses(.notAllowed) { try Plan.remove(PlansFixture.access(access, as: 2, in: db), at: moment(0), in: db) }
            try Plan.remove(access, at: moment(0), in: db)
            try PlansFixture.checkKeys(db)
            for table in [
                "plan", "plan_member", "location", "activity", "expense", "expense_payer", "expense_share", "plan_link",
            ] {
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") == 0, "\(table)")
            }
            // What people have said of it goes with it, but not before it has left the bin.
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM subject") == 2)
            try db.execute(sql: "DELETE FROM plan_bin")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM subject") == 0)
        }
    }
}
