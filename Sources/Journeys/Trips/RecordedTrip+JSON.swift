import Geodesy
import Positioning
import RPC
import Service
public import Store
public import TextCoding
public import Tracking

extension RecordedTrip {
    /// Writes what there is to say of the trip.
    ///
    /// - Parameter running: the open trip of its device, whose numbers so far are written where this is it.
    public func writeMembers(to json: inout JSONWriter, running: TripSummary? = nil) {
        summary.writeMembers(to: &json)
        if summary.end == nil, let running, running.id == summary.id { running.writeNumbers(to: &json) }
        (summary.end == nil ? running.flatMap { $0.id == summary.id ? $0 : nil } : summary)?.writeDetails(to: &json)
        json.member("device", summary.device)
        json.member("algorithm", algorithm)
        json.member("revision", revision)
    }

    /// What a list says of a trip.
    static let row: [Field] =
        TripSummary.row + [
            .required("device", .string, "The device that travelled."),
            .required("algorithm", .integer, "The version of the rules it was computed by."),
            .required("revision", .integer, "How often someone has changed it since."),
        ]
}

extension TripSummary {
    /// Writes the numbers of a trip that goes on.
    func writeNumbers(to json: inout JSONWriter) {
        json.member("distance", distance.meters, decimals: 1)
        json.member("stopped", stopped, decimals: 3)
        json.member("max_speed", maximumSpeed?.metersPerSecond, decimals: 2)
        json.member("stops", stops)
        json.member("fixes", fixes)
    }

    /// Writes what an event of the trip leaves out.
    func writeDetails(to json: inout JSONWriter) {
        json.member("average_speed", averageMovingSpeed?.metersPerSecond, decimals: 2)
        json.member("climb", climb?.meters, decimals: 1)
        json.member("descent", descent?.meters, decimals: 1)
        // Trips of the first algorithm have none of these.
        guard let bounds else { return }
        json.member("gaps", gaps.meters, decimals: 1)
        json.member("bridged", bridged.meters, decimals: 1)
        json.object("bounds") { json in
            json.member("south", Double(bounds.southE7) / Coordinate.unitsPerDegree, decimals: 7)
            json.member("west", Double(bounds.westE7) / Coordinate.unitsPerDegree, decimals: 7)
            json.member("north", Double(bounds.northE7) / Coordinate.unitsPerDegree, decimals: 7)
            json.member("east", Double(bounds.eastE7) / Coordinate.unitsPerDegree, decimals: 7)
        }
    }

    /// What is said of any trip; of one that goes on, the numbers are those so far.
    static let row: [Field] = [
        .required("id", .string, "Its id."),
        .required("start", Schema.time, "The first moving fix."),
        .optional("end", Schema.time, "The arrival; left out while it goes on."),
        .optional("distance", .number, "Metres travelled."),
        .optional("moving", .number, "Seconds not spent in stops; left out while it goes on."),
        .optional("stopped", .number, "Seconds spent in stops."),
        .optional("max_speed", .number, "The greatest speed that three fixes in a row bear out, metres per second."),
        .optional("stops", .integer, "How many stops."),
        .optional("fixes", .integer, "How many fixes."),
        .optional("average_speed", .number, "Distance by moving, metres per second."),
        .optional("gaps", .number, "Metres across the gaps of the trace, which distance leaves out."),
        .optional("bridged", .number, "Metres of distance that are straight lines over more than a minute."),
        .optional("climb", .number, "Metres up, changes below \(Int(Climb.threshold)) m left out."),
        .optional("descent", .number, "Metres down."),
        .optional("bounds", boundsSchema, "Where it lies; west is greater than east across 180 degrees."),
    ]

    private static let boundsSchema = Schema.object([
        .required("south", Schema.latitude, "Degrees north of the southernmost point."),
        .required("west", Schema.longitude, "Degrees east of the westernmost point."),
        .required("north", Schema.latitude, "Degrees north of the northernmost point."),
        .required("east", Schema.longitude, "Degrees east of the easternmost point."),
    ])
}

extension StopSummary {
    /// What is said of a stop.
    static let schema = Schema.object([
        .required("id", .string, "Its id."),
        .required("start", Schema.time, "The arrival."),
        .optional("end", Schema.time, "The last fix at rest; left out while it goes on."),
        .required("lat", Schema.latitude, "Degrees north of the mean of its fixes."),
        .required("lon", Schema.longitude, "Degrees east of the mean of its fixes."),
    ])
}
