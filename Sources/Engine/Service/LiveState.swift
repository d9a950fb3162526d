public import Geodesy
public import Positioning
import Store
public import Time
public import Tracking

/// The daemon's live state, which is in memory.
public protocol LiveState: Sendable {
    /// Returns the last accepted fix of each device, by the device's name.
    func positions() async -> [String: Fix]

    /// Returns how old the last accepted fix of a device is; `nil` if that is unknown.
    func age(of device: String) async -> FixAge?

    /// Returns the open trip of each device, with its totals so far.
    func openTrips() async -> [String: TripSummary]

    /// Returns the settings that trips are computed with.
    func policy() async -> TrackingPolicy

    /// Returns the geofences of a kind that are closest to a place, nearest first.
    func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind) async -> [GeofenceIndex.Neighbor]

    /// Explains why a device's fixes around a moment did, or did not, cause an event of a geofence.
    ///
    /// - Returns: The geofence and the explanation; `nil` if the fixes are no longer in memory, or the geofence is
    ///   not watched.
    func explain(
        _ question: Explanation.Question, _ geofence: Geofence.Identity, device: String
    ) async -> (geofence: Geofence, explanation: Explanation)?

    /// Returns the time of the oldest fix of a device in memory; `nil` if there is none.
    func historyBegin(of device: String) async -> Timestamp?

    /// Applies changes to the geofence index.
    ///
    /// The changes are already committed to the store.
    ///
    /// Calls follow one another in the order of the commits.
    func watch(_ changes: [GeofenceChange]) async

    /// Applies other limits of speed of devices; `nil` is that of the settings.
    ///
    /// The changes are already committed to the store.
    func limitSpeeds(_ limits: [String: Speed?]) async

    /// Publishes events to subscribers.
    ///
    /// The events are already committed to the log.
    func publish(_ events: [EventRecord]) async
}

extension LiveState {
    /// Unknown, as without a daemon.
    public func age(of device: String) async -> FixAge? { nil }

    /// Nothing, as without a daemon: the next one reads the store.
    public func limitSpeeds(_ limits: [String: Speed?]) async {}
}

/// How old a device's last accepted fix is.
public struct FixAge: Hashable, Sendable {
    /// The seconds since it came.
    public var seconds: Double
    /// Whether it is too old to say where the device is now, and how fast.
    public var isOld: Bool

    /// Creates an age.
    public init(seconds: Double, isOld: Bool) {
        self.seconds = seconds
        self.isOld = isOld
    }
}

/// A change to the geofence index, with the revision that the store issued for it.
public enum GeofenceChange: Hashable, Sendable {
    /// A geofence was added, or its place, radius or title changed.
    ///
    /// Only a new place or radius has a new revision. At the next fix of each device, such a geofence counts as one
    /// that the device has not met yet.
    case watched(Geofence, revision: Int64)
    /// A geofence was removed.
    ///
    /// A device inside it leaves it at the device's next fix.
    case removed(Geofence.Identity, revision: Int64)
}

extension GeofenceIndex {
    /// Applies changes in their order.
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
