import GRDB
import Positioning
import RPC
import TestSupport
import Testing

@testable import People
@testable import Plans

/// The visibility rules of plans, compared with a model written in plain Swift.
@Suite struct PlanAccessRulesTests {
    private struct World {
        struct Item {
            var id: String
            var table: String
            var plan: Int64
            var person: Int64?
            var level: Level
        }

        struct PlanRow {
            var number: Int64
            var id: String
            var owner: Int64
            var level: Level
            var members: [Int64: (state: String, edits: Bool)] = [:]
            var granted: Set<Int64> = []
        }

        var plans: [PlanRow] = []
        var items: [Item] = []
        var friends: Set<[Int64]> = []

        func areFriends(_ one: Int64, _ other: Int64) -> Bool { friends.contains([one, other]) }

        func isMember(_ person: Int64?, of plan: PlanRow) -> Bool {
            person.map { $0 == plan.owner || plan.members[$0]?.state == "member" } ?? false
        }

        func sees(_ person: Int64?, _ plan: PlanRow) -> Bool {
            switch plan.level {
            case .me: person == plan.owner
            case .members: isMember(person, of: plan) || person.map { plan.granted.contains($0) } ?? false
            case .friends:
                isMember(person, of: plan)
                    || person.map {
                        plan.granted.contains($0) || areFriends(plan.owner, $0) || plan.members[$0]?.state == "asked"
                    } ?? false
            case .everyone: true
            }
        }

        func sees(_ person: Int64?, _ item: Item) -> Bool {
            guard let plan = plans.first(where: { $0.number == item.plan }), sees(person, plan) else { return false }
            if item.level == .me { return person != nil && person == (item.person ?? plan.owner) }
            var narrowed = plan
            narrowed.level = item.level
            return sees(person, narrowed)
        }

        func edits(_ person: Int64?, _ plan: PlanRow) -> Bool {
            guard let person, sees(person, plan) else { return false }
            return person == plan.owner || plan.granted.contains(person)
                || plan.members[person].map { $0.state == "member" && $0.edits } ?? false
        }
    }

    private static let people: ClosedRange<Int64> = 1...7

    private func world(using random: inout SeededGenerator, in db: Database) throws -> World {
        var world = World()
        for one in Self.people {
            for other in Self.people where other > one && Int.random(in: 0...2, using: &random) == 0 {
                world.friends.formUnion([[one, other], [other, one]])
                try PlansFixture.befriend(one, other, in: db)
            }
        }
        for index in 0..<12 {
            let owner = Int64.random(in: Self.people, using: &random)
            let level = Level.allCases.randomElement(using: &random).known
            let number = try Plan.create(.titled("Plan \(index)", level: level), by: owner, at: moment(0), in: db)
            var plan = World.PlanRow(
                number: number, id: try Plan.get(number, in: db).id, owner: owner, level: level)
            plan.members[owner] = ("member", true)
            for person in Self.people where person != owner {
                let state = ["asked", "member", "left", nil, nil].randomElement(using: &random).known
                if let state {
                    let edits = Bool.random(using: &random)
                    plan.members[person] = (state, edits)
                    try db.execute(
                        sql: """
                            INSERT INTO plan_member (plan, person, state, edits, travels, time) VALUES (?, ?, ?, ?, 0, 0)
                            """, arguments: [number, person, state, edits])
                }
                if Int.random(in: 0...4, using: &random) == 0 {
                    plan.granted.insert(person)
                    try db.execute(sql: "INSERT INTO plan_grant VALUES (?, ?, 0)", arguments: [number, person])
                }
            }
            world.plans.append(plan)
            for place in 0..<5 {
                let item = World.Item(
                    id: "item-\(index)-\(place)", table: place % 2 == 0 ? "location" : "activity", plan: number,
                    person: [nil, Int64.random(in: Self.people, using: &random)].randomElement(using: &random).known,
                    level: Level.allCases.randomElement(using: &random).known)
                world.items.append(item)
                let columns = place % 2 == 0 ? "position, name, folded, radius_m" : "tab, title"
                let values = place % 2 == 0 ? "1, 'x', 'x', 1" : "'food', 'x'"
                try db.execute(
                    sql: """
                        INSERT INTO \(item.table) (id, plan, person, level, created, \(columns))
                        VALUES (?, ?, ?, ?, 0, \(values))
                        """, arguments: [item.id, number, item.person, item.level.rawValue])
            }
        }
        return world
    }

    @Test(.slow, arguments: 1...12 as ClosedRange<UInt64>)
    func singleObjectsAndListsAgreeWithTheModel(_ seed: UInt64) throws {
        let fixture = try PlansFixture("ada", "ben", "cleo", "dan", "eve", "fay", "gus")
        try fixture.queue.write { db in
            var random = SeededGenerator(seed: seed)
            let world = try world(using: &random, in: db)
            for viewer in [nil] + Self.people.map(Optional.init) {
                let listed = try String.fetchSet(
                    db, sql: "SELECT id FROM plan WHERE \(PlanAccessRules.seesPlan)", arguments: ["me": viewer])
                for plan in world.plans {
                    let access = try? PlanAccess.plan(plan.id, for: viewer, in: db)
                    let isSeen = world.sees(viewer, plan)
                    #expect((access != nil) == isSeen, "\(plan) by \(viewer ?? 0)")
                    #expect(listed.contains(plan.id) == isSeen)
                    guard let access else { continue }
                    #expect(access.isOwner == (viewer == plan.owner))
                    #expect(access.edits == world.edits(viewer, plan), "\(plan) by \(viewer ?? 0)")
                    #expect(access.seesPrivate == world.isMember(viewer, of: plan))
                }
                for table in ["location", "activity"] {
                    let listed = try String.fetchSet(
                        db,
                        sql: """
                            SELECT \(table).id FROM \(table) JOIN plan ON plan.number = \(table).plan
                            WHERE \(PlanAccessRules.sees(table))
                            """, arguments: ["me": viewer])
                    for item in world.items where item.table == table {
                        let isSeen = world.sees(viewer, item)
                        #expect(listed.contains(item.id) == isSeen, "\(item) by \(viewer ?? 0)")
                        #expect(((try? PlanAccess.item(table, item.id, for: viewer, in: db)) != nil) == isSeen)
                    }
                }
            }
        }
    }

    @Test func endingAFriendshipEndsThePermissionToEdit() throws {
        let fixture = try PlansFixture("ada", "ben")
        try fixture.queue.write { db in
            try PlansFixture.befriend(1, 2, in: db)
            let plan = try Plan.create(.titled("Rome"), by: 1, at: moment(0), in: db)
            let id = try Plan.get(plan, in: db).id
            try db.execute(sql: "INSERT INTO plan_grant VALUES (?, 2, 0)", arguments: [plan])
            #expect(try PlanAccess.plan(id, for: 2, in: db).edits)
            _ = try Friends.remove(2, 1, in: db)
            refuses(.notFound) { try PlanAccess.plan(id, for: 2, in: db) }
        }
    }
}
