import GRDB
import Geodesy
import Positioning
import RPC
import TestSupport
import Testing

@testable import Plans

@Suite struct LocationTests {
    private func names(_ access: PlanAccess, in db: Database) throws -> String {
        try Location.list(of: access, in: db).map(\.fields.name).joined()
    }

    @Test func locationsKeepTheirOrderAndCanBeMoved() throws {
        try PlansFixture("ada").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome"), in: db)
            var numbers: [Int64] = []
            for name in ["A", "B", "C", "D"] {
                numbers.append(try Location.create(.init(name: name), in: access, at: moment(0), in: db))
            }
            #expect(try names(access, in: db) == "ABCD")
            try Location.move(numbers[3], in: access, to: .before(numbers[0]), in: db)
            #expect(try names(access, in: db) == "DABC")
            try Location.move(numbers[0], in: access, to: .after(numbers[2]), in: db)
            #expect(try names(access, in: db) == "DBCA")
            try Location.move(numbers[1], in: access, to: .after(numbers[1]), in: db)
            #expect(try names(access, in: db) == "DBCA")
            _ = try Location.create(.init(name: "E"), in: access, at: moment(0), in: db)
            try Location.remove(numbers[2], in: access, at: moment(0), in: db)
            #expect(try names(access, in: db) == "DBAE")
            let other = try PlansFixture.plan(.titled("Milan"), in: db)
            let foreign = try Location.create(.init(name: "X"), in: other, at: moment(0), in: db)
            refuses(field: "location") { try Location.move(numbers[0], in: access, to: .before(foreign), in: db) }
        }
    }

    /// Makes random moves in the plan and in an array.
    @Test func randomMovesOrderLikeAnArray() throws {
        try PlansFixture("ada").queue.write { db in
            var random = SeededGenerator(seed: 8)
            let access = try PlansFixture.plan(.titled("Rome"), in: db)
            var order = try (0..<12).map {
                try Location.create(.init(name: "\($0)"), in: access, at: moment(0), in: db)
            }
            for _ in 0..<100 {
                let (moved, anchor) = (
                    order.randomElement(using: &random).known, order.randomElement(using: &random).known
                )
                let isBefore = Bool.random(using: &random)
                try Location.move(moved, in: access, to: isBefore ? .before(anchor) : .after(anchor), in: db)
                if moved != anchor {
                    order.removeAll { $0 == moved }
                    order.insert(moved, at: order.firstIndex(of: anchor).known + (isBefore ? 0 : 1))
                }
                #expect(try Location.list(of: access, in: db).map(\.number) == order)
            }
        }
    }

    @Test func previousAndNextFollowTheVisibleLocations() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome", level: .everyone), in: db)
            for (name, level) in [("A", Level.everyone), ("B", .me), ("C", .friends), ("D", .everyone)] {
                var fields = Location.Fields(name: name)
                fields.level = level
                _ = try Location.create(fields, in: access, at: moment(0), in: db)
            }
            for (person, expected) in [(1, "ABCD"), (2, "AD"), (nil, "AD")] as [(Int64?, String)] {
                let access = try PlansFixture.access(access, as: person, in: db)
                #expect(try names(access, in: db) == expected)
                let all = try Location.list(of: access, in: db)
                for (index, location) in all.enumerated() {
                    let (previous, next) = try Location.neighbors(of: location.number, in: access, in: db)
                    #expect(previous == (index == 0 ? nil : all[index - 1].id))
                    #expect(next == (index == all.count - 1 ? nil : all[index + 1].id))
                }
                // In pages of one.
                var (paged, key) = ("", nil as (Int64, Int64)?)
                while let location = try Location.list(of: access, after: key, limit: 1, in: db).first {
                    paged += location.fields.name
                    key = (location.position, location.number)
                }
                #expect(paged == expected)
            }
        }
    }

    @Test func aLocationIsReadBackUnchangedAndFoundByItsText() throws {
        try PlansFixture("ada").queue.write { db in
            let access = try PlansFixture.plan(.titled("Köln"), in: db)
            var fields = Location.Fields(name: "Café Zürich")
            fields[.address] = "Domplatz 1, 50667 Köln"
            fields[.description] = "Near the station."
            fields.place = Coordinate(latitude: 50.94, longitude: 6.96)
            fields.radius = .meters(250)
            fields[.coverURL] = "https://example.org/c.jpg"
            fields.level = .friends
            let zone = try #require(Zone("Europe/Berlin"))
            fields.span = PlannedSpan(
                start: try PlannedTime("2026-06-01T10:00", in: zone), end: try PlannedTime("2026-06-01T11:00", in: zone)
            )
            let number = try Location.create(fields, in: access, at: moment(0), in: db)
            #expect(try Location.get(number, in: db).fields == fields)
            for text in ["zurich", "CAFÉ", "50667", "koln"] {
                #expect(try Location.list(of: access, containing: text, in: db).map(\.number) == [number], "\(text)")
            }
            #expect(try Location.list(of: access, containing: "Bonn", in: db).isEmpty)
            var wrong = fields
            wrong.radius = .zero
            refuses(field: "radius_m") { try Location.create(wrong, in: access, at: moment(0), in: db) }
            wrong = fields
            wrong.span.end = try PlannedTime("2026-06-01T09:00", in: zone)
            refuses(field: "to") { try Location.update(number, in: access, to: wrong, from: 1, in: db) }
            refusesOutdated { try Location.update(number, in: access, to: fields, from: 7, in: db) }
        }
    }
}
