import Geodesy
import Positioning
public import RPC
import Service
import TextCoding
public import Tracking

/// An explanation together with its device, its geofence and the source of its fixes.
public struct ExplanationAnswer: Sendable {
    /// The source of the fixes.
    public enum Source: String, Sendable, CaseIterable {
        /// A recording, which has all fixes.
        case recording
        /// The daemon's memory, which has the last fixes, including rejected ones.
        case memory
        /// Recorded trips.
        ///
        /// They have no fixes between trips and no rejected ones, and their accuracies are rounded up to metres.
        case trip
    }

    /// The name of the device whose fixes are explained.
    public var device: String
    /// The source of the fixes.
    public var source: Source
    /// The geofence that the explanation is about.
    public var geofence: Geofence
    /// The question and the explained fixes.
    public var explanation: Explanation

    /// Creates an answer about one device and one geofence.
    public init(device: String, source: Source, geofence: Geofence, explanation: Explanation) {
        self.device = device
        self.source = source
        self.geofence = geofence
        self.explanation = explanation
    }
}

extension ExplanationAnswer: Answerable {
    /// The JSON shape of the answer to `geofences.explain`.
    public static let shape = AnswerShape<ExplanationAnswer>.object {
        Member("device", .text, "The name of the device.") { $0.device }
        Member(
            "source", .choice,
            "The origin of the fixes. memory: the last fixes, including rejected ones; trip: points of trips, without "
                + "fixes between trips and rejected ones."
        ) { $0.source }
        Member("geofence", watched, "The geofence as it is now.") { $0.geofence }
        Member("at", .time, "The moment.") { $0.explanation.question.time }
        Member("window", .number(decimals: 3), "Seconds before and after the moment.") {
            $0.explanation.question.window
        }
        Member(
            "fixes", .array(of: fix, count: 0...Explanation.maximumFixes),
            "The fixes, in the order in which they arrived."
        ) { $0.explanation.fixes }
        Member.flag("cut", "Whether there were more fixes; those given are the closest to the moment.") {
            $0.explanation.isCut
        }
        Member.optional(
            "closest", .array(of: fix), "The last fix before the window and the first after it, if the window has none."
        ) { $0.explanation.fixes.isEmpty ? [$0.explanation.before, $0.explanation.after].compactMap(\.self) : nil }
    }

    private static let watched = AnswerShape<Geofence>.object {
        Member("kind", .text, "The kind of the geofence.") { $0.identity.kind.rawValue }
        Member("id", .text, "The id.") { $0.identity.id }
        Member("title", .text, "The title.") { $0.title }
        Member.place("The latitude of the centre, in degrees north.", "The longitude of the centre, in degrees east.") {
            $0.center
        }
        Member(
            "radius", .number(decimals: 1),
            "The radius in metres; half the width of a corridor, and 0 for a polygon."
        ) { $0.radius.meters }
        Member.optional(
            "form", .text(.choice(["polygon", "corridor"])), "What the geofence is; absent for a circle."
        ) { $0.form }
    }

    private static let fix = AnswerShape<ExplainedFix>.object {
        Member.optional("time", .time, "The time of the fix; absent if it has none.") { $0.time }
        Member.place("Degrees north.", "Degrees east.") { $0.place }
        Member.optional(
            "accuracy", .number(decimals: 1), "The radius in metres that holds the true position in 95 % of cases."
        ) { $0.accuracy?.meters }
        Member.optional("rejected", .text, "The reason why the fix was rejected; absent if it was accepted.") {
            $0.rejection
        }
        Member(
            "distance", .number(decimals: 1),
            "The distance in metres from the device's assumed position to the geofence's centre, or to the line of a "
                + "corridor; for a polygon how far outside of its boundary the position is, negative inside."
        ) { $0.distance.meters }
        Member.optional(
            "held", .number(decimals: 1),
            "The distance in metres from the fix to the position that geofences assume instead: where a stationary "
                + "device is held, or the average of the fixes before one that would give an alarm on its own."
        ) { $0.held?.meters }
        Member("before", .choice, "The device's assumed state before the fix.") { $0.before }
        Member("after", .choice, "The device's assumed state after the fix.") { $0.after }
        Member("events", .array(of: event), "The events of the geofence that the fix caused.") { $0.events }
        Member("reason", .text, "The explanation in words.") { $0.reason }
    }

    /// An event in the form that subscribers receive, without its number in the log.
    private static let event = AnswerShape<Event>(.any) { event, json in json.object { event.writeMembers(to: &$0) } }
}
