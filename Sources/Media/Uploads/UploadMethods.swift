import Accounts
public import EventStream
import Foundation
import Positioning
public import RPC
public import Service
import Store
import TextCoding

/// The methods by which files come, piece by piece.
public struct UploadMethods: Sendable {
    private let context: ServiceContext
    private let media: Media

    private var uploads: Uploads { media.uploads }

    /// The methods over a store and the files beside it.
    public init(_ context: ServiceContext, _ media: Media) {
        self.context = context
        self.media = media
    }

    /// The methods.
    public var all: [Method<Principal>] {
        [
            .stored(
                "uploads.begin", "Begins to take a file; one that was begun of the same file goes on.",
                parameters: [
                    .required(
                        "size", .integer(in: 1...Int64(Upload.greatestSize)), "How many bytes it has, 32 MiB at most."),
                    .required("sha256", .string(length: 64...64), "Its SHA-256, in hexadecimal digits."),
                    .optional("name", .string(length: 1...Upload.longestName), "What its uploader calls it."),
                ],
                result: Self.state, errors: [.conflict, .invalidValue, .unavailable], right: .contribute,
                handler: begin),
            .stored(
                "uploads.append", "Takes the next piece of a file; error 3 says in its data where that begins.",
                parameters: [
                    Self.upload,
                    .required("offset", .integer(in: 0...Int64(Upload.greatestSize)), "Where the piece begins."),
                    .required(
                        "data", .string(length: 4...(Upload.longestPiece + 2) / 3 * 4),
                        "The bytes in base64, 512 KiB of them at most."),
                ],
                result: Self.state, errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .contribute,
                handler: append),
            .stored(
                "uploads.finish", "Checks a file that has come, to be used within an hour.", parameters: [Self.upload],
                result: Self.state, errors: [.notFound, .conflict, .invalidValue, .unavailable], right: .contribute,
                handler: finish),
            .stored(
                "uploads.cancel", "Forgets a file that was begun or has come and is not used.",
                parameters: [Self.upload], result: .object([.required("upload", .string, "Its id.")]),
                errors: [.notFound], right: .contribute, handler: cancel),
        ]
    }

    /// The parameter `upload`.
    package static let upload = Field.required(
        "upload", .string(length: 1...64), "The upload, as uploads.begin names it.")

    private static let state = Schema.object([
        .required("upload", .string, "What it is known by."),
        .required("offset", .integer, "Where its next piece begins."),
        .required("size", .integer, "How many bytes it will have."),
        .required("piece", .integer, "How many bytes a piece may have at most."),
        .required("expires", Schema.time, "When it will be forgotten if nothing more comes."),
    ])

    @Sendable private func begin(_ call: Call<Principal>) async throws -> JSONText {
        let digest: String = try call.value("sha256")
        guard digest.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            throw RPCError.invalid("sha256", "must be 64 hexadecimal digits")
        }
        let (file, viewer) = (digest.lowercased(), call.viewer)
        let room = try await context.store.read { [settings = media.settings] db in
            try Budget.room(for: file, by: viewer, of: settings, in: db)
        }
        return Self.text(
            try await uploads.begin(
                size: call.value("size"), digest: file, name: Self.name(call), by: viewer.person, room: room))
    }

    @Sendable private func append(_ call: Call<Principal>) async throws -> JSONText {
        let text: String = try call.value("data")
        guard let bytes = Data(base64Encoded: text), !bytes.isEmpty else {
            throw RPCError.invalid("data", "must be base64")
        }
        return Self.text(
            try await uploads.append(
                bytes, to: call.value("upload"), at: call.value("offset"), by: call.caller.person))
    }

    @Sendable private func finish(_ call: Call<Principal>) async throws -> JSONText {
        Self.text(try await uploads.finish(call.value("upload"), by: call.caller.person))
    }

    @Sendable private func cancel(_ call: Call<Principal>) async throws -> JSONText {
        let id: String = try call.value("upload")
        try await uploads.cancel(id, by: call.caller.person)
        return .object { $0.member("upload", id) }
    }

    private static func name(_ call: Call<Principal>) throws -> String? {
        guard let given: String = try call.optional("name") else { return nil }
        guard given.utf8.count <= Upload.longestName else {
            throw RPCError.invalid("name", "must have at most \(Upload.longestName) bytes")
        }
        guard !given.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw RPCError.invalid("name", "must be without control characters")
        }
        return given
    }

    private static func text(_ upload: Upload) -> JSONText {
        .object { json in
            json.member("upload", upload.id)
            json.member("offset", upload.length)
            json.member("size", upload.size)
            json.member("piece", Upload.longestPiece)
            json.member("expires", upload.touched.advanced(byMilliseconds: Upload.patience).description)
        }
    }
}
