#if Companion
import RPC

extension DemoCast {
    /// Creates Ada's plan for the drive, whose locations it passes but for one, and Bob's of last year.
    func plan() async throws {
        let clock = stage.clock
        let plan = try await create(
            "Two days in Liechtenstein", as: "ada", "From one end to the other, and up to where the road stops.",
            from: clock.day(0), to: clock.day(1), currency: "CHF")
        try await photograph("plan/\(plan)", by: "ada", .castle, .noon, "Where it begins")
        let places: [(name: String, latitude: Double, longitude: Double, minutes: Int)] = [
            ("Breakfast below the castle", 47.0661, 9.5038, 0), ("Bob's friends in Vaduz", 47.1380, 9.5218, 15),
            ("Bob's grandmother in Ruggell", 47.2402, 9.5239, 38), ("Coffee in Triesenberg", 47.1186, 9.5433, 78),
            ("The hotel in Malbun", 47.1029, 9.6090, 92), ("The chairlift to Sareis", 47.0943, 9.6188, 24 * 60),
        ]
        for (number, place) in places.enumerated() {
            let location = try await call(
                "locations.add", as: "ada",
                [
                    "plan": .string(plan), "name": .string(place.name), "lat": .number(place.latitude),
                    "lon": .number(place.longitude), "radius_m": 150,
                    "from": .string(clock.time(minutes: place.minutes)),
                ])
            guard let id = location.text("id"), [0, 2, 4].contains(number) else { continue }
            try await photograph(
                "location/\(id)", by: "ada", [.castle, .village, .huts][number / 2], .noon, place.name)
        }
        for (person, edits) in [("bob", true), ("cleo", false)] {
            try await call(
                "members.ask", as: "ada", ["plan": .string(plan), "person": .string(person), "edits": .bool(edits)])
            try await call("members.confirm", as: person, ["plan": .string(plan)])
        }
        try await fill(plan)
        try await pay(plan)
        try await rememberLastYear()
    }

    private func create(
        _ title: String, as person: String, _ description: String, from start: String, to end: String, currency: String
    ) async throws -> String {
        let plan = try await call(
            "plans.create", as: person,
            [
                "title": .string(title), "description": .string(description), "zone": .string(DemoClock.zone),
                "start": .string(start), "end": .string(end), "destination": "Liechtenstein", "lat": 47.1393,
                "lon": 9.5228, "people": 3, "currency": .string(currency), "postal_codes": ["9490", "9497"],
            ])
        return try plan.text("id").orFailing("plans.create returned no plan")
    }

    /// Adds something to each tab of a plan.
    private func fill(_ plan: String) async throws {
        let clock = stage.clock
        let activities: [(tab: String, from: Int, to: Int, more: JSONObject)] = [
            (
                "itinerary", 13, 19,
                ["title": "The Kunstmuseum, one room only", "location": "Vaduz", "lat": 47.13952, "lon": 9.52202]
            ),
            (
                "itinerary", 1440, 1600,
                ["title": "Along the ridge from Sareis", "description": "Three hours, with marmots."]
            ),
            (
                "transport", 1700, 1760,
                [
                    "title": "Bus 21 down to Vaduz", "mode": "bus", "departure": "Malbun, Jöraboden",
                    "arrival": "Vaduz, Post",
                ]
            ),
            (
                "lodging", 95, 1420,
                [
                    "title": "Two rooms with a balcony", "address": "9497 Triesenberg", "booked": true,
                    "booking_code": "MLB-2210", "contact": "Reception, until 22:00", "level": "members",
                ]
            ),
            (
                "food", 150, 240,
                ["title": "Käsknöpfle", "rating": 5, "recommendation": "With apple sauce and fried onions"]
            ),
            (
                "places", 78, 82,
                ["title": "Walser Museum", "lat": 47.11848, "lon": 9.54288, "note": "Closed on Mondays"]
            ),
        ]
        for activity in activities {
            var parameters = activity.more
            parameters["plan"] = .string(plan)
            parameters["tab"] = .string(activity.tab)
            parameters["from"] = .string(clock.time(minutes: activity.from))
            parameters["to"] = .string(clock.time(minutes: activity.to))
            try await call("activities.add", as: "ada", parameters)
        }
    }

    /// Adds expenses in two currencies, and a repayment.
    private func pay(_ plan: String) async throws {
        let clock = stage.clock
        let expenses: [(person: String, more: JSONObject)] = [
            ("ada", ["title": "Hotel", "amount": "372.00", "tab": "lodging", "category": "lodging"]),
            ("bob", ["title": "Käsknöpfle for three", "amount": "88.50", "tab": "food", "category": "food"]),
            ("cleo", ["title": "Tickets for the museum", "amount": "45.00", "tab": "places", "category": "tickets"]),
            (
                "bob",
                [
                    "title": "Fuel in Feldkirch", "amount": "64.20", "currency": "EUR", "rate": "0.94",
                    "tab": "transport",
                    "category": "fuel",
                ]
            ),
        ]
        for expense in expenses {
            var parameters = expense.more
            parameters["plan"] = .string(plan)
            parameters["day"] = .string(clock.day(0))
            try await call("expenses.add", as: expense.person == "cleo" ? "ada" : expense.person, parameters)
        }
        try await call(
            "repayments.add", as: "ada",
            ["plan": .string(plan), "from": "cleo", "to": "ada", "amount": "100.00", "note": "At breakfast"])
    }

    /// Creates Bob's published plan of a year ago.
    private func rememberLastYear() async throws {
        let clock = stage.clock
        let plan = try await create(
            "A weekend in the snow", as: "bob", "Skis on Saturday, sledges on Sunday, soup on both.",
            from: clock.day(-290), to: clock.day(-289), currency: "EUR")
        for (name, latitude, longitude) in [
            ("Malbun", 47.1029, 9.6083), ("The lake of Steg", 47.1118, 9.5766), ("Triesenberg", 47.1184, 9.5429),
        ] {
            try await call(
                "locations.add", as: "bob",
                [
                    "plan": .string(plan), "name": .string(name), "lat": .number(latitude), "lon": .number(longitude),
                ])
        }
        try await photograph("plan/\(plan)", by: "bob", .huts, .evening, "Malbun")
        try await call("plans.publish", as: "bob", ["plan": .string(plan), "published": true])
        for person in ["ada", "cleo"] {
            try await call(
                "reactions.set", as: person, ["subject": .string("plan/\(plan)"), "kind": "like", "on": true])
        }
    }
}
#endif
