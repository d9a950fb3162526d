package import Callers
import Foundation
import GRDB
import ImageMetadata
import People
package import RPC
import Service
import Store
import Subjects
import TextCoding
import Time

extension PhotoMethods {
    @Sendable package func add(
        _ call: Call<Principal>, to text: String, upload id: String, caption: Caption?, keepsMetadata: Bool
    ) async throws -> PhotoAnswer {
        let viewer = call.viewer
        // Checks the right first, so that a caller without it does not cost the reading of the upload.
        let subject = try await store.read { try owned(text, by: viewer, in: $0) }
        let upload = try await uploads.claim(id, by: viewer.person)
        do {
            let answer = try await add(
                call, upload, to: subject, named: text, caption?.text, keepsMetadata: keepsMetadata)
            await uploads.use(up: upload)
            return answer
        } catch {
            await uploads.release(upload.id)
            throw error
        }
    }

    private func add(
        _ call: Call<Principal>, _ upload: Upload, to subject: Subject, named text: String, _ caption: String?,
        keepsMetadata: Bool
    ) async throws -> PhotoAnswer {
        let viewer = call.viewer
        let (picture, copy): (Picture, PhotoCopies.Copy?)
        do {
            (picture, copy) = try await copies.read(upload)
        } catch let flaw as Picture.Flaw {
            throw Refusal.invalid("upload", flaw.reason)
        } catch let damage as FileDamage {
            throw Refusal.unavailable("The uploaded file \(damage). Upload it again.")
        }
        let added = now()
        let source = PhotoFiles.Source(name: upload.file, digest: upload.digest, size: upload.size)
        return try await editor.change(preparing: { [files] in try await files.put(source) }) { db, consequences in
            consequences.changed(subject.id, at: added)
            // The subject may have been removed meanwhile.
            _ = try owned(text, by: viewer, in: db)
            let number = try Subjects.makeNumber(of: subject.id, in: db)
            let count = try Subjects.photoCount(of: subject.id, in: db)
            guard count < Photos.maximumPerSubject else {
                throw Refusal.conflict("\(subject.id) already has \(count) photos, the maximum. Remove one first.")
            }
            try Budget.room(for: upload.digest, by: viewer, of: settings, in: db)?.check(upload.size)
            try Budget.spend(.photos, texts: [caption, upload.name], by: viewer, at: added, in: db)
            let known = try Photos.put(picture, of: upload, in: db)
            if let copy { try PhotoCopies.put(copy, of: known, in: db) }
            try db.cachedStatement(
                sql: """
                    INSERT INTO photo (subject, place, picture, person, added, caption, name, keeps_metadata)
                    VALUES (?, ?, ?, (SELECT number FROM person WHERE id = ?), ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                number, count + 1, known, viewer.person, added.milliseconds, caption, upload.name, keepsMetadata,
            ])
            let me = try People.number(of: viewer, in: db)
            guard let photo = try Photo.find(String(db.lastInsertedRowID), for: me, in: db) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a photo is gone")
            }
            return try PhotoAnswer(photo, for: viewer, in: db)
        }
    }

    /// Returns a subject that the viewer may add photos to.
    ///
    /// - Throws: `Refusal` (`.notFound`) if the viewer may not see the subject, `.notAllowed` if it belongs to somebody
    ///   else, and `.invalidValue` if it is a photo.
    private func owned(_ text: String, by viewer: Viewer, in db: Database) throws -> Subject {
        let subject = try subjects.find(text, for: viewer, in: db)
        guard subject.id.kind != PhotoSubject.kind else {
            throw Refusal.invalid("subject", "must not be a photo, because a photo cannot have photos")
        }
        guard viewer.isAdmin || subject.isOpen || viewer.person != nil && subject.owner == viewer.person else {
            throw Refusal.notAllowed("Only the owner of \(subject.id) can add photos to it.")
        }
        return subject
    }

    @Sendable package func update(
        _ call: Call<Principal>, id: String, caption: Caption?, isCover: Bool?, isPortrait: Bool?, position: Int?,
        keepsMetadata: Bool?
    ) async throws -> PhotoAnswer {
        let (viewer, now) = (call.viewer, now())
        return try await editor.change { db, _ in
            let me = try People.number(of: viewer, in: db)
            let (photo, subject) = try find(id, for: viewer, me, in: db)
            try Self.check(photo, of: subject, for: viewer)
            guard keepsMetadata == nil || photo.isOf(viewer) else {
                throw Refusal.notAllowed(
                    "Only the person who added a photo can set whether others get the camera's metadata.")
            }
            guard isPortrait == nil || photo.subject.kind == "person" else {
                throw Refusal.invalid("portrait", "is only for photos of a person")
            }
            if let caption {
                try Budget.spend(texts: [caption.text], by: viewer, at: now, in: db)
                try Photos.set("caption", caption.text, of: photo, in: db)
            }
            if let keepsMetadata { try Photos.set("keeps_metadata", keepsMetadata, of: photo, in: db) }
            if let isCover { try Photos.choose("cover", isCover, photo, in: db) }
            if let isPortrait { try Photos.choose("portrait", isPortrait, photo, in: db) }
            if let position { try Photos.move(photo, to: position, in: db) }
            return try PhotoAnswer(find(id, for: viewer, me, in: db).photo, for: viewer, in: db)
        }
    }

    @Sendable package func remove(_ call: Call<Principal>, id: String) async throws -> String {
        let viewer = call.viewer
        return try await editor.change { db, _ in
            let (photo, subject) = try find(id, for: viewer, nil, in: db)
            try Self.check(photo, of: subject, for: viewer)
            try Photos.remove(photo, in: db)
            return photo.id
        }
    }

    /// Refuses viewers who have neither added a photo nor own its subject, unless the subject is open to everybody or
    /// the viewer is an administrator.
    ///
    /// - Throws: `Refusal` (`.notAllowed`).
    private static func check(_ photo: Photo, of subject: Subject, for viewer: Viewer) throws(Refusal) {
        let isOwner = viewer.person != nil && subject.owner == viewer.person
        guard viewer.isAdmin || photo.isOf(viewer) || subject.isOpen || isOwner else {
            throw .notAllowed(
                "Only the person who added the photo \(photo.id) and the owner of its subject can do this.")
        }
    }
}

/// A validated caption, which says what a photo shows.
package struct Caption: Sendable {
    /// The caption, or `nil` for none.
    let text: String?

    /// Creates a caption without white space at its ends.
    ///
    /// - Throws: `Refusal` (`.invalidValue`) if it is too long, or has control characters other than line breaks.
    init(_ given: String) throws(Refusal) {
        let text = given.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count <= Photos.longestCaption else {
            throw .invalid("caption", "must have at most \(Photos.longestCaption) bytes")
        }
        let isPlain = text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
        guard isPlain else { throw .invalid("caption", "must not have control characters other than line breaks") }
        self.text = text.isEmpty ? nil : text
    }
}
