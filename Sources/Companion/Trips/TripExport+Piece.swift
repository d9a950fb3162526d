package import GRDB
package import Geodesy
package import RPC
import Service
package import Store
import Tracking

extension TripExport {
    /// The longest piece of a text, in bytes of UTF-8.
    ///
    /// It fits in a line even if JSON escapes every other byte.
    static let longestPiece = 256 * 1024

    /// The position at which a piece of an export begins.
    package struct Mark: CursorKey, Equatable {
        /// The section of ``TripText``.
        var section = 0
        /// The number of segments before the section.
        package var segments = 0
        /// The number of bytes of the section before the piece.
        var offset = 0
        /// The id of the section's trip, which reveals whether the trips have changed; empty for the head and tail.
        package var trip = ""

        package init() {}

        /// The name of the list of pieces in cursors.
        package static let list = "trips.export"
        /// The largest number of segments: far more than the points of the longest trips make, and too few to overflow
        /// when counting on.
        private static let maximumSegments = 1_000_000_000
        /// The longest section in bytes: far more than the points of the longest trip make.
        private static let longestSection = 1 << 40

        package var values: [JSONValue] {
            [.integer(Int64(section)), .integer(Int64(segments)), .integer(Int64(offset)), .string(trip)]
        }

        package init?(_ values: [JSONValue]) {
            guard values.count == 4, let section = Int(json: values[0]), let segments = Int(json: values[1]),
                let offset = Int(json: values[2]), let trip = String(json: values[3]),
                (0...TripMethods.largestExport + 1).contains(section), (0...Self.maximumSegments).contains(segments),
                (0...Self.longestSection).contains(offset)
            else { return nil }
            (self.section, self.segments, self.offset, self.trip) = (section, segments, offset, trip)
        }

        /// Creates the mark of the beginning of a section, which is to be written next.
        fileprivate init(_ text: TripText, _ section: Int) {
            self.section = section
            segments = text.segments
            trip = text.trips.indices.contains(section - 1) ? text.trips[section - 1].summary.id : ""
        }
    }

    /// Returns the piece of an export that begins at a mark, and the mark of the next piece; `nil` if this is the last.
    ///
    /// No state is kept between calls. If a piece begins within a trip, the trip is written again from its beginning to
    /// the end of the piece.
    ///
    /// - Complexity: O(*n* + *m*) for *n* bytes of the piece and *m* before it of the same trip.
    /// - Parameter longest: The maximum length of a piece in bytes, at least that of one character, 4.
    /// - Throws: `Refusal.conflict` if the trips have changed, `Refusal.invalid` if the mark is within a character.
    package static func piece(
        of trips: [RecordedTrip], as format: Format, tolerance: Distance = .zero, from mark: Mark = Mark(),
        longest: Int = longestPiece, in db: Database
    ) throws -> (text: String, next: Mark?) {
        struct Complete: Error {}
        var text = TripText(of: trips, as: format, from: Source(.view(db), tolerance))
        if mark.section > 0 { text.skip(to: mark.section, after: mark.segments) }
        guard mark.section <= trips.count + 1, Mark(text, mark.section).trip == mark.trip else { throw changed }
        var piece: [UInt8] = []
        var toSkip = mark.offset
        // The sections that overlap the piece, with the offset of each in bytes from the beginning of the piece.
        var begins: [(mark: Mark, place: Int)] = []
        do {
            while let section = text.next {
                begins.append((Mark(text, section), piece.count - toSkip))
                try text.write(section) { bytes in
                    let skipped = min(bytes.count, toSkip)
                    toSkip -= skipped
                    // One byte more than a piece holds, to learn whether another piece follows.
                    piece += bytes.dropFirst(skipped).prefix(longest + 1 - piece.count)
                    if piece.count > longest { throw Complete() }
                }
                guard toSkip == 0 else { throw changed }
            }
        } catch is Complete {}
        guard piece.first.map({ !isContinuation($0) }) ?? true else {
            throw Refusal.invalid(
                "after", "must be the next of an earlier piece; it points into the middle of a character")
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

    private static var changed: Refusal {
        Refusal.conflict("The trips have changed since the previous piece. Start again, without after.")
    }

    /// Returns whether a byte continues a character of UTF-8 (RFC 3629, section 3).
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
