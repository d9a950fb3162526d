package import GRDB
public import Geodesy
import Positioning
import Service
public import Store
package import Tracking

/// Writes recorded trips as files that other programs read.
public enum TripExport {
    /// What a file is written in.
    public enum Format: String, Sendable, CaseIterable {
        /// GPX 1.1, a track a trip; see ``ExportedStop``.
        case gpx
        /// GeoJSON (RFC 7946), a feature a trip.
        case geojson
        /// KML 2.2 with Google's `gx:Track`.
        case kml
        /// Comma-separated values, a row a point.
        case csv
    }

    /// Why trips cannot be exported.
    public enum Failure: Error, Hashable, Sendable {
        /// There is no trip of this id.
        case unknownTrip(id: String)
        /// No trip that has ended began in the time asked for.
        case noTrips
    }

    /// The greatest tolerance that traces are simplified to; beyond it nothing is left of a trip.
    public static let greatestTolerance = Distance.kilometers(100)

    /// Writes trips in the order given, in pieces.
    ///
    /// A trip's gaps part its segments. GPX needs no memory for a trace, the others that of one trace.
    ///
    /// - Parameter tolerance: points that are within it of the way drawn without them are left out; see
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

    /// Writes the trips of a query that have ended as the other form does, the oldest first.
    public static func write(
        _ query: TripQuery, of store: LocationDatabase, as format: Format, tolerance: Distance = .zero,
        to write: ([UInt8]) throws -> Void
    ) throws {
        let trips = try store.trips(query).filter { $0.summary.end != nil }
        guard !trips.isEmpty else { throw Failure.noTrips }
        try self.write(trips, as: format, from: Source(.store(store), tolerance), to: write)
    }

    /// Where the points of trips are read, and how exactly.
    package struct Source {
        package enum Place {
            /// A store, in a view of its own for each trip.
            case store(LocationDatabase)
            /// A transaction of the caller.
            case view(Database)
        }

        private let place: Place
        private let tolerance: Distance

        package init(_ place: Place, _ tolerance: Distance) {
            self.place = place
            self.tolerance = tolerance
        }

        func forEachPoint(ofTrip id: String, _ body: (Fix) throws -> Void) throws {
            func take(_ fix: Fix) throws -> Bool {
                try body(fix)
                return true
            }
            switch place {
            case .store(let store):
                try store.read { _ = try Travels.forEachPoint(ofTrip: id, tolerance: tolerance, in: $0, take) }
            case .view(let db): try Travels.forEachPoint(ofTrip: id, tolerance: tolerance, in: db, take)
            }
        }

        package func stops(on trip: TripSummary) throws -> [StopSummary] {
            switch place {
            case .store(let store): try store.read { try Travels.stops(on: trip, in: $0) }
            case .view(let db): try Travels.stops(on: trip, in: db)
            }
        }
    }

    /// Writes trips in the order given, in pieces.
    package static func write(
        _ trips: [RecordedTrip], as format: Format, from source: Source, to write: ([UInt8]) throws -> Void
    ) throws {
        var text = TripText(of: trips, as: format, from: source)
        while let section = text.next { try text.write(section, to: write) }
    }
}
