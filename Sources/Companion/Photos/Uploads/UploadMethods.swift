public import Callers
import Foundation
import People
public import RPC
public import Service
import Store
import TextCoding
import Time

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
                "uploads.begin", "Begins the upload of a file, or resumes one of the same file.",
                Parameter<Int>.required(
                    "size", .integer(in: 1...Int64(Upload.greatestSize)), "The size in bytes, at most 32 MiB."),
                Self.digest, Self.name, answers: Self.state, errors: [.conflict, .invalidValue, .unavailable],
                right: .contribute, handler: begin),
            .stored(
                "uploads.append",
                "Appends the next piece of a file; the data of error 3 has the offset at which it begins.",
                Self.upload,
                Parameter<Int>.required(
                    "offset", .integer(in: 0...Int64(Upload.greatestSize)), "The offset of the piece."),
                Self.data, answers: Self.state, errors: [.notFound, .conflict, .invalidValue, .unavailable],
                right: .contribute
            ) { call, id, offset, bytes in
                try await uploads.append(bytes, to: id, at: offset, by: call.caller.person)
            },
            .stored(
                "uploads.finish", "Completes an upload and checks the file, which must then be used within an hour.",
                Self.upload,
                answers: Self.state, errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .contribute
            ) { call, id in try await uploads.finish(id, by: call.caller.person) },
            .stored(
                "uploads.cancel", "Deletes an upload, complete or not, that is not used yet.", Self.upload,
                answers: .object { Member("upload", .text, "The upload's id.") { $0 } }, errors: [.notFound],
                right: .contribute
            ) { call, id in
                try await uploads.cancel(id, by: call.caller.person)
                return id
            },
        ]
    }

    /// The parameter `upload`.
    package static let upload = Parameter<String>.required(
        "upload", .string(length: 1...64), "The upload's id, as returned by uploads.begin.")

    private static let digest = Parameter<String>.required(
        "sha256", .string(length: 64...64), "The SHA-256 of the file, in hexadecimal digits."
    ).map { digest throws(Refusal) in
        guard digest.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            throw Refusal.invalid("sha256", "must be 64 hexadecimal digits")
        }
        return digest.lowercased()
    }

    private static let name = Parameter<String?>.optional(
        "name", .string(length: 1...Upload.longestName), "The name of the file."
    ).map { given throws(Refusal) in
        guard let given else { return String?.none }
        guard given.utf8.count <= Upload.longestName else {
            throw Refusal.invalid("name", "must have at most \(Upload.longestName) bytes")
        }
        guard !given.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Refusal.invalid("name", "must not have control characters")
        }
        return given
    }

    private static let data = Parameter<String>.required(
        "data", .string(length: 4...(Upload.longestPiece + 2) / 3 * 4),
        "The bytes in Base64, at most 512 KiB before encoding."
    ).map { text throws(Refusal) in
        guard let bytes = Data(base64Encoded: text), !bytes.isEmpty else {
            throw Refusal.invalid("data", "must be Base64")
        }
        return bytes
    }

    private static let state = AnswerShape<Upload>.object {
        Member("upload", .text, "The upload's id.") { $0.id }
        Member("offset", .integer, "The offset of the next piece.") { $0.length }
        Member("size", .integer, "The size of the complete file in bytes.") { $0.size }
        Member("piece", .integer, "The maximum number of bytes in a piece.") { _ in Upload.longestPiece }
        Member("expires", .time, "The time at which the upload is deleted unless another piece arrives.") {
            $0.touched.advanced(byMilliseconds: Upload.idleTimeout)
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
