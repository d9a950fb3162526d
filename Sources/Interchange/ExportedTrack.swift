public import Positioning

/// A track to be written to a file.
public struct ExportedTrack: Hashable, Sendable {
    /// Its title.
    public var name: String
    /// What else there is to say, as plain text.
    public var description: String?
    /// Its parts, between which nothing is known of the way; the fixes of each in order of time.
    public var segments: [[Fix]]

    /// A track with a title.
    public init(name: String, description: String? = nil, segments: [[Fix]]) {
        self.name = name
        self.description = description
        self.segments = segments
    }
}

/// Writes tracks as text: ``begin(to:)`` once, ``append(_:to:flush:)`` for each track, ``end(to:)`` once.
///
/// The text is UTF-8 and depends on nothing but the tracks. What a fix does not say is left out, never written as 0.
public protocol TrackWriter: Sendable {
    /// Writes what stands before the first track.
    mutating func begin(to bytes: inout [UInt8])

    /// Writes a track.
    ///
    /// `flush` is called now and then, whenever about ``exportFlushLength`` bytes have gathered; it may take them
    /// away, so that a long track never stands in memory as text. What it throws ends the writing.
    mutating func append<Failure: Error>(
        _ track: ExportedTrack, to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure)

    /// Writes what stands after the last track.
    mutating func end(to bytes: inout [UInt8])
}

extension TrackWriter {
    /// Writes a track as a whole.
    public mutating func append(_ track: ExportedTrack, to bytes: inout [UInt8]) {
        append(track, to: &bytes) { _ in }
    }
}

/// How many bytes gather before a ``TrackWriter`` lets them be flushed: enough to make a write call worth while.
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
