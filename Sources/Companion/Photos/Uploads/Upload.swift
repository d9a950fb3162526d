import Crypto
public import Foundation
import Service
import Time

/// A file that is uploaded in pieces.
package struct Upload: Sendable {
    /// The random id, which therefore never matches an upload from before a restart.
    package let id: String
    /// The id of the person who uploads the file, or `nil` for an administrator.
    let uploader: String?
    /// The announced size, in bytes.
    package internal(set) var size: Int
    /// The announced SHA-256, as 64 hexadecimal digits.
    package internal(set) var digest: String
    /// The uploader's name for the file.
    package let name: String?
    /// The number of bytes received so far.
    var length = 0
    /// When the last piece arrived, or when the upload began.
    var touched: Timestamp
    /// The running digest of the bytes received so far.
    var hash = SHA256()
    /// Whether all bytes have arrived and match the announced digest.
    var isFinished = false

    /// The maximum size, in bytes: more than most photos of 50 megapixels.
    package static let greatestSize = 32 << 20
    /// The maximum number of bytes in a piece.
    ///
    /// In Base64, it takes two thirds of a line.
    static let longestPiece = 512 << 10
    /// The maximum length of a name, in bytes, as file systems have it.
    package static let longestName = 255
    /// The maximum number of unused uploads of one person, enough for a few files in parallel.
    static let maximumPerPerson = 4
    /// The maximum number of unused uploads of all people, which take at most 1 GiB.
    package static let maximumCount = 32
    /// The time after which an abandoned upload is deleted, in milliseconds: an hour.
    static let idleTimeout: Int64 = 3_600_000

    /// The path of the file within the state folder.
    package var file: String { "\(Uploads.folder)/\(id)" }
}

/// A file to upload, for clients that call the methods.
public struct UploadFile: Sendable {
    private let data: Data

    /// Creates a file with these bytes.
    public init(_ data: Data) { self.data = data }

    /// The maximum size that the daemon accepts, in bytes.
    public static let greatestSize = Upload.greatestSize

    /// The SHA-256 of the file, as 64 hexadecimal digits.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    public var digest: String { SHA256.hash(data: data).hexadecimal }

    /// The size of the file, in bytes.
    public var size: Int { data.count }

    /// Returns the piece at an offset in Base64, and the number of its bytes.
    ///
    /// The text is empty at the end of the file.
    public func piece(from offset: Int) -> (text: String, count: Int) {
        let piece = data.dropFirst(offset).prefix(Upload.longestPiece)
        return (Data(piece).base64EncodedString(), piece.count)
    }
}
