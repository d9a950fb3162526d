public import EventStream
import Geodesy
package import Positioning
public import RPC
public import Service
package import Store
import TextCoding
import Tracking

/// The methods about recorded trips.
public struct TripMethods: Sendable {
    package let store: LocationDatabase
    package let present: any Present
    let tripImport: TripImport
    let whereabouts: Whereabouts
    /// When a change is made that someone asks for.
    package let now: @Sendable () -> Timestamp

    /// The most trips in one page of `trips.list`.
    static let largestPage = 1000
    /// The most points in one page of `trips.trace`; a page ends earlier where its line is half full.
    static let largestTracePage = 10_000
    /// The most stops that `trips.get` gives: a trip of a week has hardly more.
    public static let mostStops = 1000
    /// The most trips in one export.
    static let largestExport = 1000

    /// The methods of a companion.
    public init(_ context: ServiceContext) {
        now = context.now
        store = context.store
        present = context.present
        tripImport = TripImport(store: store)
        whereabouts = Whereabouts(store: store, present: present)
    }

    /// The methods.
    public var all: [Method<Principal>] { reading + exporting + importing + changing + editing }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "trips.list", "Recorded trips, newest first, a page at a time.",
                parameters: Self.filter + [
                    Field.limit(upTo: Self.largestPage, usually: 100), Field.after,
                ],
                result: .object([
                    .required("trips", .array(of: .object(RecordedTrip.row)), "The trips."), Field.next,
                ]),
                errors: [.notFound, .invalidValue], right: .read, handler: list),
            .stored(
                "trips.get", "One trip with its stops.", parameters: [Self.id],
                result: .object(
                    RecordedTrip.row + [
                        .required(
                            "stop_list", .array(of: StopSummary.schema),
                            "The stops of its device within it, \(Self.mostStops) at most.")
                    ]), errors: [.notFound], right: .read, handler: get),
            .stored(
                "trips.current", "The trip that a device is on, with its numbers so far.",
                parameters: [.optional("device", Schema.deviceName, "The device; the primary one if left out.")],
                result: .object([
                    .required("device", .string, "The device."),
                    .optional("trip", .object(TripSummary.row), "The trip; left out where it is on none."),
                ]), errors: [.notFound, .unavailable], right: .read, handler: current),
            .stored(
                "trips.trace", "The points of a trip in order of time, a page at a time.",
                parameters: [
                    Self.id, .optional("after", Schema.time, "Only later points; the `next` of the page before."),
                    Field.limit(upTo: Self.largestTracePage, usually: 1000), Self.tolerance,
                ],
                result: .object([
                    .required("points", .array(of: Self.point), "The points; none where they are no longer kept."),
                    .optional(
                        "next", Schema.time,
                        "To be given as `after` for the next page; left out where this is the last."),
                ]), errors: [.notFound, .invalidValue], right: .read, handler: trace),
        ]
    }

    private var exporting: [Method<Principal>] {
        [
            .stored(
                "trips.export", "Trips that have ended as the text of a file, a piece at a time.",
                parameters: [
                    .required("format", .choice(TripExport.Format.allCases.map(\.rawValue)), "The kind of file."),
                    .optional(
                        "ids", .array(of: Self.id.schema, count: 1...Self.largestExport),
                        "The trips, in this order; all of a time, oldest first, if left out."),
                ] + Self.filter + [
                    Field.after,
                    Self.tolerance,
                ],
                result: .object([
                    .required("text", .string, "The piece, at most \(TripExport.longestPiece) bytes of UTF-8."),
                    .optional(
                        "next", .string(length: 1...Cursor.longest),
                        "To be given as `after`, all else unchanged, for the next piece; left out where this is the last."
                    ),
                ]), errors: [.notFound, .conflict, .invalidValue], right: .read, handler: export)
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "trips.remove", "Removes a trip that has ended, with its points; the stops of its device stay.",
                parameters: [Self.id], result: .object([.required("id", .string, "Its id.")]),
                errors: [.notFound, .conflict], right: .change, handler: remove)
        ]
    }

    package static let id = Field.required("id", .string(length: 1...512), "The trip's id.")

    private static let tolerance = Field.optional(
        "tolerance", .number(in: 0...TripExport.greatestTolerance.meters),
        "Leave out points that are within so many metres of the way drawn without them; 0, which is all, if left out.")

    package static let filter: [Field] = [
        .optional("device", Schema.deviceName, "Only those of this device."),
        .optional("from", Schema.time, "Only those that began then or later."),
        .optional("to", Schema.time, "Only those that began earlier."),
    ]

    package static let point = Schema.object([
        .required("time", Schema.time, "When."),
        .required("lat", Schema.latitude, "Degrees north."),
        .required("lon", Schema.longitude, "Degrees east."),
        .optional("alt", .number(in: Fix.altitudes), "Metres above mean sea level."),
        .optional("speed", signed(Fix.speeds), "Metres per second; a negative one given counts as unknown."),
        .optional("track", signed(Fix.tracks), "Degrees clockwise from true north."),
        .optional(
            "accuracy", signed(Fix.accuracies),
            "The radius in metres that holds the true position in 95 % of cases; a negative one given counts as unknown."
        ),
        .optional("gap", .boolean, "True where the way from the point before is not known."),
    ])

    /// Numbers up to the end of a range in either direction: below zero some programs mean "unknown".
    private static func signed(_ range: ClosedRange<Double>) -> Schema {
        .number(in: -range.upperBound...range.upperBound)
    }

    package static func unknown(_ id: String) -> RPCError {
        RPCError.notFound("There is no trip \(id); trips.list lists them.")
    }
}
