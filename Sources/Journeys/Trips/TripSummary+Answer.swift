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
        Member("id", .text, "Its id.") { $0.id },
        Member("start", .time, "The first moving fix.") { $0.start },
        .optional("end", .time, "The arrival; left out while it goes on.") { $0.end },
    ]

    /// The distance, times and counts of a trip; the values so far if it has not ended.
    static let numbers: [Member<TripSummary>] = [
        .optional("distance", .number(decimals: 1), "Metres travelled.") { $0.distance.meters },
        .optional("moving", .number(decimals: 3), "Seconds not spent in stops; left out while it goes on.") {
            $0.end == nil ? nil : $0.moving
        },
        .optional("stopped", .number(decimals: 3), "Seconds spent in stops.") { $0.stopped },
        .optional(
            "max_speed", .number(decimals: 2),
            "The greatest speed that three fixes in a row bear out, metres per second."
        ) { $0.maximumSpeed?.metersPerSecond },
        .optional("stops", .integer, "How many stops.") { $0.stops },
        .optional("fixes", .integer, "How many fixes.") { $0.fixes },
    ]

    /// The members that a trip's events omit.
    static let details: [Member<TripSummary>] = [
        .optional("average_speed", .number(decimals: 2), "Distance by moving, metres per second.") {
            $0.averageMovingSpeed?.metersPerSecond
        },
        .optional("climb", .number(decimals: 1), "Metres up, changes below \(Int(Climb.threshold)) m left out.") {
            $0.climb?.meters
        },
        .optional("descent", .number(decimals: 1), "Metres down.") { $0.descent?.meters },
        // Trips that the first algorithm computed have none of these.
        .optional("gaps", .number(decimals: 1), "Metres across the gaps of the trace, which distance leaves out.") {
            $0.bounds == nil ? nil : $0.gaps.meters
        },
        .optional(
            "bridged", .number(decimals: 1), "Metres of distance that are straight lines over more than a minute."
        ) { $0.bounds == nil ? nil : $0.bridged.meters },
        .optional("bounds", boundsShape, "Where it lies; west is greater than east across 180 degrees.") { $0.bounds },
    ]

    private static let boundsShape = Shape<TraceBounds>.object {
        Member("south", .number(.latitude, decimals: 7), "Degrees north of the southernmost point.") {
            Double($0.southE7) / Coordinate.unitsPerDegree
        }
        Member("west", .number(.longitude, decimals: 7), "Degrees east of the westernmost point.") {
            Double($0.westE7) / Coordinate.unitsPerDegree
        }
        Member("north", .number(.latitude, decimals: 7), "Degrees north of the northernmost point.") {
            Double($0.northE7) / Coordinate.unitsPerDegree
        }
        Member("east", .number(.longitude, decimals: 7), "Degrees east of the easternmost point.") {
            Double($0.eastE7) / Coordinate.unitsPerDegree
        }
    }
}

extension StopSummary {
    /// All members of a stop.
    static let members: [Member<StopSummary>] =
        [
            Member("id", .text, "Its id.") { $0.id },
            Member("start", .time, "The arrival.") { $0.start },
            .optional("end", .time, "The last fix at rest; left out while it goes on.") { $0.end },
        ]
        + Member.place("Degrees north of the mean of its fixes.", "Degrees east of the mean of its fixes.") { $0.place }
}
