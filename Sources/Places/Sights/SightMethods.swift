public import EventStream
import Geodesy
package import Positioning
public import RPC
public import Service
package import Store

/// The RPC methods about sights: `sights.get`, `.list`, `.nearest`, `.map`, `.add`, `.update`, `.remove` and `.import`.
public struct SightMethods: Sendable {
    package let store: LocationDatabase
    package let present: any Present
    let whereabouts: Whereabouts
    let editor: Editor
    package let now: @Sendable () -> Timestamp
    let points = SightPoints()

    /// The largest page of `sights.list`, in sights.
    package static let largestPage = 1000
    /// The largest number of sights that `sights.nearest` returns: an answer of some hundred thousand bytes.
    static let mostNeighbors = 1000

    /// Creates the methods for a service.
    public init(_ context: ServiceContext) {
        store = context.store
        present = context.present
        whereabouts = Whereabouts(store: store, present: present)
        editor = context.editor
        now = context.now
    }

    /// All methods about sights.
    public var all: [Method<Principal>] { reading + [mapping] + changing }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "sights.get", "One sight.", .sight, answers: SightDetails.shape, errors: [.notFound], right: .read,
                handler: get),
            .stored(
                "sights.list",
                "Sights, a page at a time: the best matches of a text first, else in the order in which they were added.",
                .optional(
                    "text", .string(length: 0...SightSearch.longest),
                    """
                    Only those with all these words in title, category or description, in any case and without accents; \
                    the last word may be cut short.
                    """),
                .optional("category", Sight.categorySchema, "Only those of this category."),
                Parameter<MapWindow?>.window,
                .page(of: "sights.list", upTo: Self.largestPage, usually: 100),
                answers: .page("sights", "The sights."), right: .read, handler: list),
            .stored(
                "sights.nearest", "The sights closest to a place, or to where a device is, nearest first.",
                .place("Degrees north of the place.", "Degrees east of the place."),
                .optional(
                    "device", .deviceName,
                    """
                    The device, instead of a place. If both are left out, the one that carries you, else the primary \
                    one.
                    """),
                Parameter<Int>.optional(
                    "k", .integer(in: 1...Int64(Self.mostNeighbors)), default: 10, "How many, 10 if left out."),
                answers: NearSights.shape, errors: [.notFound, .invalidValue, .unavailable], right: .read,
                handler: nearest),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "sights.add", "Adds a sight, which is then yours: at a place, or where you are.",
                Parameter<String>.required("title", Sight.titleSchema, "What people call it."),
                Parameter<String>.required(
                    "description", .string(length: 1...Sight.longestInformation), "What there is to know about it."),
                Parameter<Coordinate?>.place("Degrees north.", "Degrees east."),
                Parameter<Double?>.optional(
                    "radius", Sight.radiusSchema, "How near is near, in metres, 100 if left out."),
                Parameter<String?>.optional("category", Sight.categorySchema, "What kind of place it is."),
                Parameter<String?>.optional("id", Sight.idSchema, "A new id; made from the title if left out."),
                Parameter<String?>.optional(
                    "device", .deviceName,
                    """
                    The device that is there, instead of a place. If both are left out, the one that carries you, else \
                    the primary one.
                    """),
                answers: Sight.shape, errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .contribute,
                question: "Add a sight there?", handler: add),
            .stored(
                "sights.update", "Changes what is given of a sight of yours; the rest stays.", .sight,
                SightChange.parameter, answers: Sight.shape, errors: [.notFound, .notAllowed, .invalidValue],
                right: .contribute, handler: update),
            .stored(
                "sights.remove",
                "Removes a sight of yours, with all that was said of it; devices inside leave it at their next fix.",
                .sight, answers: .object { Member("id", .text, "Its id.") { $0 } }, errors: [.notFound, .notAllowed],
                right: .contribute, question: "Remove the sight, and all that was said of it?", handler: remove),
            .stored(
                "sights.import", "Adds sights, each in place of the one of its id; all or none.",
                .sights,
                answers: .object {
                    Member("added", .integer, "How many were not there before.") { $0.added }
                    Member("updated", .integer, "How many were there, and are now as given.") { $0.updated }
                }, errors: [.invalidValue], right: .change, handler: importSights),
        ]
    }

    package static func unknown(_ id: String) -> Refusal {
        Refusal.notFound("There is no sight \(id); sights.list lists them.")
    }
}
