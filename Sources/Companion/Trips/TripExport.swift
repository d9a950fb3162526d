package import GRDB
public import Geodesy
import Positioning
import Service
public import Store
package import Tracking

/// The export of recorded trips to files that other programs read.
public enum TripExport {
    /// The format of a file.
    public enum Format: String, Sendable, CaseIterable {
        /// GPX 1.1 with one track per trip; see ``ExportedStop``.
        case gpx
        /// GeoJSON (RFC 7946) with one feature per trip.
        case geojson
        /// KML 2.2 with Google's `gx:Track`.
        case kml
        /// Comma-separated values with one row per point.
        case csv
    }

    /// The reason why trips cannot be exported.
    public enum Failure: Error, Hashable, Sendable {
        /// No trip has this id.
        case unknownTrip(id: String)
        /// No trip that has ended matches the query.
        case noTrips
    }

    /// The greatest tolerance for simplifying a trace.
    ///
    /// Beyond it, nothing is left of a trip.
    public static let greatestTolerance = Distance.kilometers(100)

    /// Writes trips in the given order.
    ///
    /// Calls `write` with each piece of the text.
    ///
    /// A gap in a trip starts a new segment. GPX needs no memory for a trace; the other formats hold one trace at a
    /// time.
    ///
    /// - Parameter tolerance: Points within this distance of the line drawn without them are omitted; see
    ///   `TraceSimplifier`.
    /// - Throws: ``Failure`` before anything is written, `StoreError`, and what `write` throws.
    public static func write(
        trips ids: [String], of store: LocationDatabase, as format: Format, tolerance: Distance = .zero,
        to write: ([UInt8]) throws -> Void
    ) throws {
        let trips = try ids.map { id in
            guard let trip = try store.trip(id: id) else { throw Failure.unknownTrip(id: id) }
            return trip
        }
        try self.write(trips, as: format, from: Source(.store(store), tolerance), to: write)
    }

    /// Writes the trips of a query that have ended, oldest first.
    ///
    /// All trips of a store that has none are a file without trips.
    ///
    /// - Parameter tolerance: Points within this distance of the line drawn without them are omitted; see
    ///   `TraceSimplifier`.
    /// - Throws: ``Failure`` before anything is written, `StoreError`, and what `write` throws.
    public static func write(
        _ query: TripQuery, of store: LocationDatabase, as format: Format, tolerance: Distance = .zero,
        to write: ([UInt8]) throws -> Void
    ) throws {
        let trips = try store.trips(query).filter { $0.summary.end != nil }
        guard !trips.isEmpty || query == TripQuery() else { throw Failure.noTrips }
        try self.write(trips, as: format, from: Source(.store(store), tolerance), to: write)
    }

    /// The source of the points and stops of trips, and the tolerance of the points.
    package struct Source {
        package enum Place {
            /// A store, which is read in one transaction per trip.
            case store(LocationDatabase)
            /// The caller's transaction.
            case view(Database)
        }

        private let place: Place
        private let tolerance: Distance

        package init(_ place: Place, _ tolerance: Distance) {
            self.place = place
            self.tolerance = tolerance
        }

        func forEachPoint(ofTrip id: String, _ body: (Fix) throws -> Void) throws {
            func add(_ fix: Fix) throws -> Bool {
                try body(fix)
                return true
            }
            switch place {
            case .store(let store):
                try store.read { _ = try Travels.forEachPoint(ofTrip: id, tolerance: tolerance, in: $0, add) }
            case .view(let db): try Travels.forEachPoint(ofTrip: id, tolerance: tolerance, in: db, add)
            }
        }

        package func stops(on trip: TripSummary) throws -> [StopSummary] {
            switch place {
            case .store(let store): try store.read { try Travels.stops(on: trip, in: $0) }
            case .view(let db): try Travels.stops(on: trip, in: db)
            }
        }
    }

    /// Writes trips in the given order.
    ///
    /// Calls `write` with each piece of the text.
    package static func write(
        _ trips: [RecordedTrip], as format: Format, from source: Source, to write: ([UInt8]) throws -> Void
    ) throws {
        var text = TripText(of: trips, as: format, from: source)
        while let section = text.next { try text.write(section, to: write) }
    }
}
