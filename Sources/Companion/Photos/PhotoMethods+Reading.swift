package import Callers
import Foundation
import GRDB
import ImageMetadata
import People
import Positioning
package import RPC
package import Service
import Store
import Subjects
import TextCoding
import Tracking

extension PhotoMethods {
    @Sendable package func get(_ call: Call<Principal>, id: String) async throws -> PhotoAnswer {
        let viewer = call.viewer
        return try await store.read { db in
            let me = try People.number(of: viewer, in: db)
            return try PhotoAnswer(find(id, for: viewer, me, in: db).photo, for: viewer, in: db)
        }
    }

    /// A page of photos, with the number of photos on all pages.
    package struct List: Answerable, Sendable {
        var page: Page<PhotoAnswer>
        /// The number of photos of the subject, or `nil` if the list is that of a person.
        var count: Int?

        package static let shape = AnswerShape<List>.object {
            Page<PhotoAnswer>.members("photos", "The photos.").of { $0.page }
            Member.optional("count", .integer, "The number of photos of the subject; absent for those of a person.") {
                $0.count
            }
        }
    }

    @Sendable package func list(
        _ call: Call<Principal>, of subject: String?, by person: String?, asked: PageRequest<Int64>
    ) async throws -> List {
        guard (subject == nil) != (person == nil) else {
            throw Refusal.invalid("subject", "must be given if person is omitted, and omitted if person is given")
        }
        let viewer = call.viewer
        return try await store.read { db in
            let me = try People.number(of: viewer, in: db)
            var page = asked.page(of: PhotoAnswer.self)
            var places = PhotoPlaces()
            if let subject {
                let id = try subjects.find(subject, for: viewer, in: db).id
                try Photo.list(of: id, for: me, after: asked.after ?? 0, atMost: asked.limit + 1, in: db) { photo in
                    page.append(try PhotoAnswer(photo, for: viewer, at: &places, in: db), at: Int64(photo.place))
                }
                return List(page: page, count: try Subjects.photoCount(of: id, in: db))
            }
            let id = try People.get(person ?? "", in: db).id
            var before = asked.after ?? .max
            while true {
                let photos = try Photo.list(by: id, for: me, before: before, atMost: asked.limit + 1, in: db)
                let visible = try subjects.find(photos.map(\.subject), for: viewer, in: db)
                for photo in photos where visible[photo.subject] != nil {
                    let answer = try PhotoAnswer(photo, for: viewer, at: &places, in: db)
                    guard page.append(answer, at: photo.number) else { return List(page: page) }
                }
                // Photos that the viewer may not see are skipped, so read on until the page is full.
                guard photos.count > asked.limit, let last = photos.last else { return List(page: page) }
                before = last.number
            }
        }
    }

    /// The size of the picture that `photos.read` returns.
    package enum Size: String, CaseIterable, Sendable {
        case whole
        case square
    }

    @Sendable package func read(
        _ call: Call<Principal>, id: String, size: Size, offset: Int
    ) async throws -> Piece {
        let viewer = call.viewer
        return try await read(size, from: offset, for: viewer) { try find(id, for: viewer, nil, in: $0).photo }
    }

    /// Returns a piece of the photo that `find` returns, in the version that the viewer may have.
    func read(
        _ size: Size, from offset: Int, for viewer: Viewer, of find: @escaping @Sendable (Database) throws -> Photo
    ) async throws -> Piece {
        let photo = try await store.read(find)
        let person = viewer.person
        if size == .square {
            let square = try await tool.make(.square, of: photo, for: person)
            return try Self.piece(
                from: offset, size: square.count, digest: PhotoFiles.digest(of: square), type: .jpeg
            ) { offset, count in Array(square[offset..<offset + count]) }
        }
        do {
            guard photo.isWhole(for: viewer) else {
                let copy = try await copies.copy(of: photo, for: person)
                return try Self.piece(from: offset, size: copy.size, digest: copy.digest, type: copy.kind) {
                    try copies.read(copy, of: photo, from: $0, count: $1)
                }
            }
            return try Self.piece(from: offset, size: photo.size, digest: photo.digest, type: photo.kind) {
                try folder.read(photo.digest, size: photo.size, $0..<$0 + $1)
            }
        } catch let damage as FileDamage {
            // The photo may have been removed meanwhile.
            guard try await store.read({ try Photo.find(photo.id, in: $0) }) != nil else {
                throw Refusal.notFound("There is no photo \(photo.id). photos.list lists the photos of a subject.")
            }
            throw photo.refusal(damage)
        }
    }

    /// A piece of the bytes of a photo.
    package struct Piece: Answerable, Sendable {
        var type: Picture.Kind
        var size: Int
        var digest: String
        var offset: Int
        var bytes: [UInt8]

        package static let shape = AnswerShape<Piece>.object {
            Member("type", .text, "The media type: image/jpeg, image/png, image/webp or image/heic.") {
                $0.type.mediaType
            }
            Member("size", .integer, "The total number of bytes.") { $0.size }
            Member("sha256", .text, "The SHA-256 of all bytes, in hexadecimal digits.") { $0.digest }
            Member("offset", .integer, "The offset of this piece.") { $0.offset }
            Member("data", .text, "The piece in Base64.") { Data($0.bytes).base64EncodedString() }
            Member.optional("next", .integer, "The offset of the next piece; absent for the last one.") {
                piece in
                let next = piece.offset + piece.bytes.count
                return next < piece.size ? next : nil
            }
        }
    }

    /// Returns the piece at an offset of a file with `size` bytes.
    ///
    /// - Parameter read: Returns the given number of bytes from an offset.
    /// - Throws: `Refusal` (`.invalidValue`) if the offset is not below `size`, and what `read` throws.
    private static func piece(
        from offset: Int, size: Int, digest: String, type: Picture.Kind,
        _ read: (_ offset: Int, _ count: Int) throws -> [UInt8]
    ) throws -> Piece {
        guard offset < size else { throw Refusal.invalid("offset", "must be below \(size), the number of bytes") }
        let bytes = try read(offset, min(longestPiece, size - offset))
        return Piece(type: type, size: size, digest: digest, offset: offset, bytes: bytes)
    }
}

extension Photo {
    /// Returns the refusal for a damaged file, of kind `unavailable`.
    package func refusal(_ damage: FileDamage) -> Refusal {
        .unavailable("The file of photo \(id) \(damage). The administrator can restore it from a backup.")
    }
}
