import Callers
import Foundation
package import GRDB
import ImageMetadata
import People
import RPC
package import Service
import Store
import Synchronization

extension PhotoMethods {
    /// The route of the picture files.
    ///
    /// It serves `photos/ID` and `photos/ID/square`, and receives new photos at `photos`.
    var route: FileRoute {
        var route = FileRoute("photos")
        route.find = { request in
            let viewer = request.call.viewer
            return try await download(request.rest, for: viewer) { id, db in
                try find(id, for: viewer, nil, in: db).photo
            }
        }
        route.receive = { request in try await PhotoReceiver(self, request) }
        return route
    }

    /// Returns the download of a photo's file for a viewer.
    ///
    /// - Parameters:
    ///   - parts: The rest of the path: `ID`, or `ID/square` for the thumbnail.
    ///   - find: Returns the photo with an id, or throws `Refusal` (`.notFound`) if there is none that the viewer may
    ///     see. Each piece of the file calls it again.
    ///
    /// The first piece is read at once. A file that is no longer than that is sent as a whole, even if somebody removes
    /// the photo meanwhile; the sending of a longer file then breaks off.
    package func download(
        _ parts: [String], for viewer: Viewer,
        find: @escaping @Sendable (_ id: String, _ db: Database) throws -> Photo
    ) async throws -> Download {
        guard let id = parts.first, parts.count == 1 || parts.dropFirst() == ["square"] else {
            throw Refusal.notFound("There is no such photo.")
        }
        let size = parts.count == 1 ? Size.whole : .square
        @Sendable func piece(from offset: Int) async throws -> Piece {
            try await read(size, from: offset, for: viewer) { try find(id, $0) }
        }
        let first = try await piece(from: 0)
        return Download(
            type: first.type.mediaType,
            .bytes(first.size) { offset in offset == 0 ? first.bytes : try await piece(from: offset).bytes },
            tag: first.digest)
    }
}

/// The receiver of a photo whose bytes arrive in the body of a request.
private final class PhotoReceiver: FileReceiver {
    private let methods: PhotoMethods
    private let call: Call<Principal>
    private let subject: String
    private let caption: Caption?
    private let keepsMetadata: Bool
    private let once: String?
    private let upload: String
    private let offset = Mutex(0)

    init(_ methods: PhotoMethods, _ request: FileRoute.Request) async throws {
        call = request.call
        guard call.caller.has(.contribute) else {
            throw Refusal.notAllowed("You must be signed in to add photos. Call people.signIn first.")
        }
        guard request.rest.isEmpty else { throw Refusal.notFound("Send new photos to the path photos itself.") }
        guard let subject = request.parameters["subject"], (3...200).contains(subject.utf8.count) else {
            throw Refusal.invalid("subject", "is missing")
        }
        if let length = request.length, !(1...Upload.greatestSize).contains(length) {
            throw Refusal.invalid("size", "must be from 1 to \(Upload.greatestSize) bytes")
        }
        once = try request.parameters["once"].map { text throws(Refusal) in
            guard request.call.caller.person != nil, Request.isOnce(text) else {
                throw Refusal.invalid("once", "must be 16 to 64 letters, digits and hyphens, of somebody signed in")
            }
            return text
        }
        self.methods = methods
        self.subject = subject
        caption = try request.parameters["caption"].map { text throws(Refusal) in
            guard text.count <= Photos.longestCaption else {
                throw Refusal.invalid("caption", "must have at most \(Photos.longestCaption) characters")
            }
            return try Caption(text)
        }
        keepsMetadata = request.parameters["keep_metadata"] == "true"
        let viewer = call.viewer
        let room = try await methods.store.read { [settings = methods.settings] db in
            try Budget.room(for: "", by: viewer, of: settings, in: db)
        }
        upload = try await methods.uploads.beginUnknown(length: request.length, by: viewer.person, room: room).id
    }

    func write(_ bytes: [UInt8]) async throws {
        let begin = offset.withLock { $0 }
        guard bytes.count <= Upload.greatestSize - begin else {
            throw Refusal.invalid("size", "must be at most \(Upload.greatestSize) bytes")
        }
        let taken = try await methods.uploads.append(Data(bytes), to: upload, at: begin, by: call.caller.person)
        offset.withLock { $0 = taken.length }
    }

    func finish() async throws -> JSONText {
        let whole = try await methods.uploads.finishUnknown(upload, by: call.caller.person)
        guard let once, let person = call.caller.person else { return try await add() }
        let asked = ["photos", subject, caption?.text ?? "", String(keepsMetadata), whole.digest]
        let repeated = RepeatedCalls(methods.store, methods.editor, now: methods.now)
        let answer = try await repeated.run(once, of: Array(asked.joined(separator: "\n").utf8), by: person) {
            ($0 as? PhotoAnswer).map { PhotoAnswer.shape.text(of: $0) }
        } call: {
            try await add()
        }
        // The file of a photo that was added before is not used again.
        await cancel()
        return answer
    }

    private func add() async throws -> JSONText {
        let photo = try await methods.add(
            call, to: subject, upload: upload, caption: caption, keepsMetadata: keepsMetadata)
        return PhotoAnswer.shape.text(of: photo)
    }

    func cancel() async { try? await methods.uploads.cancel(upload, by: call.caller.person) }
}
