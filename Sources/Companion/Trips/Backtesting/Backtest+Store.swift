import GRDB
import Positioning
import Service
public import Store
import Time
public import Tracking

extension Backtest {
    /// Tracks the points of recorded trips again, in the order in which the trips began, and compares the resulting
    /// events with the event log.
    ///
    /// Memory use does not grow with the points of a trip. The store is only read, in one transaction. Results are
    /// reported in order of time, across all devices.
    ///
    /// Fixes between trips were not kept. An event that was emitted between two trips is compared with those at the
    /// first point of the next trip. If the backtest lacks it, it only counts as doubtful. So does the end of a stay
    /// that began before the first trip. Within a trip, an event in a period of more than a minute without points is
    /// compared with those at the first point after the period.
    ///
    /// An imported trip emitted no events. If the log has none for its time, the trip is compared with its own events
    /// under the usual geofences and the settings that it was imported with.
    ///
    /// - Parameters:
    ///   - query: The trips to read; the default query matches all.
    ///   - index: The geofences to watch.
    ///   - usual: The geofences that imported trips are compared with; the default is `index`.
    /// - Throws: `StoreError`, and what `report` throws.
    public mutating func read(
        _ store: LocationDatabase, _ query: TripQuery, watching index: GeofenceIndex,
        insteadOf usual: GeofenceIndex? = nil
    ) throws {
        try store.read { db in
            let trips = try Travels.trips(query, in: db)
            let imported = Set(trips.filter(\.isImported).map(\.summary.device))
            var trials: [String: DeviceTrial] = [:]
            var waiting: [EventDifference.Settled] = []
            for (position, trip) in trips.enumerated() {
                let device = trip.summary.device
                var trial =
                    try trials.removeValue(forKey: device)
                    ?? DeviceTrial(trip, changing: change, hasImported: imported.contains(device), in: db)
                waiting += try trial.read(
                    trip, changing: change, watching: index, insteadOf: usual ?? index, counting: &outcome, in: db)
                trials[device] = trial
                progressed(outcome.fixes)
                // Trips of other devices that begin later have no events before their start.
                let next = trips.dropFirst(position + 1).first?.summary.start
                waiting.sort(by: EventDifference.precedes)
                let ready = waiting.prefix { event in next.map { event.time < $0 } ?? true }
                for event in ready { try report(event.change, event.line) }
                waiting = Array(waiting.dropFirst(ready.count))
            }
            outcome.doubtful += trials.values.reduce(0) { $0 + $1.difference.doubtful }
            outcome.unjudgedLegs += trials.values.reduce(0) { $0 + $1.unjudgedLegs }
        }
    }
}

/// The state of a backtest for one device.
private struct DeviceTrial {
    private(set) var difference = EventDifference()
    /// The number of legs between its points that are too long to judge what the device passed.
    var unjudgedLegs: Int { tracker.statistics.unjudgedLegs }
    private var tracker: Tracker
    /// The tracker for the usual events; `nil` if the device has no imported trips.
    private var usual: Tracker?
    private var log: LoggedEvents
    /// The geofences that the device was inside before its first point.
    private let inside: Set<String>
    /// The stays that began before the first point and have not ended.
    ///
    /// The points before their beginning were not kept.
    private var begun: Set<String>

    init(_ first: RecordedTrip, changing change: Backtest.Change, hasImported: Bool, in db: Database) throws {
        let device = first.summary.device
        var policy = try first.policy(in: db)
        if hasImported { usual = Tracker(device: device, policy: policy.forStoredFixes) }
        change(&policy)
        tracker = Tracker(device: device, policy: policy.forStoredFixes)
        log = try LoggedEvents(EventLog.events(ofDevice: device, typePrefix: Backtest.geofences, in: db))
        // Only the log knows where the device was before its first point.
        inside = try log.inside(before: first.summary.start)
        begun = inside
    }

