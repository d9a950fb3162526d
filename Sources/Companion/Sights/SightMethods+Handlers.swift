import Callers
import GRDB
import Geodesy
import People
import Positioning
import RPC
import Service
import Store
import Tracking

extension SightMethods {
    @Sendable func get(_ call: Call<Principal>, id: String) async throws -> SightDetails {
        let viewer = call.viewer
        return try await store.read { db in
            guard let sight = try SightStore.sight(id: id, in: db),
                let shown = try SightAccess(for: viewer, in: db).shown(sight)
            else { throw Self.unknown(id) }
            return try SightDetails(of: shown, in: db)
        }
    }

    @Sendable func list(
        _ call: Call<Principal>, text: String?, category: String?, window: MapWindow?,
        asked: PageRequest<SightStore.Mark>
    ) async throws -> Page<Sight> {
        // One more than a page holds, to learn whether there is another page.
        let query = SightStore.Query(
            text: text, category: category, window: window, after: asked.after, limit: asked.limit + 1)
        // A cursor of a search is invalid for a list without one, and the other way round.
        if let mark = query.after, (mark.rank != nil) != query.isSearch { throw Cursor.fault }
        let viewer = call.viewer
        return try await store.read { db in
            let access = try SightAccess(for: viewer, in: db)
            var (query, page) = (query, asked.page(of: Sight.self))
            query.hidden = try access.hidden(in: db).numbers
            try SightStore.forEach(query, in: db) { page.append(access.shown($0) ?? $0, at: $1) }
            return page
        }
    }

    @Sendable func nearest(
        _ call: Call<Principal>, place: Coordinate?, device: String?, count: Int
    ) async throws -> NearSights {
        let (viewer, place) = (call.viewer, try await self.place(place, of: device, for: call))
        var limit = count
        var neighbors: [GeofenceIndex.Neighbor]
        var sights: [String: Sight]
        repeat {
            neighbors = await liveState.nearest(to: place, limit: limit, kind: .sight)
            let ids = neighbors.map(\.geofence.identity.id)
            let isWhole = neighbors.count < limit
            let (hidden, found) = try await store.read { db in
                let hidden = try SightAccess(for: viewer, in: db).hidden(in: db).ids
                return (hidden, try SightStore.rows(ids: ids.filter { !hidden.contains($0) }, in: db))
            }
            sights = found
            neighbors = Array(neighbors.filter { !hidden.contains($0.geofence.identity.id) }.prefix(count))
            // Only where hidden sights are near, others that are further away take their places.
            limit = isWhole || neighbors.count == count ? 0 : count + hidden.count
        } while limit > 0
        return NearSights(
            place: place,
            // A sight that was removed in the meantime is omitted.
            neighbors: neighbors.compactMap { neighbor in
                guard neighbor.geofence.identity.kind == .sight, let sight = sights[neighbor.geofence.identity.id]
                else { return nil }
                return .init(sight: sight, distance: neighbor.distance, bearing: neighbor.bearing)
            })
    }

    @Sendable func add(
        _ call: Call<Principal>, title: String, information: String?, place: Coordinate?, geometry: JSONValue?,
        radius: Double?, rules: SightRules, category: String?, id: String?, device: String?
    ) async throws -> Sight {
        let title = title.trimmed ?? ""
        let (category, information) = (category?.trimmed, information?.trimmed)
        let shape = try geometry.map { geometry throws(Refusal) in
            guard place == nil, device == nil else {
                throw Refusal.invalid(SightShape.name, "must be omitted if a place or a device is given")
            }
            return try SightShape.given(geometry, radius: radius)
        }
        let position = try await shape == nil ? self.place(place, of: device, for: call) : .origin
        let (viewer, added) = (call.viewer, now())
        return try await editor.change { db, consequences in
            var sight = Sight(
                id: try id ?? Slug.id(for: title) { try !SightStore.contains($0, in: db) }, title: title,
                place: position, radius: radius.map(Distance.meters) ?? Sight.defaultRadius, category: category,
                information: information, owner: viewer.person, added: added)
            if let shape { sight.setShape(shape) }
            sight.rules = rules
            try sight.rules.settleZone(at: sight.place, in: db)
            try sight.rules.settleGroups(for: viewer, in: db)
            try sight.checkParameters()
            guard try id == nil || !SightStore.contains(sight.id, in: db) else {
                throw Refusal.conflict("The sight \(sight.id) exists already. Change it with sights.update.")
            }
            try Budget.spend(
                .sights, sights: 1, texts: [title, category, information], by: viewer, at: added, in: db)
            consequences.geofences = try SightStore.put([sight], in: db).changes
            return sight
        }
    }

