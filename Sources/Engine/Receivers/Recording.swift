import Foundation
import GPX
import NMEA
public import Positioning
import TextCoding
public import Time

/// A recording of fixes in NMEA or GPX format, read batch by batch.
///
/// The format is detected from the content. Memory does not grow with the length of the recording.
public final class Recording {
    /// The format of a recording.
    public enum Format: String, Sendable {
        /// NMEA 0183 sentences.
        case nmea
        /// GPX 1.0 or 1.1.
        case gpx
    }

    /// The format of this recording.
    public let format: Format
    /// The name of the recorded device: the file's name without folder and extension, or `stdin` for standard input.
    public let device: String

    private let file: FileBytes
    private var decoder: any FixDecoder
    private var piece: [UInt8]?
    /// What the file is if it turns out to be no recording.
    private let kind: FileKind?
    private var hasFixes = false
    private var damage: RecordingError?
    private var isFinished = false

    /// Opens a recording; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - date: the day on which the recording begins, for NMEA sentences without a date.
    /// - Throws: ``RecordingError`` if it cannot be opened or is empty.
    public convenience init(path: String, date: CalendarDate? = nil) throws(RecordingError) {
        let file = try FileBytes(path: path)
        guard let first = try file.next() else { throw RecordingError("the file is empty") }
        self.init(file, beginning: first, device: Self.device(of: path), date: date)
    }

    /// Creates a recording from a file whose first piece has been read already.
    init(_ file: FileBytes, beginning: [UInt8], device: String, date: CalendarDate? = nil) {
        self.file = file
        self.device = device
        piece = beginning
        kind = FileKind(beginning.span)
        if case .xml = ContentKind(of: beginning.span) {
            format = .gpx
            decoder = GPXDecoder()
        } else {
            format = .nmea
            decoder = NMEADecoder(date: date, awaitsDate: !file.isLive)
        }
    }

    /// Returns the name of the device that a recording stands for.
    public static func device(of path: String) -> String {
        guard path != "-" else { return "stdin" }
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        return name.isEmpty ? "recording" : name
    }

    /// Whether the bytes may arrive slowly; see ``FileBytes/isLive``.
    public var isLive: Bool { file.isLive }

    /// The counts of input skipped so far, by reason.
    public var malformed: Tally { decoder.malformed }

    /// The number of fixes that took their date from a later sentence; see ``NMEADecoder/datedLater``.
    public var datedLater: Int { (decoder as? NMEADecoder)?.datedLater ?? 0 }

    /// The program that wrote the recording, if it says so.
    var creator: String? { (decoder as? GPXDecoder)?.creator }

    /// The first position of a GPX document that could not be read.
    var badPosition: GPXBadPosition? { (decoder as? GPXDecoder)?.badPosition }

    /// The receivers that share the line; see ``NMEADecoder/sharedLine``.
    var sharedLine: SharedLine? { (decoder as? NMEADecoder)?.sharedLine }

    /// Returns the numbers of fixes before each track that has begun since the last call.
    func drainTrackBeginnings() -> [Int] { (decoder as? GPXDecoder)?.drainTrackBeginnings() ?? [] }

    /// Returns the next fixes, at least `count` unless the recording ends first, or `nil` at the end.
    ///
    /// - Throws: ``RecordingError`` at damage that cannot be skipped, after all fixes before it were returned, and at
    ///   the end of a file that is not a recording.
    public func next(atLeast count: Int = 1) throws(RecordingError) -> [Fix]? {
        if let damage { throw damage }
        var fixes: [Fix] = []
        while fixes.count < count, !isFinished {
            do {
                try advance(into: &fixes)
                hasFixes = hasFixes || !fixes.isEmpty
            } catch {
                guard !fixes.isEmpty else { throw error }
                damage = error
            }
        }
        return fixes.isEmpty ? nil : fixes
    }

    private func advance(into fixes: inout [Fix]) throws(RecordingError) {
        if let piece {
            self.piece = nil
            return try decoder.feed(piece.span, into: &fixes)
        }
        if let piece = try file.next() { return try decoder.feed(piece.span, into: &fixes) }
        isFinished = true
        try decoder.finish(into: &fixes)
        if let position = badPosition, position.hasComma, !hasFixes, fixes.isEmpty { throw position.error }
        guard let nmea = decoder as? NMEADecoder, nmea.sentences == 0 else { return }
        if let kind { throw RecordingError(kind.words) }
        if nmea.malformed["not-nmea"] > 0 {
            throw RecordingError("this is neither GPX nor NMEA: it contains no NMEA sentence")
        }
    }
}
