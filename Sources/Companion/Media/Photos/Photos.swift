import Foundation
package import GRDB
import Geodesy
import RPC
import Service
import Store
import Subjects
import Time

/// The photos of all subjects.
///
/// All functions run within the caller's transaction.
public enum Photos {
    static let migration = StoreMigration(
        at: 21, name: "companion.photos.1",
        sql: """
            \(Subjects.photoTables)

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
