import Foundation
package import GRDB
import Geodesy
package import ImageMetadata
import RPC
package import Service
import Store
package import Time

/// A photo in the store, as a query for a viewer returns it.
package struct Photo: Sendable {
    package var number: Int64
    package var subject: SubjectID
    /// The position among the photos of the subject, from 1.
    package var place: Int
    /// Whether the photo is the cover of its subject.
    ///
    /// If none was chosen, the first photo is the cover.
    var isCover: Bool
    /// Whether the photo is the person's profile picture.
    ///
    /// If none was chosen, the first photo is the profile picture.
    var isPortrait: Bool
    /// The id of the person who added the photo, or `nil` if an administrator added it or the account was removed.
    var person: String?
    var added: Timestamp
    package var caption: String?
    /// The name of the uploaded file.
    package var name: String?
    /// Whether other people may see the metadata of the camera.
    var keepsMetadata: Bool
    package var digest: String
    package var size: Int
    package var kind: Picture.Kind
    var width: Int
    var height: Int
    package var taken: Timestamp?
    /// The coordinate that the camera has recorded, or `nil` if there is none.
    var coordinate: Coordinate?
    /// The number of the picture, which several photos may share.
    package var picture: Int64
    /// The copy that other people get, or `nil` if it was not made yet.
    package var copy: PhotoCopies.Copy?
    /// Whether the viewer has saved the photo, or `nil` if nobody is signed in.
    var isSaved: Bool?

    /// The id, which is the number as text.
    package var id: String { String(number) }

    /// The file of the copy, if the copy has its own file.
    var copyName: String { PhotoFiles.name(of: .copy, digest) }

    /// Whether the viewer has added the photo, and therefore gets the original file.
    func isOf(_ viewer: Viewer) -> Bool { person.map { $0 == viewer.person } ?? viewer.isAdmin }

    /// Whether the viewer may see the metadata of the camera.
    package func isWhole(for viewer: Viewer) -> Bool { keepsMetadata || isOf(viewer) }

    /// Returns a query for photos.
    ///
    /// - Parameter condition: The condition of its WHERE clause, and further clauses. The query must bind `:me` to the
    ///   viewer's number, or to NULL if nobody is signed in.
    private static func sql(_ condition: String) -> String {
        """
        SELECT photo.number, subject.id AS subject, place, cover OR place = 1 AND NOT EXISTS (
                SELECT 1 FROM photo AS other WHERE other.subject = photo.subject AND other.cover = 1) AS is_cover,
            portrait OR place = 1 AND NOT EXISTS (
                SELECT 1 FROM photo AS other WHERE other.subject = photo.subject AND other.portrait = 1) AS is_portrait,
            person.id AS person, added, caption, photo.name, keeps_metadata, photo.picture, picture.sha256,
            picture.size, picture.type, width, height, taken, lat_e7, lon_e7, picture_copy.type AS copy_type,
            picture_copy.sha256 AS copy_sha256, picture_copy.size AS copy_size, parts,
            CASE WHEN :me IS NOT NULL THEN EXISTS (
                SELECT 1 FROM reaction WHERE reaction.person = :me AND reaction.kind = 'save' AND reaction.subject = (
                    SELECT number FROM subject AS self WHERE self.id = 'photo/' || photo.number)) END AS saved
        FROM photo JOIN subject ON subject.number = photo.subject JOIN picture ON picture.number = photo.picture
            LEFT JOIN person ON person.number = photo.person
            LEFT JOIN picture_copy ON picture_copy.picture = photo.picture
        WHERE \(condition)
        """
    }

    private init(_ row: NamedRow) throws {
        guard let subject = SubjectID(row["subject"] as String), let kind = Picture.Kind(rawValue: row["type"]) else {
            throw row.damage("a photo is damaged")
        }
        number = row["number"]
        self.subject = subject
        place = row["place"]
        isCover = row["is_cover"]
        isPortrait = row["is_portrait"]
        person = row["person"]
        added = Timestamp(milliseconds: row["added"])
        caption = row["caption"]
        name = row["name"]
        keepsMetadata = row["keeps_metadata"]
        picture = row["picture"]
        digest = row["sha256"]
        size = row["size"]
        self.kind = kind
        width = row["width"]
        height = row["height"]
        taken = (row["taken"] as Int64?).map(Timestamp.init)
        if let latitude = row["lat_e7"] as Int32?, let longitude = row["lon_e7"] as Int32? {
            coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
        }
        isSaved = row["saved"]
        guard let copyKind = (row["copy_type"] as String?).flatMap(Picture.Kind.init) else { return }
        var copy = PhotoCopies.Copy(kind: copyKind, digest: row["copy_sha256"], size: row["copy_size"])
        if let encoded = row["parts"] as Data? {
            // If the parts are damaged, the copy is made again.
            guard let parts = PictureCopy(encoded: encoded, of: size), parts.count == copy.size else { return }
            copy.parts = parts
        }
        self.copy = copy
    }

    /// Returns a photo of the next picture that has no copy and can be copied without the tool.
    ///
    /// - Parameter picture: The number of a picture. Only pictures with higher numbers are considered.
    static func firstWithoutCopy(after picture: Int64, in db: Database) throws -> Photo? {
        let condition = """
            photo.picture > :picture AND picture_copy.picture IS NULL AND picture.type <> 'heic'
            ORDER BY photo.picture LIMIT 1
            """
        return try NamedRow.fetchOne(
            db.cachedStatement(sql: sql(condition)), arguments: ["picture": picture, "me": nil]
        ).map(Photo.init)
    }

    /// Returns the photo with an id, or `nil` if there is none.
    ///
    /// - Parameter me: The number of the viewer, or `nil` if nobody is signed in.
    package static func find(_ id: String, for me: Int64? = nil, in db: Database) throws -> Photo? {
        guard let number = Int64(id), String(number) == id else { return nil }
        return try NamedRow.fetchOne(
            db.cachedStatement(sql: sql("photo.number = :number")), arguments: ["number": number, "me": me]
        ).map(Photo.init)
    }

    /// Calls `body` with the photos of a subject after a position, in their order, until it returns `false`.
    static func list(
        of subject: SubjectID, for me: Int64?, after place: Int64, atMost limit: Int, in db: Database,
        _ body: (Photo) throws -> Bool
    ) throws {
        try forEach(
            """
            photo.subject = (SELECT number FROM subject WHERE id = :subject) AND place > :place
            ORDER BY place LIMIT :limit
            """, ["subject": subject.description, "place": place, "limit": StoreDamage.widened(limit), "me": me],
            in: db, body)
    }

    /// Returns the photos that a person has added, newest first, starting before the one with a number.
    static func list(
        by person: String, for me: Int64?, before number: Int64, atMost limit: Int, in db: Database
    ) throws -> [Photo] {
        var photos: [Photo] = []
        try forEach(
            """
            photo.person = (SELECT number FROM person WHERE id = :person) AND photo.number < :number
            ORDER BY photo.number DESC LIMIT :limit
            """, ["person": person, "number": number, "limit": StoreDamage.widened(limit), "me": me], in: db
        ) { photo in
            photos.append(photo)
            return true
        }
        return photos
    }

    private static func forEach(
        _ condition: String, _ arguments: StatementArguments, in db: Database, _ body: (Photo) throws -> Bool
    ) throws {
        let rows = try NamedRow.soundRows(db.cachedStatement(sql: sql(condition)), arguments: arguments)
        while let row = try rows.next() {
            guard try body(Photo(row)) else { return }
        }
    }
}
