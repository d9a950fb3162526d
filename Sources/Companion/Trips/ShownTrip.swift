import RPC
import Service
import Store
import Tracking

/// A recorded trip with its stored numbers, or with the numbers so far if it has not ended.
struct ShownTrip: Answerable, Sendable {
    private let recorded: RecordedTrip
    /// The numbers of the trip; `nil` if it has not ended and only its start is known.
    private let numbers: TripSummary?
    /// The names of the towns where it began and ended, such as Utrecht → Amsterdam; `nil` if they are unknown.
    private let name: String?

    /// Creates a trip from its record.
    ///
    /// - Parameters:
    ///   - running: The open trip of the device. Its numbers so far are shown if it is the recorded trip.
    ///   - name: The name of the trip.
    init(_ recorded: RecordedTrip, running: TripSummary? = nil, name: String? = nil) {
        self.recorded = recorded
        self.name = name
        let summary = recorded.summary
        numbers = summary.end != nil ? summary : running.flatMap { $0.id == summary.id ? $0 : nil }
    }

    static let shape = AnswerShape<ShownTrip>.object(members)

    static let members: [Member<ShownTrip>] =
        TripSummary.identity.of { $0.recorded.summary }
        + (TripSummary.numbers + TripSummary.details).ofOptional { $0.numbers } + [
            Member("device", .text, "The device.") { $0.recorded.summary.device },
            .optional(
                "name", .text,
                "The towns at its ends, as Utrecht → Amsterdam; absent if the gazetteer knows none there."
            ) { $0.name },
            Member("algorithm", .integer, "The version of the rules by which it was computed.") {
                $0.recorded.algorithm
            },
            Member("revision", .integer, "The number of times that someone has changed it.") { $0.recorded.revision },
        ]
}

/// A trip with the stops on it.
struct TripWithStops: Answerable, Sendable {
    var trip: ShownTrip
    var stops: [NamedStop]

    static let shape = AnswerShape<TripWithStops>.object {
        ShownTrip.members.of { $0.trip }
        Member(
            "stop_list", .array(of: NamedStop.shape),
            "The stops of its device during the trip, at most \(TripMethods.maximumStops)."
        ) { $0.stops }
    }
}

/// A stop and the name of its place.
struct NamedStop: Answerable, Sendable {
    var stop: StopSummary
    var name: String?

    static let shape = AnswerShape<NamedStop>.object(
        StopSummary.members.of { $0.stop } + [
            .optional("name", .text, "The town nearby, as near Woerden; absent if the gazetteer knows none there.") {
                $0.name
            }
        ])
}

/// The trip that a device is on.
struct CurrentTrip: Answerable, Sendable {
    var device: String
    var trip: TripSummary?

    static let shape = AnswerShape<CurrentTrip>.object {
        Member("device", .text, "The device.") { $0.device }
        Member.optional(
            "trip", .object(TripSummary.identity + TripSummary.numbers), "The trip; absent if the device is on none."
        ) { $0.trip }
    }
}
