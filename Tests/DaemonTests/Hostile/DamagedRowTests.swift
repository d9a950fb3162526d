#if Companion
import Callers
import Foundation
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import EventStream

/// A store in which one row is damaged: whoever asks for others gets them.
@Suite struct DamagedRowTests {
    /// Damages rows, which no constraint prevents on a damaged card.
    private static func damage(_ store: LocationDatabase, _ sql: String) async throws {
        try await store.write { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try db.execute(sql: sql)
            #expect(db.changesCount > 0, "\(sql)")
            try db.execute(sql: "PRAGMA ignore_check_constraints = OFF")
        }
    }

    /// Returns the elements of a list on all its pages, each with one element.
    private static func pages(
        _ method: String, _ member: String, _ parameters: JSONObject = JSONObject(), in world: HostileWorld,
        from caller: Principal
    ) async throws -> [JSONValue] {
        var (parameters, elements) = (parameters, [JSONValue]())
        parameters["limit"] = 1
        repeat {
            let answer = try await world.call(method, parameters, from: caller)
            guard let result = answer["result"], case .array(let page)? = result[member] else {
                Issue.record("\(method): \(answer)")
                return []
            }
            #expect(page.count == 1 || result["next"] == nil, "\(method) has a page with \(page.count) elements")
            elements += page
            parameters["after"] = result["next"]
        } while parameters["after"] != nil
        return elements
    }

    @Test func listsLeaveADamagedRowOutAndHealthNamesIt() async throws {
        let world = try await HostileWorld()
        _ = try await world.refresh()
        for (number, title) in ["Weir", "Lock", "Tower"].enumerated() {
            let parameters: JSONObject = [
                "title": .string(title), "description": "Seen.", "lat": .number(52.4 + Double(number) / 100),
                "lon": 4.9,
            ]
            _ = try await world.call("sights.add", parameters, from: world[.ada])
            _ = try await world.call(
                "plans.create",
                ["title": .string(title), "start": "2026-06-01", "end": "2026-06-02", "currency": "EUR"],
                from: world[.ada])
            _ = try await world.call("posts.add", ["text": .string(title)], from: world[.ada])
        }
        let ada = world[.ada]
        let lists: [(method: String, member: String, parameters: JSONObject, damage: String)] = [
            ("sights.list", "sights", [:], "UPDATE sight SET lat_e7 = 9223372036854775807 WHERE id = 'lock'"),
            // A place that a column may hold, but that is not on earth.
            ("sights.list", "sights", [:], "UPDATE sight SET lat_e7 = 2000000000 WHERE id = 'tower'"),
            (
                "sights.list", "sights", ["text": "seen"],
                "UPDATE sight SET added = 9223372036854775807 WHERE id = 'weir'"
            ),
            ("plans.list", "plans", [:], "UPDATE plan SET likes = 9223372036854775807 WHERE title = 'Lock'"),
            (
                "posts.list", "posts", ["person": "ada"],
                "UPDATE post SET hearts = -9223372036854775808 WHERE text = 'Lock'"
            ),
            (
                "trips.list", "trips", [:],
                "UPDATE trip SET fixes = 9223372036854775807 WHERE number = (SELECT min(number) FROM trip)"
            ),
        ]
        for (method, member, parameters, damage) in lists {
            let before = try await Self.pages(method, member, parameters, in: world, from: ada)
            #expect(!before.isEmpty, "\(method)")
            try await Self.damage(world.store, damage)
            let after = try await Self.pages(method, member, parameters, in: world, from: ada)
            #expect(after.count == before.count - 1, "\(damage)")
            #expect(after.allSatisfy(before.contains), "\(damage)")
            let whole = try await world.call(method, parameters, from: ada)
            #expect(whole["result"] != nil, "\(damage): \(whole)")
        }
        let words = "the column lat_e7 of the table sight holds 9223372036854775807"
        #expect(world.store.damage.details.contains { $0.hasPrefix(words) })
        let stats = try await world.call("server.stats", [:], from: world[.admin])
        #expect(stats["result"]?["store"]?["damage"]?.text?.contains(words) ?? false)
        let health = try await world.call("server.health", [:], from: world[.admin])
        guard case .array(let findings)? = health["result"]?["findings"] else {
            Issue.record("no findings: \(health)")
            return
        }
        let finding = findings.first { $0["id"] == "damage" }
        #expect(finding?["text"]?.text?.contains(words) ?? false)
        #expect(finding?["remedy"]?.text?.contains("waymark recover") ?? false)
        // The damaged thing itself has an error in words, at every door.
        let sight = try await world.call("sights.get", ["id": "lock"], from: ada)
        #expect(sight["error"]?["code"] == 5)
        #expect(sight["error"]?["message"]?.text?.contains(words) ?? false)
        #expect(world.drainFailures() == [])
    }

