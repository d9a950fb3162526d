import Callers
import GRDB
import Geodesy
import RPC
import Service
import Time

extension PlanMethods {
    private static let trip = Parameter<String>.required("trip", .string(length: 1...200), "The trip's id.")

    var journey: [Method<Principal>] {
        [
            .stored(
                "plans.journey",
                """
                Compares a plan with what was travelled: when each location was passed, the distance of each day, and \
                the stops that were not planned. Only members see trips and stops.
                """, .plan, answers: PlanJourney.shape, errors: [.notFound], right: .read
            ) { call, id in
                let viewer = call.viewer
                let open = await context.liveState.openTrips()
                return try await read(call) { db, person in
                    try PlanJourney(of: PlanAccess.plan(id, for: person, in: db), open: open, for: viewer, in: db)
                }
            },
            .stored(
                "plans.addTrip",
                "Adds a recorded trip to a plan. Trips that travellers make on its days are added automatically.",
                .plan,
                Self.trip, answers: .only("trip", "The trip's id."),
                errors: [.notFound, .notAllowed, .conflict, .unavailable],
                right: .person
            ) { call, id, trip in
                let viewer = call.viewer
                return try await change(call) { changing, consequences in
                    try PlanTrip.add(trip, to: changing.plan(id), by: viewer, in: changing.db)
                    changing.pagesChange(of: id, &consequences)
                    return trip
                }
            },
            .stored(
                "plans.removeTrip", "Removes a recorded trip from a plan, but keeps the trip itself.", .plan,
                Self.trip, answers: .only("trip", "The trip's id."), errors: [.notFound, .notAllowed], right: .person
            ) { call, id, trip in
                try await change(call) { changing, consequences in
                    try PlanTrip.remove(trip, from: changing.plan(id), in: changing.db)
                    changing.pagesChange(of: id, &consequences)
                    return trip
                }
            },
        ]
    }
}

extension PlanJourney: Answerable {
    static let shape = AnswerShape<PlanJourney>.object {
        Member(
            "planned_m", .number(decimals: 1),
            "The planned distance in straight lines between the locations, in metres."
        ) {
            $0.plannedDistance.meters
        }
        Member.optional(
            "travelled_m", .number(decimals: 1), "The distance of all trips, in metres; present only for members."
        ) {
            $0.travelled.map { $0.trips.reduce(0) { $0 + $1.distance.meters } }
        }
        Member("locations", .array(of: Location.passing), "The locations that you see, in the order of the plan.") {
            $0.locations
        }
        Member("days", .array(of: Day.shape), "The days on which something is planned or was travelled.") { journey in
            journey.days.map { ($0, journey.travelled != nil) }
        }
        Member.optional(
            "trips", .array(of: PlanTrip.shape), "The trips, in the order of their start; present only for members."
        ) {
            $0.travelled?.trips
        }
        Member.optional(
            "stops", .array(of: Stop.shape),
            "The stops of the trips that are at none of the plan's locations; present only for members."
        ) { $0.travelled?.stops }
    }
}

extension PlanJourney.Day {
    /// A day, with a flag that says whether its travelled distance is shown.
    static let shape = AnswerShape<(day: PlanJourney.Day, isTravelledShown: Bool)>.object {
        Member.optional("day", .text, "The day in the plan's time zone; absent for what is planned without a day.") {
            $0.day.date?.text
        }
        Member(
            "planned_m", .number(decimals: 1),
            "The planned distance in straight lines between the locations, in metres."
        ) {
            $0.day.planned.meters
        }
        Member.optional(
            "travelled_m", .number(decimals: 1), "The distance of the trips, in metres; present only for members."
        ) {
            $0.isTravelledShown ? $0.day.travelled.meters : nil
        }
    }
}

extension PlanJourney.Stop {
    static let shape = AnswerShape<PlanJourney.Stop>.object {
        Member("device", .text, "The device that stopped.") { $0.device }
        Member("start", .time, "The beginning of the stop.") { $0.start }
        Member.optional("end", .time, "The end of the stop; absent if it has not ended.") { $0.end }
        Member("lat", .number(.latitude, decimals: 7), "Degrees north.") { $0.place.latitude }
        Member("lon", .number(.longitude, decimals: 7), "Degrees east.") { $0.place.longitude }
    }
}

extension PlanTrip {
    static let shape = AnswerShape<PlanTrip>.object {
        Member("id", .text, "The trip's id.") { $0.id }
        Member("device", .text, "The device that travelled.") { $0.device }
        Member("start", .time, "The start of the trip.") { $0.start }
        Member.optional("end", .time, "The end of the trip; absent while it goes on.") { $0.end }
        Member("distance_m", .number(decimals: 1), "The distance in metres.") { $0.distance.meters }
    }
}

extension Location {
    /// A location with its planned visit and its stamp.
    static let passing = AnswerShape<Location>.object {
        Member("id", .text, "The id.") { $0.id }
        Member("name", .text, "The name.") { $0.fields.name }
        Member.optionalPlace { $0.fields.place }
        [Member<PlannedSpan>].span("from", "to").of { $0.fields.span }
        Member("visited", .boolean, "Whether a traveller has passed it.") { $0.passed != nil }
        Member.optional("passed", .time, "The time at which a traveller first passed it.") { $0.passed }
        Member.optional("departed", .time, "The time at which that traveller left it.") { $0.departed }
        Member.optional(
            "stayed_s", .number(decimals: 3),
            "The length of the stay in seconds; 0 if the device crossed the location without a fix inside."
        ) { location in
            guard let passed = location.passed else { return nil }
            return location.departed?.seconds(since: passed)
        }
    }
}
