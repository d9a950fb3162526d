import Foundation
import GRDB
import Service
import Store
import Time
import Tracking

/// The explanations from the points of recorded trips, which are tracked again.
enum StoredFixes {
    /// Explains the points of a trip around a moment; returns `nil` if no trip was under way then.
    ///
    /// The trip before is replayed as well, to restore what was known when this one began.
    ///
    /// - Complexity: O(*n*) for *n* points of the two trips.
    static func explain(
        _ question: Explanation.Question, _ geofence: Geofence, device: String, in db: Database
    ) throws -> Explanation? {
        let end = question.end.advanced(byMilliseconds: 1)
        let trips = try Travels.trips(TripQuery(device: device, until: end, limit: 2), in: db)
        guard let trip = trips.last, trip.summary.end.map({ $0 >= question.begin }) ?? true else { return nil }
        let policy = try trip.policy(in: db)
        var explainer = Explainer(geofence, device: device, policy: policy)
        var explanation = Explanation(question)
        var tracker = Tracker(device: device, policy: policy.forStoredFixes)
        var output = Tracker.Output()
        let nothing = GeofenceIndex()
        for trip in trips {
            try Travels.forEachPoint(ofTrip: trip.summary.id, in: db) { fix in
                let verdict = tracker.ingest(fix, in: nothing, into: &output)
                output = Tracker.Output()
                explanation.add(explainer.explain(fix, verdict))
                return explanation.after == nil
            }
        }
        return explanation.isEmpty ? nil : explanation
    }
}
