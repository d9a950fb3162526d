import Foundation
import GRDB
import Geodesy
import Positioning
import RPC

/// A photo as it is in the store.
struct Photo: Sendable {
    var number: Int64
    var subject: SubjectID
    /// Its place among the photos of its subject, from 1.
    var place: Int
    /// Whether it stands for its subject; the first does where none was chosen.
    var isCover: Bool
    /// Whether it is the person's profile picture; the first is where none was chosen.
    var isPortrait: Bool
    /// The id of the person who added it; nil where that was whoever looks after the machine.
    var person: String?
    var added: Timestamp
    var caption: String?
    /// What its file was called.
    var name: String?
    /// Whether others may have what the camera has noted.
    var keepsMetadata: Bool
    var digest: String
    var size: Int
    var kind: Picture.Kind
    var width: Int
    var height: Int
    var taken: Timestamp?
    /// Where the camera says that it was taken.
    var coordinate: Coordinate?
    var changes: PictureEdit
    var sharedDigest: String
    var sharedSize: Int

    /// What it is known by.
    var id: String { String(number) }

    /// Whether someone is who added it, and so has it as it came.
    func isOf(_ viewer: Viewer) -> Bool { person.map { $0 == viewer.person } ?? viewer.isAdmin }

    /// Whether someone may see what the camera has noted.
    func isWhole(for viewer: Viewer) -> Bool { keepsMetadata || isOf(viewer) }

    /// The rows, with `condition` and what follows it.
    private static func sql(_ condition: String) -> String {
        """
        SELECT photo.number, subject.id, place, cover OR place = 1 AND NOT EXISTS (
                SELECT 1 FROM photo AS other WHERE other.subject = photo.subject AND other.cover = 1),
            portrait OR place = 1 AND NOT EXISTS (
                SELECT 1 FROM photo AS other WHERE other.subject = photo.subject AND other.portrait = 1),
            person.id, added, caption, photo.name, keeps_metadata, sha256, size, type, width, height, taken, lat_e7,
            lon_e7, changes, shared_sha256, shared_size
        FROM photo JOIN subject ON subject.number = photo.subject JOIN picture ON picture.number = photo.picture
            LEFT JOIN person ON person.number = photo.person
        WHERE \(condition)
        """
    }

    private init(_ row: Row) throws {
        guard let subject = SubjectID(row[1] as String), let kind = Picture.Kind(rawValue: row[12]),
            let changes = PictureEdit(encoded: row[18])
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a photo is damaged") }
        number = row[0]
        self.subject = subject
        place = row[2]
        isCover = row[3]
        isPortrait = row[4]
        person = row[5]
        added = Timestamp(milliseconds: row[6])
        caption = row[7]
        name = row[8]
        keepsMetadata = row[9]
        digest = row[10]
        size = row[11]
        self.kind = kind
        width = row[13]
        height = row[14]
        taken = (row[15] as Int64?).map(Timestamp.init)
        if let latitude = row[16] as Int32?, let longitude = row[17] as Int32? {
            coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
        }
        self.changes = changes
        sharedDigest = row[19]
        sharedSize = row[20]
    }

    /// The photo of an id; nil where there is none.
    static func find(_ id: String, in db: Database) throws -> Photo? {
        guard let number = Int64(id), String(number) == id else { return nil }
        return try Row.fetchOne(db.cachedStatement(sql: sql("photo.number = ?")), arguments: [number])
            .map(Photo.init)
    }

    /// Calls `body` with the photos of a subject after a place, in their order, as long as it returns true.
    static func forEach(
        of subject: SubjectID, after place: Int64, in db: Database, _ body: (Photo) throws -> Bool
    ) throws {
        try forEach(
            "photo.subject = (SELECT number FROM subject WHERE id = ?) AND place > ? ORDER BY place",
            [subject.description, place], in: db, body)
    }

    /// Calls `body` with the photos that someone has added before the one of a number, newest first, as long as it
    /// returns true.
    static func forEach(
        by person: String, before number: Int64, in db: Database, _ body: (Photo) throws -> Bool
    ) throws {
        try forEach(
            """
            photo.person = (SELECT number FROM person WHERE id = ?) AND photo.number < ?
            ORDER BY photo.number DESC
            """, [person, number], in: db, body)
    }

    private static func forEach(
        _ condition: String, _ arguments: StatementArguments, in db: Database, _ body: (Photo) throws -> Bool
    ) throws {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql(condition)), arguments: arguments)
        while let row = try rows.next() {
            guard try body(Photo(row)) else { return }
        }
    }
}
