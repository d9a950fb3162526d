import Geodesy
import TextCoding

/// A sight of a fixture.
struct SimulatedSight {
    /// The id, a slug.
    var id: String
    var title: String
    var place: Coordinate
    /// The radius in metres.
    var radius: Int
    var category: String
    /// The description, one sentence.
    var description: String

    /// Creates a sight at coordinates given in the source.
    init(
        _ id: String, _ title: String, _ latitude: Double, _ longitude: Double, _ radius: Int, _ category: String,
        _ description: String
    ) {
        self.init(id, title, at: Coordinate(latitude, longitude), radius, category, description)
    }

    /// Creates a sight at a computed place.
    init(_ id: String, _ title: String, at place: Coordinate, _ radius: Int, _ category: String, _ description: String)
    {
        self.id = id
        self.title = title
        self.place = place
        self.radius = radius
        self.category = category
        self.description = description
    }

    /// Returns a file of sights for `waymark sight import`, with coordinates rounded to six decimals.
    static func csv(_ sights: [SimulatedSight]) -> String {
        var text = "id,title,lat,lon,radius_m,category,description\n"
        for sight in sights {
            let fields = [
                sight.id, sight.title, DecimalText.string(sight.place.latitude, decimals: 6),
                DecimalText.string(sight.place.longitude, decimals: 6), String(sight.radius), sight.category,
                sight.description,
            ]
            text += fields.map(quoted).joined(separator: ",") + "\n"
        }
        return text
    }

    private static func quoted(_ field: String) -> String {
        guard field.contains(where: { $0 == "," || $0 == "\"" }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
