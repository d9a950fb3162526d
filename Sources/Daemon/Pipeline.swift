public import Positioning
public import Store
public import Tracking

/// The way of a fix: in at one end, committed events out at the other.
///
/// It holds a tracker for each device, the geofences they share, and what the store has yet to keep. Nobody sees a
/// durable event before it is committed. One task at a time uses it.
public final class Pipeline {
    /// An event that may be shown.
    public enum Told: Sendable {
        /// A position, which is not kept.
        case position(Event)
        /// An event of the log, as it is stored and served.
        case durable(Event, StoredEvent)

        /// What happened.
        public var event: Event {
            switch self {
            case .position(let event), .durable(let event, _): event
            }
        }

        /// One JSON object, without a line end.
        public var line: [UInt8] {
            switch self {
            case .position(let event): event.json()
            case .durable(_, let stored): stored.line
            }
        }
    }

    /// How many fixes have come in since the last commit.
    public private(set) var uncommitted = 0

    private var index: GeofenceIndex
    private let store: LocationDatabase
    private let policy: TrackingPolicy
    private let wantsPositions: Bool
    private var trackers: [String: Tracker] = [:]
    private var touched: Set<String> = []
    private var events: [Event] = []
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
            for fix in fixes { tracker.ingest(fix, in: index, into: &output) }
        }
    }

    /// A device's recording ends: its open stop and trip are closed.
    public func finish(device: String) throws {
        try change(device) { tracker, output in tracker.finish(into: &output) }
    }

    /// Commits everything that is pending.
    ///
    /// - Returns: what may be told now, in order.
    /// - Throws: ``StoreError``; what is pending stays so, and may be tried again.
    public func commit() throws -> [Told] {
        for device in touched {
            guard let tracker = trackers[device], let position = tracker.position else { continue }
            pending.devices[device] = PendingCommit.DeviceState(
                time: position.time, place: position.place, saved: tracker.saved(in: index))
        }
        let stored = pending.isEmpty ? [] : try store.commit(pending)
        var next = stored.makeIterator()
        let told = events.compactMap { event in
            event.isDurable ? next.next().map { Told.durable(event, $0) } : Told.position(event)
        }
        pending.removeAll()
        touched.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        uncommitted = 0
        return told
    }

    /// What the trackers have seen, by device.
    public var statistics: [String: Tracker.Statistics] { trackers.mapValues(\.statistics) }

    private func change(_ device: String, _ body: (inout Tracker, inout Tracker.Output) -> Void) throws {
        // Taken out while it changes, so that it is changed in place.
        var tracker = try trackers.removeValue(forKey: device) ?? restored(device)
        var output = Tracker.Output(wantsPositions: wantsPositions)
        body(&tracker, &output)
        trackers[device] = tracker
        touched.insert(device)
        pending.add(output, of: device)
        events += output.events
    }

    private func restored(_ device: String) throws -> Tracker {
        guard let saved = try store.state(ofDevice: device) else { return Tracker(device: device, policy: policy) }
        return Tracker(device: device, policy: policy, saved: saved, in: &index)
    }
}
