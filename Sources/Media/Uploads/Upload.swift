import Crypto
public import Foundation
import Positioning
import Service

/// A file that comes piece by piece.
package struct Upload: Sendable {
    /// What it is known by, random: one of before a restart is not taken for another.
    package let id: String
    /// Whose it is: a person's id, nil for an administrator.
    let uploader: String?
    /// How many bytes it will have.
    package internal(set) var size: Int
    /// The SHA-256 it will have, 64 hexadecimal digits.
    package internal(set) var digest: String
    /// What the uploader calls it.
    package let name: String?
    /// How much has come.
    var length = 0
    /// When something last came.
    var touched: Timestamp
    /// The digest of what has come.
    var hash = SHA256()
    /// Whether it has come as it was to.
    var isFinished = false

    /// The most bytes: a photo of 50 megapixels hardly has more.
    package static let greatestSize = 32 << 20
    /// The most bytes in a piece: in base64 it takes two thirds of a line.
    static let longestPiece = 512 << 10
    /// The longest name in bytes: what a file system allows.
    package static let longestName = 255
    /// So many a person may have begun and not used: a few in one go.
    static let mostOfOne = 4
    /// So many may be begun and not used in all: a gibibyte at most.
    package static let most = 32
    /// What nobody goes on with is forgotten after an hour, in milliseconds.
    static let patience: Int64 = 3_600_000

    /// Its file in the state folder.
    package var file: String { "\(Uploads.folder)/\(id)" }
}

/// A file that is to be uploaded, for who calls the methods.
public struct UploadFile: Sendable {
    private let data: Data

    /// A file of these bytes.
    public init(_ data: Data) { self.data = data }

    /// The most bytes that are taken.
    public static let greatestSize = Upload.greatestSize

    /// Its SHA-256, 64 hexadecimal digits.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    public var digest: String { SHA256.hash(data: data).hexadecimal }

    /// How many bytes it has.
    public var size: Int { data.count }

    /// The piece that begins at an offset, in base64; empty at the end.
    public func piece(from offset: Int) -> (text: String, count: Int) {
        let piece = data.dropFirst(offset).prefix(Upload.longestPiece)
        return (Data(piece).base64EncodedString(), piece.count)
    }
}
