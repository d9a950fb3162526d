public import Positioning

/// Reads a recording, such as GPX, as a history.
public struct RecordedHistory<Recording: FixDecoder>: HistoryDecoder {
    private var decoder: Recording
    private var fixes: [Fix] = []
    private var withoutTime = 0
    /// Whether a segment began with a point that has no time.
    private var isApart = false

    /// Creates a reader with the recording's decoder, which has read nothing yet.
    public init(_ decoder: Recording) { self.decoder = decoder }

    /// The points without a time.
    public var dropped: [DroppedPoint: Int] { withoutTime > 0 ? [.noTime: withoutTime] : [:] }

    /// Decodes bytes, and appends the fixes that are complete and have a time.
    ///
    /// - Throws: What the recording's decoder throws.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        defer { pass(into: &items) }
        try decoder.feed(bytes, into: &fixes)
    }

    /// Ends the recording.
    ///
    /// - Throws: What the recording's decoder throws.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        defer { pass(into: &items) }
        try decoder.finish(into: &fixes)
    }

    private mutating func pass(into items: inout [HistoryItem]) {
        for var fix in fixes {
            isApart = isApart || fix.beginsSegment
            guard fix.time != nil else {
                withoutTime += 1
                continue
            }
            fix.beginsSegment = isApart
            isApart = false
            items.append(.fix(fix))
        }
        fixes.removeAll(keepingCapacity: true)
    }
}
