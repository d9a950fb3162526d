import Histories
public import Positioning

/// The points of several histories in order of time.
///
/// Histories of the same hours are the same journey, of which the one with the most points is used, or those of other
/// devices; see `TrackOverlaps`. Memory does not grow with their length: what does not fit is sorted in a temporary
/// file.
public final class MergedHistories {
    private var sorted = SortedFixes(isLog: false)
    private var histories = 0
    private var isEmpty = true

    /// The number of points of all histories.
    public var count: Int { sorted.count }

    /// The counts of points left out because another history tells the same, by reason.
    public private(set) var dropped = Tally()

    /// Creates a set without histories.
    public init() {}

    /// Adds the points of a history.
    ///
    /// - Throws: `Failure` if the file is damaged; it was read before and has changed meanwhile. Also if no temporary
    ///   file can be written, and if the task is cancelled.
    public func add(_ member: HistorySource.Member, of source: HistorySource) throws(HistorySource.Failure) {
        let track = min(histories, TrackOverlaps.maximumTracks - 1)
        histories += 1
        isEmpty = true
        _ = try source.read(member) { items throws(RecordingError) in
            guard !Task.isCancelled else { throw RecordingError("reading was cancelled") }
            for case .fix(var fix) in items {
                if isEmpty { fix.beginsSegment = true }
                isEmpty = false
                _ = try sorted.add(fix, track)
            }
        }
    }

    /// Ends the histories.
    public func finish() throws(RecordingError) { try sorted.finish() }

    /// The number of devices.
    public var devices: Int { sorted.overlaps.devices }

    /// The pairs of histories that are the same journey, by their numbers in the order in which they were added, from 1.
    public var same: [(Int, Int)] { sorted.overlaps.same }

    /// The pairs of histories that are two devices.
    public var apart: [(Int, Int)] { sorted.overlaps.apart }

    /// Reads from the beginning again, this time another device; they count from 0.
    public func restart(device: Int) {
        sorted.restart(device: device)
        dropped = Tally()
    }

    /// Returns the next point in order of time; `nil` at the end.
    public func next() throws(RecordingError) -> Fix? {
        let fix = try sorted.next()
        if sorted.hasDropped { for (reason, _) in sorted.drainDropped() { dropped.count(reason) } }
        return fix
    }
}