    @Sendable func update(_ call: Call<Principal>, id: String, change: SightChange) async throws -> Sight {
        let (viewer, now) = (call.viewer, now())
        return try await editor.change { db, consequences in
            let old = try Self.own(id, of: viewer, in: db)
            var sight = try change.made(to: old)
            try sight.rules.settleZone(at: sight.place, in: db)
            try sight.rules.settleGroups(for: viewer, knowing: old.rules.groups, in: db)
            try sight.checkParameters(insteadOf: old)
            guard sight != old else { return sight }
            if (sight.title, sight.category, sight.information) != (old.title, old.category, old.information) {
                try Budget.spend(
                    texts: [sight.title, sight.category, sight.information], by: viewer, at: now, in: db)
            }
            let changes = try SightStore.put([sight], in: db).changes
            if sight.geofence != old.geofence { consequences.geofences = changes }
            consequences.changed(SubjectID(kind: SightSubject.kind, id: id), at: now)
            return sight
        }
    }

    @Sendable func remove(_ call: Call<Principal>, id: String) async throws -> String {
        let (viewer, now) = (call.viewer, now())
        return try await editor.change { db, consequences in
            let sight = try Self.own(id, of: viewer, in: db)
            guard let change = try SightStore.remove(sight.id, in: db) else { throw Self.unknown(id) }
            consequences.geofences = [change]
            // A sight for some devices is hidden from those who may not see any of them.
            if sight.rules.watched == nil {
                consequences.removed(SubjectID(kind: SightSubject.kind, id: id), at: now)
            } else {
                consequences.changedSome(SightSubject.kind, at: now)
            }
            return id
        }
    }

    @Sendable func importSights(_ call: Call<Principal>, sights: [Sight]) async throws -> SightStore.Import {
        let viewer = call.viewer
        return try await editor.change { db, consequences in
            var sights = sights
            for index in sights.indices {
                try sights[index].rules.settleZone(at: sights[index].place, in: db)
                try sights[index].rules.settleGroups(for: viewer, in: db)
            }
            let (result, changes) = try SightStore.put(sights, in: db)
            consequences.geofences = changes
            return result
        }
    }

    /// Returns a sight that the viewer may change.
    ///
    /// Only the person who added it and administrators may.
    ///
    /// - Throws: `Refusal.notFound` if there is none, `Refusal.notAllowed` if it belongs to somebody else.
    private static func own(_ id: String, of viewer: Viewer, in db: Database) throws -> Sight {
        guard let sight = try SightStore.sight(id: id, in: db), try SightAccess(for: viewer, in: db).sees(sight) else {
            throw unknown(id)
        }
        guard viewer.isAdmin || sight.owner != nil && sight.owner == viewer.person else {
            throw Refusal.notAllowed(
                "The sight \(id) is not yours. Only the person who added it and administrators may change it.")
        }
        return sight
    }

    /// Returns the given place, or the position of the given device.
    ///
    /// Without either, returns the caller's position.
    private func place(
        _ place: Coordinate?, of device: String?, for call: Call<Principal>
    ) async throws -> Coordinate {
        guard let place else {
            return try await deviceDirectory.lastFix(of: device, for: call.viewer).fix.coordinate
        }
        guard device == nil else { throw Refusal.invalid("device", "must be omitted if lat and lon are given") }
        return place
    }
}

extension Sight {
    /// Throws `Refusal.invalid` if the sight breaks a rule for what people write.
    fileprivate func checkParameters(insteadOf old: Sight? = nil) throws(Refusal) {
        do {
            try checkWritten(insteadOf: old)
        } catch {
            throw Refusal.invalid(error.field, "is \(error.reason)")
        }
    }
}
