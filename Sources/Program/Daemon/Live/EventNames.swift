import Callers
import Gazetteer
import Geodesy
import RPC
import Store
import Tracking

/// Names from the gazetteer for the trips and stops of events, which are sent beside the stored events.
struct EventNames: Sendable {
    let store: LocationDatabase

    /// Returns the names of the events that have one, by event number.
    func names(of entries: [EventRecord]) async throws -> [Int64: String] {
        guard entries.contains(where: { Self.types.contains($0.type) }) else { return [:] }
        do {
            return try await read(entries)
        } catch StoreError.damaged {
            // An event without a name is still an event.
            return [:]
        }
    }

    private func read(_ entries: [EventRecord]) async throws -> [Int64: String] {
        try await store.read { db in
            var places = try PlaceNames(db)
            guard !places.isEmpty else { return [:] }
            var names: [Int64: String] = [:]
            for entry in entries where Self.types.contains(entry.type) {
                guard let seq = entry.seq, let event = try? JSONValue(parsing: entry.line.span) else { continue }
                switch entry.type {
                case "trip.start": names[seq] = try places.way(from: Self.place(event), to: nil)
                case "trip.end":
                    let ends = try event["trip"]?["id"].flatMap { String(json: $0) }
                        .flatMap { try Travels.ends(ofTrip: $0, in: db) }
                    names[seq] = try places.way(from: ends?.start, to: ends?.end)
                default: names[seq] = try Self.place(event).flatMap { try places.stop(at: $0) }
                }
            }
            return names
        }
    }

    private static let types: Set = ["trip.start", "trip.end", "stop.start", "stop.end"]

    private static func place(_ event: JSONValue) -> Coordinate? {
        guard let latitude = event["lat"].flatMap({ Double(json: $0) }),
            let longitude = event["lon"].flatMap({ Double(json: $0) })
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}
