import Geodesy
import Positioning
import RPC
import Service
import Tracking

extension TripSummary {
    /// All members of a trip.
    static let members = identity + numbers + details

    /// The members that identify a trip.
    static let identity: [Member<TripSummary>] = [
        Member("id", .text, "The id.") { $0.id },
        Member("start", .time, "The time of the first moving fix.") { $0.start },
        .optional("end", .time, "The time of the arrival; absent until the trip has ended.") { $0.end },
    ]

    /// The distance, times and counts of a trip; the values so far if it has not ended.
    static let numbers: [Member<TripSummary>] = [
        .optional("distance", .number(decimals: 1), "Metres travelled.") { $0.distance.meters },
        .optional("moving", .number(decimals: 3), "Seconds not spent in stops; absent until the trip has ended.") {
            $0.end == nil ? nil : $0.moving
        },
        .optional("stopped", .number(decimals: 3), "Seconds spent in stops.") { $0.stopped },
        .optional(
            "max_speed", .number(decimals: 2),
            "The greatest speed that three consecutive fixes confirm, in metres per second."
        ) { $0.maximumSpeed?.metersPerSecond },
        .optional("stops", .integer, "The number of stops.") { $0.stops },
        .optional("fixes", .integer, "The number of fixes.") { $0.fixes },
    ]

    /// The members that a trip's events omit.
    static let details: [Member<TripSummary>] = [
        .optional(
            "average_speed", .number(decimals: 2), "The distance divided by the moving time, in metres per second."
        ) {
            $0.averageMovingSpeed?.metersPerSecond
        },
        .optional("climb", .number(decimals: 1), "Metres of ascent, without changes below \(Int(Climb.threshold)) m.") {
            $0.climb?.meters
        },
        .optional("descent", .number(decimals: 1), "Metres of descent.") { $0.descent?.meters },
        // Trips that the first algorithm computed have none of these.
        .optional(
            "gaps", .number(decimals: 1), "Metres across the gaps of the trace, which the distance does not include."
        ) {
            $0.bounds == nil ? nil : $0.gaps.meters
        },
        .optional(
            "bridged", .number(decimals: 1),
            "Metres of the distance on straight lines between points more than a minute apart."
        ) { $0.bounds == nil ? nil : $0.bridged.meters },
        .optional(
            "kind", .text(.choice(of: TripKind.self)),
            "How the device travelled, as an imported recording tells it; absent if it does not."
        ) { $0.kind?.rawValue },
        .optional("bounds", boundsShape, "The bounding box; west is greater than east if it crosses 180 degrees.") {
            $0.bounds
        },
    ]

    private static let boundsShape = AnswerShape<TraceBounds>.object {
        Member("south", .number(.latitude, decimals: 7), "The latitude of the southernmost point, in degrees north.") {
            Double($0.southE7) / Coordinate.unitsPerDegree
        }
        Member("west", .number(.longitude, decimals: 7), "The longitude of the westernmost point, in degrees east.") {
            Double($0.westE7) / Coordinate.unitsPerDegree
        }
        Member("north", .number(.latitude, decimals: 7), "The latitude of the northernmost point, in degrees north.") {
            Double($0.northE7) / Coordinate.unitsPerDegree
        }
        Member("east", .number(.longitude, decimals: 7), "The longitude of the easternmost point, in degrees east.") {
            Double($0.eastE7) / Coordinate.unitsPerDegree
        }
    }
}

extension StopSummary {
    /// All members of a stop.
    static let members: [Member<StopSummary>] =
        [
            Member("id", .text, "The id.") { $0.id },
            Member("start", .time, "The time of the arrival.") { $0.start },
            .optional("end", .time, "The time of the last fix at rest; absent until the stop has ended.") { $0.end },
        ]
        + Member.place(
            "The mean latitude of its fixes, in degrees north.", "The mean longitude of its fixes, in degrees east."
        ) { $0.place }
}
