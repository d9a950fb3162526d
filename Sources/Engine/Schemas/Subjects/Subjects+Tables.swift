import Service

/// The tables of what people say of subjects, which many features show: ratings, reactions and photos.
///
/// The features that change a table create it with its steps, and keep its triggers.
extension Subjects {
    /// The totals of ratings, which reviews change.
    static let ratingTables = """
        -- How many visible reviews give a subject each number of stars; kept by triggers.
        CREATE TABLE rating (
            subject INTEGER PRIMARY KEY REFERENCES subject (number) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            ones INTEGER NOT NULL DEFAULT 0,
            twos INTEGER NOT NULL DEFAULT 0,
            threes INTEGER NOT NULL DEFAULT 0,
            fours INTEGER NOT NULL DEFAULT 0,
            fives INTEGER NOT NULL DEFAULT 0,
            count INTEGER NOT NULL AS (ones + twos + threes + fours + fives),
            total INTEGER NOT NULL AS (ones + 2 * twos + 3 * threes + 4 * fours + 5 * fives)
        ) STRICT;
        CREATE INDEX rating_by_kind ON rating (kind);

        -- The same of all subjects of a kind.
        CREATE TABLE rating_of_kind (
            kind TEXT PRIMARY KEY,
            count INTEGER NOT NULL,
            total INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The marks that people put on subjects.
    static let reactionTable = """
        -- What people have marked, the later the higher the number; the time is in milliseconds since 1970.
        CREATE TABLE reaction (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            subject INTEGER NOT NULL REFERENCES subject (number) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('heart', 'like', 'save')),
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            UNIQUE (subject, kind, person)
        ) STRICT;
        CREATE INDEX reaction_by_subject ON reaction (subject, kind, number);
        CREATE INDEX reaction_by_person ON reaction (person, kind, number);
        """

    /// The photos of subjects and the pictures that they show.
    static let photoTables = """
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
        """
}
