import Callers
import Foundation
import RPC
import Service
import Store
import TextCoding

/// The methods that let an administrator fetch a copy of the store without access to its file.
///
/// The copy contains what nobody else may see, including password hashes. Therefore only a user of the machine can call
/// the methods, and a browser cannot.
struct BackupMethods: Sendable {
    private let copies: BackupCopies

    /// The maximum number of bytes in one piece.
    static let longestPiece = 512 << 10

    /// Creates the methods.
    init(_ copies: BackupCopies) { self.copies = copies }

    /// All methods about backups.
    var all: [Method<Principal>] {
        [
            .stored(
                "backup.begin",
                """
                Makes a copy of the store in its present state, for backup.read to fetch in pieces; it contains \
                everything that people have entered.
                """,
                answers: .object {
                    Member("backup", .text, "The copy's id.") { $0.id }
                    Member("size", .integer, "The size of the copy in bytes.") { $0.size }
                }, errors: [.conflict, .unavailable], right: .change, handler: begin),
            .stored(
                "backup.read",
                "Returns a piece of a copy, or of one of its photos. A copy that is not read for a minute is deleted.",
                Self.backup,
                Parameter<String?>.optional(
                    "photo", .string(length: 64...64), "The SHA-256 of a photo to read in place of the store."),
                Parameter<Int>.optional(
                    "offset", .integer(in: 0...Int64(1) << 50), default: 0,
                    "The offset of the piece: 0, or the `next` of the previous piece."),
                answers: .object {
                    Member("data", .text, "The piece in Base64.") { Data($0.bytes).base64EncodedString() }
                    Member.optional("next", .integer, "The offset of the next piece; absent for the last one.") {
                        $0.next
                    }
                }, errors: [.notFound, .invalidValue, .unavailable], right: .change, handler: read),
            .stored(
                "backup.end", "Deletes a copy.", Self.backup,
                answers: .object { Member("backup", .text, "The id of the deleted copy.") { $0 } }, errors: [.notFound],
                right: .change, handler: end),
        ]
    }

    private static let backup = Parameter<String>.required(
        "backup", .string(length: 1...64), "The copy's id, as returned by backup.begin.")

    /// A piece of a file.
    private struct Piece: Sendable {
        var bytes: [UInt8]
        /// The offset of the next piece, or `nil` if this is the last one.
        var next: Int?
    }

    @Sendable private func begin(_ call: Call<Principal>) async throws -> BackupCopies.Copy {
        _ = try call.user()
        return try await copies.begin()
    }

    @Sendable private func read(
        _ call: Call<Principal>, id: String, photo: String?, offset: Int
    ) async throws -> Piece {
        _ = try call.user()
        let copy = try await copies.copy(id)
        let (name, size) = try photo.map { ($0, try bytes(ofPhoto: $0)) } ?? (copy.name, copy.size)
        guard offset < size else { throw Refusal.invalid("offset", "must be below \(size), the number of bytes") }
        let end = min(offset + Self.longestPiece, size)
        do {
            let bytes = try copies.folder.read(name, size: size, offset..<end)
            return Piece(bytes: bytes, next: end < size ? end : nil)
        } catch {
            throw Refusal.unavailable("\(photo.map { "The photo \($0)" } ?? "The copy") \(error).")
        }
    }

    @Sendable private func end(_ call: Call<Principal>, id: String) async throws -> String {
        _ = try call.user()
        try await copies.end(id)
        return id
    }

    /// Returns the size of a photo's file, in bytes.
    private func bytes(ofPhoto digest: String) throws -> Int {
        guard PhotoFiles.isDigest(digest), let status = try copies.folder.status(of: digest) else {
            throw Refusal.notFound("There is no photo \(digest).")
        }
        return status.size
    }
}
