import GRDB
import Geodesy
import RPC
import Store
import Tracking

extension TripExport {
    /// The longest piece of a text, in bytes of UTF-8: even where JSON escapes every other byte, it fits a line.
    static let longestPiece = 256 * 1024

    /// Where a piece of the text of some trips begins.
    struct Mark: Equatable {
        /// The section of ``TripText``, and how many segments there are before it.
        var section = 0
        var segments = 0
        /// How many bytes of the section stand before the piece.
        var offset = 0
        /// The trip of the section, by which it is known whether the trips are still the same.
        var trip = ""

        /// Its members with a slash between them, the id at the end.
        var text: String { "\(section)/\(segments)/\(offset)/\(trip)" }

        init() {}

        /// The mark of a text; nil where that is none.
        init?(_ text: String) {
            let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, let section = Int(parts[0]), let segments = Int(parts[1]),
                let offset = Int(parts[2]), min(section, segments, offset) >= 0
            else { return nil }
            (self.section, self.segments, self.offset, trip) = (section, segments, offset, String(parts[3]))
        }

        /// The beginning of a section that is to be written next.
        fileprivate init(_ text: TripText, _ section: Int) {
            self.section = section
            segments = text.segments
            trip = text.trips.indices.contains(section - 1) ? text.trips[section - 1].summary.id : ""
        }
    }

    /// A piece of the text of some trips from a mark on; `next` is that of the following piece.
    ///
    /// A trip is written anew for each piece that begins within it, up to the end of the piece, and nothing is kept
    /// between calls.
    ///
    /// - Complexity: O(*n* + *m*) for *n* bytes of the piece and *m* before it of the same trip.
    /// - Parameter longest: the most bytes of a piece, at least those of one character, 4.
    /// - Throws: 3 where the trips have changed, 4 where the mark is within a character.
    static func piece(
        of trips: [RecordedTrip], as format: Format, tolerance: Distance = .zero, from mark: Mark = Mark(),
        longest: Int = longestPiece, in db: Database
    ) throws -> (text: String, next: Mark?) {
        struct Complete: Error {}
        var text = TripText(of: trips, as: format, from: Source(.view(db), tolerance))
        if mark.section > 0 { text.skip(to: mark.section, after: mark.segments) }
        guard mark.section <= trips.count + 1, Mark(text, mark.section).trip == mark.trip else { throw changed }
        var piece: [UInt8] = []
        var toSkip = mark.offset
        // Where the sections begin that the piece has something of, in bytes from its own beginning.
        var begins: [(mark: Mark, place: Int)] = []
        do {
            while let section = text.next {
                begins.append((Mark(text, section), piece.count - toSkip))
                try text.write(section) { bytes in
                    let skipped = min(bytes.count, toSkip)
                    toSkip -= skipped
                    // One byte more, to know whether another piece follows.
                    piece += bytes.dropFirst(skipped).prefix(longest + 1 - piece.count)
                    if piece.count > longest { throw Complete() }
                }
                guard toSkip == 0 else { throw changed }
            }
        } catch is Complete {}
        guard piece.first.map({ !isContinuation($0) }) ?? true else {
            throw RPCError.invalid("after", "is within a character; it must be the next of a piece before")
        }
        guard piece.count > longest else { return (String(decoding: piece, as: UTF8.self), nil) }
        var end = longest
        while isContinuation(piece[end]) { end -= 1 }
        var next = Mark()
        if let begin = begins.last(where: { $0.place <= end }) {
            next = begin.mark
            next.offset = end - begin.place
        }
        return (String(decoding: piece[..<end], as: UTF8.self), next)
    }

    private static var changed: RPCError {
        RPCError.conflict("The trips have changed since the piece before. Begin anew, without after.")
    }

    /// Whether a byte of UTF-8 goes on with a character (RFC 3629, section 3).
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
