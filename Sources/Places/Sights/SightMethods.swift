public import EventStream
import Geodesy
package import Positioning
public import RPC
public import Service
package import Store
import TextCoding
import Tracking

/// The methods about sights.
public struct SightMethods: Sendable {
    package let store: LocationDatabase
    package let present: any Present
    let whereabouts: Whereabouts
    let editor: Editor
    package let now: @Sendable () -> Timestamp

    /// The most sights in one page of `sights.list`.
    package static let largestPage = 1000
    /// The most sights that `sights.nearest` gives: an answer of some hundred thousand bytes.
    static let mostNeighbors = 1000
    /// The most sights in one import: what a line of the socket can hold of short ones.
    static let largestImport = 10_000

    /// The methods of a companion.
    public init(_ context: ServiceContext) {
        store = context.store
        present = context.present
        whereabouts = Whereabouts(store: store, present: present)
        editor = context.editor
        now = context.now
    }

    /// The methods.
    public var all: [Method<Principal>] { reading + changing }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "sights.get", "One sight.", parameters: [Self.id],
                result: .object(Sight.whole + SightDetails.fields), errors: [.notFound], right: .read, handler: get),
            .stored(
                "sights.list",
                "Sights, a page at a time: the best matches of a text first, else in the order in which they were added.",
                parameters: [
                    .optional(
                        "text", .string(length: 0...SightSearch.longest),
                        """
                        Only those with all these words in title, category or description, in any case and without \
                        accents; the last word may be cut short.
                        """),
                    .optional("category", Sight.categorySchema, "Only those of this category."),
                    MapWindow.field, Field.limit(upTo: Self.largestPage, usually: 100), Field.after,
                ],
                result: .object([.required("sights", .array(of: Sight.schema), "The sights."), Field.next]),
                right: .read, handler: list),
            .stored(
                "sights.nearest", "The sights closest to a place, or to where a device is, nearest first.",
                parameters: [
                    .optional("lat", Schema.latitude, "Degrees north of the place."),
                    .optional("lon", Schema.longitude, "Degrees east of the place."),
                    .optional(
                        "device", Schema.deviceName,
                        """
                        The device, instead of a place. If both are left out, the one that carries who asks, else the \
                        primary one.
                        """),
                    .optional("k", .integer(in: 1...Int64(Self.mostNeighbors)), "How many, 10 if left out."),
                ],
                result: .object([
                    .required("lat", Schema.latitude, "Degrees north of the place they are closest to."),
                    .required("lon", Schema.longitude, "Degrees east of that place."),
                    .required("nearest", .array(of: .object(Sight.row + Self.bearings)), "The sights; all, if fewer."),
                ]),
                errors: [.notFound, .invalidValue, .unavailable], right: .read, handler: nearest),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "sights.add", "Adds a sight, which is then of who adds it: at a place, or where they are.",
                parameters: [
                    .required("title", Sight.titleSchema, "What people call it."),
                    .required(
                        "description", .string(length: 1...Sight.longestInformation), "What there is to know about it."),
                    .optional("lat", Schema.latitude, "Degrees north."),
                    .optional("lon", Schema.longitude, "Degrees east."),
                    .optional("radius", Sight.radiusSchema, "How near is near, in metres, 100 if left out."),
                    .optional("category", Sight.categorySchema, "What kind of place it is."),
                    .optional("id", Sight.idSchema, "A new id; made from the title if left out."),
                    .optional(
                        "device", Schema.deviceName,
                        """
                        The device that is there, instead of a place. If both are left out, the one that carries who \
                        asks, else the primary one.
                        """),
                ],
                result: Sight.schema, errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .contribute,
                question: "Add a sight there?", handler: add),
            .stored(
                "sights.update", "Changes what is given of a sight of yours; the rest stays.",
                parameters: [
                    Self.id,
                    .optional("title", Sight.titleSchema, "What people call it."),
                    .optional("lat", Schema.latitude, "Degrees north."),
                    .optional("lon", Schema.longitude, "Degrees east."),
                    .optional("radius", Sight.radiusSchema, "How near is near, in metres."),
                    .optional("category", Sight.categorySchema, "What kind of place it is; an empty text for none."),
                    .optional("description", Sight.informationSchema, "What there is to know about it."),
                ],
                result: Sight.schema, errors: [.notFound, .notAllowed, .invalidValue], right: .contribute,
                handler: update),
            .stored(
                "sights.remove",
                "Removes a sight of yours, with all that was said of it; devices inside leave it at their next fix.",
                parameters: [Self.id], result: .object([.required("id", .string, "Its id.")]),
                errors: [.notFound, .notAllowed], right: .contribute,
                question: "Remove the sight, and all that was said of it?",
                handler: remove),
            .stored(
                "sights.import", "Adds sights, each in place of the one of its id; all or none.",
                parameters: [
                    .required("sights", .array(of: Self.imported, count: 0...Self.largestImport), "The sights.")
                ],
                result: .object([
                    .required("added", .integer, "How many were not there before."),
                    .required("updated", .integer, "How many were there, and are now as given."),
                ]),
                errors: [.invalidValue], right: .change, handler: importSights),
        ]
    }

    private static let id = Field.required("id", Sight.idSchema, "The sight's id.")

    private static let imported = Schema.object([
        .required("title", Sight.titleSchema, "What people call it."),
        .required("lat", Schema.latitude, "Degrees north."),
        .required("lon", Schema.longitude, "Degrees east."),
        .optional("radius", Sight.radiusSchema, "How near is near, in metres, 100 if left out."),
        .optional("category", Sight.categorySchema, "What kind of place it is."),
        .optional("description", Sight.informationSchema, "What there is to know about it."),
        .optional(
            "id", Sight.idSchema,
            "What it is known by; made from the title if left out, so that the same titles give the same ids."),
    ])

    private static let bearings: [Field] = [
        .required("distance", .number, "How far its middle is, in metres along the great circle."),
        .required("bearing", .number, "Where its middle lies, in degrees clockwise from true north."),
        .required(
            "compass", .choice(CompassPoint.allCases.map(\.rawValue)),
            "The same as one of the sixteen points of the compass: N, NNE, NE and so on."),
    ]

    package static func unknown(_ id: String) -> RPCError {
        RPCError.notFound("There is no sight \(id); sights.list lists them.")
    }
}
