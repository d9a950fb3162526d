package import Positioning
import Service
package import Store
package import Tracking

/// The trips and stops of a recording of the past, found by the rules that a live device is held to.
///
/// No geofences are watched, and the device's own state is not looked at: it begins anew.
package struct PastRecording {
    /// What a recording has told; a trip comes before the stops on it.
    package enum Finding: Sendable {
        /// A trip has ended.
        case trip(PastTrip)
        /// A stop has ended; whether it began on the last trip.
        case stop(StopSummary, ofTrip: Bool)
    }

    /// A trip too long to be held.
    package struct TooLong: Error {
        /// Which.
        package let id: String
    }

    /// The most points of one trip: three days without a rest at a fix a second, in some 30 MB.
    static let mostPoints = 250_000

    private var tracker: Tracker
    /// What is kept as it is, without the tracker.
    private var whole: WholeTrip?
    private var open: PastTrip?
    /// The stops on the open trip that have ended.
    private var stops: [StopSummary] = []
    private var isStopOfTrip = false

    /// - Parameter stops: those on the one trip that the recording is; nil where its trips and stops are to be found.
    package init(device: String, policy: TrackingPolicy, stops: [StopSummary]? = nil) {
        tracker = Tracker(device: device, policy: policy)
        whole = stops.map { WholeTrip(device: device, stops: $0) }
    }

    /// How many fixes were read, and how many of them rejected, by reason.
    var statistics: Tracker.Statistics { whole?.statistics ?? tracker.statistics }

    /// Takes the next fixes.
    ///
    /// - Throws: ``TooLong`` where a trip has more than ``mostPoints``.
    package mutating func take(_ fixes: [Fix]) throws(TooLong) -> [Finding] {
        if whole != nil {
            try whole?.take(fixes)
            return []
        }
        let index = GeofenceIndex()
        var output = Tracker.Output()
        for fix in fixes { tracker.ingest(fix, in: index, into: &output) }
        return try findings(of: output)
    }

    /// The recording ends: so do its open trip and stop.
    ///
    /// - Throws: as ``take(_:)`` does.
    package mutating func finish() throws(TooLong) -> [Finding] {
        if let whole { return whole.finish() }
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
                if let open, open.points.count > Self.mostPoints { throw TooLong(id: open.summary.id) }
            case .truncated(let time):
                while let last = open?.points.last?.time, last > time { open?.points.removeLast() }
            case .tripEnded(let summary):
                findings.append(.trip(PastTrip(summary, points: open?.points ?? [])))
                findings += stops.map { .stop($0, ofTrip: true) }
                open = nil
                stops = []
            // They stay as they were heard.
            case .tripsJoined: break
            case .stopBegan: isStopOfTrip = open != nil
            case .stopEnded(let stop) where open != nil: stops.append(stop)
            case .stopEnded(let stop): findings.append(.stop(stop, ofTrip: isStopOfTrip))
            }
        }
        return findings
    }
}
