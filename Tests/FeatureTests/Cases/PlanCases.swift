import FeatureSupport
import GRDB
import RPC
import Store
import Testing
import Tracking

@testable import Service

extension MethodCase {
    /// The cases of plans.
    ///
    /// Their world also has ada's published plan `rome`: bob is a member who travels and reads. The plan has the
    /// locations `forum` and `tiber`, the activities `day` and `pizza`, the expense `fuel`, the repayment `cash`, and the
    /// list `pack` with the entries `tent` and `stove`.
    static let plans: [MethodCase] =
        calls.flatMap(\.cases) + planning + packing + journeys + membership + spending + sharing + binned

    /// A call that succeeds, and the person who may not make it.
    private struct Call {
        var method: String
        var caller: Caller = .person("ada")
        var parameters: JSONObject
        /// A person who sees the object but may not make the call; `nil` if everybody may.
        var refused: String?

        var cases: [MethodCase] {
            var cases: [MethodCase] = [.good(method, as: caller, parameters, after: MethodCase.rome)]
            var none = parameters
            if let name = parameters.names.first { none[name] = "none" }
            cases.append(.bad(.notFound, method, as: caller, none, after: MethodCase.rome))
            if let refused {
                cases.append(.bad(.notAllowed, method, as: .person(refused), parameters, after: MethodCase.rome))
            }
            return cases
        }
    }

