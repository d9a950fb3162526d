import Service
package import Store

/// The tables of photos and their files.
package enum MediaSchema {
    /// All steps.
    package static let migrations = [photos, folder, copies]

    private static let photos = StoreMigration(
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

    private static let folder = StoreMigration(
        at: 24, name: "companion.photos.2",
        sql: """
            -- The random name of the folder STORE.photos, which stands in its file `store`. Nothing in the folder of
            -- another name is touched.
            CREATE TABLE photo_folder (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                name TEXT NOT NULL CHECK (length(name) = 32)
            ) STRICT;
            INSERT INTO photo_folder VALUES (1, lower(hex(randomblob(16))));
            """)

    private static let copies = StoreMigration(
        at: 25, name: "companion.photos.3",
        sql: """
            -- What others get of a picture. The parts say how it is put together from the file of the picture; NULL
            -- where it is a file of its own, SHA-256.copy. A picture of which none was made yet has no row.
            CREATE TABLE picture_copy (
                picture INTEGER PRIMARY KEY REFERENCES picture (number) ON DELETE CASCADE,
                type TEXT NOT NULL CHECK (type IN ('jpeg', 'png', 'webp')),
                size INTEGER NOT NULL CHECK (size > 0),
                sha256 TEXT NOT NULL,
                parts BLOB
            ) STRICT;
            ALTER TABLE picture DROP COLUMN changes;
            ALTER TABLE picture DROP COLUMN shared_sha256;
            ALTER TABLE picture DROP COLUMN shared_size;
            """)
}
