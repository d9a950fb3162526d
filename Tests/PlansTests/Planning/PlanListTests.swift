import GRDB
import Geodesy
import TestSupport
import Testing
import Time

@testable import Plans

@Suite struct PlanListTests {
    private func matches(_ plan: Plan, _ list: PlanList) -> Bool {
        let fields = plan.fields
        guard fields.level == .everyone else { return false }
        let text = PlanText.folded([fields.title, fields[.description]])
        if let wanted = list.text, !text.contains(PlanText.folded([wanted])) { return false }
        if let code = list.postalCode, !fields.postalCodes.contains(code.uppercased()) { return false }
        if let people = list.people, fields[integer: .people] != people { return false }
        if let from = list.from {
            guard let end = fields.span.end?.end, end >= from else { return false }
        }
        if let to = list.to {
            guard let start = fields.span.start?.instant, start <= to else { return false }
        }
        return true
    }

    private func precedes(_ one: Plan, _ other: Plan, _ order: PlanList.Order) -> Bool {
        switch order {
        case .newest: (one.created, one.number) > (other.created, other.number)
        case .likes: (one.likes, one.number) > (other.likes, other.number)
        case .start:
            (one.fields.span.start?.instant ?? .latest, one.number)
                < (other.fields.span.start?.instant ?? .latest, other.number)
        }
    }