    private static let calls: [Call] = [
        Call(method: "plans.get", caller: .guest, parameters: ["plan": "rome"]),
        Call(
            method: "plans.update", parameters: ["plan": "rome", "title": "Roma", "start": "2026-06-02", "people": 3],
            refused: "cai"),
        Call(method: "plans.remove", parameters: ["plan": "rome"], refused: "bob"),
        Call(method: "plans.publish", parameters: ["plan": "rome", "published": false], refused: "bob"),
        Call(method: "plans.copy", caller: .person("cai"), parameters: ["plan": "rome", "start": "2027-01-01"]),
        Call(
            method: "plans.swapDays", parameters: ["plan": "rome", "day": "2026-06-01", "other": "2026-06-02"],
            refused: "bob"),
        Call(method: "plans.shift", parameters: ["plan": "rome", "days": 7], refused: "bob"),
        Call(method: "plans.itinerary", caller: .guest, parameters: ["plan": "rome"]),
        Call(method: "plans.calendar", caller: .guest, parameters: ["plan": "rome"]),
        Call(method: "plans.gpx", caller: .guest, parameters: ["plan": "rome"]),
        Call(method: "plans.journey", caller: .guest, parameters: ["plan": "rome"]),
        Call(method: "members.list", caller: .guest, parameters: ["plan": "rome"]),
        Call(method: "members.change", parameters: ["plan": "rome", "person": "bob", "edits": true], refused: "bob"),
        Call(method: "members.handOver", parameters: ["plan": "rome", "person": "bob"], refused: "bob"),
        Call(method: "members.allow", parameters: ["plan": "rome", "person": "bob", "edits": true], refused: "bob"),
        Call(method: "locations.list", caller: .guest, parameters: ["plan": "rome", "text": "FOR"]),
        Call(method: "locations.get", caller: .guest, parameters: ["location": "forum"]),
        Call(
            method: "locations.add",
            parameters: [
                "plan": "rome", "name": "Home", "lat": 41.9, "lon": 12.5, "radius_m": 50, "from": "2026-06-02T10:00",
                "from_zone": "Europe/Rome", "to": "2026-06-02T11:00", "level": "members",
            ], refused: "cai"),
        Call(
            method: "locations.update", parameters: ["location": "forum", "name": "The forum", "from": ""],
            refused: "bob"),
        Call(method: "locations.move", parameters: ["location": "tiber", "before": "forum"], refused: "cai"),
        Call(method: "locations.clear", parameters: ["location": "forum"], refused: "cai"),
        Call(method: "locations.remove", parameters: ["location": "forum"], refused: "cai"),
        Call(method: "activities.list", caller: .guest, parameters: ["plan": "rome", "tab": "food"]),
        Call(method: "activities.get", caller: .guest, parameters: ["activity": "pizza"]),
        Call(
            method: "activities.add",
            parameters: [
                "plan": "rome", "title": "Day two", "links": ["pizza"], "people": ["ada", "bob"], "contact": "+39",
                "booked": true, "from": "2026-06-02T10:00",
            ], refused: "cai"),
        Call(
            method: "activities.update", parameters: ["activity": "pizza", "rating": 4, "note": "Napoletana"],
            refused: "bob"),
        Call(method: "activities.remove", parameters: ["activity": "pizza"], refused: "cai"),
        Call(method: "checklists.list", caller: .guest, parameters: ["plan": "rome"]),
        Call(
            method: "checklists.add", parameters: ["plan": "rome", "title": "To do", "level": "members"], refused: "cai"
        ),
        Call(method: "checklists.update", parameters: ["checklist": "pack", "title": "Bags"], refused: "bob"),
        Call(method: "checklists.remove", parameters: ["checklist": "pack"], refused: "cai"),
        Call(
            method: "tasks.add",
            parameters: ["checklist": "pack", "title": "Rope", "person": "bob", "day": "2026-05-31"], refused: "cai"),
        Call(method: "tasks.update", parameters: ["task": "tent", "done": true], refused: "bob"),
        Call(method: "tasks.move", parameters: ["task": "stove", "before": "tent"], refused: "cai"),
        Call(method: "tasks.remove", parameters: ["task": "tent"], refused: "bob"),
        Call(method: "plans.look", caller: .person("bob"), parameters: ["plan": "rome"], refused: "cai"),
        Call(method: "expenses.list", caller: .person("bob"), parameters: ["plan": "rome"], refused: "cai"),
        Call(method: "expenses.sums", caller: .person("bob"), parameters: ["plan": "rome"], refused: "cai"),
        Call(method: "expenses.balances", caller: .person("bob"), parameters: ["plan": "rome"], refused: "cai"),
        Call(
            method: "expenses.add",
            parameters: [
                "plan": "rome", "title": "Museum", "amount": "41", "currency": "USD", "rate": "0.91", "split": "parts",
                "payers": [["person": "bob", "amount": "40"], ["person": "ada", "amount": "1.00"]],
                "shares": [["person": "ada", "share": "2"], ["person": "bob", "share": "1"]],
            ], refused: "bob"),
        Call(
            method: "expenses.update", parameters: ["expense": "fuel", "amount": "30.00", "category": "van"],
            refused: "bob"),
        Call(method: "expenses.remove", parameters: ["expense": "fuel"], refused: "bob"),
        Call(
            method: "repayments.add", caller: .person("bob"),
            parameters: ["plan": "rome", "from": "bob", "to": "ada", "amount": "1.50", "note": "cash"], refused: "cai"),
        Call(method: "repayments.list", caller: .person("bob"), parameters: ["plan": "rome"], refused: "cai"),
        Call(method: "repayments.remove", parameters: ["repayment": "cash"], refused: "bob"),
        Call(method: "expenses.csv", caller: .person("bob"), parameters: ["plan": "rome"], refused: "cai"),
        Call(
            method: "locations.import",
            parameters: [
                "plan": "rome",
                "locations": [
                    ["name": "A", "lat": 41.9, "lon": 12.5], ["name": "B", "lat": 41, "lon": 12, "address": "Via"],
                ],
            ], refused: "cai"),
        Call(method: "links.create", parameters: ["plan": "rome", "location": "forum", "days": 7], refused: "bob"),
        Call(method: "links.list", parameters: ["plan": "rome"], refused: "cai"),
        Call(method: "plans.bin", parameters: ["plan": "rome"]),
        Call(method: "plans.history", parameters: ["plan": "rome"], refused: "cai"),
    ]

