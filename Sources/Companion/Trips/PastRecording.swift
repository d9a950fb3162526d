package import Positioning
import Service
package import Store
import Time
package import Tracking

/// The trips and stops of a past recording, found by the rules for live devices.
///
/// No geofences are watched. Tracking starts without the state that the device has in the store.
package struct PastRecording {
    /// A trip or stop that was found.
    ///
    /// A trip comes before the stops on it.
    package enum Finding: Sendable {
        /// A trip that has ended.
        case trip(PastTrip)
        /// A stop that has ended, and whether it began on the last trip.
        case stop(StopSummary, ofTrip: Bool)
    }

    /// The error for a trip that is too long to hold in memory.
    package struct TooLong: Error {
        /// The trip's id.
        package let id: String
    }

    /// The largest number of points of one trip: three days without a rest at one fix per second, in some 30 MB.
    static let maximumPoints = 250_000

    private var tracker: Tracker
    /// The one trip of the recording if its stops were given.
    ///
    /// It is stored as it is, without a tracker.
    private var whole: WholeTrip?
    /// The trips of a recording whose points are minutes apart; `nil` if the rules for live devices hold.
    private var sparse: SparseTrips?
    private var rejected: (reason: String, time: Timestamp)?
    private var open: PastTrip?
    /// The stops on the open trip that have ended.
    private var stops: [StopSummary] = []
    private var isStopOfTrip = false

    /// Creates a recording of a device.
    ///
    /// - Parameters:
    ///   - stops: The stops on the single trip that the recording is; `nil` if its trips and stops are to be found.
    ///   - isSparse: Whether its points are minutes apart, so that places alone tell when the device travelled.
    package init(device: String, policy: TrackingPolicy, stops: [StopSummary]? = nil, isSparse: Bool = false) {
        tracker = Tracker(device: device, policy: policy)
        whole = stops.map { WholeTrip(device: device, stops: $0) }
        if stops == nil, isSparse { sparse = SparseTrips(device: device, policy: policy) }
    }

    /// The number of fixes read so far, and the number of rejected ones by reason.
    var statistics: Tracker.Statistics { whole?.statistics ?? sparse?.statistics ?? tracker.statistics }

    /// The reason and time of the first fix that was rejected.
    var firstRejected: (reason: String, time: Timestamp)? { sparse?.firstRejected ?? rejected }

    /// Tracks the next fixes.
    ///
    /// Returns what was found.
    ///
    /// - Throws: ``TooLong`` if a trip has more than ``maximumPoints``.
    package mutating func add(_ fixes: [Fix]) throws(TooLong) -> [Finding] {
        if whole != nil {
            try whole?.add(fixes)
            return []
        }
        if sparse != nil { return try sparse?.add(fixes) ?? [] }
        let index = GeofenceIndex()
        var output = Tracker.Output()
        for fix in fixes {
            let outcome = tracker.ingest(fix, in: index, into: &output)
            if rejected == nil, case .rejected(let reason) = outcome, let time = fix.time { rejected = (reason, time) }
        }
        return try findings(of: output)
    }

    /// Ends the recording, and with it its open trip and stop.
    ///
    /// - Throws: ``TooLong``, as ``add(_:)`` does.
    package mutating func finish() throws(TooLong) -> [Finding] {
        if let whole { return whole.finish() }
        if sparse != nil { return sparse?.finish() ?? [] }
        var output = Tracker.Output()
        tracker.finish(into: &output)
        return try findings(of: output)
    }

    private mutating func findings(of output: Tracker.Output) throws(TooLong) -> [Finding] {
        var findings: [Finding] = []
        for change in output.changes {
            switch change {
            case .tripBegan(let trip): open = PastTrip(trip)
            case .point(var fix, let gap):
                fix.beginsSegment = gap
                open?.points.append(fix)
                if let open, open.points.count > Self.maximumPoints { throw TooLong(id: open.summary.id) }
            case .truncated(let time):
                while let last = open?.points.last?.time, last > time { open?.points.removeLast() }
            case .tripEnded(let summary):
                var trip = PastTrip(summary, points: open?.points ?? [])
                trip.summary.kind = TripKind(ofMost: trip.points)
                findings.append(.trip(trip))
                findings += stops.map { .stop($0, ofTrip: true) }
                open = nil
                stops = []
            // Two trips that belong to one interrupted journey stay two trips.
            case .tripsJoined: break
            case .stopBegan: isStopOfTrip = open != nil
            case .stopEnded(let stop) where open != nil: stops.append(stop)
            case .stopEnded(let stop): findings.append(.stop(stop, ofTrip: isStopOfTrip))
            }
        }
        return findings
    }
}
