public import Positioning
import Service
public import Store
public import Tracking

/// The way of a fix: in at one end, what is to be committed and told out at the other.
///
/// It holds a tracker for each device, the geofences they share, and what the store has yet to keep. Nobody sees a
/// durable event before it is committed. One task at a time uses it.
public final class Pipeline {
    /// An event that may be shown.
    public struct Told: Sendable {
        /// What a tracker said; nil for what a receiver did.
        public let event: Event?
        /// The event as it is stored and served; nil for a position, which is not kept.
        public let stored: StoredEvent?

        /// One JSON object, without a line end.
        public var line: [UInt8] { stored?.line ?? event?.json() ?? [] }
    }

    /// What one commit is to keep, and whom it will tell of.
    public struct Batch: Sendable {
        /// What the store is to keep.
        public fileprivate(set) var pending: PendingCommit
        /// Each event with whether it is durable, in order; nil for what a receiver did, which always is.
        fileprivate var events: [Event?]
        /// How many fixes it all comes from.
        fileprivate var fixes: Int

        /// What may be told once the store has given the durable ones their numbers.
        public func told(_ stored: [StoredEvent]) -> [Told] {
            var rest = stored[...]
            return events.flatMap { event in
                guard event?.isDurable ?? true else { return [Told(event: event, stored: nil)] }
                // What the store has made of the trips is not among what it was given.
                let own = 1 + rest.dropFirst().prefix { $0.type == EventRecord.tripRevised }.count
                defer { rest = rest.dropFirst(own) }
                return rest.prefix(own).enumerated().map { number, stored in
                    Told(event: number == 0 ? event : nil, stored: stored)
                }
            }
        }
    }

    /// How many fixes have come in since the last commit.
    public private(set) var uncommitted = 0
    /// The geofences that all trackers share.
    public private(set) var index: GeofenceIndex

    /// Where it is kept.
    let store: LocationDatabase
    /// What events and trips depend on.
    private(set) var policy: TrackingPolicy
    private let wantsPositions: Bool
    private var trackers: [String: Tracker] = [:]
    /// Devices that a fix has come from since their states were taken, and those of them of which there is something
    /// to keep besides.
    private var touched: Set<String> = []
    private var changed: Set<String> = []
    private var events: [Event?] = []
    private var pending: PendingCommit

    /// A pipeline into a store, whose devices go on from their saved states.
    public init(
        store: LocationDatabase, index: GeofenceIndex, policy: TrackingPolicy, wantsPositions: Bool = false
    ) {
        self.store = store
        self.index = index
        self.policy = policy
        self.wantsPositions = wantsPositions
        pending = PendingCommit(policy: policy)
    }

    /// Takes a device's next fixes.
    ///
    /// - Throws: ``StoreError`` where the device is new here and its saved state cannot be read.
    public func ingest(_ fixes: some Collection<Fix>, device: String) throws {
        uncommitted += fixes.count
        try change(device) { tracker, output in
            // Taken out of the object once, not for each fix.
            let index = index
            for fix in fixes { tracker.ingest(fix, in: index, into: &output) }
        }
    }

    /// A device's recording ends: its open stop and trip are closed.
    public func finish(device: String) throws {
        try change(device) { tracker, output in tracker.finish(into: &output) }
    }

    /// What the trackers have seen, by device.
    public var statistics: [String: Tracker.Statistics] { trackers.mapValues(\.statistics) }

    /// Changes a device's tracker, restored from the store where it is new here.
    func change(_ device: String, _ body: (inout Tracker, inout Tracker.Output) -> Void) throws {
        // Taken out while it changes, so that it is changed in place.
        var tracker = try trackers.removeValue(forKey: device) ?? restored(device)
        var output = Tracker.Output(wantsPositions: wantsPositions)
        body(&tracker, &output)
        trackers[device] = tracker
        touched.insert(device)
        if !output.changes.isEmpty || output.events.contains(where: \.isDurable) { changed.insert(device) }
        pending.add(output, of: device)
        for event in output.events { events.append(event) }
    }

    private func restored(_ device: String) throws -> Tracker {
        guard let saved = try store.state(ofDevice: device) else { return Tracker(device: device, policy: policy) }
        return Tracker(device: device, policy: policy, saved: saved, in: &index)
    }
}

// What a live pipeline needs besides.
extension Pipeline {
    /// What awaits a commit.
    struct Load: Sendable, Equatable {
        var events = 0
        /// Changes of travels, nearly all of them points.
        var points = 0
    }

    var load: Load { Load(events: pending.events.count, points: pending.changeCount) }

    /// The tracker of a device that has been seen or restored.
    func tracker(of device: String) -> Tracker? { trackers[device] }

    /// The devices that have been seen or restored.
    var devices: some Collection<String> { trackers.keys }

    /// Restores a device from the store, where it has been there before.
    func restore(device: String) throws {
        if trackers[device] == nil { trackers[device] = try restored(device) }
    }

    /// Begins a device anew whose state cannot be read.
    func begin(device: String) { trackers[device] = Tracker(device: device, policy: policy) }

    /// What happened to a receiver, to be kept and told with everything else.
    func note(_ record: EventRecord) {
        pending.events.append(record)
        events.append(nil)
    }

    /// Works by other settings from the next fix on.
    func adopt(_ policy: TrackingPolicy) {
        self.policy = policy
        pending.policy = policy
        for device in trackers.keys { trackers[device]?.adopt(policy) }
    }

    /// Watches what has changed in the store.
    func apply(_ changes: [GeofenceChange]) { index.apply(changes) }

    /// Takes out the positions, which wait for no commit.
    func takePositions() -> [Event] {
        let positions = events.compactMap { event in event.flatMap { $0.isDurable ? nil : $0 } }
        if !positions.isEmpty { events.removeAll { $0?.isDurable == false } }
        return positions
    }

    /// Takes out what is pending, with the state of each device that it is of.
    ///
    /// - Parameter all: whether the states of all devices are kept that a fix has come from.
    func take(all: Bool = true) -> Batch {
        let devices = all ? touched : changed
        for device in devices {
            guard let tracker = trackers[device] else { continue }
            pending.devices[device] = PendingCommit.DeviceState(
                time: tracker.position?.time, place: tracker.position?.place, saved: tracker.saved(in: index))
        }
        let batch = Batch(pending: pending, events: events, fixes: uncommitted)
        pending.removeAll()
        touched.subtract(devices)
        changed.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        uncommitted = 0
        return batch
    }

    /// Puts back, before all that has come since, what could not be committed.
    func putBack(_ batch: Batch) {
        events = batch.events + events
        uncommitted += batch.fixes
        pending = batch.pending.followed(by: pending)
    }

    /// Drops the oldest points beyond so many, where the store cannot take them.
    ///
    /// - Returns: how many were dropped.
    func dropPoints(beyond most: Int) -> Int { pending.dropPoints(beyond: most) }
}
