import Positioning
import RPC
import Service
import Store
import Tracking

/// Takes recordings of the past, part by part, and keeps their trips and stops.
///
/// One recording at a time, so that one trip's points are all that is held. A trip is kept as a whole when it has ended,
/// in a transaction of its own; nothing of it is told to subscribers or written to the event log, for it did not happen
/// now.
actor TripImport {
    /// A part of a recording.
    struct Part: Sendable {
        /// Whose connection it came on.
        var connection: Int
        var device: String
        /// Counted from 0.
        var number: Int
        var fixes: [Fix]
        /// The stops on the one trip that the recording is; nil where its trips and stops are to be found.
        ///
        /// What the first part says counts.
        var stops: [StopSummary]?
        /// Whether the recording ends with it.
        var isLast: Bool
    }

    /// What became of a part.
    struct Report: Sendable {
        /// The trips that ended in it.
        var trips: [(trip: TripSummary, outcome: PastTrip.Outcome)] = []
        /// How many stops were added.
        var stops = 0
        /// What was read of the recording so far.
        var statistics: Tracker.Statistics
    }

    /// Whoever has not gone on for so long is taken to have gone away.
    private static let patience = Duration.seconds(60)

    private struct Pending {
        let connection: Int
        let device: String
        var next = 0
        var touched = ContinuousClock.now
        /// Nil while a part is at work.
        var recording: PastRecording?
        let policy: TrackingPolicy
        /// Whether the last trip was added, so that the stops on it are too.
        var hasAdded = false
    }

    private let editor: Editor
    private var pending: Pending?

    init(editor: Editor) { self.editor = editor }

    /// Takes a part; the first begins a recording anew.
    ///
    /// - Parameters:
    ///   - policy: what a recording that begins is tracked by.
    ///   - now: when it is imported.
    /// - Throws: 3 where a part does not follow, 4 where a trip is too long, 5 while another recording is being
    ///   imported, and `StoreError`; the recording is to be begun anew then, and what was kept of it is known.
    func take(_ part: Part, policy: TrackingPolicy, now: Timestamp) async throws -> Report {
        if part.number == 0 { try begin(part, policy) }
        guard var pending, pending.connection == part.connection, pending.device == part.device,
            pending.next == part.number, var recording = pending.recording
        else {
            throw Refusal.conflict("Part \(part.number) of this recording does not follow. Begin anew with part 0.")
        }
        pending.recording = nil
        self.pending = pending
        do {
            var findings = try recording.take(part.fixes)
            if part.isLast { findings += try recording.finish() }
            var report = Report(statistics: recording.statistics)
            for finding in findings {
                switch finding {
                case .trip(let trip):
                    let outcome = try await editor.change { [policy = pending.policy] db, _ in
                        try Travels.add(trip, policy: policy, now: now, to: db)
                    }
                    pending.hasAdded = outcome == .added
                    report.trips.append((trip.summary, outcome))
                case .stop(_, ofTrip: true) where !pending.hasAdded: break
                case .stop(let stop, let isOfTrip):
                    let isAdded = try await editor.change { db, _ in try Travels.add(stop, ofTrip: isOfTrip, to: db) }
                    if isAdded { report.stops += 1 }
                }
            }
            pending.next += 1
            pending.touched = .now
            pending.recording = recording
            self.pending = part.isLast ? nil : pending
            return report
        } catch {
            self.pending = nil
            guard let error = error as? PastRecording.TooLong else { throw error }
            throw Refusal.invalid(
                "points", "make a trip of more than \(PastRecording.mostPoints), \(error.id); cut the recording in two")
        }
    }

    private func begin(_ part: Part, _ policy: TrackingPolicy) throws {
        if let pending {
            let isGone = .now - pending.touched > Self.patience
            guard pending.recording != nil, isGone || pending.connection == part.connection else {
                throw Refusal.unavailable("Another recording is being imported. Try again in a minute.")
            }
        }
        pending = Pending(
            connection: part.connection, device: part.device,
            recording: PastRecording(device: part.device, policy: policy, stops: part.stops), policy: policy)
    }
}
