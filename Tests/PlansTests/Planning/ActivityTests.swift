import GRDB
import Geodesy
import RPC
import TestSupport
import Testing
import Time

@testable import Plans

@Suite struct ActivityTests {
    private func full(_ tab: Activity.Tab) throws -> Activity.Fields {
        let zone = try #require(Zone("Europe/Lisbon"))
        var fields = Activity.Fields(title: "Title")
        fields[.description] = "Description"
        fields[.location] = "Location"
        fields[.address] = "Address"
        fields.place = Coordinate(latitude: 38.7, longitude: -9.1)
        fields[.contact] = "+351 1"
        fields[flag: .booked] = true
        fields[.bookingCode] = "ABC"
        fields[.bookingURL] = "https://example.org/b"
        fields[.thumbnailURL] = "https://example.org/t"
        fields[.url] = "https://example.org/u"
        fields[.note] = "Note"
        fields.level = .friends
        fields.span = PlannedSpan(
            start: try PlannedTime("2026-06-01T23:00", in: zone), end: try PlannedTime("2026-06-02T02:10", in: zone))
        if tab == .transport { (fields[.mode], fields[.departure], fields[.arrival]) = ("train", "Porto", "Lisboa") }
        if tab == .food { (fields[integer: .rating], fields[.recommendation]) = (0, "Bacalhau") }
        return fields
    }

    @Test(arguments: Activity.Tab.allCases)
    func everyFieldOfEveryTabIsReadBackUnchanged(_ tab: Activity.Tab) throws {
        try PlansFixture("ada").queue.write { db in
            let access = try PlansFixture.plan(.titled("Lisbon"), in: db)
            let number = try Activity.create(full(tab), tab: tab, in: access, at: moment(0), in: db)
            #expect(try Activity.get(number, in: access, in: db).fields == full(tab))
            try Activity.update(number, in: access, to: .init(title: "Other"), from: 1, in: db)
            let other = try Activity.get(number, in: access, in: db)
            var written = Activity.Fields(title: "Other")
            written[flag: .booked] = false
            #expect(other.fields == written && other.tab == tab && other.revision == 2)
            refusesOutdated { try Activity.update(number, in: access, to: full(tab), from: 1, in: db) }
            for other in Activity.Tab.allCases {
                #expect(try Activity.list(of: access, tab: other, in: db).count == (other == tab ? 1 : 0))
            }
        }
    }

    @Test func fieldsOfOtherTabsAndValuesOutOfRangeAreRefused() throws {
        try PlansFixture("ada").queue.write { db in
            let access = try PlansFixture.plan(.titled("Lisbon"), in: db)
            func refuse(_ field: String, _ tab: Activity.Tab, _ change: (inout Activity.Fields) throws -> Void) throws {
                var fields = try full(tab)
                try change(&fields)
                refuses(field: field) { try Activity.create(fields, tab: tab, in: access, at: moment(0), in: db) }
            }
            try refuse("rating", .food) { $0[integer: .rating] = 6 }
            try refuse("rating", .food) { $0[integer: .rating] = -1 }
            try refuse("rating", .lodging) { $0[integer: .rating] = 3 }
            try refuse("mode", .food) { $0[.mode] = "train" }
            try refuse("departure", .itinerary) { $0[.departure] = "x" }
            try refuse("recommendation", .places) { $0[.recommendation] = "x" }
            try refuse("url", .places) { $0[.url] = "ftp://example.org" }
            try refuse("to", .places) {
                $0.span.end = try PlannedTime("2026-06-01T22:59", in: Zone("Europe/Lisbon").known)
            }
            #expect(try Activity.list(of: access, in: db).isEmpty)
        }
    }

