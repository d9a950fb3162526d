import Foundation
package import GRDB
import Geodesy
import Positioning
import RPC
import Service
import Store

/// The photos of all subjects.
///
/// All functions run within the caller's transaction.
public enum Photos {
    static let migration = StoreMigration(
        at: 21, name: "companion.photos.1",
        sql: """
            -- Pictures, each kept once as a file named by its SHA-256 in the folder STORE.photos. Size, digest and type
            -- are the file's; width and height are as it is to be shown. Taken is in milliseconds since 1970. What others
            -- are shown is the file with the changes made, of its own size and digest.
            CREATE TABLE picture (
                number INTEGER PRIMARY KEY,
                sha256 TEXT NOT NULL UNIQUE,
                size INTEGER NOT NULL,
                type TEXT NOT NULL CHECK (type IN ('jpeg', 'png', 'webp', 'heic')),
                width INTEGER NOT NULL,
                height INTEGER NOT NULL,
                taken INTEGER,
                lat_e7 INTEGER CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
                lon_e7 INTEGER CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
                changes BLOB NOT NULL,
                shared_sha256 TEXT NOT NULL,
                shared_size INTEGER NOT NULL
            ) STRICT;

            -- A picture of a subject. The person is who added it, NULL where that was whoever looks after the machine, or
            -- they are gone. The place is that among the photos of the subject. A number is never given again.
            CREATE TABLE photo (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                subject INTEGER NOT NULL REFERENCES subject (number) ON DELETE CASCADE,
                place INTEGER NOT NULL CHECK (place > 0),
                picture INTEGER NOT NULL REFERENCES picture (number),
                person INTEGER REFERENCES person (number) ON DELETE SET NULL,
                added INTEGER NOT NULL,
                caption TEXT,
                name TEXT,
                keeps_metadata INTEGER NOT NULL DEFAULT 0 CHECK (keeps_metadata IN (0, 1)),
                cover INTEGER NOT NULL DEFAULT 0 CHECK (cover IN (0, 1)),
                portrait INTEGER NOT NULL DEFAULT 0 CHECK (portrait IN (0, 1))
            ) STRICT;
            CREATE INDEX photo_by_subject ON photo (subject, place);
            CREATE INDEX photo_by_person ON photo (person, number);
            CREATE INDEX photo_by_picture ON photo (picture);
            CREATE UNIQUE INDEX photo_cover ON photo (subject) WHERE cover = 1;
            CREATE UNIQUE INDEX photo_portrait ON photo (subject) WHERE portrait = 1;

            -- Files that no row shows any more, until they are taken away.
            CREATE TABLE loose_picture (sha256 TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

            -- With a photo goes what people have said of it, and its picture if no other shows it; also where it goes
            -- with its subject.
            CREATE TRIGGER photo_removed AFTER DELETE ON photo BEGIN
                DELETE FROM subject WHERE id = 'photo/' || OLD.number;
                DELETE FROM picture
                WHERE number = OLD.picture AND NOT EXISTS (SELECT 1 FROM photo WHERE picture = OLD.picture);
            END;
            CREATE TRIGGER picture_removed AFTER DELETE ON picture BEGIN
                INSERT OR IGNORE INTO loose_picture VALUES (OLD.sha256);
            END;
            CREATE TRIGGER picture_added AFTER INSERT ON picture BEGIN
                DELETE FROM loose_picture WHERE sha256 = NEW.sha256;
            END;
            """)

    /// The maximum number of photos of one subject.
    static let maximumPerSubject = 500
    /// The maximum length of a caption, in bytes of UTF-8.
    static let longestCaption = 2000

    /// Returns the total size of the pictures that a person has added, in bytes.
    ///
    /// A picture that several photos share counts once.
    ///
    /// - Parameter digest: The SHA-256 of a picture that does not count.
    /// - Complexity: O(*n* log *n*) for *n* photos of the person.
    package static func bytes(by person: Int64, without digest: String, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT coalesce(sum(size), 0) FROM picture
                    WHERE sha256 <> ? AND number IN (SELECT picture FROM photo WHERE person = ?)
                    """), arguments: [digest, person]) ?? 0
    }
}
