import Geodesy
import RPC
import Service
import Shapes

/// A change to a sight.
///
/// A field that is `nil` keeps its value, and an empty text clears the field.
struct SightChange: Sendable {
    private var title: String?
    private var latitude: Double?
    private var longitude: Double?
    private var geometry: JSONValue?
    private var radius: Double?
    private var category: String?
    /// The rules that are given, as members of the call.
    private var rules: JSONObject
    private var information: String?

    static let parameter = Parameter<SightChange>(fields) { members throws(Refusal) in
        SightChange(
            title: try members.value("title"), latitude: try members.value("lat"), longitude: try members.value("lon"),
            geometry: try members.value(SightShape.name), radius: try members.value("radius"),
            category: try members.value("category"), rules: members, information: try members.value("description"))
    }

    private static let fields: [Field] =
        [
            .optional("title", Sight.titleSchema, "The new title."),
            .optional("lat", .latitude, "Degrees north."),
            .optional("lon", .longitude, "Degrees east."),
            SightShape.field,
            .optional("radius", Sight.radiusSchema, "The new radius in metres; half the width of a corridor."),
            .optional("category", Sight.categorySchema, "The new category; an empty text removes it."),
            .optional("description", Sight.informationSchema, "The new description."),
        ] + SightRules.fields

    /// Returns a sight with this change applied.
    ///
    /// - Throws: `Refusal.invalid` for a shape that is none, and for a place or a radius that the sight does not have.
    func made(to old: Sight) throws(Refusal) -> Sight {
        var sight = old
        if let title { sight.title = title.trimmed ?? "" }
        sight.rules = try old.rules.changed(by: rules)
        if let category { sight.category = category.trimmed }
        if let information { sight.information = information.trimmed }
        let isMoved = latitude != nil || longitude != nil
        if let geometry {
            guard !isMoved else { throw Refusal.invalid(SightShape.name, "must be omitted if lat or lon is given") }
            let known = old.radius > .zero ? old.radius.meters : nil
            sight.setShape(try SightShape.given(geometry, radius: radius ?? known))
            return sight
        }
        guard let outline = old.outline else {
            if let radius { sight.radius = .meters(radius) }
            let place = Coordinate(
                latitude: latitude ?? old.place.latitude, longitude: longitude ?? old.place.longitude)
            sight.place = place ?? old.place
            return sight
        }
        guard !isMoved else { throw Refusal.invalid("lat", "the sight is a \(outline.kind.rawValue); give a shape") }
        if let radius { sight.setShape(try Self.widened(outline, to: radius)) }
        return sight
    }

    private static func widened(_ outline: Shapes.Shape, to radius: Double) throws(Refusal) -> Shapes.Shape {
        guard outline.kind == .corridor else {
            throw Refusal.invalid("radius", "the sight is a polygon, which has none; give a shape")
        }
        do {
            return try Shapes.Shape.read(
                .lines(outline.parts.compactMap { $0.first?.map { RawPosition($0) } }), radius: radius
            ).shape
        } catch {
            throw Refusal.invalid("radius", error.reason)
        }
    }
}

extension String {
    /// The text without white space at both ends; `nil` if nothing remains.
    package var trimmed: String? {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return nil }
        return String(self[first...last])
    }
}
