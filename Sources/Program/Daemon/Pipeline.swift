import Geodesy
public import Positioning
import Service
public import Store
import Time
public import Tracking

/// A fix's path from a receiver or a recording to the commit.
///
/// The pipeline holds a tracker for each device, the geofences that all trackers share, and the changes that await a
/// commit. Durable events become visible only once they are committed. Only one task at a time may use a pipeline.
public final class Pipeline {
    /// The handling of positions, which the log does not store.
    public enum Positions: Sendable {
        /// Trackers emit no positions.
        case omitted
        /// Positions pass through the commit, between the events of the same fixes.
        case committed
        /// ``change(_:_:)`` returns positions, which do not wait for a commit.
        case returned
    }

    /// The content of one commit.
    public struct Batch: Sendable {
        /// The changes to commit.
        public fileprivate(set) var pending: PendingCommit
        /// The number of fixes since the previous batch.
        fileprivate var fixes: Int
    }

    /// The number of fixes since the last commit.
    public private(set) var uncommitted = 0
    /// The geofences that all trackers share.
    public private(set) var index: GeofenceIndex

    /// The store of the devices' states.
    let store: LocationDatabase
    /// The settings for events and trips.
    private(set) var policy: TrackingPolicy
    private let positions: Positions
    private var trackers: [String: Tracker] = [:]
    /// The limits of speed of the devices that have their own.
    private var speedLimits: [String: Speed] = [:]
    /// The devices with fixes since their states were last taken for a commit.
    private var touched: Set<String> = []
    /// The devices with durable events or changes to trips since the last commit, a subset of ``touched``.
    private var changed: Set<String> = []
    /// The devices with durable events since the last commit, and those whose state it must include; a subset of
    /// ``changed``.
    private var eventful: Set<String> = []
    private var pending: PendingCommit
    /// The first fix of each device that was rejected, until it is taken.
    private var firstRejections: [String: (reason: String, time: Timestamp)] = [:]

    /// Creates a pipeline whose devices continue from their states in the store.
    public init(
        store: LocationDatabase, index: GeofenceIndex, policy: TrackingPolicy, positions: Positions = .omitted
    ) {
        self.store = store
        self.index = index
        self.policy = policy
        self.positions = positions
        pending = PendingCommit(policy: policy)
    }

    /// Processes the next fixes of a device.
    ///
    /// - Throws: ``StoreError`` if the device is new to the pipeline and its saved state cannot be read.
    public func ingest(_ fixes: some Collection<Fix>, device: String) throws {
        uncommitted += fixes.count
        try change(device) { tracker, output in
            // A local copy saves an access to the object for each fix.
            let index = index
            for fix in fixes {
                guard case .rejected(let reason) = tracker.ingest(fix, in: index, into: &output) else { continue }
                if let time = fix.time, firstRejections[device] == nil { firstRejections[device] = (reason, time) }
            }
        }
    }

    /// Counts fixes of a device that its recording's reader left out.
    func reject(_ reasons: Tally, device: String) throws {
        guard !reasons.isEmpty else { return }
        try change(device) { tracker, _ in
            for (reason, count) in reasons.sorted { for _ in 0..<count { tracker.reject(reason: reason) } }
        }
    }

    /// Returns the reason and time of the first rejected fix of a device since the last call.
    func popFirstRejection(of device: String) -> (reason: String, time: Timestamp)? {
        firstRejections.removeValue(forKey: device)
    }

    /// Closes the open stop and trip of a device whose recording has ended.
    public func finish(device: String) throws {
        try change(device) { tracker, output in tracker.finish(into: &output) }
    }

    /// The trackers' statistics, by device.
    public var statistics: [String: Tracker.Statistics] { trackers.mapValues(\.statistics) }

    /// Changes the tracker of a device, which is restored from the store if the device is new to the pipeline.
    ///
    /// - Parameter received: The system's time if the fix may have come late; events then say so.
    /// - Returns: The positions if the pipeline was created with ``Positions/returned``; otherwise an empty array.
    @discardableResult
    func change(
        _ device: String, received: Timestamp? = nil, _ body: (inout Tracker, inout Tracker.Output) -> Void
    ) throws -> [Event] {
        // Removing the tracker from the dictionary lets it change in place instead of being copied.
        var tracker = try trackers.removeValue(forKey: device) ?? restored(device)
        var output = Tracker.Output(wantsPositions: positions != .omitted)
        body(&tracker, &output)
        trackers[device] = tracker
        touched.insert(device)
        let isEventful = output.events.contains(where: \.isDurable)
        if isEventful { eventful.insert(device) }
        if isEventful || !output.changes.isEmpty { changed.insert(device) }
        pending.add(output, of: device, includingPositions: positions == .committed, received: received)
        return positions == .returned ? output.events.filter { !$0.isDurable } : []
    }