    private static let planning: [MethodCase] = [
        .good(
            "plans.create", as: .person("ada"),
            [
                "title": "Lisbon", "zone": "Europe/Lisbon", "start": "2026-06-01T08:00", "end": "2026-06-04",
                "currency": "JPY", "postal_codes": ["1100"], "lat": 38.7, "lon": -9.1, "level": "me",
            ]),
        .bad(.notAllowed, "plans.create", as: .admin, ["title": "Lisbon"]),
        .bad(.invalidValue, "zone", "plans.create", as: .person("ada"), ["title": "Lisbon", "zone": "EST"]),
        .bad(.invalidValue, "currency", "plans.create", as: .person("ada"), ["title": "Lisbon", "currency": "XXX"]),
        .bad(.invalidValue, "start", "plans.create", as: .person("ada"), ["title": "A", "start": "2026-02-30"]),
        .bad(
            .invalidValue, "end", "plans.create", as: .person("ada"),
            ["title": "A", "start": "2026-06-02", "end": "2026-06-01"]),
        .bad(.invalidValue, "lon", "plans.create", as: .person("ada"), ["title": "A", "lat": 1]),
        .good("plans.list", as: .person("bob"), ["order": "start"], after: rome),
        .good("plans.list", as: .guest, ["person": "ada"], after: rome),
        .bad(.notAllowed, "plans.list", as: .guest),
        .bad(.notFound, "plans.list", as: .guest, ["person": "nobody"]),
        .bad(.invalidValue, "of", "plans.list", as: .person("bob"), ["of": "all"]),
        .good("plans.explore", as: .guest, ["text": "ROM", "order": "likes"], after: rome),
        .bad(.invalidValue, "from", "plans.explore", as: .guest, ["from": "soon"]),
        .bad(.conflict, "plans.update", as: .person("ada"), ["plan": "rome", "revision": 99], after: rome),
        .bad(.invalidValue, "title", "plans.update", as: .person("ada"), ["plan": "rome", "title": " "], after: rome),
        .bad(
            .invalidValue, "start", "plans.copy", as: .person("cai"), ["plan": "rome", "start": "2027-02-30"],
            after: rome),
        .bad(.invalidValue, "after", "locations.list", as: .guest, ["plan": "rome", "after": "x"], after: rome),
        .bad(
            .invalidValue, "radius_m", "locations.add", as: .person("ada"),
            ["plan": "rome", "name": "A", "radius_m": 0],
            after: rome),
        .bad(
            .invalidValue, "from", "locations.update", as: .person("ada"), ["location": "forum", "from": "noon"],
            after: rome),
        .bad(
            .invalidValue, "locations.name", "locations.import", as: .person("ada"),
            ["plan": "rome", "locations": [["name": "A", "lat": 1, "lon": 1], ["name": " ", "lat": 1, "lon": 1]]],
            after: rome),
        .bad(
            .invalidValue, "locations", "locations.import", as: .person("ada"), ["plan": "rome", "locations": []],
            after: rome),
        .bad(.invalidValue, "after", "expenses.csv", as: .person("bob"), ["plan": "rome", "after": "x"], after: rome),
        .bad(.conflict, "locations.update", as: .person("ada"), ["location": "forum", "revision": 99], after: rome),
        .bad(.invalidValue, "before", "locations.move", as: .person("ada"), ["location": "forum"], after: rome),
        .bad(.invalidValue, "tab", "activities.list", as: .guest, ["plan": "rome", "tab": "drinks"], after: rome),
        .bad(
            .invalidValue, "rating", "activities.add", as: .person("ada"),
            ["plan": "rome", "title": "A", "tab": "food", "rating": 6], after: rome),
        .bad(
            .invalidValue, "mode", "activities.update", as: .person("ada"), ["activity": "pizza", "mode": "van"],
            after: rome),
        .bad(.conflict, "activities.update", as: .person("ada"), ["activity": "pizza", "revision": 99], after: rome),
    ]

    private static let packing: [MethodCase] = [
        .bad(.conflict, "checklists.update", as: .person("ada"), ["checklist": "pack", "revision": 99], after: rome),
        .bad(
            .invalidValue, "title", "checklists.update", as: .person("ada"), ["checklist": "pack", "title": " "],
            after: rome),
        .bad(
            .invalidValue, "title", "checklists.add", as: .person("ada"), ["plan": "rome", "title": " "], after: rome),
        .bad(
            .invalidValue, "day", "tasks.add", as: .person("ada"),
            ["checklist": "pack", "title": "Rope", "day": "2026-02-30"], after: rome),
        .bad(
            .invalidValue, "person", "tasks.update", as: .person("ada"), ["task": "tent", "person": "cai"], after: rome),
        .bad(.conflict, "tasks.update", as: .person("ada"), ["task": "tent", "revision": 99], after: rome),
        .bad(.invalidValue, "before", "tasks.move", as: .person("ada"), ["task": "tent"], after: rome),
    ]

