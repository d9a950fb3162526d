import Foundation
package import GRDB
import Positioning
package import Store
package import Tracking

extension RecordedTrip {
    /// Returns the settings that the trip was computed with; the default settings if they can no longer be decoded.
    package func policy(in db: Database) throws -> TrackingPolicy {
        let settings = try StoredRow.first(
            db, sql: "SELECT trip.settings FROM trip WHERE trip.id = ?", arguments: [summary.id]
        ) { $0[0] as Data }
        return settings.flatMap { try? JSONDecoder().decode(TrackingPolicy.self, from: $0) } ?? TrackingPolicy()
    }
}

extension TrackingPolicy {
    /// The same settings for fixes that the gate has already accepted.
    package var forStoredFixes: TrackingPolicy {
        var policy = self
        policy.gate = gate.trusting
        return policy
    }
}
