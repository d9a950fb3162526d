import FeatureSupport
import GRDB
import Positioning
import RPC
import Store
import Testing
import Time
import Tracking

@testable import Plans
@testable import Service
@testable import Votes

/// Votes of a plan: its people answer them, and nobody else learns of them at any door.
@Suite struct PlanVoteTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob", "cai", "dan", "eve")
        try core.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO friend SELECT one.number, other.number, 0 FROM person AS one, person AS other
                    WHERE one.id <> other.id AND 'eve' NOT IN (one.id, other.id)
                    """)
        }
    }

    /// Makes a plan of ada, of which bob is a member and which cai may change; dan is a friend, eve a stranger.
    private func rome(level: String = "friends") async throws -> JSONValue {
        let plan = try #require(
            try await core.call(as: "ada", "plans.create", ["title": "Rome", "level": .string(level)])["id"])
        try await core.call(as: "ada", "members.ask", ["plan": plan, "person": "bob"])
        try await core.call(as: "bob", "members.confirm", ["plan": plan])
        try await core.call(as: "ada", "members.allow", ["plan": plan, "person": "cai", "edits": true])
        return plan
    }

    private func ask(_ plan: JSONValue, as person: String = "ada") async throws -> JSONValue {
        try #require(
            try await core.call(
                as: person, "votes.ask",
                ["plan": plan, "subject": "Which weekend?", "options": ["2026-06-12/2026-06-14", "2026-06-19"]])["id"])
    }

    private func vote(_ vote: JSONValue, _ option: Int64, as person: String) async throws {
        try await core.call(as: person, "votes.choose", ["vote": vote, "option": .integer(option)])
        try await core.call(as: person, "votes.done", ["vote": vote])
    }

    @Test func theVoteEndsOnceAllPeopleOfThePlanHaveVoted() async throws {
        let plan = try await rome()
        let weekend = try await ask(plan)
        for (person, option) in [("ada", 1), ("bob", 1)] as [(String, Int64)] {
            try await vote(weekend, option, as: person)
        }
        let open = try await core.call(as: "cai", "votes.asked", ["plan": plan])["votes"].elements.first
        #expect(open?["voted"] == 2 && open?["participants"] == 3 && open?["winners"] == nil)
        try await vote(weekend, 2, as: "cai")
        let ended = try await core.call(as: "bob", "votes.asked", ["plan": plan])["votes"].elements.first
        #expect(ended?["winners"] == [1])
        #expect(ended?["plan"] == plan)
        #expect(ended?["lat"] == nil)
        // A vote of a plan is nowhere.
        #expect(core.liveState.index.nearest(to: fix(0).coordinate, limit: 10, kind: .init(rawValue: "vote")).isEmpty)
    }

    @Test func twoPeopleOfTheSameNameAreNoConflict() async throws {
        let plan = try await rome()
        try await core.store.write { try $0.execute(sql: "UPDATE person SET first_name = 'Bob', last_name = ''") }
        let weekend = try await ask(plan)
        for person in ["ada", "bob", "cai"] { try await vote(weekend, 1, as: person) }
        #expect(try await core.call(as: "ada", "votes.get", ["vote": weekend])["status"] == "Finished")
    }

    @Test(arguments: ["friends", "everyone"], ["dan", "eve"])
    func whoeverIsNotOfThePlanLearnsNothing(_ level: String, _ person: String) async throws {
        let plan = try await rome(level: level)
        let before = core.liveState.told.count
        let weekend = try await ask(plan)
        try await vote(weekend, 1, as: "ada")
        let none = try await core.error(as: person, "votes.find", ["vote": "1000000"])
        #expect(none?.code == .notFound)
        for (method, more) in [
            ("votes.find", [:]), ("votes.get", [:]), ("votes.get", ["passcode": "1"]), ("votes.choose", ["option": 1]),
            ("votes.done", [:]), ("votes.choice", [:]), ("votes.conflicts", [:]), ("votes.end", [:]),
            ("votes.remove", [:]),
        ] as [(String, JSONObject)] {
            var parameters: JSONObject = ["vote": weekend]
            for name in more.names { parameters[name] = more[name] }
            #expect(try await core.error(as: person, method, parameters)?.code == .notFound, "\(method)")
        }
        #expect(try await core.error(as: person, "votes.asked", ["plan": plan]) != nil)
        let number = try await core.store.read {
            try Int64.fetchOne($0, sql: "SELECT number FROM person WHERE id = ?", arguments: [person])
        }
        let subject = SubjectID(kind: "vote", id: try #require(String(json: weekend)))
        let subjects = Subjects(PlanSubject.all + [VoteSubject()])
        for (viewer, sees) in [(person, false), ("bob", true), ("cai", true)] {
            let found = try await core.store.read {
                try subjects.find(subject, for: Viewer(person: viewer), in: $0) != nil
            }
            #expect(found == sees, "\(viewer)")
        }
        // The events tell of the vote those of the plan alone: each has a recipient, or a subject that is restricted.
        let told = core.liveState.told.dropFirst(before)
        #expect(!told.isEmpty)
        for event in told {
            #expect(event.recipient != person)
            #expect(event.recipient != nil || event.subject == subject.description, "\(event)")
        }
        try await core.board(person)
        core.liveState.place("gps0", at: fix(0))
        #expect(try await core.call(as: person, "votes.here")["votes"].elements.isEmpty)
        #expect(number != nil)
    }

    @Test func whoLeavesThePlanForgetsItsVotes() async throws {
        let plan = try await rome()
        let weekend = try await ask(plan)
        for person in ["ada", "bob", "cai"] { try await vote(weekend, 1, as: person) }
        let mine = try await ask(plan, as: "cai")
        func notes(_ person: String) async throws -> Int {
            try await core.call(as: person, "notifications.list")["notifications"].elements
                .count { $0["kind"] == "vote" }
        }
        #expect(try await notes("bob") == 1)
        try await core.call(as: "ada", "members.remove", ["plan": plan, "person": "bob"])
        try await core.call(as: "ada", "members.allow", ["plan": plan, "person": "cai", "edits": false])
        for person in ["bob", "cai"] {
            for part in ["attended", "initiated"] {
                #expect(
                    try await core.call(as: person, "votes.list", ["part": .string(part)])["votes"].elements.isEmpty,
                    "\(person) \(part)")
            }
            #expect(try await core.error(as: person, "votes.get", ["vote": weekend])?.code == .notFound)
            #expect(try await core.error(as: person, "votes.get", ["vote": mine])?.code == .notFound)
            #expect(try await notes(person) == 0)
        }
        // What is left waits for those who are of the plan now.
        #expect(try await core.call(as: "ada", "votes.list", ["part": "attended"])["votes"].elements.count == 1)
    }

    @Test func theVotesGoAndComeWithTheirPlan() async throws {
        let plan = try await rome()
        let weekend = try await ask(plan)
        try await vote(weekend, 1, as: "bob")
        let id = try #require(String(json: plan))
        try await core.call(as: "ada", "plans.remove", ["plan": plan])
        #expect(try await core.error(as: "bob", "votes.get", ["vote": weekend])?.code == .notFound)
        try await core.call(as: "ada", "plans.restore", ["removed": .string("plan/\(id)")])
        #expect(try await core.call(as: "bob", "votes.get", ["vote": weekend])["voted"] == 1)
        try await core.call(as: "ada", "plans.remove", ["plan": plan])
        try await core.store.write { try $0.execute(sql: "DELETE FROM plan_bin") }
        let left = try await core.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM vote") }
        #expect(left == 0)
    }

    @Test func onlyWhoAskedEndsAVoteAndNotBeforeTwoHaveVoted() async throws {
        let plan = try await rome()
        let weekend = try await ask(plan, as: "cai")
        try await vote(weekend, 1, as: "ada")
        #expect(try await core.error(as: "cai", "votes.end", ["vote": weekend])?.code == .conflict)
        try await vote(weekend, 2, as: "bob")
        #expect(try await core.error(as: "ada", "votes.end", ["vote": weekend])?.code == .notAllowed)
        #expect(try await core.call(as: "cai", "votes.end", ["vote": weekend])["tie"] == true)
        #expect(try await core.error(as: "bob", "votes.remove", ["vote": weekend])?.code == .notAllowed)
        try await core.call(as: "ada", "votes.remove", ["vote": weekend])
        #expect(try await core.call(as: "cai", "votes.asked", ["plan": plan])["votes"].elements.isEmpty)
    }

    @Test func facesAreSeenByThePeopleOfThePlanAloneAndGoAgain() async throws {
        let plan = try await rome(level: "everyone")
        func look(_ person: String, leaving: Bool = false) async throws -> [String] {
            try await core.call(as: person, "plans.look", ["plan": plan, "leaving": .bool(leaving)])["people"]
                .elements.ids
        }
        #expect(try await look("ada") == [])
        #expect(try await look("bob") == ["ada"])
        #expect(try await look("cai") == ["ada", "bob"])
        for person in ["dan", "eve"] {
            #expect(try await core.error(as: person, "plans.look", ["plan": plan])?.code == .notAllowed)
        }
        #expect(try await look("ada") == ["bob", "cai"])
        #expect(try await look("bob", leaving: true) == ["ada", "cai"])
        #expect(try await look("ada") == ["cai"])
        try await core.call(as: "ada", "members.allow", ["plan": plan, "person": "cai", "edits": false])
        #expect(try await look("ada") == [])
        _ = try await look("bob")
        core.clock.time = core.clock.time.advanced(byMilliseconds: PlanLookers.span)
        #expect(try await look("ada") == [])
    }

    @Test func theMemoryOfFacesIsBounded() {
        let lookers = PlanLookers()
        for person in 0..<100 { _ = lookers.look(Int64(person), at: 1, now: moment(0)) }
        #expect(lookers.look(1000, at: 1, now: moment(1)).count == PlanLookers.maximumPerPlan)
        for plan in 2..<5000 { _ = lookers.look(1, at: Int64(plan), now: moment(1)) }
        #expect(lookers.look(2, at: 4999, now: moment(1)).isEmpty)
        // Once they are over, there is room again.
        _ = lookers.look(1, at: 4999, now: moment(100))
        #expect(lookers.look(2, at: 4999, now: moment(100)) == [1])
    }
}
