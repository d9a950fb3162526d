import Geodesy
import Positioning

extension ApproachEngine {
    /// What must be kept for the device to go on after a restart.
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

    /// Nil where nothing has been looked at.
    func saved(in index: GeofenceIndex) -> Saved? {
        guard seenRevision >= 0 else { return nil }
        return Saved(
            approaches: approaches.map {
                Saved.Approach(geofence: index.geofence($0.number).identity, tier: $0.tier, gap: $0.gap)
            },
            seenRevision: seenRevision, heading: heading, baseTime: base?.time, basePlace: base?.place)
    }

    /// The engine as it was saved; what is not watched any more is not approached.
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
