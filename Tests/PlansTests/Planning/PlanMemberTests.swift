import GRDB
import Money
import Positioning
import RPC
import TestSupport
import Testing

@testable import People
@testable import Plans

@Suite struct PlanMemberTests {
    @Test func aFriendBecomesAMemberOnlyByConfirming() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome"), in: db)
            let (ben, cleo) = (try PlansFixture.person(2, in: db), try PlansFixture.person(3, in: db))
            refuses(.notAllowed) {
                try PlanMember.ask(ben, edits: false, travels: true, in: access, at: moment(0), in: db)
            }
            try PlansFixture.befriend(1, 2, in: db)
            try PlansFixture.befriend(1, 3, in: db)
            try PlanMember.ask(ben, edits: false, travels: true, in: access, at: moment(0), in: db)
            try PlanMember.ask(cleo, edits: false, travels: true, in: access, at: moment(0), in: db)
            refuses(.conflict) {
                try PlanMember.ask(ben, edits: false, travels: true, in: access, at: moment(0), in: db)
            }
            #expect(try PlansFixture.access(access, as: 2, in: db).seesPrivate == false)
            #expect(try PlanList(scope: .asked).entries(for: 2, in: db).map(\.plan.id) == [access.id])
            #expect(try PlanList(scope: .own).entries(for: 2, in: db).isEmpty)
            #expect(try PlanMember.confirm(access.id, by: 2, in: db) == access.plan)
            try PlanMember.decline(access.id, by: 3, in: db)
            refuses(.notFound) { try PlanMember.confirm(access.id, by: 3, in: db) }
            refuses(.notFound) { try PlanMember.decline(access.id, by: 2, in: db) }
            #expect(try PlansFixture.access(access, as: 2, in: db).seesPrivate)
            #expect(try PlanMember.list(of: access.plan, in: db).map(\.id) == ["ada", "ben"])
            #expect(try PlanList(scope: .own).entries(for: 2, in: db).map(\.plan.id) == [access.id])
            // A reader invites nobody and changes nothing.
            let reader = try PlansFixture.access(access, as: 2, in: db)
            refuses(.notAllowed) {
                try PlanMember.ask(cleo, edits: false, travels: true, in: reader, at: moment(0), in: db)
            }
            refuses(.notAllowed) { try Location.create(.init(name: "X"), in: reader, at: moment(0), in: db) }
            try PlanMember.remove(ben, in: reader, in: db)
            #expect(try PlanMember.list(of: access.plan, in: db).map(\.id) == ["ada"])
        }
    }

    @Test func aMemberWithABalanceCannotLeaveButMayStopTravelling() throws {
        try PlansFixture("ada", "ben").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome"), in: db)
            let ben = try PlansFixture.join(2, access, in: db)
            let ada = try #require(try PlanMember.find(1, of: access.plan, in: db)).number
            let person = try PlansFixture.person(2, in: db)
            let euro = try Currency("EUR")
            let fields = Expense.Fields(
                title: "Train", amount: Amount(minor: 1000, euro), payers: [.init(member: ada, weight: 1000)],
                split: .evenly([ada, ben]))
            let expense = try Accounting.add(fields, to: access, at: moment(0), in: db)
            refuses(.conflict) { try PlanMember.remove(person, in: access, in: db) }
            try PlanMember.change(person, edits: nil, travels: false, in: access, in: db)
            refuses(field: "shares") { try Accounting.add(fields, to: access, at: moment(0), in: db) }
            // Earlier entries can still be corrected.
            try Accounting.update(expense, in: access, to: fields, from: 1, in: db)
            _ = try Accounting.repay(
                Transfer(from: ben, to: ada, minor: 500), note: nil, in: access, at: moment(1), in: db)
            try PlanMember.remove(person, in: access, in: db)
            let left = try #require(try PlanMember.find(2, of: access.plan, in: db))
            #expect(left.state == .left && left.number == ben)
            refuses(.notAllowed) { try PlansFixture.access(access, as: 2, in: db).checkMember() }
            // A member who returns keeps the same number in the accounts.
            #expect(try PlansFixture.join(2, access, in: db) == ben)
        }
    }

    @Test func onlyTheOwnerHandsOverAndGrantsEditing() throws {
        try PlansFixture("ada", "ben", "cleo").queue.write { db in
            let access = try PlansFixture.plan(.titled("Rome"), in: db)
            _ = try PlansFixture.join(2, access, in: db)
            let (ada, ben, cleo) = (
                try PlansFixture.person(1, in: db), try PlansFixture.person(2, in: db),
                try PlansFixture.person(3, in: db)
            )
            refuses(.conflict) { try PlanMember.remove(ada, in: access, in: db) }
            refuses(field: "person") { try PlanMember.handOver(to: cleo, in: access, at: moment(1), in: db) }
            try PlanMember.handOver(to: ben, in: access, at: moment(1), in: db)
            let (before, now) = (
                try PlansFixture.access(access, as: 1, in: db), try PlansFixture.access(access, as: 2, in: db)
            )
            #expect(!before.isOwner && before.edits && now.isOwner && now.edits)
            refuses(.notAllowed) { try PlanMember.change(ben, edits: false, travels: nil, in: before, in: db) }
            refuses(.notAllowed) { try PlanMember.grant(cleo, true, in: now, at: moment(1), in: db) }
            try PlansFixture.befriend(2, 3, in: db)
            try PlanMember.grant(cleo, true, in: now, at: moment(1), in: db)
            let granted = try PlansFixture.access(access, as: 3, in: db)
            #expect(granted.edits && !granted.seesPrivate)
            try Plan.update(granted, to: .titled("Roma"), from: nil, at: moment(2), in: db)
            refuses(.notAllowed) { try Accounting.expenses(of: granted, in: db) }
            try PlanMember.grant(cleo, false, in: now, at: moment(1), in: db)
            refuses(.notAllowed) {
                try Plan.update(
                    PlansFixture.access(access, as: 3, in: db), to: .titled("X"), from: nil, at: moment(2), in: db)
            }
        }
    }

    @Test func removingTheOwnersAccountPassesOnOrRemovesThePlan() throws {
        try PlansFixture("ada", "ben", "cleo", "dan").queue.write { db in
            // The members with their rights, and the person who inherits the plan.
            let cases: [([(person: Int64, edits: Bool, travels: Bool)], String?)] = [
                ([(2, false, true), (3, true, true)], "cleo"), ([(2, false, false), (3, false, true)], "cleo"),
                ([(2, false, false)], nil), ([], nil),
            ]
            var plans: [(access: PlanAccess, heir: String?)] = []
            for (index, (members, heir)) in cases.enumerated() {
                let access = try PlansFixture.plan(.titled("Plan \(index)"), in: db)
                for member in members {
                    _ = try PlansFixture.join(
                        member.person, access, edits: member.edits, travels: member.travels, in: db)
                }
                plans.append((access, heir))
            }
            let ada = try #require(try PlanMember.find(1, of: plans[0].access.plan, in: db)).number
            let cleo = try #require(try PlanMember.find(3, of: plans[0].access.plan, in: db)).number
            _ = try Accounting.add(
                .init(
                    title: "Fuel", amount: Amount(minor: 300, Currency("EUR")),
                    payers: [.init(member: ada, weight: 300)], split: .evenly([ada, cleo])), to: plans[0].access,
                at: moment(0), in: db)
            try People.remove(PlansFixture.person(1, in: db), in: db)
            try PlansFixture.checkKeys(db)
            for (access, heir) in plans {
                let owner = try String.fetchOne(
                    db, sql: "SELECT person.id FROM plan JOIN person ON person.number = owner WHERE plan.id = ?",
                    arguments: [access.id])
                #expect(owner == heir, "\(access.id)")
            }
            // The balances still add up, and the removed owner has no name.
            #expect(try Accounting.balances(of: plans[0].access.plan, in: db) == [ada: 150, cleo: -150])
            let members = try PlanMember.list(of: plans[0].access.plan, in: db)
            #expect(members.map(\.id) == [nil, "ben", "cleo"])
            #expect(members.map(\.state) == [.left, .member, .member])
            #expect(members[2].isOwner && members[2].edits)
            #expect(try PlanMember.list(of: plans[1].access.plan, in: db).map(\.id) == ["ben", "cleo"])
        }
    }
}
