import GRDB
import Gazetteer
import Geodesy
import RPC
import Store
import Tracking

/// Names from the gazetteer for the trips and stops of events, which are sent beside the stored events.
enum EventNames {
    /// Whether any of some events may have a name.
    ///
    /// - Complexity: O(*n*) for *n* events; damage of the gazetteer is left to ``names(of:in:)``.
    static func mayExist(for entries: [EventRecord], in db: Database) throws -> Bool {
        guard entries.contains(where: { types.contains($0.type) }) else { return false }
        do {
            return try StoreDamage.sparing { Result { try !PlaceNames(db).isEmpty } }?.get() ?? true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return true
        }
    }

    /// Returns the names of the events that have one, by event number.
    static func names(of entries: [EventRecord], in db: Database) throws -> [Int64: String] {
        var places = try PlaceNames(db)
        guard !places.isEmpty else { return [:] }
        var names: [Int64: String] = [:]
        for entry in entries where types.contains(entry.type) {
            guard let seq = entry.seq, let event = try? JSONValue(parsing: entry.line.span) else { continue }
            switch entry.type {
            case "trip.start": names[seq] = try places.way(from: place(event), to: nil)
            case "trip.end":
                let ends = try event["trip"]?["id"].flatMap { String(json: $0) }
                    .flatMap { try Travels.ends(ofTrip: $0, in: db) }
                names[seq] = try places.way(from: ends?.start, to: ends?.end)
            default: names[seq] = try place(event).flatMap { try places.stop(at: $0) }
            }
        }
        return names
    }

    private static let types: Set = ["trip.start", "trip.end", "stop.start", "stop.end"]

    private static func place(_ event: JSONValue) -> Coordinate? {
        guard let latitude = event["lat"].flatMap({ Double(json: $0) }),
            let longitude = event["lon"].flatMap({ Double(json: $0) })
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}
