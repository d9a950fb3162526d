import EventStream
import Foundation
import RPC
import Service
import TextCoding

/// The methods by which an administrator who cannot read the store's file fetches a copy of it.
struct BackupMethods: Sendable {
    private let copies: BackupCopies

    /// How many bytes of a file are given at once.
    static let longestPiece = 512 << 10

    /// The methods over the one that makes copies.
    init(_ copies: BackupCopies) { self.copies = copies }

    /// The methods.
    var all: [Method<Principal>] {
        [
            .stored(
                "backup.begin",
                "Makes a copy of the store as it is at this moment, to be fetched piece by piece; all that people have entered is in it.",
                result: .object([
                    .required("backup", .string, "What the copy is known by."),
                    .required("size", .integer, "How many bytes it has."),
                ]),
                errors: [.conflict, .unavailable], right: .change
            ) { _ in
                let copy = try await copies.begin()
                return .object { json in
                    json.member("backup", copy.id)
                    json.member("size", copy.size)
                }
            },
            .stored(
                "backup.read",
                "A piece of a copy, or of a photo that it shows. A copy that is not read for a minute is gone.",
                parameters: [
                    Self.backup,
                    .optional(
                        "photo", .string(length: 64...64), "The SHA-256 of a photo, to be read instead of the store."),
                    .optional(
                        "offset", .integer(in: 0...Int64(1) << 50),
                        "Where the piece begins: 0, or the `next` of the piece before."),
                ],
                result: .object([
                    .required("data", .string, "The piece in base64."),
                    .optional("next", .integer, "Where the next piece begins; left out where this is the last."),
                ]),
                errors: [.notFound, .invalidValue, .unavailable], right: .change, handler: read),
            .stored(
                "backup.end", "Forgets a copy.", parameters: [Self.backup],
                result: .object([.required("backup", .string, "What it was known by.")]), errors: [.notFound],
                right: .change
            ) { call in
                let id: String = try call.value("backup")
                try await copies.end(id)
                return .object { $0.member("backup", id) }
            },
        ]
    }

    private static let backup = Field.required(
        "backup", .string(length: 1...64), "The copy, as backup.begin names it.")

    @Sendable private func read(_ call: Call<Principal>) async throws -> JSONText {
        let copy = try await copies.copy(call.value("backup"))
        let offset: Int = try call.optional("offset") ?? 0
        let photo: String? = try call.optional("photo")
        let (name, size) = try photo.map { ($0, try bytes(ofPhoto: $0)) } ?? (copy.name, copy.size)
        guard offset < size else { throw RPCError.invalid("offset", "must be below \(size), the number of bytes") }
        let end = min(offset + Self.longestPiece, size)
        do {
            let bytes = try copies.folder.read(name, size: size, offset..<end)
            return .object { json in
                json.member("data", Data(bytes).base64EncodedString())
                if end < size { json.member("next", end) }
            }
        } catch {
            throw RPCError.unavailable("\(photo.map { "The photo \($0)" } ?? "The copy") \(error).")
        }
    }

    /// How many bytes the file of a photo has.
    private func bytes(ofPhoto digest: String) throws -> Int {
        guard PhotoFiles.isDigest(digest), let status = try copies.folder.status(of: digest) else {
            throw RPCError.notFound("There is no photo \(digest).")
        }
        return status.size
    }
}
