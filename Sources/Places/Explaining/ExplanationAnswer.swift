import Geodesy
import Positioning
public import RPC
import Service
import TextCoding
public import Tracking

/// An explanation with what it is about.
public struct ExplanationAnswer: Sendable {
    /// Where the fixes come from.
    public enum Source: String, Sendable, CaseIterable {
        /// A recording: all fixes.
        case recording
        /// The daemon's memory: the last fixes, the rejected ones too.
        case memory
        /// Recorded trips: neither fixes between trips nor rejected ones, and accuracies rounded up to metres.
        case trip
    }

    /// The device.
    public var device: String
    /// Where the fixes come from.
    public var source: Source
    /// What was asked about.
    public var geofence: Geofence
    /// The fixes.
    public var explanation: Explanation

    /// An explanation of what a device's fixes told of a geofence.
    public init(device: String, source: Source, geofence: Geofence, explanation: Explanation) {
        self.device = device
        self.source = source
        self.geofence = geofence
        self.explanation = explanation
    }

    /// The answer as it is served.
    public var json: JSONText {
        .object { json in
            json.member("device", device)
            json.member("source", source.rawValue)
            json.object("geofence") { json in
                json.member("kind", geofence.identity.kind.rawValue)
                json.member("id", geofence.identity.id)
                json.member("title", geofence.title)
                json.place(geofence.center)
                json.member("radius", geofence.radius.meters, decimals: 1)
            }
            json.member("at", explanation.question.time.description)
            json.member("window", explanation.question.window, decimals: 3)
            explanation.writeMembers(to: &json)
        }
    }

    package static let schema = Schema.object([
        .required("device", .string, "The device."),
        .required(
            "source", .choice(Source.allCases.map(\.rawValue)),
            "memory: the last fixes, the rejected ones too; trip: points of trips, without those between trips and "
                + "without the rejected ones."),
        .required(
            "geofence",
            .object([
                .required("kind", .string, "Its kind."), .required("id", .string, "Its id."),
                .required("title", .string, "What people call it."),
                .required("lat", Schema.latitude, "Degrees north of its middle."),
                .required("lon", Schema.longitude, "Degrees east of its middle."),
                .required("radius", .number, "Its radius in metres."),
            ]), "The geofence as it is now."),
        .required("at", Schema.time, "The moment."),
        .required("window", .number, "Seconds before and after it."),
        .required(
            "fixes", .array(of: fix, count: 0...Explanation.mostFixes), "The fixes, in the order in which they came."),
        .optional("cut", .boolean, "True where there were more; these are the closest to the moment."),
        .optional("closest", .array(of: fix), "Where there is no fix: the last before and the first after."),
    ])

    private static let state = Schema.choice(["unknown", "outside", "inside"])

    private static let fix = Schema.object([
        .optional("time", Schema.time, "When; left out of a fix without time."),
        .required("lat", Schema.latitude, "Degrees north."),
        .required("lon", Schema.longitude, "Degrees east."),
        .optional("accuracy", .number, "The radius in metres that holds the true position in 95 % of cases."),
        .optional("rejected", .string, "Why it was not let through."),
        .required("distance", .number, "Metres from where the device is taken to be to the geofence's middle."),
        .optional("held", .number, "Metres from the fix to where a device that stands is held to be."),
        .required("before", state, "Where the device was taken to be."),
        .required("after", state, "Where it is taken to be since."),
        .required("events", .array(of: .any), "What the fix told of the geofence."),
        .required("reason", .string, "Why."),
    ])
}