    private static let journeys: [MethodCase] =
        ["plans.addTrip", "plans.removeTrip"].flatMap { method -> [MethodCase] in
            let parameters: JSONObject = ["plan": "rome"]
            return [
                .good(method, as: .person("ada"), parameters, after: travelled),
                .bad(.notFound, method, as: .person("ada"), ["plan": "rome", "trip": "none"], after: rome),
                .bad(.notFound, method, as: .person("ada"), ["plan": "none"], after: travelled),
                .bad(.notAllowed, method, as: .person("bob"), parameters, after: travelled),
            ]
        } + [
            .bad(.conflict, "plans.addTrip", as: .person("ada"), ["plan": "rome"]) { core in
                _ = try await rome(core)
                return ["trip": .string(try core.record("van", at: 0, isOpen: true).id)]
            }
        ]

    private static let membership: [MethodCase] = [
        .good("members.ask", as: .person("ada"), ["plan": "rome", "person": "cai"], after: rome),
        .bad(.notFound, "members.ask", as: .person("ada"), ["plan": "none", "person": "cai"], after: rome),
        .bad(.notFound, "members.ask", as: .person("ada"), ["plan": "rome", "person": "nobody"], after: rome),
        .bad(.notAllowed, "members.ask", as: .person("bob"), ["plan": "rome", "person": "cai"], after: rome),
        .bad(.conflict, "members.ask", as: .person("ada"), ["plan": "rome", "person": "bob"], after: rome),
        .good("members.invite", as: .person("ada"), ["plan": "rome", "edits": true, "uses": 2], after: rome),
        .good(
            "members.invite", as: .person("ada"), ["plan": "rome", "server": "https://van.example", "image": true],
            after: rome),
        .bad(.notFound, "members.invite", as: .person("ada"), ["plan": "none"], after: rome),
        .bad(.notAllowed, "members.invite", as: .person("bob"), ["plan": "rome"], after: rome),
        .bad(.conflict, "members.invite", as: .person("ada")) { core in
            let plan = try await core.call(as: "ada", "plans.create", ["title": "Mine", "level": "me"])
            return ["plan": try #require(plan["id"])]
        },
        .bad(.unavailable, "members.invite", as: .person("ada"), ["plan": "rome"]) { core in
            _ = try await rome(core)
            for _ in 0..<20 { try await core.call(as: "ada", "members.invite", ["plan": "rome"]) }
            return ["plan": "rome"]
        },
        .bad(
            .invalidValue, "server", "members.invite", as: .person("ada"), ["plan": "rome", "server": "van"],
            after: rome),
        .good("members.confirm", as: .person("cai"), ["plan": "rome"], after: asked),
        .bad(.notFound, "members.confirm", as: .person("cai"), ["plan": "rome"], after: rome),
        .good("members.decline", as: .person("cai"), ["plan": "rome"], after: asked),
        .bad(.notFound, "members.decline", as: .person("bob"), ["plan": "rome"], after: asked),
        .bad(
            .conflict, "members.change", as: .person("ada"), ["plan": "rome", "person": "ada", "edits": false],
            after: rome),
        .good("members.remove", as: .person("ada"), ["plan": "rome", "person": "cai"], after: asked),
        .bad(.notFound, "members.remove", as: .person("ada"), ["plan": "rome", "person": "cai"], after: rome),
        .bad(.notAllowed, "members.remove", as: .person("bob"), ["plan": "rome", "person": "cai"], after: asked),
        // He has an open balance.
        .bad(.conflict, "members.remove", as: .person("bob"), ["plan": "rome", "person": "bob"], after: rome),
        .bad(
            .invalidValue, "person", "members.handOver", as: .person("ada"), ["plan": "rome", "person": "cai"],
            after: rome),
    ]

    private static let spending: [MethodCase] = [
        .bad(.invalidValue, "after", "expenses.list", as: .person("bob"), ["plan": "rome", "after": "x"], after: rome),
        .bad(
            .invalidValue, "amount", "expenses.add", as: .person("ada"),
            ["plan": "rome", "title": "A", "amount": "1,5"],
            after: rome),
        .bad(
            .invalidValue, "payers", "expenses.add", as: .person("ada"),
            ["plan": "rome", "title": "A", "amount": "1", "payers": [["person": "cai", "amount": "1"]]], after: rome),
        .bad(
            .invalidValue, "shares", "expenses.add", as: .person("ada"),
            [
                "plan": "rome", "title": "A", "amount": "1", "split": "percentages",
                "shares": [["person": "ada", "share": "33.3"]],
            ], after: rome),
        .bad(
            .invalidValue, "rate", "expenses.update", as: .person("ada"), ["expense": "fuel", "currency": "USD"],
            after: rome),
        .bad(.conflict, "expenses.update", as: .person("ada"), ["expense": "fuel", "revision": 99], after: rome),
        .bad(
            .invalidValue, "to", "repayments.add", as: .person("bob"),
            ["plan": "rome", "from": "bob", "to": "cai", "amount": "1"], after: rome),
        .bad(
            .invalidValue, "after", "repayments.list", as: .person("bob"), ["plan": "rome", "after": "x"], after: rome),
    ]

    private static let sharing: [MethodCase] = [
        .bad(.conflict, "links.create", as: .person("ada"), ["plan": "rome", "location": "forum"]) { core in
            _ = try await rome(core)
            try await core.call(as: "ada", "locations.update", ["location": "forum", "level": "members"])
            return [:]
        },
        .bad(.invalidValue, "days", "links.create", as: .person("ada"), ["plan": "rome", "days": 0], after: rome),
        .good("links.open", as: .guest) { core in
            _ = try await rome(core)
            return ["link": try #require(try await core.call(as: "ada", "links.create", ["plan": "rome"])["link"])]
        },
        .bad(.notFound, "links.open", as: .guest, ["link": "none"]),
        .good("links.revoke", as: .person("ada"), ["plan": "rome"]) { core in
            _ = try await rome(core)
            return ["number": try #require(try await core.call(as: "ada", "links.create", ["plan": "rome"])["number"])]
        },
        .bad(.notFound, "links.revoke", as: .person("ada"), ["plan": "rome", "number": "7"], after: rome),
        .bad(.notAllowed, "links.revoke", as: .person("bob"), ["plan": "rome", "number": "7"], after: rome),
    ]

    /// Makes the plan `rome`.
    @Sendable private static func rome(_ core: CoreFixture) async throws -> JSONObject {
        try await core.store.write { db in
            for (one, other) in [("ada", "bob"), ("bob", "ada"), ("ada", "cai"), ("cai", "ada")] {
                try db.execute(
                    sql: """
                        INSERT INTO friend SELECT one.number, other.number, 0 FROM person AS one, person AS other
                        WHERE one.id = ? AND other.id = ?
                        """, arguments: [one, other])
            }
        }
        try await core.call(
            as: "ada", "plans.create",
            [
                "title": "Rome", "zone": "Europe/Rome", "start": "2026-06-01", "end": "2026-06-05", "level": "everyone",
                "currency": "EUR",
            ])
        try await core.store.write { try $0.execute(sql: "UPDATE plan SET id = 'rome'") }
        try await core.call(as: "ada", "members.ask", ["plan": "rome", "person": "bob"])
        try await core.call(as: "bob", "members.confirm", ["plan": "rome"])
        for name in ["Forum", "Tiber"] {
            try await core.call(
                as: "ada", "locations.add", ["plan": "rome", "name": .string(name), "lat": 41.9, "lon": 12.5])
        }
        try await core.call(as: "ada", "activities.add", ["plan": "rome", "title": "Day"])
        try await core.call(as: "ada", "activities.add", ["plan": "rome", "title": "Pizza", "tab": "food"])
        try await core.call(as: "ada", "expenses.add", ["plan": "rome", "title": "Fuel", "amount": "20.00"])
        try await core.call(
            as: "bob", "repayments.add", ["plan": "rome", "from": "bob", "to": "ada", "amount": "5.00"])
        try await core.call(as: "ada", "checklists.add", ["plan": "rome", "title": "Pack"])
        try await core.store.write { try $0.execute(sql: "UPDATE checklist SET id = lower(title)") }
        for title in ["Tent", "Stove"] {
            try await core.call(as: "ada", "tasks.add", ["checklist": "pack", "title": .string(title)])
        }
        try await core.store.write { db in
            try db.execute(
                sql: """
                    UPDATE location SET id = lower(name);
                    UPDATE activity SET id = lower(title);
                    UPDATE expense SET id = 'fuel';
                    UPDATE repayment SET id = 'cash';
                    UPDATE task SET id = lower(title);
                    """)
        }
        return [:]
    }

    private static let binned: [MethodCase] = [
        .good("plans.bin", as: .person("ada"), [:], after: pizzaless),
        .good("plans.restore", as: .person("ada"), ["removed": "activity/pizza"], after: pizzaless),
        .bad(.notFound, "plans.restore", as: .person("bob"), ["removed": "activity/pizza"], after: pizzaless),
        .bad(.notFound, "plans.restore", as: .person("ada"), ["removed": "activity/day"], after: pizzaless),
        .bad(.conflict, "plans.restore", as: .person("ada"), ["removed": "activity/pizza"], after: romeless),
        .bad(.notAllowed, "plans.restore", as: .person("bob"), ["removed": "activity/day"], after: bobless),
        .bad(
            .invalidValue, "other", "plans.swapDays", as: .person("ada"),
            ["plan": "rome", "day": "2026-06-01", "other": "2026-06-01"], after: rome),
        .bad(.invalidValue, "days", "plans.shift", as: .person("ada"), ["plan": "rome", "days": 40_000]),
        .bad(.invalidValue, "after", "plans.history", as: .person("ada"), ["plan": "rome", "after": "none"]),
        .good("plans.undo", as: .person("ada"), ["plan": "rome"], after: pizzalessChange),
        .bad(.notFound, "plans.undo", as: .person("ada"), ["plan": "rome", "change": "999"], after: pizzaless),
        .bad(.conflict, "plans.undo", as: .person("ada"), ["plan": "rome"], after: movedBack),
        .bad(.notAllowed, "plans.undo", as: .person("cai"), ["plan": "rome"], after: pizzalessChange),
    ]

    /// Makes the plan `rome`, removes the activity `pizza`, and returns the number of that change.
    @Sendable private static func pizzalessChange(_ core: CoreFixture) async throws -> JSONObject {
        _ = try await pizzaless(core)
        return try await lastChange(core)
    }

    /// Makes the plan `rome`, moves a location and undoes that, and returns the number of that change.
    @Sendable private static func movedBack(_ core: CoreFixture) async throws -> JSONObject {
        _ = try await rome(core)
        try await core.call(as: "ada", "locations.move", ["location": "tiber", "before": "forum"])
        let change = try await lastChange(core)
        try await core.call(as: "ada", "plans.undo", ["plan": "rome", "change": change["change"] ?? .null])
        return change
    }

    private static func lastChange(_ core: CoreFixture) async throws -> JSONObject {
        let history = try await core.call(as: "ada", "plans.history", ["plan": "rome", "limit": 1])
        return ["change": history["changes"].elements.first?["change"] ?? .null]
    }

    /// Removes the activity `pizza` of the plan `rome`, and then the plan.
    @Sendable private static func romeless(_ core: CoreFixture) async throws -> JSONObject {
        _ = try await pizzaless(core)
        try await core.call(as: "ada", "plans.remove", ["plan": "rome"])
        return [:]
    }

    /// Lets bob change the plan `rome` until he has removed the activity `day`.
    @Sendable private static func bobless(_ core: CoreFixture) async throws -> JSONObject {
        _ = try await rome(core)
        try await core.call(as: "ada", "members.change", ["plan": "rome", "person": "bob", "edits": true])
        try await core.call(as: "bob", "activities.remove", ["activity": "day"])
        try await core.call(as: "ada", "members.change", ["plan": "rome", "person": "bob", "edits": false])
        return [:]
    }

    /// Makes the plan `rome` and removes the activity `pizza`.
    @Sendable private static func pizzaless(_ core: CoreFixture) async throws -> JSONObject {
        _ = try await rome(core)
        try await core.call(as: "ada", "activities.remove", ["activity": "pizza"])
        return [:]
    }

    /// Makes the plan `rome` with a finished trip.
    @Sendable private static func travelled(_ core: CoreFixture) async throws -> JSONObject {
        _ = try await rome(core)
        let trip = JSONValue.string(try core.record("van", at: 0).id)
        try await core.call(as: "ada", "plans.addTrip", ["plan": "rome", "trip": trip])
        return ["trip": trip]
    }

    /// Makes the plan `rome` and invites cai as a member.
    @Sendable private static func asked(_ core: CoreFixture) async throws -> JSONObject {
        _ = try await rome(core)
        try await core.call(as: "ada", "members.ask", ["plan": "rome", "person": "cai"])
        return [:]
    }
}
