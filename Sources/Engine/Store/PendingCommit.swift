public import Geodesy
public import Positioning
public import Time
public import Tracking

/// The content of one transaction: events, travels, and each device's state after them.
///
/// It is filled while fixes come in and committed as a whole. If the commit fails, it is kept for another try.
public struct PendingCommit: Sendable {
    /// The state of a device after its last fix.
    public struct DeviceState: Sendable {
        /// The time of the last fix; `nil` if the device's timeline has started over since and has no fix yet.
        public var time: Timestamp?
        /// The place of the last fix.
        public var place: Coordinate?
        /// The state from which the device's tracker resumes.
        public var saved: Tracker.Saved

        /// Creates the state of a device.
        public init(time: Timestamp?, place: Coordinate?, saved: Tracker.Saved) {
            self.time = time
            self.place = place
            self.saved = saved
        }
    }

    /// The events, in the order of the log.
    ///
    /// Positions among them pass through the commit without being stored.
    public var events: [EventRecord] = []
    /// The changes to trips and stops, by device, in order.
    public var changes: [String: [TravelChange]] = [:]
    /// The states after these events and changes, by device.
    public var devices: [String: DeviceState] = [:]
    /// The fixes that were reported after later ones, by device.
    public private(set) var lateFixes: [String: [Fix]] = [:]
    /// The settings that the trips are computed with.
    public var policy: TrackingPolicy

    /// Creates an empty commit.
    public init(policy: TrackingPolicy = TrackingPolicy()) { self.policy = policy }

    /// Whether there is nothing to write.
    public var isEmpty: Bool { events.isEmpty && changes.isEmpty && devices.isEmpty && lateFixes.isEmpty }

    /// Adds the output of a tracker for one device.
    ///
    /// - Parameters:
    ///   - includingPositions: Whether to add positions, too.
    ///   - received: The system's time if the fixes may have come late; `nil` if they never do, or nobody knows the time.
    public mutating func add(
        _ output: Tracker.Output, of device: String, includingPositions: Bool = false, received: Timestamp? = nil
    ) {
        for event in output.events where event.isDurable || includingPositions {
            let record = EventRecord(event)
            let delay = received?.seconds(since: event.decided ?? event.time) ?? 0
            events.append(received.flatMap { delay > EventRecord.lateness ? record.told(late: $0) : nil } ?? record)
        }
        changeCount += output.changes.count
        if !output.changes.isEmpty { changes[device, default: []] += output.changes }
    }

    /// Adds a fix that was reported after later ones of its device.
    public mutating func addLate(_ fix: Fix, of device: String) {
        lateFixes[device, default: []].append(fix)
        changeCount += 1
    }

    /// Removes everything but the settings, once it is committed.
    public mutating func removeAll() { self = PendingCommit(policy: policy) }

    /// The number of pending changes to travels; nearly all of them are points.
    public private(set) var changeCount = 0

    /// Takes all events, and the changes and states of some devices, and leaves those of the others.
    ///
    /// Each device's part of the store is then still the state after some fix of that device.
    ///
    /// - Complexity: O(*n*) for *n* names.
    public mutating func extract(devices names: Set<String>) -> PendingCommit {
        var taken = PendingCommit(policy: policy)
        swap(&taken.events, &events)
        for name in names {
            if let changes = changes.removeValue(forKey: name) {
                taken.changes[name] = changes
                taken.changeCount += changes.count
            }
            if let late = lateFixes.removeValue(forKey: name) {
                taken.lateFixes[name] = late
                taken.changeCount += late.count
            }
            taken.devices[name] = devices.removeValue(forKey: name)
        }
        changeCount -= taken.changeCount
        return taken
    }

    /// Returns this commit and a later one as a single commit.
    ///
    /// - Complexity: O(*n*) for *n* events and changes of the later one.
    public consuming func followed(by later: PendingCommit) -> PendingCommit {
        events += later.events
        for (device, changes) in later.changes { self.changes[device, default: []] += changes }
        devices.merge(later.devices) { $1 }
        lateFixes.merge(later.lateFixes, uniquingKeysWith: +)
        policy = later.policy
        changeCount += later.changeCount
        return self
    }

    /// Drops the oldest points if more than `most` changes are pending, and a tenth more, so that this is rarely
    /// needed.
    ///
    /// All other changes to trips are kept.
    ///
    /// - Returns: The number of points dropped.
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
        changeCount = changes.values.reduce(0) { $0 + $1.count } + lateFixes.values.reduce(0) { $0 + $1.count }
        return before - changeCount
    }

    /// Marks the path to the first remaining point as unknown.
    private mutating func markGap(of device: String) {
        guard let index = changes[device]?.firstIndex(where: { if case .point = $0 { true } else { false } }),
            case .point(let fix, _)? = changes[device]?[index]
        else { return }
        changes[device]?[index] = .point(fix, gap: true)
    }
}
