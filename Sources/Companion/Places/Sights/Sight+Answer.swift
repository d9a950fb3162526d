import Geodesy
public import RPC
import Service

extension Sight: Answerable {
    /// The JSON shape of a whole sight.
    public static let shape = Shape<Sight>.object(whole)

    /// The members of a sight in a list: all but its description and owner.
    package static let row: [Member<Sight>] =
        [
            Member("id", .text, "The id.") { $0.id },
            Member("title", .text, "The title.") { $0.title },
        ] + Member.place("Degrees north.", "Degrees east.") { $0.place } + [
            Member("radius", .number(decimals: 1), "The radius in metres.") { $0.radius.meters },
            .optional("category", .text, "The category.") { $0.category },
        ]

    static let whole: [Member<Sight>] =
        row + [
            .optional("description", .text, "The description.") { $0.information },
            .optional(
                "added_by", .text, "The id of the person who added it; absent if that is nobody, as after an import."
            ) {
                $0.owner
            },
        ]

    // The schemas bound texts in characters, `check` bounds them in bytes.

    package static let idSchema = Schema.string(length: 1...longestID)
    static let titleSchema = Schema.string(length: 1...longestTitle)
    static let radiusSchema = Schema.number(in: 0...greatestRadius.meters)
    static let categorySchema = Schema.string(length: 0...longestCategory)
    static let informationSchema = Schema.string(length: 0...longestInformation)
}

extension Parameter where Value == String {
    /// The id of the sight that a call is about.
    static var sight: Parameter { .required("id", Sight.idSchema, "The sight's id.") }
}
