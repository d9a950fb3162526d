import Geodesy
public import RPC
import Service
import Shapes

extension Sight: Answerable {
    /// The JSON shape of a whole sight.
    public static let shape = AnswerShape<Sight>.object(whole)

    /// The members of a sight in a list: all but its description and owner.
    package static let row: [Member<Sight>] =
        [
            Member("id", .text, "The id.") { $0.id },
            Member("title", .text, "The title.") { $0.title },
        ] + Member.place("Degrees north.", "Degrees east.") { $0.place } + [
            Member(
                "radius", .number(decimals: 1),
                "The radius in metres; half the width of a corridor, and 0 for a polygon."
            ) { $0.radius.meters },
            .optional("form", .text(.choice(["polygon", "corridor"])), "What the sight is; absent for a circle.") {
                $0.form
            },
            .optional("category", .text, "The category.") { $0.category },
        ]

    static let whole: [Member<Sight>] =
        row + [
            .optional(
                "shape", .json(shapeSchema),
                """
                The polygons or the lines as a GeoJSON geometry; absent for a circle, and for a shape of more than \
                \(mostSpokenPositions) positions, which only an export from the store has.
                """
            ) { sight in sight.isSpoken ? JSONText { sight.writeGeometry(to: &$0) } : nil },
            .optional("description", .text, "The description.") { $0.information },
            .optional(
                "speed_limit", .number(decimals: 2),
                "The speed in metres a second above which a device inside is reported."
            ) { $0.rules.speedLimit?.metersPerSecond },
            .optional(
                "devices", .array(of: .text), "The only devices that the sight is watched for; absent for all."
            ) { $0.rules.devices.isEmpty ? nil : $0.rules.devices },
            .optional(
                "groups", .array(of: .text), "The groups of devices that the sight is watched for besides."
            ) { $0.rules.groups.isEmpty ? nil : $0.rules.groups },
            .optional("active", .text, "The hours at which the sight is watched; absent for always.") {
                $0.rules.active
            },
            .optional("zone", .text, "The time zone of these hours.") { $0.rules.zone },
            .flag("alarm", "Whether leaving the sight is an alarm.") { $0.rules.isAlarm },
            .optional(
                "added_by", .text, "The id of the person who added it; absent if that is nobody, as after an import."
            ) {
                $0.owner
            },
        ]

    // The schemas bound texts in characters, `check` bounds them in bytes.

    package static let idSchema = Schema.string(length: 1...longestID)
    static let titleSchema = Schema.string(length: 1...longestTitle)
    /// A GeoJSON geometry, which is checked when it is read.
    static let shapeSchema = Schema.object([
        .required("type", .choice(["Point", "LineString", "MultiLineString", "Polygon", "MultiPolygon"]), "The type."),
        .required(
            "coordinates", .anyOf([position, line, lines, .array(of: lines, count: 0...mostPositions)]),
            "The positions, nested as the type demands; the longitude comes first."),
    ])
    /// The most positions of a shape, which bounds each of its lists.
    private static let mostPositions = Shapes.Shape.greatestPositionCount
    /// Longitude, latitude, and perhaps a height.
    ///
    /// The reader of shapes says which degrees are out of range, and where.
    private static let position = Schema.array(of: .number(in: -1e6...1e6), count: 0...4)
    private static let line = Schema.array(of: position, count: 0...mostPositions)
    private static let lines = Schema.array(of: line, count: 0...mostPositions)
    static let radiusSchema = Schema.number(in: 0...greatestRadius.meters)
    static let categorySchema = Schema.string(length: 0...longestCategory)
    static let informationSchema = Schema.string(length: 0...longestInformation)
}

extension Parameter where Value == String {
    /// The id of the sight that a call is about.
    static var sight: Parameter { .required("id", Sight.idSchema, "The sight's id.") }
}
