import Accounts
public import EventStream
import Foundation
import Positioning
public import RPC
public import Service
import Store
import TextCoding

/// The methods that upload files in pieces.
public struct UploadMethods: Sendable {
    private let context: ServiceContext
    private let media: Media

    private var uploads: Uploads { media.uploads }

    /// Creates the methods for a daemon's service context and its media files.
    public init(_ context: ServiceContext, _ media: Media) {
        self.context = context
        self.media = media
    }

    /// All methods about uploads.
    public var all: [Method<Principal>] {
        [
            .stored(
                "uploads.begin", "Begins to take a file; one that was begun of the same file goes on.",
                Parameter<Int>.required(
                    "size", .integer(in: 1...Int64(Upload.greatestSize)), "How many bytes it has, 32 MiB at most."),
                Self.digest, Self.name, answers: Self.state, errors: [.conflict, .invalidValue, .unavailable],
                right: .contribute, handler: begin),
            .stored(
                "uploads.append", "Takes the next piece of a file; error 3 says in its data where that begins.",
                Self.upload,
                Parameter<Int>.required(
                    "offset", .integer(in: 0...Int64(Upload.greatestSize)), "Where the piece begins."),
                Self.data, answers: Self.state, errors: [.notFound, .conflict, .invalidValue, .unavailable],
                right: .contribute
            ) { call, id, offset, bytes in
                try await uploads.append(bytes, to: id, at: offset, by: call.caller.person)
            },
            .stored(
                "uploads.finish", "Checks a file that has come, to be used within an hour.", Self.upload,
                answers: Self.state, errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .contribute
            ) { call, id in try await uploads.finish(id, by: call.caller.person) },
            .stored(
                "uploads.cancel", "Forgets a file that was begun or has come and is not used.", Self.upload,
                answers: .object { Member("upload", .text, "Its id.") { $0 } }, errors: [.notFound],
                right: .contribute
            ) { call, id in
                try await uploads.cancel(id, by: call.caller.person)
                return id
            },
        ]
    }

    /// The parameter `upload`.
    package static let upload = Parameter<String>.required(
        "upload", .string(length: 1...64), "The upload, as uploads.begin names it.")

    private static let digest = Parameter<String>.required(
        "sha256", .string(length: 64...64), "Its SHA-256, in hexadecimal digits."
    ).map { digest throws(Refusal) in
        guard digest.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            throw Refusal.invalid("sha256", "must be 64 hexadecimal digits")
        }
        return digest.lowercased()
    }

    private static let name = Parameter<String?>.optional(
        "name", .string(length: 1...Upload.longestName), "What its uploader calls it."
    ).map { given throws(Refusal) in
        guard let given else { return String?.none }
        guard given.utf8.count <= Upload.longestName else {
            throw Refusal.invalid("name", "must have at most \(Upload.longestName) bytes")
        }
        guard !given.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Refusal.invalid("name", "must be without control characters")
        }
        return given
    }

    private static let data = Parameter<String>.required(
        "data", .string(length: 4...(Upload.longestPiece + 2) / 3 * 4), "The bytes in base64, 512 KiB of them at most."
    ).map { text throws(Refusal) in
        guard let bytes = Data(base64Encoded: text), !bytes.isEmpty else {
            throw Refusal.invalid("data", "must be base64")
        }
        return bytes
    }

    private static let state = Shape<Upload>.object {
        Member("upload", .text, "What it is known by.") { $0.id }
        Member("offset", .integer, "Where its next piece begins.") { $0.length }
        Member("size", .integer, "How many bytes it will have.") { $0.size }
        Member("piece", .integer, "How many bytes a piece may have at most.") { _ in Upload.longestPiece }
        Member("expires", .time, "When it will be forgotten if nothing more comes.") {
            $0.touched.advanced(byMilliseconds: Upload.patience)
        }
    }

    @Sendable private func begin(
        _ call: Call<Principal>, size: Int, digest: String, name: String?
    ) async throws -> Upload {
        let viewer = call.viewer
        let room = try await context.store.read { [settings = media.settings] db in
            try Budget.room(for: digest, by: viewer, of: settings, in: db)
        }
        return try await uploads.begin(size: size, digest: digest, name: name, by: viewer.person, room: room)
    }
}
