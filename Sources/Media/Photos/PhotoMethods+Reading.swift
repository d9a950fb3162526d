import Accounts
package import EventStream
import Foundation
package import GRDB
import ImageMetadata
import Positioning
package import RPC
package import Service
import Store
import TextCoding
import Tracking

extension PhotoMethods {
    @Sendable package func get(_ call: Call<Principal>) async throws -> JSONText {
        try await store.read { db in try find(call, in: db).photo.text(for: call.viewer, in: db) }
    }

    @Sendable package func list(_ call: Call<Principal>) async throws -> JSONText {
        let limit = try call.limit(usually: 100)
        let subject: String? = try call.optional("subject")
        let person: String? = try call.optional("person")
        guard (subject == nil) != (person == nil) else {
            throw RPCError.invalid("subject", "must be given, or person, and not both")
        }
        let after = try Self.cursor(call)
        let viewer = call.viewer
        let (page, last, count) = try await store.read { db in
            var page = TextPage(limit: limit)
            var last: Int64?
            func take(_ photo: Photo, _ key: Int64) throws -> Bool {
                guard page.take(try photo.text(for: viewer, in: db)) else { return false }
                last = key
                return true
            }
            guard let subject else {
                let id = try People.get(person ?? "", in: db).id
                try Photo.forEach(by: id, before: after ?? .max, in: db) { photo in
                    guard try subjects.find(photo.subject, for: viewer, in: db) != nil else { return true }
                    return try take(photo, photo.number)
                }
                return (page, last, nil as Int?)
            }
            let id = try subjects.find(subject, for: viewer, in: db).id
            try Photo.forEach(of: id, after: after ?? 0, in: db) { try take($0, Int64($0.place)) }
            return (page, last, try Subjects.photoCount(of: id, in: db))
        }
        return .object { json in
            page.write("photos", to: &json)
            json.member("count", count)
            if page.isFull { json.member("next", last.map(String.init)) }
        }
    }

    private static func cursor(_ call: Call<Principal>) throws -> Int64? {
        guard let text: String = try call.optional("after") else { return nil }
        guard let number = Int64(text) else { throw RPCError.invalid("after", "must be the next of a page before") }
        return number
    }

    @Sendable package func read(_ call: Call<Principal>) async throws -> JSONText {
        let offset: Int = try call.optional("offset") ?? 0
        let isSquare = try call.optional("size") == "square"
        let photo = try await store.read { try find(call, in: $0).photo }
        let person = call.caller.person
        if isSquare {
            let square = try await tool.make(.square, of: photo, for: person)
            return try Self.piece(
                from: offset, size: square.count, digest: PhotoFiles.digest(of: square), type: .jpeg
            ) { offset, count in Array(square[offset..<offset + count]) }
        }
        do {
            guard photo.isWhole(for: call.viewer) else {
                let copy = try await copies.copy(of: photo, for: person)
                return try Self.piece(from: offset, size: copy.size, digest: copy.digest, type: copy.kind) {
                    try copies.read(copy, of: photo, from: $0, count: $1)
                }
            }
            return try Self.piece(from: offset, size: photo.size, digest: photo.digest, type: photo.kind) {
                try folder.read(photo.digest, size: photo.size, $0..<$0 + $1)
            }
        } catch let damage as FileDamage {
            // It may have been removed meanwhile.
            guard try await store.read({ try Photo.find(photo.id, in: $0) }) != nil else {
                throw RPCError.notFound("There is no photo \(photo.id); photos.list lists those of a subject.")
            }
            throw photo.refusal(damage)
        }
    }

    /// A piece of something of so many bytes, which `read` gives from an offset on.
    private static func piece(
        from offset: Int, size: Int, digest: String, type: Picture.Kind,
        _ read: (_ offset: Int, _ count: Int) throws -> [UInt8]
    ) throws -> JSONText {
        guard offset < size else { throw RPCError.invalid("offset", "must be below \(size), the number of bytes") }
        let piece = try read(offset, min(longestPiece, size - offset))
        let next = offset + piece.count
        return .object { json in
            json.member("type", type.mediaType)
            json.member("size", size)
            json.member("sha256", digest)
            json.member("offset", offset)
            json.member("data", Data(piece).base64EncodedString())
            if next < size { json.member("next", next) }
        }
    }
}

