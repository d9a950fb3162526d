import RPC
import Service
import Store
import Synchronization

extension TripMethods {
    /// The route of trips as files: `export/trips/ID.gpx`, and `.geojson`, `.kml` and `.csv`.
    var route: FileRoute {
        var route = FileRoute("export", "trips")
        route.find = { request in
            guard request.rest.count == 1, let file = request.rest.first, let dot = file.lastIndex(of: "."),
                let format = TripExport.Format(rawValue: String(file[dot...].dropFirst()))
            else { throw Refusal.notFound("A trip is exported as ID.gpx, ID.geojson, ID.kml or ID.csv.") }
            let (id, viewer) = (String(file[..<dot]), request.call.viewer)
            @Sendable func piece(_ mark: TripExport.Mark?) async throws -> (text: String, next: TripExport.Mark?) {
                try await store.read { db in
                    try TripExport.piece(
                        of: Self.trips([id], for: viewer, in: db), as: format, from: mark ?? .init(), in: db)
                }
            }
            // The first piece is made before the response starts, so that an unknown trip is still reported as an
            // error.
            let first = try await piece(nil)
            let waiting = Mutex<(text: String, next: TripExport.Mark?)?>(first)
            return Download(
                type: format.mediaType,
                .pieces {
                    guard let ready = waiting.withLock({ $0 }) else { return nil }
                    let next =
                        if let mark = ready.next { try await piece(mark) } else {
                            (text: String, next: TripExport.Mark?)?.none
                        }
                    waiting.withLock { $0 = next }
                    return Array(ready.text.utf8)
                }, name: "trip-\(id).\(format.rawValue)")
        }
        return route
    }
}

extension TripExport.Format {
    /// The media type of the format.
    fileprivate var mediaType: String {
        switch self {
        case .gpx: "application/gpx+xml"
        case .geojson: "application/geo+json"
        case .kml: "application/vnd.google-earth.kml+xml"
        case .csv: "text/csv; charset=utf-8"
        }
    }
}
