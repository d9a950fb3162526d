import Accounts
package import EventStream
import GRDB
import Geodesy
package import RPC
import Service
import Store
import TextCoding
import Tracking

extension SightMethods {
    @Sendable package func add(_ call: Call<Principal>) async throws -> JSONText {
        let id: String? = try call.optional("id")
        let radius: Double? = try call.optional("radius")
        let title = try call.trimmed("title") ?? ""
        let place = try await place(call)
        let category = try call.trimmed("category")
        let information = try call.trimmed("description")
        let (viewer, added) = (call.viewer, now())
        let sight = try await editor.change { db, consequences in
            let sight = Sight(
                id: try id ?? Slug.id(for: title) { try !SightStore.contains($0, in: db) }, title: title, place: place,
                radius: radius.map(Distance.meters) ?? Sight.defaultRadius, category: category,
                information: information, owner: viewer.person, added: added)
            try sight.checkParameters()
            guard try id == nil || !SightStore.contains(sight.id, in: db) else {
                throw RPCError.conflict("There is a sight \(sight.id) already; change it with sights.update.")
            }
            try Budget.spend(
                .sights, sights: 1, texts: [title, category, information], by: viewer, at: added, in: db)
            consequences.geofences = try SightStore.put([sight], in: db).changes
            return sight
        }
        return .object { sight.writeMembers(to: &$0) }
    }

    @Sendable package func update(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        let now = now()
        let updated = try await editor.change { db, consequences in
            let old = try Self.own(id, of: call.viewer, in: db)
            var sight = old
            if call.parameters["title"] != nil { sight.title = try call.trimmed("title") ?? "" }
            if let radius: Double = try call.optional("radius") { sight.radius = .meters(radius) }
            if call.parameters["category"] != nil { sight.category = try call.trimmed("category") }
            if call.parameters["description"] != nil { sight.information = try call.trimmed("description") }
            let place = Coordinate(
                latitude: try call.optional("lat") ?? old.place.latitude,
                longitude: try call.optional("lon") ?? old.place.longitude)
            sight.place = place ?? old.place
            try sight.checkParameters(insteadOf: old)
            guard sight != old else { return sight }
            if (sight.title, sight.category, sight.information) != (old.title, old.category, old.information) {
                try Budget.spend(
                    texts: [sight.title, sight.category, sight.information], by: call.viewer, at: now, in: db)
            }
            let changes = try SightStore.put([sight], in: db).changes
            if sight.geofence != old.geofence { consequences.geofences = changes }
            return sight
        }
        return .object { updated.writeMembers(to: &$0) }
    }

    @Sendable package func remove(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        try await editor.change { db, consequences in
            let sight = try Self.own(id, of: call.viewer, in: db)
            guard let change = try SightStore.remove(sight.id, in: db) else { throw Self.unknown(id) }
            consequences.geofences = [change]
        }
        return .object { $0.member("id", id) }
    }

    /// A sight that someone may change: who added it, or an administrator.
    ///
    /// - Throws: 1 where there is none, 2 where it is somebody else's.
    private static func own(_ id: String, of viewer: Viewer, in db: Database) throws -> Sight {
        guard let sight = try SightStore.sight(id: id, in: db) else { throw unknown(id) }
        guard viewer.isAdmin || sight.owner != nil && sight.owner == viewer.person else {
            throw RPCError.notAllowed(
                "The sight \(id) is not yours; only the person who added it and administrators may change it.")
        }
        return sight
    }

    @Sendable package func importSights(_ call: Call<Principal>) async throws -> JSONText {
        let objects: [JSONObject] = try call.value("sights")
        var ids = Slugs()
        var sights: [Sight] = []
        for (index, object) in objects.enumerated() {
            do throws(Sight.Flaw) {
                sights.append(try Sight(object, ids: &ids))
            } catch {
                throw RPCError.invalid("sights.\(error.field)", "element \(index + 1) is \(error.reason)")
            }
        }
        let result = try await editor.change { [sights] db, consequences in
            let (result, changes) = try SightStore.put(sights, in: db)
            consequences.geofences = changes
            return result
        }
        return .object { json in
            json.member("added", result.added)
            json.member("updated", result.updated)
        }
    }
}

extension Call {
    /// A text without the white space around it; nil where it is left out or nothing remains.
    fileprivate func trimmed(_ name: String) throws(RPCError) -> String? {
        let text: String = try optional(name) ?? ""
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return nil }
        return String(text[first...last])
    }
}

extension Sight {
    /// Refuses a sight that breaks a rule for what people write with error 4.
    fileprivate func checkParameters(insteadOf old: Sight? = nil) throws(RPCError) {
        do {
            try checkWritten(insteadOf: old)
        } catch {
            throw RPCError.invalid(error.field, "is \(error.reason)")
        }
    }

    /// A sight of an import, whose object fits the declaration.
    fileprivate init(_ object: JSONObject, ids: inout Slugs) throws(Flaw) {
        func text(_ name: String) -> String? {
            object[name].flatMap(String.init(json:)).flatMap { $0.isEmpty ? nil : $0 }
        }
        func number(_ name: String) -> Double? { object[name].flatMap(Double.init(json:)) }
        let title = text("title") ?? ""
        guard let place = Coordinate(latitude: number("lat") ?? .nan, longitude: number("lon") ?? .nan) else {
            throw Flaw(field: "lat", reason: "with lon no place on earth")
        }
        let given = text("id")
        guard let id = ids.id(given, title: title) else {
            throw Flaw(field: "id", reason: "\"\(given ?? "")\", which another has too")
        }
        self.init(
            id: id, title: title, place: place, radius: number("radius").map(Distance.meters) ?? Sight.defaultRadius,
            category: text("category"), information: text("description"))
        try check()
    }
}
