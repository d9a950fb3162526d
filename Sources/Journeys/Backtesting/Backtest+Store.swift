import GRDB
import Positioning
import Service
public import Store
public import Tracking

extension Backtest {
    /// Goes through the points of recorded trips, device by device, and holds what they tell against the event log.
    ///
    /// Memory does not grow with a trip's points. The store is only read, within one consistent view.
    ///
    /// Fixes between trips were not kept. What was told meanwhile is held against the first point of the next trip;
    /// what is not told then is counted as doubtful and nothing more, and so is the end of a stay that began before the
    /// first trip. An event of a time without a point for longer
    /// than a minute is likewise held against the point at its end.
    ///
    /// - Parameters:
    ///   - query: which trips; all where it asks for nothing.
    ///   - index: the geofences to watch.
    /// - Throws: `StoreError`, and what `tell` throws.
    public mutating func read(_ store: LocationDatabase, _ query: TripQuery, watching index: GeofenceIndex) throws {
        try store.read { db in
            for device in try Devices.all(in: db) where query.device.map({ $0 == device.name }) ?? true {
                var query = query
                query.device = device.name
                try read(Travels.trips(query, in: db), of: device.name, watching: index, in: db)
            }
        }
    }

    private mutating func read(
        _ trips: [RecordedTrip], of device: String, watching index: GeofenceIndex, in db: Database
    ) throws {
        guard let first = trips.first else { return }
        var policy = first.policy
        change(&policy)
        var tracker = Tracker(device: device, policy: policy.forStoredFixes)
        var log = try LoggedEvents(EventLog.events(ofDevice: device, typePrefix: Self.geofences, in: db))
        // Where the device was before the first point is known from the log alone.
        let inside = try log.inside(before: first.summary.start)
        // Of these stays, only the points after their beginning were kept.
        var begun = inside
        var difference = EventDifference()
        for trip in trips {
            var policy = trip.policy
            change(&policy)
            if tracker.policy != policy.forStoredFixes { tracker.adopt(policy.forStoredFixes) }
            var gaps = Gaps(after: tracker.position?.time)
            var output = Tracker.Output()
            try Travels.forEachPoint(ofTrip: trip.summary.id, in: db) { fix in
                if let time = fix.time { gaps.add(time) }
                tracker.ingest(fix, in: index, into: &output)
                outcome.fixes += 1
                for event in output.events where event.type.hasPrefix(Self.geofences) {
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
            try log.take(until: gaps.last ?? trip.summary.end) { event in
                let (time, isBetween) = gaps.end(of: event.time)
                let subject = event.subject ?? ""
                let isDoubtful = isBetween || event.type != "geofence.enter" && begun.contains(subject)
                if event.type == "geofence.exit" { begun.remove(subject) }
                difference.expect(
                    type: event.type, subject: subject, time: time, line: event.line, isDoubtful: isDoubtful)
            }
            try difference.settle(tell)
        }
        outcome.doubtful += difference.doubtful
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
