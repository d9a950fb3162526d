import FeatureSupport
import RPC
import Store
import Testing
import Time

@testable import Plans
@testable import Service

/// A plan that moves by days takes everything along that has a day, and nothing else.
@Suite struct PlanShiftTests {
    private let core: CoreFixture

    init() throws {
        core = try CoreFixture()
        try core.people("ada", "bob")
    }

    /// Makes a plan of ada from 27 to 29 March 2027 in Berlin, where summer time begins on the 28th.
    private func berlin() async throws -> (plan: JSONValue, train: JSONValue, tower: JSONValue, walk: JSONValue) {
        let plan = try #require(
            try await core.call(
                as: "ada", "plans.create",
                ["title": "Berlin", "start": "2027-03-27", "end": "2027-03-29", "zone": "Europe/Berlin"])["id"])
        func add(_ method: String, _ fields: JSONObject) async throws -> JSONValue {
            var fields = fields
            fields["plan"] = plan
            return try #require(try await core.call(as: "ada", method, fields)["id"])
        }
        return (
            plan,
            try await add(
                "activities.add",
                [
                    "title": "Train", "tab": "transport", "from": "2027-03-27T02:30", "to": "2027-03-27T09:00",
                    "to_zone": "Europe/London",
                ]),
            try await add("locations.add", ["name": "Tower", "lat": 52.5, "lon": 13.4, "from": "2027-03-29"]),
            try await add("activities.add", ["title": "Walk"])
        )
    }

    @Test func everythingMovesAndComesBack() async throws {
        let (plan, train, tower, walk) = try await berlin()
        let before = try await core.call(as: "ada", "activities.get", ["activity": train])
        let moved = try await core.call(as: "ada", "plans.shift", ["plan": plan, "days": 1])
        #expect(moved["start"]?["at"] == "2027-03-28")
        #expect(moved["end"]?["at"] == "2027-03-30")
        let after = try await core.call(as: "ada", "activities.get", ["activity": train])
        #expect(after["from"]?["at"] == "2027-03-28T02:30")
        #expect(after["from"]?["shown"] == "2027-03-28T03:30")
        #expect(after["to"]?["zone"] == "Europe/London")
        #expect(try await core.call(as: "ada", "locations.get", ["location": tower])["from"]?["at"] == "2027-03-30")
        #expect(try await core.call(as: "ada", "activities.get", ["activity": walk])["from"] == nil)
        _ = try await core.call(as: "ada", "plans.shift", ["plan": plan, "days": -1])
        let back = try await core.call(as: "ada", "activities.get", ["activity": train])
        #expect(back["from"] == before["from"])
        #expect(back["to"] == before["to"])
    }

    @Test func twoDaysChangePlacesWithWhatBeginsOnThem() async throws {
        let (plan, train, tower, walk) = try await berlin()
        let list = try #require(
            try await core.call(as: "ada", "checklists.add", ["plan": plan, "title": "To do"])["id"])
        let call: JSONObject = ["checklist": list, "title": "Tickets", "day": "2027-03-29"]
        let tickets = try #require(try await core.call(as: "ada", "tasks.add", call)["id"])
        func days() async throws -> [String?] {
            let item = try await core.call(as: "ada", "activities.get", ["activity": train])
            let place = try await core.call(as: "ada", "locations.get", ["location": tower])
            let tasks = try await core.call(as: "ada", "checklists.list", ["plan": plan])["checklists"].elements
            let task = tasks.flatMap { $0["tasks"].elements }.first { $0["id"] == tickets }
            return [
                item["from"]?["at"].text, item["to"]?["at"].text, place["from"]?["at"].text, task?["day"].text,
                try await core.call(as: "ada", "activities.get", ["activity": walk])["from"]?["at"].text,
            ]
        }
        let before = try await days()
        #expect(before == ["2027-03-27T02:30", "2027-03-27T09:00", "2027-03-29", "2027-03-29", nil])
        let swap: JSONObject = ["plan": plan, "day": "2027-03-27", "other": "2027-03-29"]
        let swapped = try await core.call(as: "ada", "plans.swapDays", swap)
        #expect(swapped["start"]?["at"] == "2027-03-27")
        #expect(swapped["end"]?["at"] == "2027-03-29")
        #expect(try await days() == ["2027-03-29T02:30", "2027-03-29T09:00", "2027-03-27", "2027-03-27", nil])
        try await core.call(as: "ada", "plans.swapDays", swap)
        #expect(try await days() == before)
    }

    @Test func aPlanStaysWithinTheCalendar() async throws {
        let (plan, train, _, _) = try await berlin()
        var refused: RPCError?
        for _ in 0..<100 where refused == nil {
            refused = try await core.error(as: "ada", "plans.shift", ["plan": plan, "days": 36_600])
        }
        #expect(refused?.code == .invalidValue)
        let from = try await core.call(as: "ada", "activities.get", ["activity": train])["from"]?["at"]
        #expect(from.flatMap { String(json: $0) }?.count == "2027-03-27T02:30".count)
    }
}