    /// Tracks a trip again and returns the results of the comparison.
    mutating func read(
        _ trip: RecordedTrip, changing change: Backtest.Change, watching index: GeofenceIndex,
        insteadOf usualIndex: GeofenceIndex, counting outcome: inout Backtest.Outcome, in db: Database
    ) throws -> [EventDifference.Settled] {
        var policy = try trip.policy(in: db)
        usual?.adopt(policy.forStoredFixes)
        change(&policy)
        if tracker.policy != policy.forStoredFixes { tracker.adopt(policy.forStoredFixes) }
        var gaps = Gaps(after: tracker.position?.time)
        var output = Tracker.Output()
        var customary: [Event] = []
        try Travels.forEachPoint(ofTrip: trip.summary.id, in: db) { fix in
            if let time = fix.time { gaps.add(time) }
            usual?.ingest(fix, in: usualIndex, into: &output)
            customary += output.events.filter { $0.type.hasPrefix(Backtest.geofences) }
            output = Tracker.Output()
            tracker.ingest(fix, in: index, into: &output)
            outcome.fixes += 1
            for event in output.events where event.type.hasPrefix(Backtest.geofences) {
                let (line, subject) = (event.json(), event.subject ?? "")
                difference.observe(type: event.type, subject: subject, time: event.time, line: line)
                guard case .enter(_, initial: true) = event.kind, inside.contains(subject) else { continue }
                // The device stayed inside the geofence, so the initial event counts as the same.
                difference.expect(type: event.type, subject: subject, time: event.time, line: line)
            }
            output = Tracker.Output()
            return true
        }
        outcome.trips += 1
        var isTold = false
        try log.read(until: gaps.last ?? trip.summary.end) { event in
            let (time, isBetween) = gaps.end(of: event.time)
            isTold = isTold || !isBetween
            let subject = event.subject ?? ""
            let isDoubtful = isBetween || event.type != "geofence.enter" && begun.contains(subject)
            if event.type == "geofence.exit" { begun.remove(subject) }
            difference.expect(
                type: event.type, subject: subject, time: time, line: event.line, isDoubtful: isDoubtful)
        }
        if trip.isImported, !isTold {
            for event in customary {
                difference.expect(
                    type: event.type, subject: event.subject ?? "", time: event.time, line: event.json())
            }
        }
        return difference.settled()
    }
}

/// The logged events of a device in order of time.
private struct LoggedEvents {
    private var events: EventLog.DeviceEvents
    private var next: EventRecord?

    init(_ events: EventLog.DeviceEvents) throws {
        self.events = events
        next = try self.events.next()
    }

    /// Reads all events before a moment.
    ///
    /// Returns the geofences that the device was inside at that moment.
    mutating func inside(before time: Timestamp) throws -> Set<String> {
        var inside: Set<String> = []
        while let event = next, event.time < time {
            if let subject = event.subject {
                switch event.type {
                case "geofence.enter": inside.insert(subject)
                case "geofence.exit": inside.remove(subject)
                default: break
                }
            }
            next = try events.next()
        }
        return inside
    }

    /// Reads all events up to a moment, and calls `body` with each.
    mutating func read(until time: Timestamp?, _ body: (EventRecord) -> Void) throws {
        guard let time else { return }
        while let event = next, event.time <= time {
            body(event)
            next = try events.next()
        }
    }
}

/// The periods without points in a trip.
private struct Gaps {
    /// The longest period without a point that is not a gap, in milliseconds.
    private static let least = EventDifference.tolerance

    private var gaps: [(begin: Timestamp, end: Timestamp)] = []
    private var first: Timestamp?
    /// The time of the last point.
    private(set) var last: Timestamp?

    /// Creates the gaps of a trip, given the time of the last point before it.
    init(after before: Timestamp?) { last = before }

    mutating func add(_ time: Timestamp) {
        if let last, time.milliseconds(since: last) > Self.least { gaps.append((last, time)) }
        if first == nil { first = time }
        last = time
    }

    /// Returns the end of the gap that contains a moment, or the moment itself, and whether it is before the first
    /// point.
    func end(of time: Timestamp) -> (time: Timestamp, isBefore: Bool) {
        let isBefore = first.map { time < $0 } ?? true
        return (gaps.first { $0.begin < time && time < $0.end }?.end ?? time, isBefore)
    }
}
