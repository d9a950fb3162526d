import Geodesy
package import RPC
import Service
public import TextCoding
import Tracking

extension Sight {
    /// Writes what there is to say of the sight.
    public func writeMembers(to json: inout JSONWriter) {
        writeRow(to: &json)
        json.member("description", information)
        json.member("added_by", owner)
    }

    /// Writes what a list says of the sight: all but its description.
    package func writeRow(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("title", title)
        json.place(place)
        json.member("radius", radius.meters, decimals: 1)
        json.member("category", category)
    }

    /// What a list says of a sight.
    package static let row: [Field] = [
        .required("id", .string, "What it is known by."),
        .required("title", .string, "What people call it."),
        .required("lat", Schema.latitude, "Degrees north."),
        .required("lon", Schema.longitude, "Degrees east."),
        .required("radius", .number, "How near is near, in metres."),
        .optional("category", .string, "What kind of place it is."),
    ]

    /// What one says of a sight as a rule.
    package static let whole: [Field] =
        row + [
            .optional("description", .string, "What there is to know about it."),
            .optional("added_by", .string, "The id of the person who added it; left out where it came otherwise."),
        ]

    /// A sight.
    package static let schema = Schema.object(whole)

    // Texts are bounded in characters here, and in bytes by `check`.

    package static let idSchema = Schema.string(length: 1...longestID)
    static let titleSchema = Schema.string(length: 1...longestTitle)
    static let radiusSchema = Schema.number(in: 0...greatestRadius.meters)
    static let categorySchema = Schema.string(length: 0...longestCategory)
    static let informationSchema = Schema.string(length: 0...longestInformation)
}
