#if Fleet
import FleetStore
import Positioning
import Tracking

/// The trackers of one partition, and what some batches change in them.
///
/// It is a value without a clock and a connection: the same batches give the same events, however they are divided
/// into commits.
struct PartitionTracker {
    /// The geofences that all trackers share.
    private var index: GeofenceIndex
    private let policy: TrackingPolicy
    /// The trackers that are in memory; the database has the states of all.
    private var trackers: [String: Tracker] = [:]
    /// The points of each trip that came since they were last packed.
    private var loosePoints: [String: Int] = [:]

    /// The most trackers in memory: some 40 MB.
    private static let mostTrackers = 4000

    init(index: GeofenceIndex, policy: TrackingPolicy) {
        (self.index, self.policy) = (index, policy)
    }

    /// The version of the geofences.
    var geofences: Int64 { index.revision }

    /// Returns the devices of some batches whose states must be read from the database.
    func unknownDevices(in batches: [FixBatch]) -> [String] {
        Set(batches.flatMap(\.parts).map(\.device)).filter { trackers[$0] == nil }.sorted()
    }

    /// What some batches change; it counts once it is committed.
    struct Change {
        var commit: PartitionCommit
        fileprivate var trackers: [String: Tracker] = [:]
        /// The number of points of each trip.
        fileprivate var points: [String: Int] = [:]
        /// The trips that have ended.
        fileprivate var ended: [String] = []
    }

    /// Returns what some batches change.
    ///
    /// - Parameters:
    ///   - saved: The states of the unknown devices that the database has.
    ///   - publishers: The messages that were applied.
    mutating func change(
        by batches: [(batch: FixBatch, body: [UInt8])], from saved: [String: Tracker.Saved],
        publishers: [String: AppliedMessages]
    ) -> Change {
        var change = Change(commit: PartitionCommit(geofences: geofences))
        for (batch, body) in batches {
            var applied =
                change.commit.publishers[batch.publisher] ?? publishers[batch.publisher] ?? AppliedMessages()
            let verdict = applied.apply(batch.number)
            switch verdict {
            case .applied: continue
            case .unknown:
                change.commit.refusals.append(
                    PartitionCommit.Refusal(
                        body: body, reason: "the message is older than those that are remembered"))
                continue
            case .new: change.commit.publishers[batch.publisher] = applied
            }
            for part in batch.parts { apply(part, from: saved, to: &change) }
        }
        for (device, tracker) in change.trackers {
            change.commit.devices[device] = PartitionCommit.DeviceState(
                time: tracker.position?.time, place: tracker.position?.place, saved: tracker.saved(in: index))
        }
        return change
    }

    private mutating func apply(
        _ part: FixBatch.Part, from saved: [String: Tracker.Saved], to change: inout Change
    ) {
        let device = part.device
        var tracker =
            change.trackers.removeValue(forKey: device) ?? trackers[device] ?? restored(device, saved[device])
        let open = tracker.openTrip?.id
        var output = Tracker.Output()
        for fix in part.fixes { tracker.ingest(fix, in: index, into: &output) }
        if part.ends { tracker.finish(into: &output) }
        change.trackers[device] = tracker
        change.commit.events += output.events.filter(\.isDurable)
        var travels = TravelFolding(trip: open)
        for one in output.changes { travels.add(one) }
        travels.flush()
        change.commit.travels += travels.writes
        change.points.merge(travels.points, uniquingKeysWith: +)
        change.ended += travels.ended
    }

    private mutating func restored(_ device: String, _ saved: Tracker.Saved?) -> Tracker {
        guard let saved else { return Tracker(device: device, policy: policy) }
        return Tracker(device: device, policy: policy, saved: saved, in: &index)
    }

    /// Takes over a change that was committed.
    ///
    /// - Returns: The trips whose points are to be packed.
    mutating func adopt(_ change: Change) -> [String] {
        trackers.merge(change.trackers) { $1 }
        if trackers.count > Self.mostTrackers { trackers = change.trackers }
        loosePoints.merge(change.points, uniquingKeysWith: +)
        var full = change.ended
        for (trip, count) in loosePoints where count >= PackedTrace.mostPoints && !full.contains(trip) {
            full.append(trip)
        }
        for trip in full { loosePoints[trip] = nil }
        return full
    }
}

/// The changes of one device's travels, with the points between them packed.
private struct TravelFolding {
    private(set) var writes: [PartitionCommit.TravelWrite] = []
    /// The number of points of each trip.
    private(set) var points: [String: Int] = [:]
    private(set) var ended: [String] = []
    /// The open trip.
    private var trip: String?
    private var pending: [(fix: Fix, gap: Bool)] = []

    init(trip: String?) { self.trip = trip }

    mutating func add(_ change: TravelChange) {
        switch change {
        case .tripBegan(let summary):
            flush()
            trip = summary.id
            writes.append(.tripBegan(summary))
        case .point(let fix, let gap):
            if trip != nil { pending.append((fix, gap)) }
        case .truncated(let after):
            guard let trip else { return }
            pending.removeAll { ($0.fix.time ?? after) > after }
            flush()
            writes.append(.truncated(trip: trip, after: after))
        case .tripEnded(let summary):
            flush()
            writes.append(.tripEnded(summary))
            ended.append(summary.id)
            trip = nil
        case .tripsJoined(let first, let second, _): writes.append(.tripsJoined(first, second))
        case .stopBegan(let stop), .stopEnded(let stop): writes.append(.stop(stop))
        }
    }

    /// Packs the points that wait.
    mutating func flush() {
        guard let trip else { return }
        var rest = pending[...]
        while let packed = PackedTrace(rest.prefix(PackedTrace.mostPoints)) {
            writes.append(.points(packed, trip: trip))
            points[trip, default: 0] += packed.count
            rest = rest.dropFirst(PackedTrace.mostPoints)
        }
        pending = []
    }
}
#endif
