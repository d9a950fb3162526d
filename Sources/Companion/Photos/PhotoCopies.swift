import Crypto
import Foundation
import GRDB
package import ImageMetadata
import RPC
import Service
import Store

/// The copies of photos that other people get: the picture without the metadata of the camera and others.
///
/// Most copies are assembled from parts of the uploaded file, which takes no space; see ``PictureCopy``. The others are
/// drawn again, and have a file of their own.
package struct PhotoCopies: Sendable {
    /// The description of a copy that was made.
    package struct Copy: Sendable {
        package var kind: Picture.Kind
        package var digest: String
        package var size: Int
        /// The parts of the uploaded file that form the copy, or `nil` if the copy has its own file.
        package var parts: PictureCopy?
    }

    private let store: LocationDatabase
    private let folder: StateFolder
    private let tool: PictureTool
    private let reader = PictureReader()

    init(folder: StateFolder, tool: PictureTool) {
        store = folder.store
        self.folder = folder
        self.tool = tool
    }

    /// Reads an uploaded file, and checks its digest.
    ///
    /// - Throws: ``Picture/Flaw`` if it is not a picture that is accepted, and `FileDamage` if it cannot be read or has
    ///   changed.
    package func read(_ upload: Upload) async throws -> (picture: Picture, copy: Copy?) {
        try await reader.read(upload.file, upload.digest, upload.size, in: folder)
    }

    /// Stores the description of a picture's copy.
    static func put(_ copy: Copy, of picture: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO picture_copy (picture, type, size, sha256, parts)
                SELECT number, ?, ?, ?, ? FROM picture WHERE number = ?
                """
        ).execute(arguments: [
            copy.kind.rawValue, copy.size, copy.digest, copy.parts.map { Data($0.encoded) }, picture,
        ])
    }

    /// Returns the description of a photo's copy, which is made if it does not exist yet.
    ///
    /// - Parameter person: The person who requests it, or `nil` if nobody is signed in.
    /// - Throws: `Refusal` (`.unavailable`) if it cannot be made.
    package func copy(of photo: Photo, for person: String?) async throws -> Copy {
        if let copy = photo.copy, copy.parts != nil || folder.damage(of: photo.copyName, size: copy.size) == nil {
            return copy
        }
        let found: Copy
        if let parts = try await parts(of: photo) {
            found = parts
        } else {
            let bytes: [UInt8]
            do {
                bytes = try await tool.make(.copy, of: photo, for: person)
            } catch let error as Refusal {
                throw Refusal.unavailable(
                    "Only the person who added photo \(photo.id) can read it, because a copy without the camera's "
                        + "metadata cannot be made. \(error.message)")
            }
            found = Copy(kind: .jpeg, digest: PhotoFiles.digest(of: bytes), size: bytes.count)
        }
        // While the store cannot be written, the copy is made again for the next caller.
        do { try await store.write { try Self.put(found, of: photo.picture, in: $0) } } catch is StoreError {}
        return found
    }

    private func parts(of photo: Photo) async throws -> Copy? {
        guard photo.kind != .heic else { return nil }
        do {
            return try await reader.read(photo.digest, photo.digest, photo.size, in: folder).copy
        } catch let damage as FileDamage {
            throw photo.refusal(damage)
        } catch is Picture.Flaw {
            return nil
        }
    }

    /// Returns `count` bytes of a copy from an offset.
    ///
    /// The range must lie within the copy.
    package func read(_ copy: Copy, of photo: Photo, from offset: Int, count: Int) throws(FileDamage) -> [UInt8] {
        guard let parts = copy.parts else {
            return try folder.read(photo.copyName, size: copy.size, offset..<offset + count)
        }
        return try parts.read(from: offset, count: count) { range throws(FileDamage) in
            try folder.read(photo.digest, size: photo.size, range)
        }
    }

    /// Makes the missing copies of all pictures that need no tool, one after another.
    func makeMissing() async throws {
        var last: Int64 = 0
        while let photo = try await store.read({ [last] in try Photo.firstWithoutCopy(after: last, in: $0) }) {
            last = photo.picture
            guard let copy = try? await parts(of: photo) else { continue }
            try await store.write { try Self.put(copy, of: photo.picture, in: $0) }
        }
    }
}

/// A reader of pictures that reads one at a time, so that at most one is held in memory.
private actor PictureReader {
    func read(
        _ name: String, _ digest: String, _ size: Int, in folder: StateFolder
    ) throws -> (picture: Picture, copy: PhotoCopies.Copy?) {
        let bytes = try folder.read(name, size: size)
        guard PhotoFiles.digest(of: bytes) == digest else {
            throw FileDamage.unreadable("it has changed on the disk")
        }
        let picture = try Picture(PictureBytes(Data(bytes)))
        guard let parts = picture.copy else { return (picture, nil) }
        var hash = SHA256()
        for piece in parts.pieces {
            switch piece {
            case .part(let range): hash.update(data: bytes[range])
            case .bytes(let own): hash.update(data: own)
            }
        }
        return (
            picture,
            PhotoCopies.Copy(
                kind: picture.kind, digest: hash.finalize().hexadecimal, size: parts.count, parts: parts)
        )
    }
}
