import Geodesy
import Positioning
import Receivers
import Store
public import Time
public import Tracking

/// A replay of recordings through a pipeline, one after another.
public struct Replay {
    /// The recordings of a replay, and its settings.
    public struct Options: Sendable {
        /// The recordings, in order; `-` is standard input.
        public var files: [String]
        /// The speed as a multiple of real time; `nil` for as fast as possible.
        public var speed: Double?
        /// The device's name; `nil` to use the files' names.
        public var device: String?
        /// The day on which logs without dates begin.
        public var date: CalendarDate?
        /// The settings that determine events and trips.
        public var policy = TrackingPolicy()
        /// Whether each recording is sorted by time first.
        public var sorts = false
        /// Whether positions are published, too.
        public var wantsPositions = false

        /// Creates options with default settings.
        public init(files: [String]) { self.files = files }
    }

    /// The progress of a replay.
    public struct Progress: Sendable {
        /// The file that is being read.
        public var file: String
        /// The number of fixes read from the file.
        public var fixes = 0
        /// The time of the last of these fixes.
        public var time: Timestamp?
    }

    /// The callbacks of a replay.
    public struct Audience {
        /// Receives the events of each commit once it is on the disk, and positions between them if they are wanted.
        public var committed: ([EventRecord]) async throws -> Void
        /// Receives the progress from time to time.
        public var progressed: (Progress) -> Void
        /// Receives a recording that cannot be replayed; the next one follows.
        public var failed: (FileFailure) -> Void

        /// Receives what was assumed about a recording, or left out of it, as a clause.
        public var noticed: (_ file: String, _ notice: String) -> Void

        /// Creates callbacks; those that are omitted do nothing.
        public init(
            committed: @escaping ([EventRecord]) async throws -> Void,
            progressed: @escaping (Progress) -> Void = { _ in },
            failed: @escaping (FileFailure) -> Void = { _ in },
            noticed: @escaping (_ file: String, _ notice: String) -> Void = { _, _ in }
        ) {
            self.committed = committed
            self.progressed = progressed
            self.failed = failed
            self.noticed = noticed
        }
    }

    /// The number of fixes that causes a commit.
    private static let commitFixes = 4096
    /// The longest time before a commit (*Interfaces*).
    private static let commitInterval = Duration.milliseconds(250)

    private let options: Options
    private let pipeline: Pipeline
    private let audience: Audience
    private var summary = ReplaySummary()
    private var lastCommit = ContinuousClock.now
    /// The commit in progress, whose events are published when it is done.
    private var commit: Task<[EventRecord], any Error>?

    /// Creates a replay into a pipeline.
    public init(_ options: Options, into pipeline: Pipeline, audience: Audience) {
        self.options = options
        self.pipeline = pipeline
        self.audience = audience
    }

    /// Replays all recordings.
    ///
    /// - Throws: ``StoreError`` if the store fails; earlier commits stay.
    public mutating func run() async throws -> ReplaySummary {
        for file in options.files {
            do {
                try await replay(file)
            } catch let error as RecordingError {
                summary.hasFailed = true
                audience.failed(FileFailure(file: file, error: error))
            }
        }
        for statistics in pipeline.statistics.values { summary.add(statistics) }
        return summary
    }

    private mutating func replay(_ file: String) async throws {
        var recording = try RecordingPrefetcher(path: file, date: options.date, sorts: options.sorts)
        let device = options.device ?? recording.device
        let before = pipeline.statistics[device] ?? Tracker.Statistics()
        _ = pipeline.popFirstRejection(of: device)
        summary.files += 1
        var pace = options.speed.map { Pace(speed: $0) }
        var progress = Progress(file: file)
        var hasTime = false
        do {
            while let fixes = try await recording.next() {
                hasTime = hasTime || fixes.contains { $0.time != nil }
                if pace == nil {
                    try pipeline.ingest(fixes, device: device)
                    if recording.isLive {
                        // A live input may be silent for a while, so everything received is committed now.
                        try await commitAll()
                    } else {
                        try await commitIfDue()
                    }
                } else {
                    for fix in fixes {
                        if let delay = pace?.delay(until: fix) {
                            try await commitAll()
                            try await Task.sleep(for: delay)
                        }
                        try pipeline.ingest(CollectionOfOne(fix), device: device)
                        try await commitIfDue()
                    }
                }
                progress.fixes += fixes.count
                progress.time = fixes.last?.time
                audience.progressed(progress)
            }
        } catch let damage as RecordingError {
            _ = try await finish(recording, device, file, since: before)
            throw damage
        }
        let leftOut = try await finish(recording, device, file, since: before)
        guard hasTime else { throw await Self.timeless(recording, hasFixes: progress.fixes > 0) }
        // A recording that the store knows already is no failure, and nothing to tell.
        guard !Self.isKnown(leftOut, since: before) else { return }
        guard leftOut.used > 0 else { throw RecordingError("nothing came of it: \(leftOut.words)") }
        if leftOut.isNotable { notice(leftOut.words, of: file) }
    }