    @Test func linksPointToOtherTabsAndAreRemovedWithTheirTarget() throws {
        try PlansFixture("ada").queue.write { db in
            let access = try PlansFixture.plan(.titled("Lisbon"), in: db)
            let item = try Activity.create(.init(title: "Day one"), in: access, at: moment(0), in: db)
            let food = try Activity.create(.init(title: "Lunch"), tab: .food, in: access, at: moment(0), in: db)
            let bed = try Activity.create(.init(title: "Hotel"), tab: .lodging, in: access, at: moment(0), in: db)
            func id(_ number: Int64) throws -> String { try Activity.get(number, in: access, in: db).id }
            try Activity.link(item, to: [id(food), id(bed), id(food)], in: access, in: db)
            #expect(try Activity.get(item, in: access, in: db).links == [id(food), id(bed)])
            try Activity.remove(food, in: access, at: moment(0), in: db)
            #expect(try Activity.get(item, in: access, in: db).links == [id(bed)])
            refuses(field: "links") { try Activity.link(bed, to: [id(item)], in: access, in: db) }
            refuses(field: "links") { try Activity.link(item, to: [id(item)], in: access, in: db) }
            refuses(.notFound) { try Activity.link(item, to: ["nothing"], in: access, in: db) }
            let other = try PlansFixture.plan(.titled("Porto"), in: db)
            let foreign = try Activity.create(.init(title: "X"), tab: .food, in: other, at: moment(0), in: db)
            let foreignID = try Activity.get(foreign, in: other, in: db).id
            refuses(field: "links") { try Activity.link(item, to: [foreignID], in: access, in: db) }
            try Activity.link(item, to: [], in: access, in: db)
            #expect(try Activity.get(item, in: access, in: db).links.isEmpty)
        }
    }

    @Test func onlyMembersSeeContactsAndBookings() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            let access = try PlansFixture.plan(.titled("Lisbon", level: .everyone), in: db)
            let number = try Activity.create(full(.food), tab: .food, in: access, at: moment(0), in: db)
            try PlansFixture.befriend(1, 2, in: db)
            try PlanMember.grant(PlansFixture.person(2, in: db), true, in: access, at: moment(0), in: db)
            for person in [2, nil] as [Int64?] {
                let access = try PlansFixture.access(access, as: person, in: db)
                // The activity has the level of friends.
                let seen = try Activity.list(of: access, in: db).first?.fields
                #expect((seen != nil) == (person == 2))
                #expect(seen?[.contact] == nil && seen?[flag: .booked] ?? false == false && seen?[.bookingCode] == nil)
            }
            // A friend with a grant changes only the other fields.
            let ben = try PlansFixture.access(access, as: 2, in: db)
            refuses(.notAllowed) { try Activity.update(number, in: ben, to: full(.food), from: nil, in: db) }
            try Activity.update(number, in: ben, to: .init(title: "Dinner"), from: 1, in: db)
            let fields = try Activity.get(number, in: access, in: db).fields
            #expect(fields.title == "Dinner" && fields[.contact] == "+351 1" && fields[flag: .booked])
        }
    }

    @Test func theItineraryHasEachActivityOnceUnderItsDay() throws {
        try PlansFixture("ada").queue.write { db in
            let access = try PlansFixture.plan(.titled("Lisbon"), in: db)
            let zone = try #require(Zone("Europe/Lisbon"))
            var random = SeededGenerator(seed: 5)
            for index in 0..<60 {
                var fields = Activity.Fields(title: "\(index)")
                let minute = Int.random(in: 0..<4320, using: &random)
                if index % 7 != 0 {
                    let start = WallClock(
                        date: CalendarDate(text: "2026-06-01").known.advanced(byDays: Int64(minute / 1440)),
                        minute: minute % 1440)
                    fields.span.start = PlannedTime(start, in: zone)
                }
                let tab = Activity.Tab.allCases.randomElement(using: &random).known
                _ = try Activity.create(fields, tab: tab, in: access, at: moment(0), in: db)
            }
            let days = try Activity.itinerary(of: access, in: db).days
            #expect(days.map { $0.date?.text } == ["2026-06-01", "2026-06-02", "2026-06-03", nil])
            #expect(days.flatMap(\.items).count == 60)
            for day in days {
                #expect(day.items.map(\.rank) == day.items.map(\.rank).sorted())
                #expect(day.items.allSatisfy { $0.start?.clock.date == day.date })
            }
            // Pages of any size contain the same.
            var (paged, key) = ([] as [Int64], nil as (Int64, Int64)?)
            while case let page = try Activity.list(of: access, after: key, limit: 7, in: db), let last = page.last {
                paged += page.map(\.number)
                key = (last.rank, last.number)
            }
            #expect(paged == days.flatMap(\.items).map(\.number))
        }
    }
}
