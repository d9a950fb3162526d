import Foundation
package import Geodesy
package import Time

/// The result of reading bytes that may be a picture, for checks from outside this module such as fuzzing.
package struct PictureReport: Hashable, Sendable {
    package let kind: String
    package let width: Int
    package let height: Int
    package let taken: Timestamp?
    package let place: Coordinate?
    /// The copy that other people get, or `nil` if the picture must be drawn again.
    package let copy: [UInt8]?

    /// Reads bytes like an upload, or returns `nil` if they are not a picture that is accepted.
    package init?(_ bytes: [UInt8]) {
        guard let picture = try? Picture(PictureBytes(Data(bytes))) else { return nil }
        kind = picture.kind.rawValue
        width = picture.width
        height = picture.height
        taken = picture.exif.taken
        place = picture.exif.place
        copy = picture.copy?.bytes(of: bytes)
    }

    /// Whether the copy can be stored and read back without change, has no metadata, and is equal to its own copy.
    var isSound: Bool {
        guard let copy else { return true }
        guard let again = try? Picture(PictureBytes(Data(copy))), let parts = again.copy else { return false }
        let stored = PictureCopy(encoded: Data(parts.encoded), of: copy.count)
        return again.exif.place == nil && again.exif.taken == nil && stored == parts && parts.bytes(of: copy) == copy
    }
}
