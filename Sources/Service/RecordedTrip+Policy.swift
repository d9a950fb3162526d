import Foundation
import Positioning
package import Store
package import Tracking

extension RecordedTrip {
    /// The settings that it was computed with; the usual ones where they cannot be read any more.
    package var policy: TrackingPolicy {
        (try? JSONDecoder().decode(TrackingPolicy.self, from: Data(settings.utf8))) ?? TrackingPolicy()
    }
}

extension TrackingPolicy {
    /// The settings for fixes that were let through before.
    package var forStoredFixes: TrackingPolicy {
        var policy = self
        policy.gate = gate.trusting
        return policy
    }
}
