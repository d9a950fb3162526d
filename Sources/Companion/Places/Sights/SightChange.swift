import Geodesy
import RPC
import Service

/// A change to a sight.
///
/// A field that is `nil` keeps its value, and an empty text clears the field.
struct SightChange: Sendable {
    private var title: String?
    private var latitude: Double?
    private var longitude: Double?
    private var radius: Double?
    private var category: String?
    private var information: String?

    static let parameter = Parameter<SightChange>([
        .optional("title", Sight.titleSchema, "The new title."),
        .optional("lat", .latitude, "Degrees north."),
        .optional("lon", .longitude, "Degrees east."),
        .optional("radius", Sight.radiusSchema, "The new radius in metres."),
        .optional("category", Sight.categorySchema, "The new category; an empty text removes it."),
        .optional("description", Sight.informationSchema, "The new description."),
    ]) { members throws(Refusal) in
        SightChange(
            title: try members.value("title"), latitude: try members.value("lat"), longitude: try members.value("lon"),
            radius: try members.value("radius"), category: try members.value("category"),
            information: try members.value("description"))
    }

    /// Returns a sight with this change applied.
    func made(to old: Sight) -> Sight {
        var sight = old
        if let title { sight.title = title.trimmed ?? "" }
        if let radius { sight.radius = .meters(radius) }
        if let category { sight.category = category.trimmed }
        if let information { sight.information = information.trimmed }
        let place = Coordinate(
            latitude: latitude ?? old.place.latitude, longitude: longitude ?? old.place.longitude)
        sight.place = place ?? old.place
        return sight
    }
}

extension String {
    /// The text without white space at both ends; `nil` if nothing remains.
    var trimmed: String? {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return nil }
        return String(self[first...last])
    }
}
