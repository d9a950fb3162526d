#if Companion
import Foundation
import RPC
import TestSupport
import Testing

/// What plans do that other products' plans do not: rows OU-4, OU-7 and OU-8 of the acceptance.
@Suite(.slow) struct OurPlansTests {
    private static func befriend(_ one: Traveller, _ other: Traveller, _ names: (String, String)) throws {
        try one.call("friends.request", ["person": .string(names.1)])
        try other.call("friends.confirm", ["person": .string(names.0)])
    }

    private static func join(_ owner: Traveller, _ other: Traveller, _ id: String, _ plan: JSONValue) throws {
        try owner.call("members.ask", ["plan": plan, "person": .string(id)])
        try other.call("members.confirm", ["plan": plan])
    }

    @Test("OU-4 two editors, one of them away: nothing is overwritten unseen, and both versions are shown")
    func editors() async throws {
        let town = try await Town()
        let plan = try await offThePool {
            let (ada, bob) = (try town.resident("ada"), try town.resident("bob"))
            try Self.befriend(ada, bob, ("ada", "bob"))
            let plan = try ada.call("plans.create", ["title": "Rome", "description": "Days"])["id"].known
            try ada.call("members.allow", ["plan": plan, "person": "bob", "edits": true])
            // Bob reads the plan and goes away, and Ada saves a change meanwhile.
            let seen = try bob.call("plans.get", ["plan": plan])["revision"].known
            try ada.call("plans.update", ["plan": plan, "title": "Roma", "revision": seen])
            let text = String(
                decoding: JSONText(["plan": plan, "title": "Romans", "revision": seen]).bytes, as: UTF8.self)
            let error = try bob.socket.call("plans.update", text)["error"].known
            #expect(error["code"]?.whole == 3)
            #expect(error["data"]?["current"]?["title"]?.text == "Roma")
            #expect(error["data"]?["yours"]?["title"]?.text == "Romans")
            let now = try ada.call("plans.get", ["plan": plan])
            #expect(now["title"]?.text == "Roma" && now["description"]?.text == "Days")
            // After looking at both versions, Bob saves over the revision that he has seen.
            let current = error["data"]?["revision"] ?? .null
            try bob.call("plans.update", ["plan": plan, "title": "Rome 2026", "revision": current])
            #expect(try ada.call("plans.get", ["plan": plan])["title"]?.text == "Rome 2026")
            return plan
        }
        _ = plan
    }

    /// Returns an amount in cents, or `nil` unless it has two decimals.
    private static func cents(_ text: String?) -> Int? {
        guard let text, text.split(separator: ".").last?.count == 2 else { return nil }
        return Int(text.replacing(".", with: ""))
    }

    @Test("OU-7 three currencies at agreed rates: balances in the plan's currency, settled in whole cents")
    func currencies() async throws {
        try await Town.play { town in
            let (ada, bob, cai) = (try town.resident("ada"), try town.resident("bob"), try town.resident("cai"))
            try Self.befriend(ada, bob, ("ada", "bob"))
            try Self.befriend(ada, cai, ("ada", "cai"))
            let plan = try ada.call("plans.create", ["title": "World", "currency": "EUR"])["id"].known
            try Self.join(ada, bob, "bob", plan)
            try Self.join(ada, cai, "cai", plan)
            for (amount, currency, rate, payer) in [
                ("100.00", "EUR", "", "ada"), ("90.01", "USD", "0.925", "bob"), ("12345", "JPY", "0.0061", "cai"),
                ("7.777", "KWD", "2.99", "bob"),
            ] {
                try ada.call(
                    "expenses.add",
                    [
                        "plan": plan, "title": "Spent", "amount": .string(amount), "currency": .string(currency),
                        "rate": .string(rate), "payers": [["person": .string(payer), "amount": .string(amount)]],
                    ])
            }
            // The amounts are 100.00, 83.259, 75.3045 and 23.25323, each rounded to the cent.
            #expect(try bob.call("expenses.sums", ["plan": plan])["total"]?.text == "281.81")
            let balances = try cai.call("expenses.balances", ["plan": plan])
            #expect(balances["currency"]?.text == "EUR")
            let sums = (balances["balances"]?.elements ?? []).map { Self.cents($0["balance"]?.text) }
            #expect(sums.count == 3 && !sums.contains(nil))
            #expect(sums.compactMap(\.self).reduce(0, +) == 0)
            let transfers = balances["transfers"]?.elements ?? []
            #expect((1...2).contains(transfers.count))
            for (place, transfer) in transfers.enumerated() {
                #expect(Self.cents(transfer["amount"]?.text) != nil)
                try ada.call(
                    "repayments.add",
                    [
                        "plan": plan, "from": transfer["from"]?["person"] ?? .null,
                        "to": transfer["to"]?["person"] ?? .null, "amount": transfer["amount"] ?? .null,
                    ])
                // A repayment leaves the other transfers as they were.
                let left = try bob.call("expenses.balances", ["plan": plan])["transfers"]?.elements
                #expect(left == Array(transfers.dropFirst(place + 1)))
            }
            let settled = try bob.call("expenses.balances", ["plan": plan])["balances"]?.elements ?? []
            #expect(settled.allSatisfy { $0["balance"]?.text == "0.00" })
            // Without a rate the expense is refused, because rates are not fetched.
            let unrated = try ada.refusal(
                "expenses.add", ["plan": plan, "title": "A", "amount": "1", "currency": "USD"])
            #expect(unrated?.code == 4 && unrated?.field == "rate")
        }
    }