extension Photo {
    /// Error 5 for a damaged file.
    package func refusal(_ damage: FileDamage) -> RPCError {
        .unavailable("The file of photo \(id) \(damage). The administrator can put it back from a backup.")
    }

    /// What there is to say of a photo to someone.
    package func text(for viewer: Viewer, in db: Database) throws -> JSONText {
        let isWhole = isWhole(for: viewer)
        // The trace is that of a device, and says who travelled with it: for the person who took the photo alone.
        let found =
            isOf(viewer)
            ? try PhotoPlace.find(for: self, in: db)
            : coordinate.flatMap { isWhole ? PhotoPlace(coordinate: $0, trip: nil) : nil }
        // One of a kind that is drawn anew is a JPEG for others.
        let sharedKind = copy?.kind ?? (kind == .heic ? .jpeg : kind)
        let isSaved = try People.number(of: viewer, in: db).map { person in
            let subject = SubjectID(kind: PhotoSubject.kind, id: id)
            return try Subjects.isSaved(subject, by: person, in: db)
        }
        return .object { json in
            json.member("id", id)
            json.member("subject", subject.description)
            json.member("position", place)
            json.member("cover", isCover)
            if subject.kind == "person" { json.member("portrait", isPortrait) }
            json.member("caption", caption)
            json.member("person", person)
            json.member("added", added.description)
            json.member("type", (isWhole ? kind : sharedKind).mediaType)
            json.member("width", width)
            json.member("height", height)
            json.member("size", isWhole ? size : copy?.size)
            json.member("sha256", isWhole ? digest : copy?.digest)
            json.member("keep_metadata", keepsMetadata)
            json.member("saved", isSaved)
            guard isWhole else { return }
            json.member("name", name)
            json.member("taken", taken?.description)
            guard let found else { return }
            json.place(found.coordinate)
            json.member("trip", found.trip)
        }
    }

    /// What there is to say of a photo.
    static let schema = Schema.object([
        .required("id", .string, "What it is known by."),
        .required("subject", .string, "What it is of, as KIND/ID."),
        .required("position", .integer, "Its place among the photos of its subject, from 1."),
        .required("cover", .boolean, "Whether it stands for its subject."),
        .optional("portrait", .boolean, "Whether it is the profile picture of the person it is of."),
        .optional("caption", .string, "What it shows."),
        .optional("person", .string, "Who added it; left out where that was an administrator."),
        .required("added", Schema.time, "When that was."),
        .required("type", .string, "What it is: image/jpeg, image/png, image/webp or image/heic."),
        .required("width", .integer, "Its pixels across, as it is to be shown."),
        .required("height", .integer, "Its pixels down, as it is to be shown."),
        .optional(
            "size", .integer,
            "How many bytes photos.read gives of it; left out where a copy without what the camera has noted is yet to be made."
        ),
        .optional("sha256", .string, "Their SHA-256, in hexadecimal digits; left out as the size is."),
        .required("keep_metadata", .boolean, "Whether others have what the camera has noted."),
        .optional(
            "saved", .boolean, "Whether you have saved it, as reactions.set does; left out where nobody is signed in."),
        .optional(
            "name", .string, "What its file was called; for who has what the camera has noted, as all that follows."),
        .optional(
            "taken", Schema.time,
            "When it was taken; the clock of a camera that says neither its zone nor the time of GPS is taken for UTC."),
        .optional("lat", Schema.latitude, "Degrees north of where it was taken."),
        .optional("lon", Schema.longitude, "Degrees east of where it was taken."),
        .optional(
            "trip", .string,
            "The trip on whose trace that is, of a device that carries the person who added it; for that person alone. Left out where the camera says it."
        ),
    ])
}
