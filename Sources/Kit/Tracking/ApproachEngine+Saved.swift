import Geodesy
import Time

extension ApproachEngine {
    /// The part of the engine's state that a device needs to go on after a restart.
    struct Saved: Codable, Hashable, Sendable {
        struct Approach: Codable, Hashable, Sendable {
            var geofence: Geofence.Identity
            var tier: Int
            var gap: Double
        }

        var approaches: [Approach]
        var seenRevision: Int64
        var heading: Heading?
        var baseTime: Timestamp?
        var basePlace: Coordinate?
    }

    /// Returns the state to save, or `nil` if the engine has not looked at any fix yet.
    func saved(in index: GeofenceIndex) -> Saved? {
        guard seenRevision >= 0 else { return nil }
        return Saved(
            approaches: approaches.map {
                Saved.Approach(geofence: index.geofence($0.number).identity, tier: $0.tier, gap: $0.gap)
            },
            seenRevision: seenRevision, heading: heading, baseTime: base?.time, basePlace: base?.place)
    }

    /// Restores a saved engine.
    ///
    /// Approaches to geofences that are no longer watched are dropped.
    init(_ saved: Saved, device: String, in index: GeofenceIndex) {
        self.init(device: device)
        seenRevision = saved.seenRevision
        heading = saved.heading
        if let time = saved.baseTime, let place = saved.basePlace { base = (time, place) }
        approaches = saved.approaches.compactMap { approach in
            index.number(of: approach.geofence).map {
                Approach(number: $0, tier: approach.tier, gap: approach.gap)
            }
        }
    }
}
