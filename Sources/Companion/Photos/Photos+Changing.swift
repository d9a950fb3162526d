import Foundation
package import GRDB
import Geodesy
import ImageMetadata
import Service
import Subjects
import Time

extension Photos {
    /// Stores a picture.
    ///
    /// If a picture with the same bytes exists already, it is used.
    ///
    /// - Returns: The picture's number.
    static func put(_ picture: Picture, of upload: Upload, in db: Database) throws -> Int64 {
        let selection = try db.cachedStatement(sql: "SELECT number FROM picture WHERE sha256 = ?")
        if let known = try Int64.fetchOne(selection, arguments: [upload.digest]) { return known }
        try db.cachedStatement(
            sql: """
                INSERT INTO picture (sha256, size, type, width, height, taken, lat_e7, lon_e7)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            upload.digest, upload.size, picture.kind.rawValue, picture.width, picture.height,
            picture.exif.taken?.milliseconds, picture.exif.place?.latitudeE7, picture.exif.place?.longitudeE7,
        ])
        return db.lastInsertedRowID
    }

    /// Sets one column of a photo.
    static func set(
        _ column: String, _ value: (any DatabaseValueConvertible)?, of photo: Photo, in db: Database
    ) throws {
        try db.cachedStatement(sql: "UPDATE photo SET \(column) = ? WHERE number = ?")
            .execute(arguments: [value, photo.number])
    }

    /// Makes a photo the cover or portrait of its subject, or no longer.
    ///
    /// - Parameter column: `cover` or `portrait`.
    static func choose(_ column: String, _ isChosen: Bool, _ photo: Photo, in db: Database) throws {
        if isChosen {
            try db.cachedStatement(
                sql: """
                    UPDATE photo SET \(column) = 0
                    WHERE subject = (SELECT subject FROM photo WHERE number = ?) AND \(column) = 1
                    """
            ).execute(arguments: [photo.number])
        }
        try set(column, isChosen, of: photo, in: db)
    }

    /// Moves a photo to a position among those of its subject.
    ///
    /// A position beyond the last one means the last one.
    package static func move(_ photo: Photo, to position: Int, in db: Database) throws {
        let position = min(position, try Subjects.photoCount(of: photo.subject, in: db))
        try shift(photo, from: photo.place + 1, to: position, by: -1, in: db)
        try shift(photo, from: position, to: photo.place - 1, by: 1, in: db)
        try set("place", position, of: photo, in: db)
    }

    /// Removes a photo.
    ///
    /// The ones after it move up.
    static func remove(_ photo: Photo, in db: Database) throws {
        try shift(photo, from: photo.place + 1, to: maximumPerSubject, by: -1, in: db)
        try db.cachedStatement(sql: "DELETE FROM photo WHERE number = ?").execute(arguments: [photo.number])
    }

    /// Moves the photos between two positions of a photo's subject, both included, by a step.
    private static func shift(_ photo: Photo, from first: Int, to last: Int, by step: Int, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE photo SET place = place + ?
                WHERE subject = (SELECT subject FROM photo WHERE number = ?) AND place BETWEEN ? AND ?
                """
        ).execute(arguments: [step, photo.number, first, last])
    }
}
