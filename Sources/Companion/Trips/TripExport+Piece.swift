import GRDB
import Geodesy
import RPC
import Store

extension TripExport {
    /// The longest piece of a text, in bytes of UTF-8: even where JSON escapes every other byte, it fits a line.
    static let longestPiece = 256 * 1024

    /// A piece of the text of some trips, from an offset in bytes; `next` is where the following piece begins.
    ///
    /// The text is written anew for each piece, up to its end, so that nothing is kept between calls.
    ///
    /// - Complexity: O(*n*) for *n* bytes before the end of the piece.
    /// - Parameter longest: the most bytes of a piece, at least those of one character, 4.
    /// - Throws: 3 where the text is shorter than the offset, 4 where that is within a character.
    static func piece(
        of trips: [RecordedTrip], as format: Format, tolerance: Distance = .zero, from offset: Int,
        longest: Int = longestPiece, in db: Database
    ) throws -> (text: String, next: Int?) {
        struct Complete: Error {}
        var length = 0
        var piece: [UInt8] = []
        do {
            try write(trips, as: format, from: Source(.view(db), tolerance)) { bytes in
                let skipped = min(bytes.count, max(0, offset - length))
                length += bytes.count
                // One byte more, to know whether another piece follows.
                piece += bytes.dropFirst(skipped).prefix(longest + 1 - piece.count)
                if piece.count > longest { throw Complete() }
            }
        } catch is Complete {}
        guard length >= offset else {
            throw RPCError.conflict("The text has only \(length) bytes: the trips have changed. Begin anew at 0.")
        }
        guard piece.first.map({ !isContinuation($0) }) ?? true else {
            throw RPCError.invalid("offset", "is within a character; it must be the next of a piece before")
        }
        guard piece.count > longest else { return (String(decoding: piece, as: UTF8.self), nil) }
        var end = longest
        while isContinuation(piece[end]) { end -= 1 }
        return (String(decoding: piece[..<end], as: UTF8.self), offset + end)
    }

    /// Whether a byte of UTF-8 goes on with a character (RFC 3629, section 3).
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