    /// Filters and sorts random published plans by brute force.
    @Test func exploringEqualsABruteForceSearch() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            var random = SeededGenerator(seed: 6)
            let words = ["Rome", "Köln", "sea", "Alps", "train", "van"]
            for index in 0..<60 {
                let day = Int.random(in: 1...20, using: &random)
                var fields = try Plan.Fields.titled(
                    "\(words.randomElement(using: &random).known) \(index)",
                    level: Level.allCases.randomElement(using: &random).known,
                    from: index % 5 == 0 ? nil : "2026-06-\(day + 9)", to: index % 5 == 0 ? nil : "2026-06-\(day + 10)")
                fields[.description] = words.randomElement(using: &random)
                fields[integer: .people] = [nil, 2, 3].randomElement(using: &random).known
                fields.postalCodes = Array(["1012 AB", "50667", "00185"].prefix(Int.random(in: 0...3, using: &random)))
                let number = try Plan.create(
                    fields, by: Int64.random(in: 1...2, using: &random), at: moment(Int64(index / 3)), in: db)
                let id = try Plan.get(number, in: db).id
                try db.execute(sql: "INSERT INTO subject (id) VALUES (?)", arguments: ["plan/\(id)"])
                let subject = db.lastInsertedRowID
                for person in 1...3 where Bool.random(using: &random) {
                    try db.execute(
                        sql: "INSERT INTO reaction (subject, kind, person, time) VALUES (?, 'like', ?, 0)",
                        arguments: [subject, person])
                }
            }
            let all = try Int64.fetchAll(db, sql: "SELECT number FROM plan").map { try Plan.get($0, in: db) }
            for _ in 0..<120 {
                var list = PlanList(
                    scope: .published, order: PlanList.Order.allCases.randomElement(using: &random).known)
                list.text = ["köl", "KOLN", "rome", "a", nil, nil, nil].randomElement(using: &random).known
                list.postalCode = ["50667", "1012 ab", nil, nil].randomElement(using: &random).known
                list.people = [2, nil, nil].randomElement(using: &random).known
                let zone = try #require(Zone("Europe/Amsterdam"))
                if Bool.random(using: &random) { list.from = try PlannedTime("2026-06-15", in: zone).instant }
                if Bool.random(using: &random) { list.to = try PlannedTime("2026-06-22", in: zone).instant }
                let expected = all.filter { matches($0, list) }.sorted { precedes($0, $1, list.order) }
                list.limit = Int.random(in: 1...10, using: &random)
                var found: [String] = []
                while case let page = try list.entries(for: nil, in: db), let last = page.last {
                    #expect(page.count <= list.limit)
                    found += page.map(\.plan.id)
                    list.after = (last.rank, last.plan.number)
                }
                #expect(found == expected.map(\.id))
            }
        }
    }

    @Test func aRowShowsWhatThePersonMaySee() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome", level: .everyone), in: db)
            for (name, level, longitude) in [("Home", Level.me, 4.9), ("Forum", .everyone, 12.5)] {
                var fields = Location.Fields(name: name)
                fields.level = level
                fields.place = Coordinate(latitude: 41, longitude: longitude)
                _ = try Location.create(fields, in: access, at: moment(0), in: db)
            }
            let own = try #require(try PlanList(scope: .own).entries(for: 1, in: db).first)
            #expect(own.firstLocation == "Home" && own.pin?.longitude == 4.9 && own.ownerName == "Ada Test")
            let seen = try #require(try PlanList(scope: .of(1)).entries(for: 2, in: db).first)
            #expect(seen.firstLocation == "Forum" && seen.pin?.longitude == 12.5 && seen.owner == "ada")
            // A saved plan is listed while it is visible.
            try db.execute(sql: "INSERT INTO subject (id) VALUES (?)", arguments: ["plan/\(access.id)"])
            try db.execute(
                sql: "INSERT INTO reaction (subject, kind, person, time) VALUES (?, 'save', 2, 0)",
                arguments: [db.lastInsertedRowID])
            #expect(try PlanList(scope: .saved).entries(for: 2, in: db).map(\.isSaved) == [true])
            try Plan.publish(access, false, at: moment(1), in: db)
            #expect(try PlanList(scope: .saved).entries(for: 2, in: db).isEmpty)
            #expect(try PlanList(scope: .published).entries(for: 1, in: db).isEmpty)
            #expect(try PlanList(scope: .of(1)).entries(for: 2, in: db).isEmpty)
        }
    }

    @Test func copyingATemplateKeepsStructureTextsAndShiftedDays() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            var fields = try Plan.Fields.titled("Rome", level: .everyone, from: "2026-06-01T08:00", to: "2026-06-05")
            fields[integer: .people] = 3
            let access = try PlansFixture.plan(fields, in: db)
            let zone = try #require(Zone("Europe/Rome"))
            var place = Location.Fields(name: "Forum")
            place.span.start = try PlannedTime("2026-06-02T10:00", in: zone)
            let forum = try Location.create(place, in: access, at: moment(0), in: db)
            try Location.stamp(forum, at: moment(5), by: "van", isCrossed: false, in: db)
            place.level = .me
            _ = try Location.create(place, in: access, at: moment(0), in: db)
            var meal = Activity.Fields(title: "Pizza")
            (meal[.contact], meal[flag: .booked], meal[.bookingCode], meal[.note]) = ("+39", true, "X", "Napoletana")
            meal.span.start = try PlannedTime("2026-06-03T19:00", in: zone)
            let food = try Activity.create(meal, tab: .food, in: access, at: moment(0), in: db)
            let item = try Activity.create(.init(title: "Day three"), in: access, at: moment(0), in: db)
            try Activity.link(item, to: [Activity.get(food, in: access, in: db).id], in: access, in: db)
            let seen = try PlansFixture.access(access, as: 2, in: db)
            let start = try #require(CalendarDate(text: "2026-12-30"))
            let number = try Template.copy(seen, title: nil, start: start, by: 2, at: moment(9), in: db)
            let plan = try Plan.get(number, in: db)
            #expect(plan.fields.span.start?.text == "2026-12-30T08:00" && plan.fields.span.end?.text == "2027-01-03")
            #expect(plan.owner == 2 && plan.published == nil && plan.fields[integer: .people] == nil)
            let copy = try PlanAccess.plan(plan.id, for: 2, in: db)
            let locations = try Location.list(of: copy, in: db)
            #expect(locations.map(\.fields.name) == ["Forum"] && locations[0].passed == nil)
            #expect(locations[0].start?.text == "2026-12-31T10:00")
            let activities = try Activity.list(of: copy, in: db)
            #expect(activities.map(\.fields.title) == ["Pizza", "Day three"])
            #expect(activities[0].fields[.contact] == nil && !activities[0].fields[flag: .booked])
            #expect(activities[0].fields[.bookingCode] == nil && activities[0].fields[.note] == "Napoletana")
            #expect(activities[0].start?.text == "2027-01-01T19:00")
            #expect(activities[1].links == [activities[0].id])
            #expect(try Plan.get(access.plan, in: db).revision == 1)
            #expect(try PlanMember.list(of: number, in: db).map(\.id) == ["ben"])
        }
    }
}
