import GRDB
import Positioning
import RPC
import Service
import Store
import Time
import Tracking

/// The import of past recordings, part by part, into trips and stops.
///
/// It handles one recording at a time, so that it holds the points of one trip only. A trip is stored as a whole when
/// it has ended, in one transaction, which short trips share. The import emits no events and appends none to the
/// event log, because the trip does not happen now.
actor TripImport {
    struct Part: Sendable {
        /// The number of the connection on which the part arrived.
        var connection: Int
        var device: String
        /// The number of the part, from 0.
        var number: Int
        var fixes: [Fix]
        /// The stops on the single trip that the recording is; `nil` if the import is to find its trips and stops.
        ///
        /// Only the value in the first part counts.
        var stops: [StopSummary]?
        /// Whether the points of the recording are minutes apart.
        ///
        /// Only the value in the first part counts.
        var isSparse: Bool
        /// The visits that the recording tells, which become stops.
        var visits: [StopSummary]
        /// Whether this is the last part of the recording.
        var isLast: Bool
    }

    /// The result of importing a part.
    struct Report: Sendable {
        /// Whether the last trip was added.
        fileprivate var hasAdded = false
        /// The trips that ended in this part.
        var trips: [(trip: TripSummary, outcome: PastTrip.Outcome)] = []
        /// The number of stops that were added.
        var stops = 0
        /// The number of stops that were stored already.
        var knownStops = 0
        /// The reason and time of the first point of the recording that was rejected.
        var firstRejected: (reason: String, time: Timestamp)?
        /// The statistics of the recording so far.
        var statistics: Tracker.Statistics
    }

    /// The time after which a caller that sent no further part is taken to have gone away.
    private static let idleTimeout = Duration.seconds(60)

    private struct Pending {
        let connection: Int
        let device: String
        var next = 0
        var touched = ContinuousClock.now
        /// The state of the recording; `nil` while a part is being processed.
        var recording: PastRecording?
        let policy: TrackingPolicy
        /// Whether the last trip was added.
        ///
        /// The stops on a trip are added only if it was.
        var hasAdded = false
    }

    private let editor: Editor
    private var pending: Pending?

    init(editor: Editor) { self.editor = editor }

    /// Imports a part.
    ///
    /// Part 0 starts a new recording.
    ///
    /// If a call throws, the caller must send the recording again from part 0. Trips that were stored before are
    /// recognised then.
    ///
    /// - Parameters:
    ///   - policy: The settings to track a new recording with.
    ///   - now: The time of the import.
    /// - Throws: `Refusal.conflict` if the part does not follow the one before, `Refusal.invalid` if a trip is too
    ///   long, `Refusal.unavailable` while another recording is being imported, and `StoreError`.
    func add(_ part: Part, policy: TrackingPolicy, now: Timestamp) async throws -> Report {
        if part.number == 0 { try begin(part, policy) }
        guard var pending, pending.connection == part.connection, pending.device == part.device,
            pending.next == part.number, var recording = pending.recording
        else {
            throw Refusal.conflict(
                "Part \(part.number) is not the next part of this recording. Start again with part 0.")
        }
        pending.recording = nil
        self.pending = pending
        do {
            var findings = try recording.add(part.fixes)
            if part.isLast { findings += try recording.finish() }
            var report = Report(
                hasAdded: pending.hasAdded, firstRejected: recording.firstRejected, statistics: recording.statistics)
            var visits = part.visits
            for step in Self.steps(of: findings, hasVisits: !visits.isEmpty) {
                report = try await editor.change { [report, visits, policy = pending.policy] db, _ in
                    var report = report
                    try report.add(step, visits, policy: policy, now: now, to: db)
                    return report
                }
                visits = []
            }
            pending.hasAdded = report.hasAdded
            pending.next += 1
            pending.touched = .now
            pending.recording = recording
            self.pending = part.isLast ? nil : pending
            return report
        } catch {
            self.pending = nil
            guard let error = error as? PastRecording.TooLong else { throw error }
            throw Refusal.invalid(
                "points",
                "give the trip \(error.id) more than \(PastRecording.maximumPoints) points; split the recording in two")
        }
    }

    /// Returns what was found in the order of its time, divided into what one transaction stores: a long trip, or short
    /// ones of which each would wait for the disk.
    ///
    /// - Parameter hasVisits: Whether there is a first transaction even if nothing was found.
    private static func steps(of findings: [PastRecording.Finding], hasVisits: Bool) -> [[PastRecording.Finding]] {
        var steps: [[PastRecording.Finding]] = hasVisits ? [[]] : []
        var size = hasVisits ? 0 : LocationDatabase.pruningStep
        for finding in findings {
            let rows = if case .trip(let trip) = finding { trip.points.count + 1 } else { 1 }
            if size + rows > LocationDatabase.pruningStep {
                steps.append([])
                size = 0
            }
            steps[steps.count - 1].append(finding)
            size += rows
        }
        return steps
    }

    private func begin(_ part: Part, _ policy: TrackingPolicy) throws {
        if let pending {
            let isGone = .now - pending.touched > Self.idleTimeout
            guard pending.recording != nil, isGone || pending.connection == part.connection else {
                throw Refusal.unavailable("Another recording is being imported. Try again in a minute.")
            }
        }
        pending = Pending(
            connection: part.connection, device: part.device,
            recording: PastRecording(device: part.device, policy: policy, stops: part.stops, isSparse: part.isSparse),
            policy: policy)
    }
}

extension TripImport.Report {
    /// Stores what was found and the visits that the recording tells, and counts it.
    fileprivate mutating func add(
        _ findings: [PastRecording.Finding], _ visits: [StopSummary], policy: TrackingPolicy, now: Timestamp,
        to db: Database
    ) throws {
        for finding in findings {
            switch finding {
            case .trip(let trip):
                let outcome = try Travels.add(trip, policy: policy, now: now, to: db)
                hasAdded = outcome == .added
                trips.append((trip.summary, outcome))
            case .stop(_, ofTrip: true) where !hasAdded: break
            case .stop(let stop, let isOfTrip): count(try Travels.add(stop, ofTrip: isOfTrip, to: db))
            }
        }
        for visit in visits { count(try Travels.add(visit, ofTrip: false, to: db)) }
    }

    private mutating func count(_ isAdded: Bool) {
        if isAdded { stops += 1 } else { knownStops += 1 }
    }
}
