import GRDB
import Positioning
import Service
public import Store
public import Tracking

extension Backtest {
    /// Goes through the points of recorded trips, in the order in which they began, and holds what they tell against the
    /// event log.
    ///
    /// Memory does not grow with a trip's points. The store is only read, within one consistent view. What is told comes
    /// in the order of time, also of several devices.
    ///
    /// Fixes between trips were not kept. What was told meanwhile is held against the first point of the next trip;
    /// what is not told then is counted as doubtful and nothing more, and so is the end of a stay that began before the
    /// first trip. An event of a time without a point for longer
    /// than a minute is likewise held against the point at its end.
    ///
    /// Of a trip that someone imported, and of which the log tells nothing, nothing was told: it is held against itself,
    /// by the usual geofences and the settings that it was imported with.
    ///
    /// - Parameters:
    ///   - query: which trips; all where it asks for nothing.
    ///   - index: the geofences to watch.
    ///   - usual: those that imported trips are held against; the same where left out.
    /// - Throws: `StoreError`, and what `tell` throws.
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
                // Trips of other devices that begin later tell nothing before.
                let next = trips.dropFirst(position + 1).first?.summary.start
                waiting.sort(by: EventDifference.precedes)
                let ready = waiting.prefix { event in next.map { event.time < $0 } ?? true }
                for event in ready { try tell(event.change, event.line) }
                waiting = Array(waiting.dropFirst(ready.count))
            }
            outcome.doubtful += trials.values.reduce(0) { $0 + $1.difference.doubtful }
        }
    }
}

/// One device's part of a backtest.
private struct DeviceTrial {
    private(set) var difference = EventDifference()
    private var tracker: Tracker
    /// Tells what is usual, where the device has trips that were imported.
    private var usual: Tracker?
    private var log: LoggedEvents
    /// What the device was inside of before its first point.
    private let inside: Set<String>
    /// Of these stays, only the points after their beginning were kept.
    private var begun: Set<String>

    init(_ first: RecordedTrip, changing change: Backtest.Change, hasImported: Bool, in db: Database) throws {
        let device = first.summary.device
        var policy = first.policy
        if hasImported { usual = Tracker(device: device, policy: policy.forStoredFixes) }
        change(&policy)
        tracker = Tracker(device: device, policy: policy.forStoredFixes)
        log = try LoggedEvents(EventLog.events(ofDevice: device, typePrefix: Backtest.geofences, in: db))
        // Where the device was before the first point is known from the log alone.
        inside = try log.inside(before: first.summary.start)
        begun = inside
    }

    /// Goes through a trip, and gives what is settled of it.
    mutating func read(
        _ trip: RecordedTrip, changing change: Backtest.Change, watching index: GeofenceIndex,
        insteadOf usualIndex: GeofenceIndex, counting outcome: inout Backtest.Outcome, in db: Database
    ) throws -> [EventDifference.Settled] {
        var policy = trip.policy
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
                difference.tell(type: event.type, subject: subject, time: event.time, line: line)
                guard case .enter(_, initial: true) = event.kind, inside.contains(subject) else { continue }
                // It went on being inside.
                difference.expect(type: event.type, subject: subject, time: event.time, line: line)
            }
            output = Tracker.Output()
            return true
        }
        outcome.trips += 1
        var isTold = false
        try log.take(until: gaps.last ?? trip.summary.end) { event in
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

/// The events of a device in the order of time.
private struct LoggedEvents {
    private var events: EventLog.DeviceEvents
    private var next: StoredEvent?

    init(_ events: EventLog.DeviceEvents) throws {
        self.events = events
        next = try self.events.next()
    }

    /// Takes all events before a moment, and says what the device was inside of then.
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

    /// Takes all events up to a moment.
    mutating func take(until time: Timestamp?, _ body: (StoredEvent) -> Void) throws {
        guard let time else { return }
        while let event = next, event.time <= time {
            body(event)
            next = try events.next()
        }
    }
}

/// Where a trip's points leave gaps in time.
private struct Gaps {
    /// Milliseconds beyond which a time without a point is a gap.
    private static let least = EventDifference.tolerance

    private var gaps: [(begin: Timestamp, end: Timestamp)] = []
    private var first: Timestamp?
    /// The last point.
    private(set) var last: Timestamp?

    /// The gaps of a trip; the last point before it was at this time.
    init(after before: Timestamp?) { last = before }

    mutating func add(_ time: Timestamp) {
        if let last, time.milliseconds(since: last) > Self.least { gaps.append((last, time)) }
        if first == nil { first = time }
        last = time
    }

    /// When the points go on after a moment, and whether that is before the first of them.
    func end(of time: Timestamp) -> (time: Timestamp, isBefore: Bool) {
        let isBefore = first.map { time < $0 } ?? true
        return (gaps.first { $0.begin < time && time < $0.end }?.end ?? time, isBefore)
    }
}
