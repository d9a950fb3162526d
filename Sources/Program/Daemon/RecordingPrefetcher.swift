import Positioning
import Receivers
import Time

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

    /// Opens a recording; see ``TidyRecording/init(path:date:sorts:filters:)``.
    init(path: String, date: CalendarDate?, sorts: Bool) throws(RecordingError) {
        let recording = try TidyRecording(path: path, date: date, sorts: sorts)
        format = recording.format
        device = recording.device
        isLive = recording.isLive
        reader = Reader(recording)
    }

    /// Returns the next fixes, at least one; `nil` at the end.
    ///
    /// - Throws: The errors of ``TidyRecording/next(atLeast:)``.
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

    /// What was left out before the fixes were returned, and what was assumed.
    var tidied: (dropped: Tally, first: Timestamp?, notices: [String], needsSorting: Bool) {
        get async { await reader.tidied }
    }

    /// The error for a recording without any position.
    var noPositions: RecordingError { get async { await reader.noPositions } }

    private func read() -> Task<[Fix]?, any Error> {
        Task { [reader] in try await reader.next(atLeast: Self.batchFixes) }
    }

    private actor Reader {
        private let recording: TidyRecording

        init(_ recording: sending TidyRecording) { self.recording = recording }

        var tidied: (dropped: Tally, first: Timestamp?, notices: [String], needsSorting: Bool) {
            var dropped = recording.dropped
            let others = recording.ofOtherDevices
            if others > 0 { dropped.count(TidyRecording.otherDevice, times: others) }
            return (dropped, recording.firstDropped, recording.notices, recording.needsSorting)
        }

        var malformed: Tally { recording.malformed }

        var noPositions: RecordingError { recording.noPositions }

        var datedLater: Int { recording.datedLater }

        func next(atLeast count: Int) throws(RecordingError) -> [Fix]? { try recording.next(atLeast: count) }
    }
}
