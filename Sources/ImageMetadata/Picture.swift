import Foundation
import Geodesy
import Positioning

/// What a file says of the picture in it; what it is called does not count.
package struct Picture: Hashable, Sendable {
    /// The kinds that are taken.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case jpeg, png, webp, heic

        /// What it is called on the net.
        package var mediaType: String { "image/\(rawValue)" }
    }

    /// What kind of file it is in.
    package var kind: Kind
    /// How wide it is as it is to be shown, in pixels.
    package var width: Int
    /// How high it is as it is to be shown, in pixels.
    package var height: Int
    /// What the camera has noted.
    package var exif: Exif
    /// What others get of it; nil where that is not known from its bytes alone, so that it must be drawn anew.
    package var copy: PictureCopy?

    /// The most pixels: more would take a small machine's memory when it is shown.
    package static let mostPixels = 100_000_000
    /// The longest side in pixels: none that a camera or telephone puts together is longer.
    static let longestSide = 30_000

    /// Why a file is not taken, as a clause.
    package struct Flaw: Error, Hashable, Sendable {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }

        package static func damaged(_ kind: Kind) -> Flaw { Flaw("is a damaged \(kind.rawValue.uppercased()) file") }
    }

    /// Reads a file by what is in it.
    ///
    /// - Throws: ``Flaw`` where it holds no picture of a kind that is taken, or a damaged or too large one.
    /// - Complexity: O(*n*) for a JPEG of *n* bytes; for the others, the number of their parts.
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
            throw Flaw("is no picture; JPEG, PNG, WebP and HEIC are taken")
        }
    }

    /// A picture as it stands in its file, before it is turned.
    ///
    /// - Parameter isTurned: whether it is to be shown lying where it is stored standing; by the camera's notes if left
    ///   out.
    package init(
        _ kind: Kind, width: Int, height: Int, exif: Exif, isTurned: Bool? = nil, copy: PictureCopy?
    ) throws(Flaw) {
        guard width > 0, height > 0 else { throw .damaged(kind) }
        // Neither side is longer than 32 bits say.
        guard max(width, height) <= Self.longestSide, width * height <= Self.mostPixels else {
            throw Flaw(
                "has \(width) × \(height) pixels; at most \(Self.mostPixels / 1_000_000) million are taken, and "
                    + "\(Self.longestSide) a side")
        }
        let isTurned = isTurned ?? (exif.orientation > 4)
        self.kind = kind
        self.width = isTurned ? height : width
        self.height = isTurned ? width : height
        self.exif = exif
        self.copy = copy.flatMap { $0.pieces.count <= PictureCopy.mostPieces ? $0 : nil }
    }
}
