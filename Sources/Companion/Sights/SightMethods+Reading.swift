import GRDB
import Geodesy
import Positioning
import RPC
import SocketServer
import Store
import TextCoding
import Tracking

extension SightMethods {
    @Sendable func get(_ call: Call<Connection>) async throws -> JSONText {
        let id: String = try call.value("id")
        guard let sight = try await store.read({ try SightStore.sight(id: id, in: $0) }) else {
            throw Self.unknown(id)
        }
        return .object { sight.writeMembers(to: &$0) }
    }

    @Sendable func list(_ call: Call<Connection>) async throws -> JSONText {
        let limit = try call.limit(usually: 100)
        let query = SightStore.Query(
            text: try call.optional("text"), category: try call.optional("category"), window: try MapWindow(call),
            after: try Self.cursor(call))
        let (page, last) = try await store.read { db in
            var page = Page(limit: limit)
            var last: Int64?
            try SightStore.forEach(query, in: db) { sight, number in
                guard page.take(.object { sight.writeMembers(to: &$0) }) else { return false }
                last = number
                return true
            }
            return (page, last)
        }
        return .object { json in
            page.write("sights", to: &json)
            if page.isFull { json.member("next", last.map(String.init)) }
        }
    }

    /// The number of the last sight of the page before.
    private static func cursor(_ call: Call<Connection>) throws -> Int64? {
        guard let text: String = try call.optional("after") else { return nil }
        guard let number = Int64(text) else { throw RPCError.invalid("after", "must be the next of a page before") }
        return number
    }

    @Sendable func nearest(_ call: Call<Connection>) async throws -> JSONText {
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
                    }
                }
            }
        }
    }

    /// The place that a call names, or that of the device it names.
    func place(_ call: Call<Connection>) async throws -> Coordinate {
        let device: String? = try call.optional("device")
        guard let place = try call.place() else { return try await whereabouts.lastFix(of: device).fix.coordinate }
        guard device == nil else { throw RPCError.invalid("device", "must be left out where lat and lon are given") }
        return place
    }
}
