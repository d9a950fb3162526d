import Geodesy
public import Positioning
import Receivers
import Store
public import Tracking

/// Replays recordings through a pipeline, one after another.
public struct Replay {
    /// What to replay, and how.
    public struct Options: Sendable {
        /// The recordings, in order; `-` is standard input.
        public var files: [String]
        /// Times real time; nil for as fast as it goes.
        public var speed: Double?
        /// The device, instead of the files' names.
        public var device: String?
        /// The day on which logs without dates begin.
        public var date: CalendarDate?
        /// What events and trips depend on.
        public var policy = TrackingPolicy()
        /// Whether positions are told too.
        public var wantsPositions = false

        /// The recordings, with everything else as usual.
        public init(files: [String]) { self.files = files }
    }

    /// How far it has come.
    public struct Progress: Sendable {
        /// The file that is being read.
        public var file: String
        /// Fixes read from it.
        public var fixes = 0
        /// The time of the last of them.
        public var time: Timestamp?
    }

    /// Who is told what meanwhile.
    public struct Audience {
        /// Gets what was committed.
        public var told: ([Pipeline.Told]) async throws -> Void
        /// Gets how far it has come, now and then.
        public var progressed: (Progress) -> Void
        /// Gets what cannot be replayed; the next recording follows.
        public var failed: (FileFailure) -> Void

        /// Those who are told.
        public init(
            told: @escaping ([Pipeline.Told]) async throws -> Void,
            progressed: @escaping (Progress) -> Void = { _ in },
            failed: @escaping (FileFailure) -> Void = { _ in }
        ) {
            self.told = told
            self.progressed = progressed
            self.failed = failed
        }
    }

    /// A commit holds at most so many fixes.
    private static let commitFixes = 4096
    /// A commit is at most so late (*Interfaces*).
    private static let commitInterval = Duration.milliseconds(250)

    private let options: Options
    private let pipeline: Pipeline
    private let audience: Audience
    private var summary = ReplaySummary()
    private var lastCommit = ContinuousClock.now
    /// What the store is writing, to be told when that is done.
    private var commit: Task<[Pipeline.Told], any Error>?

    /// A replay into a pipeline.
    public init(_ options: Options, into pipeline: Pipeline, audience: Audience) {
        self.options = options
        self.pipeline = pipeline
        self.audience = audience
    }

    /// Replays everything.
    ///
    /// - Throws: ``StoreError`` where the store fails; what was committed before stays.
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
        var recording = try RecordingAhead(path: file, date: options.date)
        let device = options.device ?? recording.device
        var pace = options.speed.map { Pace(speed: $0) }
        var progress = Progress(file: file)
        var hasTime = false
        do {
            while let fixes = try await recording.next() {
                hasTime = hasTime || fixes.contains { $0.time != nil }
                if pace == nil {
                    try pipeline.ingest(fixes, device: device)
                    if recording.isLive {
                        // It may have nothing more to say for a while, and what it said is to be seen.
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
            try await finish(recording, device)
            throw damage
        }
        try await finish(recording, device)
        guard hasTime else { throw Self.timeless(recording, hasFixes: progress.fixes > 0) }
    }

    private mutating func finish(_ recording: RecordingAhead, _ device: String) async throws {
        try pipeline.finish(device: device)
        try await commitAll()
        summary.malformed.add(await recording.malformed)
        summary.datedLater += await recording.datedLater
    }

    /// Commits what is pending, and waits until all is kept and told.
    private mutating func commitAll() async throws {
        try await beginCommit()
        try await endCommit()
    }

    /// Begins to commit what is pending, if it is time; tracking goes on while the store writes.
    private mutating func commitIfDue() async throws {
        guard pipeline.uncommitted >= Self.commitFixes || .now - lastCommit >= Self.commitInterval else { return }
        try await beginCommit()
    }

    private mutating func beginCommit() async throws {
        // One at a time, so that no more is held than two commits, and the order is kept.
        try await endCommit()
        lastCommit = .now
        let batch = pipeline.take()
        commit = Task { [store = pipeline.store] in
            batch.told(batch.pending.isEmpty ? [] : try await store.commit(batch.pending))
        }
    }

    /// Waits for the store, and tells what it has kept.
    private mutating func endCommit() async throws {
        guard let told = try await commit?.value else { return }
        commit = nil
        guard !told.isEmpty else { return }
        for told in told { if let stored = told.stored { summary.events.count(stored.type) } }
        try await audience.told(told)
    }

    private static func timeless(_ recording: RecordingAhead, hasFixes: Bool) -> RecordingError {
        guard hasFixes else { return RecordingError("it holds no position to replay") }
        switch recording.format {
        case .gpx: return RecordingError("none of its points has a time, so that it cannot be replayed")
        case .nmea:
            return RecordingError("none of its sentences carries a date; say with --date on which day it begins")
        }
    }
}
