public import Geodesy
public import Positioning
public import Tracking

/// What one transaction is to write: events, travels, and the state of each device after them.
///
/// Filled while fixes come in; committed as a whole, and kept to be tried again where that fails.
public struct PendingCommit: Sendable {
    /// A device after its last fix.
    public struct DeviceState: Sendable {
        /// When the last fix was; nil where the device's timeline has begun anew since, and has none yet.
        public var time: Timestamp?
        /// Where the last fix was.
        public var place: Coordinate?
        /// What its tracker goes on from.
        public var saved: Tracker.Saved

        /// A device after its last fix.
        public init(time: Timestamp?, place: Coordinate?, saved: Tracker.Saved) {
            self.time = time
            self.place = place
            self.saved = saved
        }
    }

    /// Durable events, in the order of the log.
    public var events: [EventRecord] = []
    /// What is to be kept of trips and stops, by device, in order.
    public var changes: [String: [TravelChange]] = [:]
    /// The state after all that, by device.
    public var devices: [String: DeviceState] = [:]
    /// What the trips are computed with.
    public var policy: TrackingPolicy

    /// Nothing yet.
    public init(policy: TrackingPolicy = TrackingPolicy()) { self.policy = policy }

    /// Whether there is nothing to write.
    public var isEmpty: Bool { events.isEmpty && changes.isEmpty && devices.isEmpty }

    /// Adds what came of a device's fixes; events that are not durable are left out.
    public mutating func add(_ output: Tracker.Output, of device: String) {
        for event in output.events where event.isDurable { events.append(EventRecord(event)) }
        changeCount += output.changes.count
        if !output.changes.isEmpty { changes[device, default: []] += output.changes }
    }

    /// Forgets what was written, and keeps the settings.
    public mutating func removeAll() { self = PendingCommit(policy: policy) }

    /// How many changes of travels wait; nearly all of them are points.
    public private(set) var changeCount = 0

    /// This, and what has come after it, as one commit.
    ///
    /// - Complexity: O(*n*) for *n* events and changes of the later one.
    public consuming func followed(by later: PendingCommit) -> PendingCommit {
        events += later.events
        for (device, changes) in later.changes { self.changes[device, default: []] += changes }
        devices.merge(later.devices) { $1 }
        policy = later.policy
        changeCount += later.changeCount
        return self
    }

    /// Drops the oldest points where more than so many changes wait, and a tenth more, so that this is rarely needed.
    ///
    /// All else that happened to trips is kept.
    ///
    /// - Returns: how many points were dropped.
    public mutating func dropPoints(beyond most: Int) -> Int {
        guard changeCount > most else { return 0 }
        var times: [Timestamp] = []
        for case .point(let fix, _) in changes.values.joined() { times.append(fix.time ?? .init(milliseconds: .min)) }
        times.sort()
        let excess = min(changeCount - most + most / 10, times.count)
        guard excess > 0 else { return 0 }
        let newest = times[excess - 1]
        for device in changes.keys {
            let before = changes[device]?.count
            changes[device]?.removeAll { change in
                guard case .point(let fix, _) = change else { return false }
                return fix.time ?? newest <= newest
            }
            if changes[device]?.count != before { markGap(of: device) }
        }
        let before = changeCount
        changeCount = changes.values.reduce(0) { $0 + $1.count }
        return before - changeCount
    }

    /// The way to the first point after those dropped is not known.
    private mutating func markGap(of device: String) {
        guard let index = changes[device]?.firstIndex(where: { if case .point = $0 { true } else { false } }),
            case .point(let fix, _)? = changes[device]?[index]
        else { return }
        changes[device]?[index] = .point(fix, gap: true)
    }
}
