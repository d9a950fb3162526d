import Foundation
import Geodesy
import Positioning

/// A picture as its file describes it.
///
/// The file's name does not matter.
package struct Picture: Hashable, Sendable {
    /// The kinds of files that are accepted.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case jpeg, png, webp, heic

        /// The media type (MIME type).
        package var mediaType: String { "image/\(rawValue)" }
    }

    /// The kind of the file.
    package var kind: Kind
    /// The width in pixels, after rotation for display.
    package var width: Int
    /// The height in pixels, after rotation for display.
    package var height: Int
    /// The metadata of the camera.
    package var exif: Exif
    /// The copy that other people get, or `nil` if it cannot be assembled from the file and the picture must be drawn
    /// again.
    package var copy: PictureCopy?

    /// The maximum number of pixels.
    ///
    /// More would take a small machine's memory when the picture is displayed.
    package static let maximumPixels = 100_000_000
    /// The maximum length of a side, in pixels.
    ///
    /// No camera or phone makes pictures with longer sides.
    static let longestSide = 30_000

    /// The reason why a file is not accepted, as a clause.
    package struct Flaw: Error, Hashable, Sendable {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }

        package static func damaged(_ kind: Kind) -> Flaw { Flaw("is a damaged \(kind.rawValue.uppercased()) file") }
    }

    /// Reads a file, whose kind is recognised by its content.
    ///
    /// - Throws: ``Flaw`` if the file contains no picture of a kind that is accepted, or if the picture is damaged or
    ///   too large.
    /// - Complexity: O(*n*) for a JPEG file of *n* bytes. For the other kinds, O(*n*) for *n* chunks or boxes.
    package init(_ bytes: PictureBytes) throws(Flaw) {
        if bytes.has([0xFF, 0xD8, 0xFF], at: 0) {
            try self.init(jpeg: bytes)
        } else if bytes.has(Self.pngSignature, at: 0) {
            try self.init(png: bytes)
        } else if bytes.has("RIFF".utf8, at: 0), bytes.has("WEBP".utf8, at: 8) {
            try self.init(webp: bytes)
        } else if bytes.has("ftyp".utf8, at: 4) {
            try self.init(heic: bytes)
        } else {
            throw Flaw("is not a picture; JPEG, PNG, WebP and HEIC are accepted")
        }
    }

    /// Creates a picture from the size that its file stores.
    ///
    /// - Parameter isTurned: Whether the picture must be rotated by a quarter turn for display; by default, the Exif
    ///   orientation decides.
    /// - Throws: ``Flaw`` if the size is zero or too large.
    package init(
        _ kind: Kind, width: Int, height: Int, exif: Exif, isTurned: Bool? = nil, copy: PictureCopy?
    ) throws(Flaw) {
        guard width > 0, height > 0 else { throw .damaged(kind) }
        // The limit on the sides comes first, so the product cannot overflow.
        guard max(width, height) <= Self.longestSide, width * height <= Self.maximumPixels else {
            throw Flaw(
                "has \(width) × \(height) pixels; the maximum is \(Self.maximumPixels / 1_000_000) million, and "
                    + "\(Self.longestSide) on each side")
        }
        let isTurned = isTurned ?? (exif.orientation > 4)
        self.kind = kind
        self.width = isTurned ? height : width
        self.height = isTurned ? width : height
        self.exif = exif
        self.copy = copy.flatMap { $0.pieces.count <= PictureCopy.maximumPieces ? $0 : nil }
    }
}