    /// Ends a recording, and returns what became of its points.
    private mutating func finish(
        _ recording: RecordingPrefetcher, _ device: String, _ file: String, since before: Tracker.Statistics
    ) async throws -> LeftOut {
        let tidied = await recording.tidied
        try pipeline.reject(tidied.dropped, device: device)
        try pipeline.finish(device: device)
        try await commitAll()
        for text in tidied.notices {
            notice(tidied.needsSorting && text == tidied.notices.last ? "\(text); --sort sorts them" : text, of: file)
        }
        let after = pipeline.statistics[device] ?? Tracker.Statistics()
        var leftOut = LeftOut(read: after.read - before.read)
        for (reason, count) in after.rejected.sorted where count > before.rejected[reason] {
            leftOut.reasons.count(reason, times: count - before.rejected[reason])
        }
        leftOut.first = pipeline.popFirstRejection(of: device).map { LeftOut.First($0.reason, at: $0.time) }
        if let time = tidied.first, leftOut.first?.time.map({ time < $0 }) ?? true {
            leftOut.first = LeftOut.First(tidied.dropped.sorted.first?.reason ?? "", at: time)
        }
        if !leftOut.reasons.isEmpty, !recording.isLive, !Self.isKnown(leftOut, since: before) {
            leftOut.locateFirst(in: file, date: options.date)
            summary.firstRejected = summary.firstRejected ?? leftOut.first
        }
        summary.malformed.add(await recording.malformed)
        summary.datedLater += await recording.datedLater
        return leftOut
    }

    /// Whether the store has all points of a recording already.
    private static func isKnown(_ leftOut: LeftOut, since before: Tracker.Statistics) -> Bool {
        before.accepted == 0 && leftOut.read > 0 && leftOut.reasons[FixGate.Rejection.late.rawValue] == leftOut.read
    }

    private mutating func notice(_ text: String, of file: String) {
        summary.notices.append((file, text))
        audience.noticed(file, text)
    }

    /// Commits everything pending, and waits until it is stored and published.
    private mutating func commitAll() async throws {
        try await beginCommit()
        try await endCommit()
    }

    /// Starts to commit everything pending if it is time; tracking continues while the store writes.
    private mutating func commitIfDue() async throws {
        guard pipeline.uncommitted >= Self.commitFixes || .now - lastCommit >= Self.commitInterval else { return }
        try await beginCommit()
    }

    private mutating func beginCommit() async throws {
        // One commit at a time, so that memory holds at most two and the order is kept.
        try await endCommit()
        lastCommit = .now
        let batch = pipeline.drain()
        commit = Task { [store = pipeline.store] in
            batch.pending.isEmpty ? [] : try await store.commit(batch.pending)
        }
    }

    /// Waits for the commit in progress, and publishes its events.
    private mutating func endCommit() async throws {
        guard let events = try await commit?.value else { return }
        commit = nil
        guard !events.isEmpty else { return }
        for event in events where event.isDurable { summary.events.count(event.type) }
        try await audience.committed(events)
    }

    private static func timeless(_ recording: RecordingPrefetcher, hasFixes: Bool) async -> RecordingError {
        guard hasFixes else { return await recording.noPositions }
        switch recording.format {
        case .gpx: return RecordingError("none of its points has a time, so it cannot be replayed")
        case .nmea:
            return RecordingError("none of its sentences contains a date; give the day on which it begins with --date")
        }
    }
}
