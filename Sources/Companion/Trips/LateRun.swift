package import GRDB
import Geodesy
import Positioning
import Service
package import Store
package import Time
package import Tracking

extension LateFixes.Run {
    /// Adds the fixes to the trips beside them, or makes them trips of their own.
    ///
    /// The tracker decides, which is told the points of these trips and the fixes in their order. If the trip after them
    /// has not ended, they wait for its end. A few fixes on the way that make no trip wait for a day, because those
    /// around them may come even later.
    ///
    /// - Returns: The events to append to the log.
    /// - Complexity: O(*n*) for *n* points of the trips beside the fixes.
    package func settle(
        of device: String, policy: TrackingPolicy, now: Timestamp, in db: Database
    ) throws -> [EventRecord] {
        if let after, after.end == nil {
            try LateFixes.postpone(self, of: device, in: db)
            return []
        }
        let findings: [PastRecording.Finding]
        do {
            findings = try Self.findings(
                Self.points(of: before, in: db) + fixes + Self.points(of: after, in: db), of: device, policy)
        } catch is PastRecording.TooLong {
            // The trips beside them are days long, and stay as they are.
            findings = try Self.findings(fixes, of: device, policy)
        }
        var events: [EventRecord] = []
        let rests = try rests(of: device, in: db)
        var last: PastTrip?
        for finding in findings {
            switch finding {
            case .trip(let trip): last = trip
            case .stop(let stop, ofTrip: _):
                // At the end of what is known, a rest on a trip cannot be told from the rest that ended it.
                guard let trip = last?.summary, let end = stop.end, trip.start < stop.start,
                    trip.end.map({ end < $0 }) ?? true, isBetween(stop.start, end)
                else { continue }
                _ = try Travels.add(stop, ofTrip: true, to: db)
            }
        }
        for case .trip(let trip) in findings {
            let earlier = before?.end.flatMap { trip.goesOn(at: $0) ? before : nil }
            let later = after.flatMap { trip.goesOn(at: $0.start) ? $0 : nil }
            guard let grown = earlier ?? later else {
                events += try LateFixes.add(trip, policy: policy, now: now, in: db)
                continue
            }
            var more = trip.points.filter { isBetween($0.time, $0.time) }[...]
            // The trip has not told the tracker how long the device had rested before and after it.
            if earlier == nil { more = more.drop { fix in rests.contains { $0.holds(fix.time, before: true) } } }
            if later == nil {
                while let fix = more.last, rests.contains(where: { $0.holds(fix.time, before: false) }) {
                    more.removeLast()
                }
            }
            events += try LateFixes.extend(grown.id, by: Array(more), now: now, in: db)
            if let earlier, let later { events += try LateFixes.join(earlier.id, with: later, now: now, in: db) }
        }
        let isPlaced = findings.contains { finding in
            if case .trip(let trip) = finding { trip.points.contains { isBetween($0.time, $0.time) } } else { false }
        }
        if !isPlaced, mayBeOnTheWay(policy), let begin = fixes.first?.time, now.seconds(since: begin) < Self.longestWait
        {
            try LateFixes.postpone(self, of: device, in: db)
        }
        return events
    }

    /// The longest time that fixes wait for others around them, in seconds: a day.
    private static let longestWait = 86_400.0

    /// Whether the device may not have rested: the fixes are of too short a time to tell, or not of one place.
    private func mayBeOnTheWay(_ policy: TrackingPolicy) -> Bool {
        guard let first = fixes.first, let begin = first.time, let end = fixes.last?.time else { return false }
        return end.seconds(since: begin) < policy.stopAfter
            || fixes.contains { Ellipsoid.distance(from: $0.coordinate, to: first.coordinate) > policy.stopRadius }
    }

    /// Returns the stored stops of the device around the fixes.
    private func rests(of device: String, in db: Database) throws -> [StopSummary] {
        guard let begin = fixes.first?.time, let end = fixes.last?.time else { return [] }
        let stops = try Travels.stops(
            ofDevice: device, since: begin, until: end.advanced(byMilliseconds: 1), in: db)
        return stops + (try Travels.stop(ofDevice: device, at: begin, in: db).map { [$0] } ?? [])
    }

    private static func findings(
        _ fixes: [Fix], of device: String, _ policy: TrackingPolicy
    ) throws(PastRecording.TooLong) -> [PastRecording.Finding] {
        var recording = PastRecording(device: device, policy: policy)
        return try recording.add(fixes) + recording.finish()
    }

    private static func points(of trip: TripSummary?, in db: Database) throws -> [Fix] {
        var points: [Fix] = []
        guard let trip else { return points }
        try Travels.forEachPoint(ofTrip: trip.id, in: db) { fix in
            points.append(fix)
            return points.count <= PastRecording.maximumPoints
        }
        return points
    }

    /// Whether a period is between the trips beside the fixes.
    private func isBetween(_ start: Timestamp?, _ end: Timestamp?) -> Bool {
        guard let start, let end else { return false }
        return before?.end.map { start > $0 } ?? true && after.map { end < $0.start } ?? true
    }
}

extension StopSummary {
    /// Whether a moment is in the stop, other than the one at which a trip before or after it ends or begins.
    fileprivate func holds(_ moment: Timestamp?, before isBefore: Bool) -> Bool {
        guard let moment else { return false }
        return isBefore
            ? start <= moment && end.map { moment < $0 } ?? true : start < moment && end.map { moment <= $0 } ?? true
    }
}

extension PastTrip {
    /// Whether the trip goes on at a moment.
    fileprivate func goesOn(at moment: Timestamp) -> Bool {
        summary.start <= moment && summary.end.map { $0 >= moment } ?? true
    }
}
