public import Positioning

/// A track that is written to a file.
public struct ExportedTrack: Hashable, Sendable {
    /// The title of the track.
    public var name: String
    /// A description in plain text.
    public var description: String?
    /// How somebody travelled; `nil` if it is unknown.
    public var kind: TripKind?
    /// The segments, each with its fixes in order of time; the way between two segments is unknown.
    public var segments: [[Fix]]

    /// Creates a track.
    public init(name: String, description: String? = nil, kind: TripKind? = nil, segments: [[Fix]]) {
        self.name = name
        self.description = description
        self.kind = kind
        self.segments = segments
    }
}

/// Writes tracks as text: ``begin(to:)`` once, ``append(_:to:flush:)`` for each track, ``end(to:)`` once.
///
/// The text is UTF-8 and depends only on the tracks. Values that a fix does not have are omitted; they are never
/// written as 0.
public protocol TrackWriter: Sendable {
    /// Writes the text before the first track.
    mutating func begin(to bytes: inout [UInt8])

    /// Writes a track.
    ///
    /// - Parameter flush: called whenever about ``exportFlushLength`` bytes have gathered. It may remove the bytes, so
    ///   that a long track is never in memory as text.
    /// - Throws: what `flush` throws, which ends the writing.
    mutating func append<Failure: Error>(
        _ track: ExportedTrack, to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure)

    /// Writes the text after the last track.
    mutating func end(to bytes: inout [UInt8])
}

extension TrackWriter {
    /// Writes a whole track without flushing.
    public mutating func append(_ track: ExportedTrack, to bytes: inout [UInt8]) {
        append(track, to: &bytes) { _ in }
    }
}

/// The number of bytes after which a ``TrackWriter`` calls its `flush`, large enough to be worth a write call.
public let exportFlushLength = 64 * 1024

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: text.description.utf8)
    }

    mutating func flushIfLong<Failure: Error>(
        _ flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        if count >= exportFlushLength { try flush(&self) }
    }
}
