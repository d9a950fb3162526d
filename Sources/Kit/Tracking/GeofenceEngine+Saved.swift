import Geodesy
import Time

extension GeofenceEngine {
    /// The part of the engine's state that a device needs to go on after a restart.
    struct Saved: Codable, Hashable, Sendable {
        struct Stay: Codable, Hashable, Sendable {
            var geofence: Geofence
            var since: Timestamp
            var hasDwelt: Bool
        }

        var stays: [Stay]
        var undecided: [Geofence.Identity]
        var seenRevision: Int64
    }

    func saved(in index: GeofenceIndex) -> Saved {
        Saved(
            stays: stays.map {
                Saved.Stay(
                    geofence: index.geofence($0.number), since: $0.since, hasDwelt: $0.hasDwelt)
            },
            undecided: undecided.map { index.geofence($0).identity }, seenRevision: seenRevision)
    }

    /// Restores a saved engine.
    ///
    /// If the geofence of a stay no longer exists, the index gets a tombstone for it and the stay is kept.
    init(_ saved: Saved, device: String, last: (time: Timestamp, place: Coordinate)?, in index: inout GeofenceIndex) {
        self.init(device: device)
        self.last = last
        seenRevision = saved.seenRevision
        stays = saved.stays.map {
            Stay(number: index.number(ofOrAddingTombstoneFor: $0.geofence), since: $0.since, hasDwelt: $0.hasDwelt)
        }
        stays.sort { $0.number < $1.number }
        undecided = saved.undecided.compactMap { index.number(of: $0) }
    }
}
