import Geodesy
import RPC
import Service
import Shapes

extension Parameter where Value == [Sight] {
    /// The largest number of sights in one import: as many short ones as fit in a line of the socket.
    private static var largestImport: Int { 10_000 }

    /// The parameter `sights` of an import.
    ///
    /// - Throws: `Refusal.invalid` if a sight breaks a rule, or two have the same id.
    static var sights: Parameter {
        let sight = Schema.object(
            [
                .required("title", Sight.titleSchema, "The title."),
                .optional("lat", .latitude, "Degrees north; omitted only if there is a shape."),
                .optional("lon", .longitude, "Degrees east; omitted only if there is a shape."),
                SightShape.field,
                .optional(
                    "radius", .number(in: 0...Shapes.Shape.greatestRadius.meters),
                    "The radius in metres, 100 by default; half the width of a corridor, which must be given."),
                .optional("category", Sight.categorySchema, "The category."),
                .optional("description", Sight.informationSchema, "The description."),
                .optional(
                    "id", Sight.idSchema,
                    "The id; by default made from the title, so that the same titles give the same ids."),
            ] + SightRules.fields)
        let objects = Parameter<[JSONObject]>.required(
            "sights", .array(of: sight, count: 0...Self.largestImport), "The sights.")
        return objects.map { objects throws(Refusal) in
            var ids = Slugs()
            var sights: [Sight] = []
            for (index, object) in objects.enumerated() {
                do throws(Sight.Flaw) {
                    sights.append(try Sight(object, ids: &ids))
                } catch {
                    throw Refusal.invalid("sights.\(error.field)", "element \(index + 1) is \(error.reason)")
                }
                sights[index].rules = try SightRules().changed(by: object)
            }
            return sights
        }
    }
}

extension Sight {
    /// Creates a sight from an object that matches the schema of an import.
    fileprivate init(_ object: JSONObject, ids: inout Slugs) throws(Flaw) {
        func text(_ name: String) -> String? {
            object[name].flatMap(String.init(json:)).flatMap { $0.isEmpty ? nil : $0 }
        }
        func number(_ name: String) -> Double? { object[name].flatMap(Double.init(json:)) }
        let title = text("title") ?? ""
        let geometry = object[SightShape.name].flatMap { $0 == .null ? nil : $0 }
        let shape = try geometry.map { (geometry) throws(Flaw) in
            try SightShape.read(geometry, radius: number("radius"))
        }
        let position = Coordinate(latitude: number("lat") ?? .nan, longitude: number("lon") ?? .nan)
        guard let place = shape == nil ? position : Coordinate.origin else {
            let missing = number("lat") == nil ? "lat" : number("lon") == nil ? "lon" : nil
            if let missing { throw Flaw(field: missing, reason: "missing, and there is no shape") }
            throw Flaw(field: "lat", reason: "not a valid position together with lon")
        }
        let given = text("id")
        guard let id = ids.id(given, title: title) else {
            throw Flaw(field: "id", reason: "\"\(given ?? "")\", which an earlier element has already")
        }
        self.init(
            id: id, title: title, place: place, radius: number("radius").map(Distance.meters) ?? Sight.defaultRadius,
            category: text("category"), information: text("description"))
        if let shape { setShape(shape) }
        try check()
    }
}
