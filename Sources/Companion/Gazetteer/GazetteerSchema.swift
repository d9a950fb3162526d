import Store

/// The database schema of the gazetteer.
enum GazetteerSchema {
    static let migration = StoreMigration(
        at: 37, name: "gazetteer.places.1",
        sql: """
            -- Places by name, as the owner has imported them, numbered by size: 1 is the largest. Spellings are all names
            -- of it as they are compared, each behind a line end. A cell is a tenth of a degree each way, counted from the
            -- south and then from the west.
            CREATE TABLE gazetteer_place (
                number INTEGER PRIMARY KEY,
                id INTEGER NOT NULL UNIQUE,
                name TEXT NOT NULL CHECK (name <> ''),
                spellings TEXT NOT NULL,
                lat_e7 INTEGER NOT NULL CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
                lon_e7 INTEGER NOT NULL CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
                cell INTEGER NOT NULL,
                population INTEGER NOT NULL CHECK (population >= 0),
                country TEXT,
                zone TEXT
            ) STRICT;
            CREATE INDEX gazetteer_place_by_cell ON gazetteer_place (cell, lat_e7, lon_e7, population);

            -- The first bytes of each spelling, as a number, and the places that have such a one.
            CREATE TABLE gazetteer_key (
                key INTEGER NOT NULL,
                place INTEGER NOT NULL,
                PRIMARY KEY (key, place)
            ) STRICT, WITHOUT ROWID;

            -- What an import has brought so far, that is not complete.
            CREATE TABLE gazetteer_draft (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                spellings TEXT NOT NULL,
                lat_e7 INTEGER NOT NULL,
                lon_e7 INTEGER NOT NULL,
                cell INTEGER NOT NULL,
                population INTEGER NOT NULL,
                country TEXT,
                zone TEXT
            ) STRICT;

            -- One row: how many parts and lines of an import have come, and how many places the gazetteer has.
            CREATE TABLE gazetteer (
                only INTEGER PRIMARY KEY CHECK (only = 1),
                parts INTEGER NOT NULL,
                lines INTEGER NOT NULL,
                places INTEGER NOT NULL
            ) STRICT;
            INSERT INTO gazetteer VALUES (1, 0, 0, 0);
            """)

    /// Adds the names of OpenStreetMap, which come with the maps beside the store.
    static let names = StoreMigration(
        at: 50, name: "gazetteer.names.1",
        sql: """
            -- Settlements, streets and points by name, from the extract of a map. Spellings and cell are as in
            -- gazetteer_place. The numbers of a map follow each other, larger things first.
            CREATE TABLE map_name (
                number INTEGER PRIMARY KEY,
                map TEXT NOT NULL CHECK (map <> ''),
                kind TEXT NOT NULL CHECK (kind IN ('settlement', 'street', 'point')),
                word TEXT NOT NULL,
                name TEXT NOT NULL CHECK (name <> ''),
                spellings TEXT NOT NULL,
                lat_e7 INTEGER NOT NULL CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
                lon_e7 INTEGER NOT NULL CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
                cell INTEGER NOT NULL,
                population INTEGER NOT NULL CHECK (population >= 0)
            ) STRICT;
            CREATE INDEX map_name_by_cell ON map_name (cell);
            CREATE INDEX map_name_by_map ON map_name (map);
            CREATE INDEX map_town_by_cell ON map_name (cell, lat_e7, lon_e7, population) WHERE kind = 'settlement';

            -- The first bytes of each spelling, as in gazetteer_key, and the names that have such a one.
            CREATE TABLE map_name_key (
                key INTEGER NOT NULL,
                place INTEGER NOT NULL,
                PRIMARY KEY (key, place)
            ) STRICT, WITHOUT ROWID;

            -- What an import has brought so far, that is not complete.
            CREATE TABLE map_name_draft (
                number INTEGER PRIMARY KEY,
                kind TEXT NOT NULL,
                word TEXT NOT NULL,
                name TEXT NOT NULL,
                spellings TEXT NOT NULL,
                lat_e7 INTEGER NOT NULL,
                lon_e7 INTEGER NOT NULL,
                cell INTEGER NOT NULL,
                population INTEGER NOT NULL
            ) STRICT;

            -- One row: the map whose names are being imported, and how many parts and lines have come.
            CREATE TABLE map_import (
                only INTEGER PRIMARY KEY CHECK (only = 1),
                map TEXT NOT NULL,
                parts INTEGER NOT NULL,
                lines INTEGER NOT NULL
            ) STRICT;
            INSERT INTO map_import VALUES (1, '', 0, 0);
            """)
}