    private func restored(_ device: String) throws -> Tracker {
        speedLimits[device] = try store.speedLimit(ofDevice: device)
        let policy = policy(of: device)
        guard let saved = try store.state(ofDevice: device) else { return Tracker(device: device, policy: policy) }
        return Tracker(device: device, policy: policy, saved: saved, in: &index)
    }

    /// Returns the settings for a device, which may have its own limit of speed.
    private func policy(of device: String) -> TrackingPolicy {
        guard let limit = speedLimits[device] else { return policy }
        var policy = policy
        policy.speedLimit = limit
        return policy
    }
}

// What only a live pipeline needs.
extension Pipeline {
    /// The amount of data that awaits a commit.
    struct Load: Sendable, Equatable {
        var events = 0
        /// The number of changes to trips and stops, nearly all of them points.
        var points = 0

        var isNone: Bool { self == Load() }
        var sum: Int { events + points }
    }

    var load: Load { Load(events: pending.events.count, points: pending.changeCount) }

    /// Returns the tracker of a device that was restored or has sent fixes, or `nil`.
    func tracker(of device: String) -> Tracker? { trackers[device] }

    /// The devices that were restored or have sent fixes.
    var devices: some Collection<String> { trackers.keys }

    /// Restores a device from the store, if the store has a state of it.
    func restore(device: String) throws {
        if trackers[device] == nil { trackers[device] = try restored(device) }
    }

    /// Starts a device over whose saved state cannot be read.
    func begin(device: String) { trackers[device] = Tracker(device: device, policy: policy(of: device)) }

    /// Adds an event that no tracker emitted, such as that a receiver is offline, to the next commit.
    func note(_ record: EventRecord) { pending.events.append(record) }

    /// Adds a fix that was reported after later ones of its device to the next commit.
    func noteLate(_ fix: Fix, of device: String) { pending.addLate(fix, of: device) }

    /// Makes the next commit include the state of a device, even if nothing durable has happened to it.
    func include(_ device: String) {
        guard trackers[device] != nil else { return }
        touched.insert(device)
        changed.insert(device)
        eventful.insert(device)
    }

    /// The number of devices with events or changes to trips since the last commit.
    var changedCount: Int { changed.count }

    /// The devices whose states and changes a commit takes.
    enum Extent {
        /// All devices with fixes since the last time.
        case all
        /// Those with events or changes to trips.
        case changed
        /// Those with events; the points of others wait.
        case eventful
    }

    /// Applies other settings from the next fix on.
    func adopt(_ policy: TrackingPolicy) {
        self.policy = policy
        pending.policy = policy
        for device in trackers.keys { trackers[device]?.adopt(self.policy(of: device)) }
    }

    /// Applies other limits of speed of devices from the next fix on; `nil` is that of the settings.
    func limitSpeeds(_ limits: [String: Speed?]) {
        for (device, limit) in limits {
            speedLimits[device] = limit
            trackers[device]?.limitSpeed(to: policy(of: device).speedLimit)
        }
    }

    /// Applies changes of geofences that were committed to the store.
    func apply(_ changes: [GeofenceChange]) { index.apply(changes) }

    /// Takes the events out of the pipeline, and the changes and current states of devices.
    ///
    /// All that is pending of a device is taken together, so its part of the store always equals the state after some
    /// fix of it.
    func drain(_ extent: Extent = .all) -> Batch {
        let devices =
            switch extent {
            case .all: touched
            case .changed: changed
            case .eventful: eventful
            }
        for device in devices {
            guard let tracker = trackers[device] else { continue }
            pending.devices[device] = PendingCommit.DeviceState(
                time: tracker.position?.time, place: tracker.position?.place, saved: tracker.saved(in: index))
        }
        let batch: Batch
        if case .eventful = extent {
            batch = Batch(pending: pending.extract(devices: devices), fixes: uncommitted)
        } else {
            batch = Batch(pending: pending, fixes: uncommitted)
            pending.removeAll()
        }
        touched.subtract(devices)
        changed.subtract(devices)
        eventful.subtract(devices)
        uncommitted = 0
        return batch
    }

    /// Puts a batch that could not be committed back, before everything that came since.
    func putBack(_ batch: Batch) {
        uncommitted += batch.fixes
        pending = batch.pending.followed(by: pending)
        // The events of these devices are pending again, and their states belong to them.
        for device in batch.pending.devices.keys { include(device) }
    }

    /// Drops the oldest pending points if there are more than `most` changes.
    ///
    /// - Returns: The number of dropped points.
    func dropPoints(beyond most: Int) -> Int { pending.dropPoints(beyond: most) }
}
