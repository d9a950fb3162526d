import EventStream
import GRDB
import Geodesy
import Positioning
import RPC
import Service

extension PlanMethods {
    private static let trip = Parameter<String>.required("trip", .string(length: 1...200), "The trip's id.")

    var journey: [Method<Principal>] {
        [
            .stored(
                "plans.journey",
                """
                What was planned beside what was travelled: when each location was passed, how far each day went, and where \
                people stopped that was not planned; trips and stops for members alone.
                """, .plan, answers: PlanJourney.shape, errors: [.notFound], right: .read
            ) { call, id in
                try await read(call) { try PlanJourney(of: PlanAccess.plan(id, for: $1, in: $0), in: $0) }
            },
            .stored(
                "plans.addTrip",
                "Adds a recorded trip to a plan; those of travellers within its days join by themselves.", .plan,
                Self.trip, answers: .only("trip", "Its id."),
                errors: [.notFound, .notAllowed, .conflict, .unavailable],
                right: .person
            ) { call, id, trip in
                try await change(call) { changing, _ in
                    try PlanTrip.add(trip, to: changing.plan(id), in: changing.db)
                    return trip
                }
            },
            .stored(
                "plans.removeTrip", "Takes a recorded trip out of a plan, and leaves the trip as it is.", .plan,
                Self.trip, answers: .only("trip", "Its id."), errors: [.notFound, .notAllowed], right: .person
            ) { call, id, trip in
                try await change(call) { changing, _ in
                    try PlanTrip.remove(trip, from: changing.plan(id), in: changing.db)
                    return trip
                }
            },
        ]
    }
}

extension PlanJourney: Answerable {
    static let shape = Shape<PlanJourney>.object {
        Member("planned_m", .number(decimals: 1), "Straight from one location to the next, in metres.") {
            $0.plannedDistance.meters
        }
        Member.optional("travelled_m", .number(decimals: 1), "By all trips, in metres; for members alone.") {
            $0.travelled.map { $0.trips.reduce(0) { $0 + $1.distance.meters } }
        }
        Member("locations", .array(of: Location.passing), "The locations that you see, in their order.") {
            $0.locations
        }
        Member("days", .array(of: Day.shape), "The days on which something is planned or was travelled.") { journey in
            journey.days.map { ($0, journey.travelled != nil) }
        }
        Member.optional("trips", .array(of: PlanTrip.shape), "The trips, by their start; for members alone.") {
            $0.travelled?.trips
        }
        Member.optional(
            "stops", .array(of: Stop.shape),
            "Where the trips stopped that is none of the plan's locations; for members alone."
        ) { $0.travelled?.stops }
    }
}

extension PlanJourney.Day {
    /// A day, with a flag that says whether its travelled distance is shown.
    static let shape = Shape<(day: PlanJourney.Day, isTravelledShown: Bool)>.object {
        Member.optional("day", .text, "The day by the plan's clocks; left out for what is planned for none.") {
            $0.day.date?.text
        }
        Member("planned_m", .number(decimals: 1), "Straight from one location to the next, in metres.") {
            $0.day.planned.meters
        }
        Member.optional("travelled_m", .number(decimals: 1), "By the trips, in metres; for members alone.") {
            $0.isTravelledShown ? $0.day.travelled.meters : nil
        }
    }
}

extension PlanJourney.Stop {
    static let shape = Shape<PlanJourney.Stop>.object {
        Member("device", .text, "Which device stopped.") { $0.device }
        Member("start", .time, "Since when.") { $0.start }
        Member.optional("end", .time, "Until when; left out where it has not gone on.") { $0.end }
        Member("lat", .number(.latitude, decimals: 7), "Degrees north.") { $0.place.latitude }
        Member("lon", .number(.longitude, decimals: 7), "Degrees east.") { $0.place.longitude }
    }
}

extension PlanTrip {
    static let shape = Shape<PlanTrip>.object {
        Member("id", .text, "The trip's id.") { $0.id }
        Member("device", .text, "Which device travelled.") { $0.device }
        Member("start", .time, "When it began.") { $0.start }
        Member("end", .time, "When it ended.") { $0.end }
        Member("distance_m", .number(decimals: 1), "How far it went, in metres.") { $0.distance.meters }
    }
}

extension Location {
    /// A location with its planned visit and its stamp.
    static let passing = Shape<Location>.object {
        Member("id", .text, "What it is known by.") { $0.id }
        Member("name", .text, "What it is called.") { $0.fields.name }
        Member.optionalPlace { $0.fields.place }
        [Member<PlannedSpan>].span("from", "to").of { $0.fields.span }
        Member("visited", .boolean, "Whether a traveller has passed it.") { $0.passed != nil }
        Member.optional("passed", .time, "When a traveller passed it first.") { $0.passed }
        Member.optional("departed", .time, "When they left it.") { $0.departed }
        Member.optional(
            "stayed_s", .number(decimals: 3),
            "How long they stayed, in seconds; 0 where they went through without a fix."
        ) { location in
            guard let passed = location.passed else { return nil }
            return location.departed?.seconds(since: passed)
        }
    }
}
