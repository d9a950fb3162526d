import Positioning
import Receivers

/// A reader that decodes the next batch of a recording while its user processes the current one.
///
/// A live recording, such as a pipe, may be silent for a while. It is read only on demand, and returns its fixes as
/// they come. Only one task at a time may use a reader.
struct RecordingPrefetcher {
    /// The least number of fixes in a batch, except for the last batch and for a live recording.
    ///
    /// It is large enough that passing batches between tasks costs nothing, and small enough to take little memory.
    private static let batchFixes = 2048

    /// The format of the recording.
    let format: Recording.Format
    /// The name of the recorded device.
    let device: String
    /// Whether the bytes may arrive slowly.
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

    /// Returns the next fixes, at least one; `nil` at the end.
    ///
    /// - Throws: The errors of ``Recording/next(atLeast:)``.
    mutating func next() async throws -> [Fix]? {
        guard !isLive else { return try await reader.next(atLeast: 1) }
        let fixes = try await (upcoming ?? read()).value
        upcoming = fixes == nil ? nil : read()
        return fixes
    }

    /// The number of inputs skipped so far, by reason.
    var malformed: Tally { get async { await reader.malformed } }

    /// The number of fixes so far whose date came from a later one.
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
