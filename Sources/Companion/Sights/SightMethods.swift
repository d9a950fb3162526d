public import Callers
import Geodesy
public import RPC
public import Service
package import Store
package import Time

/// The RPC methods about sights: `sights.get`, `.list`, `.nearest`, `.map`, `.add`, `.update`, `.remove` and `.import`.
public struct SightMethods: Sendable {
    package let store: LocationDatabase
    package let liveState: any LiveState
    let deviceDirectory: DeviceDirectory
    let editor: Editor
    package let now: @Sendable () -> Timestamp
    let points = SightPoints()

    /// The largest page of `sights.list`, in sights.
    package static let largestPage = 1000
    /// The largest number of sights that `sights.nearest` returns: an answer of some hundred thousand bytes.
    static let maximumNeighbors = 1000

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        liveState = context.liveState
        deviceDirectory = DeviceDirectory(store: store, liveState: liveState)
        editor = context.editor
        now = context.now
    }

    /// All methods about sights.
    public var all: [Method<Principal>] { reading + [mapping] + changing }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "sights.get", "Returns a sight.", .sight, answers: SightDetails.shape, errors: [.notFound],
                right: .read,
                handler: get),
            .stored(
                "sights.list",
                "Lists sights in pages: the best matches of a text first, otherwise in the order of their addition.",
                .optional(
                    "text", .string(length: 0...SightSearch.longest),
                    """
                    Only sights with all these words in title, category or description, regardless of case and \
                    accents; the last word may be incomplete.
                    """),
                .optional("category", Sight.categorySchema, "Only sights of this category."),
                Parameter<MapWindow?>.window,
                .page(of: "sights.list", upTo: Self.largestPage, default: 100),
                answers: .page("sights", "The sights."), right: .read, handler: list),
            .stored(
                "sights.nearest", "Lists the sights closest to a place or to a device, nearest first.",
                .place("The latitude of the place, in degrees north.", "The longitude of the place, in degrees east."),
                .optional(
                    "device", .deviceName,
                    """
                    The device, instead of a place. If neither is given, the device that carries you, or else the \
                    primary device.
                    """),
                Parameter<Int>.optional(
                    "k", .integer(in: 1...Int64(Self.maximumNeighbors)), default: 10,
                    "The maximum number of sights, 10 by default."),
                answers: NearSights.shape, errors: [.notFound, .invalidValue, .unavailable], right: .read,
                handler: nearest),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "sights.add", "Adds a sight of yours at a place, or where you are.",
                Parameter<String>.required("title", Sight.titleSchema, "The title."),
                Parameter<String?>.optional(
                    "description", Sight.informationSchema,
                    "The description; required of a person, whose sights others read."),
                Parameter<Coordinate?>.place("Degrees north.", "Degrees east."),
                SightShape.parameter,
                Parameter<Double?>.optional(
                    "radius", Sight.radiusSchema,
                    "The radius in metres, 100 by default; half the width of a corridor, which must be given."),
                SightRules.parameter,
                Parameter<String?>.optional("category", Sight.categorySchema, "The category."),
                Parameter<String?>.optional("id", Sight.idSchema, "A new id; by default made from the title."),
                Parameter<String?>.optional(
                    "device", .deviceName,
                    """
                    The device that is there, instead of a place. If neither is given, the device that carries you, or \
                    else the primary device.
                    """),
                answers: Sight.shape, errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .contribute,
                question: "Add a sight there?", handler: add),
            .stored(
                "sights.update", "Changes a sight of yours; values that are omitted stay as they are.", .sight,
                SightChange.parameter, answers: Sight.shape, errors: [.notFound, .notAllowed, .invalidValue],
                right: .contribute, handler: update),
            .stored(
                "sights.remove",
                "Removes a sight of yours with everything said about it; devices inside leave it at their next fix.",
                .sight, answers: .object { Member("id", .text, "The id of the removed sight.") { $0 } },
                errors: [.notFound, .notAllowed],
                right: .contribute, question: "Remove the sight and everything said about it?", handler: remove),
            .stored(
                "sights.import", "Adds sights, or updates those whose ids exist already; all or none.",
                .sights,
                answers: .object {
                    Member("added", .integer, "The number of sights that were added.") { $0.added }
                    Member("updated", .integer, "The number of sights that existed already and were updated.") {
                        $0.updated
                    }
                }, errors: [.invalidValue], right: .change, handler: importSights),
        ]
    }

    package static func unknown(_ id: String) -> Refusal {
        Refusal.notFound("There is no sight \(id); sights.list lists them.")
    }
}
