import Positioning
import Receivers

/// Reads a recording beside the task that works on it: while one batch of fixes is at work, the next is decoded.
///
/// One that may have nothing to say for a while, such as a pipe, is read only when asked, and its fixes are given as
/// they come. Not for use by several tasks at a time.
struct RecordingAhead {
    /// How many fixes a batch has at least, but for the last and those of a pipe: so many that handing them over
    /// costs nothing, so few that they are little memory.
    private static let batchFixes = 2048

    /// What the recording is written in.
    let format: Recording.Format
    /// The name of the device that it stands for.
    let device: String
    /// Whether its bytes may come slowly.
    let isLive: Bool

    private let reader: Reader
    private var upcoming: Task<[Fix]?, any Error>?

    /// Opens a recording; see ``Recording/init(path:date:)``.
    init(path: String, date: CalendarDate?) throws(RecordingError) {
        let recording = try Recording(path: path, date: date)
        format = recording.format
        device = recording.device
        isLive = recording.isLive
        reader = Reader(recording)
    }

    /// The next fixes, at least one; nil at the end.
    ///
    /// - Throws: what ``Recording/next(atLeast:)`` does.
    mutating func next() async throws -> [Fix]? {
        guard !isLive else { return try await reader.next(atLeast: 1) }
        let fixes = try await (upcoming ?? read()).value
        upcoming = fixes == nil ? nil : read()
        return fixes
    }

    /// What was skipped so far, by reason.
    var malformed: Tally { get async { await reader.malformed } }

    /// How many fixes took their date from one that came later.
    var datedLater: Int { get async { await reader.datedLater } }

    private func read() -> Task<[Fix]?, any Error> {
        Task { [reader] in try await reader.next(atLeast: Self.batchFixes) }
    }

    private actor Reader {
        private let recording: Recording

        init(_ recording: sending Recording) { self.recording = recording }

        var malformed: Tally { recording.malformed }

        var datedLater: Int { recording.datedLater }

        func next(atLeast count: Int) throws(RecordingError) -> [Fix]? { try recording.next(atLeast: count) }
    }
}
