import Foundation
package import Geodesy
package import Positioning

/// What is known of some bytes that may be a picture, for checks from outside this module such as fuzzers.
package struct PictureReport: Hashable, Sendable {
    package let kind: String
    package let width: Int
    package let height: Int
    package let taken: Timestamp?
    package let place: Coordinate?
    /// What others get of it; nil where that must be drawn anew.
    package let copy: [UInt8]?

    /// Reads some bytes as an upload is read; nil where they are no picture that is taken.
    package init?(_ bytes: [UInt8]) {
        guard let picture = try? Picture(PictureBytes(Data(bytes))) else { return nil }
        kind = picture.kind.rawValue
        width = picture.width
        height = picture.height
        taken = picture.exif.taken
        place = picture.exif.place
        copy = picture.copy?.bytes(of: bytes)
    }

    /// Whether a copy is stored and read back as it was made, and nothing more goes of it when it is copied again.
    var isSound: Bool {
        guard let copy else { return true }
        guard let again = try? Picture(PictureBytes(Data(copy))), let parts = again.copy else { return false }
        let stored = PictureCopy(encoded: Data(parts.encoded), of: copy.count)
        return again.exif.place == nil && again.exif.taken == nil && stored == parts && parts.bytes(of: copy) == copy
    }
}
