public import Geodesy
public import Positioning
public import Store
public import Tracking

/// What the daemon knows at this moment.
public protocol Present: Sendable {
    /// The last accepted fix of each device, by name.
    func positions() async -> [String: Fix]

    /// The open trip of each device, with its numbers so far.
    func openTrips() async -> [String: TripSummary]

    /// What trips are computed by.
    func policy() async -> TrackingPolicy

    /// The geofences of a kind closest to a place, nearest first.
    func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind) async -> [GeofenceIndex.Neighbor]

    /// Why a device's fixes about a moment did, or did not, tell something of a geofence; nil where they are not in
    /// memory, or the geofence is not watched.
    func explain(
        _ question: Explanation.Question, _ geofence: Geofence.Identity, device: String
    ) async -> (geofence: Geofence, explanation: Explanation)?

    /// The time of the first fix of a device that is in memory; nil where none is.
    func historyBegin(of device: String) async -> Timestamp?

    /// Watches what has changed in the store, which is committed already.
    ///
    /// Calls come one after another, in the order of the commits.
    func watch(_ changes: [GeofenceChange]) async

    /// Tells subscribers of events that a change in the store has added to its log, and that are committed already.
    func tell(_ events: [StoredEvent]) async
}

/// A change of what is watched, with the revision that the store has given it.
public enum GeofenceChange: Hashable, Sendable {
    /// A geofence is new, or has another place, radius or title. Only a place or radius brings a new revision, by
    /// which the geofence is unknown at every device's next fix.
    case watched(Geofence, revision: Int64)
    /// A geofence is gone: who is inside leaves it at the next fix.
    case removed(Geofence.Identity, revision: Int64)
}

extension GeofenceIndex {
    /// Makes changes, in their order.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changes.
    public mutating func apply(_ changes: [GeofenceChange]) {
        for change in changes {
            switch change {
            case .watched(let geofence, let revision): update(geofence, revision: revision)
            case .removed(let identity, let revision): remove(identity, revision: revision)
            }
        }
    }
}
