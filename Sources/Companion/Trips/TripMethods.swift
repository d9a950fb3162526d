public import Callers
import Geodesy
public import RPC
public import Service
package import Store
package import Time
import Tracking

/// The RPC methods about recorded trips.
public struct TripMethods: Sendable {
    package let store: LocationDatabase
    package let liveState: any LiveState
    let editor: Editor
    let tripImport: TripImport
    let deviceDirectory: DeviceDirectory
    /// Returns the current time, which becomes the time of a change.
    package let now: @Sendable () -> Timestamp

    /// The largest page of `trips.list`, in trips.
    static let largestPage = 1000
    /// The largest page of `trips.trace`, in points.
    ///
    /// A page ends earlier once its line is half full.
    static let largestTracePage = 10_000
    /// The largest number of stops that `trips.get` returns: a trip of a week hardly has more.
    public static let maximumStops = 1000
    /// The largest number of trips in one export.
    static let largestExport = 1000

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        now = context.now
        store = context.store
        liveState = context.liveState
        editor = context.editor
        tripImport = TripImport(editor: editor)
        deviceDirectory = DeviceDirectory(store: store, liveState: liveState)
    }

    /// All methods about trips.
    public var all: [Method<Principal>] { reading + exporting + importing + changing + editing }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "trips.list", "Lists recorded trips in pages, newest first.", Self.device, Self.since, Self.until,
                .page(of: Self.listName, upTo: Self.largestPage, default: 100),
                answers: .page("trips", "The trips."), errors: [.notFound, .invalidValue], right: .read, handler: list),
            .stored(
                "trips.get", "Returns a trip with its stops.", .trip, answers: TripWithStops.shape, errors: [.notFound],
                right: .read, handler: get),
            .stored(
                "trips.current", "Returns the trip that a device is on, with its numbers so far.",
                .optional("device", .deviceName, "The device; the primary device by default."),
                answers: CurrentTrip.shape, errors: [.notFound, .unavailable], right: .read, handler: current),
            .stored(
                "trips.trace", "Lists the points of a trip in pages, in order of time.", .trip,
                .time("after", "Only points after this time; give the `next` of the previous page."),
                .limit(upTo: Self.largestTracePage, default: 1000), Self.tolerance, answers: TracePage.shape,
                errors: [.notFound, .invalidValue], right: .read, handler: trace),
        ]
    }

    private var exporting: [Method<Principal>] {
        [
            .stored(
                "trips.export", "Returns trips that have ended as the text of a file, in pieces.",
                Parameter<TripExport.Format>.required("format", "The format of the file."),
                Parameter<[String]?>.optional(
                    "ids", .array(of: Self.idSchema, count: 1...Self.largestExport),
                    "The trips, in this order; by default all trips of a period, oldest first."),
                Self.device, Self.since, Self.until, .after(in: TripExport.Mark.list, by: TripExport.Mark.self),
                Self.tolerance, answers: ExportPiece.shape, errors: [.notFound, .conflict, .invalidValue],
                right: .read, handler: export)
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "trips.remove", "Removes a trip that has ended, with its points; the stops of its device stay.", .trip,
                answers: .object { Member("id", .text, "The id of the removed trip.") { $0 } },
                errors: [.notFound, .conflict],
                right: .change, handler: remove)
        ]
    }

    /// A piece of the text of an export.
    struct ExportPiece: Answerable, Sendable {
        var text: String
        var next: String?

        static let shape = AnswerShape<ExportPiece>.object {
            Member("text", .text, "The piece of text, at most \(TripExport.longestPiece) bytes of UTF-8.") { $0.text }
            Member.next(
                "The cursor for the next piece, with all other parameters unchanged; absent on the last piece."
            ) {
                $0.next
            }
        }
    }

    /// The name of the list of trips in cursors.
    static let listName = "trips"

    static let idSchema = Schema.string(length: 1...512)
    static let device = Parameter<String?>.optional("device", .deviceName, "Only trips of this device.")
    static let since = Parameter<Timestamp?>.time("from", "Only trips that began at this time or later.")
    static let until = Parameter<Timestamp?>.time("to", "Only trips that began before this time.")

    private static let tolerance = Parameter<Double>.optional(
        "tolerance", .number(in: 0...TripExport.greatestTolerance.meters), default: 0,
        "Omits points within this distance, in metres, of the line drawn without them. 0 by default: omits none."
    ).map { Distance.meters($0) }

    package static func unknown(_ id: String) -> Refusal {
        Refusal.notFound("There is no trip \(id); trips.list lists them.")
    }
}

extension Parameter where Value == String {
    /// The parameter `id` of a method about one trip.
    static var trip: Parameter { .required("id", TripMethods.idSchema, "The trip's id.") }
}

extension TripQuery.Mark: CursorKey {
    package var values: [JSONValue] { [.integer(start.milliseconds), .string(id)] }

    package init?(_ values: [JSONValue]) {
        guard values.count == 2, let start = Int64(json: values[0]).flatMap(Timestamp.init(exactly:)),
            let id = String(json: values[1])
        else { return nil }
        self.init(start: start, id: id)
    }

    /// Creates the mark of a trip.
    init(_ trip: TripSummary) { self.init(start: trip.start, id: trip.id) }
}