    /// A sum without one of its parts would be wrong.
    @Test func whatADamagedRowMayFalsifyFailsInWords() async throws {
        let world = try await HostileWorld()
        let made = try await world.refresh()
        let plan = try #require(made["plan"]?["id"])
        try await Self.damage(world.store, "UPDATE expense SET amount = 9223372036854775807")
        try await Self.damage(world.store, "UPDATE plan_sum SET amount = 9223372036854775807")
        for (method, table) in [("expenses.sums", "plan_sum"), ("expenses.list", "expense")] {
            let answer = try await world.call(method, ["plan": plan], from: world[.ada])
            #expect(answer["error"]?["code"] == 5, "\(answer)")
            let message = answer["error"]?["message"]?.text ?? ""
            #expect(message.contains("of the table \(table) holds 9223372036854775807"), "\(message)")
            #expect(message.contains("waymark recover"))
        }
    }

    @Test func aDamagedEventIsSkippedByListsAndSubscriptions() async throws {
        let world = try await HostileWorld()
        _ = try await world.store.write { db in
            let state = SourceState(isOnline: true, since: Timestamp(milliseconds: 1_777_629_600_000))
            let events = (1...6).map { EventRecord(state, of: "van\($0)", isClockSynchronised: true) }
            return try EventLog.append(events, to: db)
        }
        let listed = try await world.call("events.list", ["limit": 1000], from: world[.admin])
        guard case .array(let before)? = listed["result"]?["events"], before.count > 2 else {
            Issue.record("too few events: \(listed)")
            return
        }
        let hub = try await EventHub(journal: StoreJournal(store: world.store)) { _, _ in true }
        let all = try await Self.received(from: hub, as: world[.admin])
        let seq = try #require(all[1])
        try await Self.damage(world.store, "UPDATE event SET body = 'x' WHERE seq = \(seq)")
        try await Self.damage(world.store, "UPDATE event SET time = 9223372036854775807 WHERE seq = \(seq + 1)")
        #expect(try await Self.received(from: hub, as: world[.admin]) == all.filter { $0 != seq && $0 != seq + 1 })
        let answer = try await world.call("events.list", ["limit": 1000], from: world[.admin])
        guard case .array(let after)? = answer["result"]?["events"] else {
            Issue.record("no events: \(answer)")
            return
        }
        #expect(after == before.filter { $0["seq"] != .integer(seq) && $0["seq"] != .integer(seq + 1) })
        #expect(answer["result"]?["next"] == listed["result"]?["next"])
    }

    /// Returns the numbers of all events that a subscriber from the beginning receives.
    private static func received(from hub: EventHub, as caller: Principal) async throws -> [Int64?] {
        let fanOut = EventFanOut(hub)
        let (reader, _) = fanOut.subscribe(caller, to: EventFilter(), after: 0, last: hub.newest)
        defer { fanOut.remove(reader) }
        // With nothing more to send it returns an empty batch.
        fanOut.sendHeartbeats()
        var numbers: [Int64?] = []
        while let messages = try await reader.next(), !messages.isEmpty {
            for case .event(let line) in messages {
                numbers.append(try JSONValue(parsing: line.span)["seq"]?.whole)
            }
        }
        return numbers
    }
}
#endif
