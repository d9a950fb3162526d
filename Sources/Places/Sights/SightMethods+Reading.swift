package import EventStream
import GRDB
package import Geodesy
import Positioning
package import RPC
import Service
import Store
import TextCoding
import Tracking

extension SightMethods {
    @Sendable package func get(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("id")
        let (sight, more) = try await store.read { db in
            guard let sight = try SightStore.sight(id: id, in: db) else { throw Self.unknown(id) }
            return (sight, try SightDetails(of: sight, in: db))
        }
        return .object { json in
            sight.writeMembers(to: &json)
            more.writeMembers(to: &json)
        }
    }

    @Sendable package func list(_ call: Call<Principal>) async throws -> JSONText {
        let limit = try call.limit(usually: 100)
        var query = SightStore.Query(
            text: try call.optional("text"), category: try call.optional("category"), window: try MapWindow(call),
            limit: limit + 1)
        query.after = try Self.mark(call, hasText: query.text.flatMap(SightSearch.query) != nil)
        let (page, last) = try await store.read { [query] db in
            var page = TextPage(limit: limit)
            var last: SightStore.Mark?
            try SightStore.forEach(query, in: db) { sight, mark in
                guard page.take(.object { sight.writeMembers(to: &$0) }) else { return false }
                last = mark
                return true
            }
            return (page, last)
        }
        return .object { json in
            page.write("sights", to: &json)
            if page.isFull { json.member("next", last?.description) }
        }
    }

    /// Where the page before ended, in the order in which this list is.
    private static func mark(_ call: Call<Principal>, hasText: Bool) throws -> SightStore.Mark? {
        guard let text: String = try call.optional("after") else { return nil }
        guard let mark = SightStore.Mark(text), (mark.rank != nil) == hasText else {
            throw RPCError.invalid("after", "must be the next of a page before of the same list")
        }
        return mark
    }

    @Sendable package func nearest(_ call: Call<Principal>) async throws -> JSONText {
        let place = try await place(call)
        let neighbors = await present.nearest(to: place, limit: try call.optional("k") ?? 10)
        let sights = try await store.read { db in
            try neighbors.map { neighbor in
                neighbor.geofence.identity.kind == .sight
                    ? try SightStore.sight(id: neighbor.geofence.identity.id, in: db) : nil
            }
        }
        return .object { json in
            json.place(place)
            json.array("nearest") { json in
                // One that is gone meanwhile is left out.
                for case (let neighbor, let sight?) in zip(neighbors, sights) {
                    json.object { json in
                        sight.writeRow(to: &json)
                        json.member("distance", neighbor.distance.meters, decimals: 1)
                        json.member("bearing", neighbor.bearing.degrees, decimals: 1)
                        json.member("compass", CompassPoint(neighbor.bearing).rawValue)
                    }
                }
            }
        }
    }

    /// The place that a call names, or that of the device it names; without either, where who calls is.
    package func place(_ call: Call<Principal>) async throws -> Coordinate {
        let device: String? = try call.optional("device")
        guard let place = try call.place() else {
            return try await whereabouts.lastFix(of: device, for: call.caller.person).fix.coordinate
        }
        guard device == nil else { throw RPCError.invalid("device", "must be left out where lat and lon are given") }
        return place
    }
}
