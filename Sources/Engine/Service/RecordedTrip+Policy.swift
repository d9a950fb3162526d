import Foundation
import Positioning
package import Store
package import Tracking

extension RecordedTrip {
    /// The settings that the trip was computed with; the default settings if they can no longer be decoded.
    package var policy: TrackingPolicy {
        (try? JSONDecoder().decode(TrackingPolicy.self, from: Data(settings.utf8))) ?? TrackingPolicy()
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
