public import Positioning
internal import TextCoding

/// Reads a location history of any kind: its first bytes tell which.
///
/// JSON, OwnTracks' `.rec` and CSV are read here. For XML, FIT, IGC and what is compressed, the caller gives the readers.
/// JSON and `.rec` may also be UTF-16 or UTF-32 with a byte-order mark.
///
/// The first ``HistorySignature/enough`` bytes are held until they are complete; the further memory is the reader's.
public struct HistoryFile: DamageTolerantDecoder {
    /// Returns a reader for a content; `nil` if there is none.
    public typealias Readers = @Sendable (HistorySignature) -> (any HistoryDecoder)?

    private let readers: Readers
    private var first: [UInt8] = []
    // One of the three reads the file. They are apart, so that each is changed in place.
    private var json: JSONHistory?
    private var recorder: OwnTracksRecorderHistory?
    /// The reader that the caller gave for the file, which may tell more than this one; `nil` if there is none.
    ///
    /// A table is read by a reader of this room, which stands here as well.
    public private(set) var other: (any HistoryDecoder)?
    private var transcoder: UnicodeTranscoder?
    private var hasItems = false

    /// What the file is; `nil` until enough bytes have come.
    public private(set) var signature: HistorySignature?

    /// Whether the file turned out to be no history, or to have neither a point nor a visit, when an error was thrown.
    ///
    /// In a folder or an archive, such a file is passed over. Any other error means that a history is damaged.
    public var holdsNoHistory: Bool {
        isNoHistory || json?.isOfSomethingElse ?? false
            || (other as? GzippedHistory<HistoryFile>)?.content.holdsNoHistory ?? false
    }
    private var isNoHistory = false

    /// Creates a reader at the beginning of a file.
    ///
    /// - Parameter readers: the readers of what this room does not read itself. Each call must return a new reader.
    public init(readers: @escaping Readers = { _ in nil }) { self.readers = readers }

    /// The kind of the history; `nil` until it is known, and for archives.
    ///
    /// Of a file within gzip, it is that of its content.
    public var format: HistoryFormat? {
        if let json { return json.format }
        if let gzipped = other as? GzippedHistory<HistoryFile> { return gzipped.content.format }
        return if case .history(let format) = signature { format } else { nil }
    }

    /// The first damage that did not prevent reading; `nil` if there was none.
    public var damage: RecordingError? { (other as? any DamageTolerantDecoder)?.damage }

    /// What stood in the history as a point and was none, counted by reason.
    public var dropped: [DroppedPoint: Int] {
        json?.dropped ?? recorder?.dropped ?? other?.dropped ?? [:]
    }

    /// Decodes bytes, and appends the items that are complete.
    ///
    /// - Throws: `RecordingError` if the content is unknown, or what its reader throws.
    public mutating func feed(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        let before = items.count
        defer { hasItems = hasItems || items.count > before }
        if signature != nil { return try pass(bytes, into: &items) }
        let missing = min(HistorySignature.enough - first.count, bytes.count)
        for index in 0..<missing { first.append(bytes[index]) }
        guard first.count == HistorySignature.enough else { return }
        try begin(into: &items)
        try pass(bytes.extracting(missing..<bytes.count), into: &items)
    }

    /// Ends the history.
    ///
    /// - Throws: `RecordingError` if the content is unknown, is cut off, or has no point and no visit.
    public mutating func finish(into items: inout [HistoryItem]) throws(RecordingError) {
        let before = items.count
        if signature == nil { try begin(into: &items) }
        if var transcoder {
            var text: [UInt8] = []
            transcoder.finish(into: &text)
            try read(text.span, into: &items)
        }
        try json?.finish(into: &items)
        recorder?.finish(into: &items)
        try other?.finish(into: &items)
        guard hasItems || items.count > before else {
            isNoHistory = true
            throw emptiness
        }
    }

    private var emptiness: RecordingError {
        let name = format?.rawValue ?? "known"
        let reasons = dropped.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        let rest = reasons.isEmpty ? "" : "; left out were \(reasons.joined(separator: ", "))"
        return RecordingError("the history is \(name), but has no point with a time and a place, and no visit\(rest)")
    }

    private mutating func begin(into items: inout [HistoryItem]) throws(RecordingError) {
        let found: HistorySignature
        do throws(RecordingError) {
            found = try HistorySignature(first.span)
        } catch {
            isNoHistory = true
            throw error
        }
        signature = found
        switch found {
        case .json:
            json = JSONHistory()
            transcoder = Self.isWide(first) ? UnicodeTranscoder() : nil
        case .history(.ownTracksRecorder):
            recorder = OwnTracksRecorderHistory()
            transcoder = UnicodeTranscoder()
        case .history(.csv):
            other = CSVHistory(separator: CSVColumns.separator(of: first))
        default:
            other = readers(found)
            guard other != nil else {
                isNoHistory = true
                throw Self.unreadable(found)
            }
        }
        let bytes = first
        first = []
        try pass(bytes.span, into: &items)
    }

    private static func unreadable(_ signature: HistorySignature) -> RecordingError {
        switch signature {
        case .zip: RecordingError("the file is a ZIP archive; unpack it first")
        case .gzip: RecordingError("the file is compressed by gzip; unpack it first")
        case .history(let format): RecordingError("the file is \(format.rawValue), which is not read here")
        case .nmea: RecordingError("the file is a recording in NMEA 0183, not a history")
        case .json: RecordingError("the file is JSON, which is not read here")
        }
    }

    /// Returns whether a text has code units of two or four bytes, as its byte-order mark tells.
    private static func isWide(_ first: [UInt8]) -> Bool {
        first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) || first.starts(with: [0, 0, 0xFE, 0xFF])
    }

    private mutating func pass(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        guard transcoder != nil else { return try read(bytes, into: &items) }
        var text: [UInt8] = []
        transcoder?.feed(bytes, into: &text)
        try read(text.span, into: &items)
    }

    private mutating func read(_ bytes: Span<UInt8>, into items: inout [HistoryItem]) throws(RecordingError) {
        try json?.feed(bytes, into: &items)
        recorder?.feed(bytes, into: &items)
        try other?.feed(bytes, into: &items)
    }
}