    @Test(
        "OU-8 two zones and a clock change: the same local times in the answers, in iCalendar and on the command line")
    func zones() async throws {
        let town = try await Town()
        let plan = try await offThePool {
            let ada = try town.resident("ada")
            let plan = try ada.call(
                "plans.create",
                [
                    "title": "London", "zone": "Europe/Amsterdam", "start": "2026-10-24", "end": "2026-10-26",
                    "level": "everyone",
                ])["id"].known
            // Clocks go back on 25 October, at 03:00 in Amsterdam and at 02:00 in London.
            for (title, from, zone) in [
                ("late ferry", "2026-10-25T02:30+01:00", "Europe/Amsterdam"),
                ("early ferry", "2026-10-25T02:30", "Europe/Amsterdam"),
                ("breakfast", "2026-10-25T08:00", "Europe/London"), ("train", "2026-10-24T22:00", "Europe/Amsterdam"),
                ("night bus", "2026-10-25T01:45", "Europe/London"),
            ] {
                try ada.call(
                    "activities.add",
                    ["plan": plan, "title": .string(title), "from": .string(from), "from_zone": .string(zone)])
            }
            let days = try ada.call("plans.itinerary", ["plan": plan])["days"]?.elements ?? []
            #expect(days.compactMap { $0["day"]?.text } == ["2026-10-24", "2026-10-25"])
            let items = days.flatMap { $0["items"]?.elements ?? [] }
            #expect(
                items.compactMap { $0["title"]?.text } == [
                    "train", "early ferry", "night bus", "late ferry", "breakfast",
                ])
            let expected = [
                ("2026-10-24T22:00", "2026-10-24T20:00:00.000Z", "Europe/Amsterdam"),
                ("2026-10-25T02:30", "2026-10-25T00:30:00.000Z", "Europe/Amsterdam"),
                ("2026-10-25T01:45", "2026-10-25T00:45:00.000Z", "Europe/London"),
                ("2026-10-25T02:30+01:00", "2026-10-25T01:30:00.000Z", "Europe/Amsterdam"),
                ("2026-10-25T08:00", "2026-10-25T08:00:00.000Z", "Europe/London"),
            ]
            for (item, (at, time, zone)) in zip(items, expected) {
                #expect(item["from"]?["at"]?.text == at)
                #expect(item["from"]?["time"]?.text == time)
                #expect(item["from"]?["zone"]?.text == zone)
            }
            let calendar = try ada.call("plans.calendar", ["plan": plan])["calendar"]?.text ?? ""
            let starts = calendar.split(separator: "\r\n").filter { $0.hasPrefix("DTSTART") && $0.contains("2026102") }
            #expect(
                Set(starts) == [
                    "DTSTART;VALUE=DATE:20261024", "DTSTART;TZID=Europe/Amsterdam:20261024T220000",
                    "DTSTART;TZID=Europe/Amsterdam:20261025T023000", "DTSTART:20261025T013000Z",
                    "DTSTART;TZID=Europe/London:20261025T014500", "DTSTART;TZID=Europe/London:20261025T080000",
                    // The clock changes of the time zones themselves.
                    "DTSTART:20261025T030000", "DTSTART:20261025T020000",
                ])
            return plan
        }
        let parameters = String(decoding: JSONText(["plan": plan]).bytes, as: UTF8.self)
        let asked = try await town.daemon.ask("call", "plans.itinerary", parameters)
        #expect(asked.status == 0)
        for time in [#""at":"2026-10-25T02:30+01:00""#, #""at":"2026-10-25T01:45","zone":"Europe/London""#] {
            #expect(asked.text.contains(time))
        }
    }
}
#endif
