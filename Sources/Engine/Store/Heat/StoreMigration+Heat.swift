extension StoreMigration {
    /// The heat map: how many trips have passed each square of a grid.
    ///
    /// Triggers note the trips whose squares are out of date; ``TripHeat/settle(in:)`` counts these again in the same
    /// transaction. Trips of before this step wait in `heat_backlog`, and are counted in the background.
    static let heat = """
        -- The squares that a trip has passed, in pieces: differences of sorted numbers, as variable-length integers. Its
        -- places are the larger squares in which it began, rested and ended. A trip counts in the local year in which it
        -- began.
        CREATE TABLE trip_heat (
            trip INTEGER NOT NULL,
            piece INTEGER NOT NULL,
            device INTEGER NOT NULL,
            year INTEGER NOT NULL,
            cells BLOB NOT NULL,
            places BLOB NOT NULL,
            PRIMARY KEY (trip, piece)
        ) STRICT;

        -- How many trips of a device and a year have passed each square of a tile of 64 by 64. A level has 2 to the power
        -- of its number squares around the earth; level 0 holds the places.
        CREATE TABLE heat_tile (
            level INTEGER NOT NULL,
            tile INTEGER NOT NULL,
            device INTEGER NOT NULL,
            year INTEGER NOT NULL,
            cells BLOB NOT NULL,
            PRIMARY KEY (level, tile, device, year)
        ) STRICT;

        -- The trips whose squares are out of date, within the transaction that changes them; and whether another trip
        -- may have the number now.
        CREATE TABLE heat_due (trip INTEGER PRIMARY KEY, is_gone INTEGER NOT NULL CHECK (is_gone IN (0, 1))) STRICT;

        -- The trips that are not in the tiles yet.
        CREATE TABLE heat_backlog (trip INTEGER PRIMARY KEY) STRICT;
        INSERT INTO heat_backlog SELECT number FROM trip WHERE "end" IS NOT NULL AND hidden = 0;

        CREATE TRIGGER heat_due_made AFTER INSERT ON trip WHEN NEW."end" IS NOT NULL BEGIN
            INSERT OR IGNORE INTO heat_due VALUES (NEW.number, 0);
        END;
        CREATE TRIGGER heat_due_changed AFTER UPDATE OF device, start, "end", distance_m, fixes, hidden ON trip
        WHEN NEW."end" IS NOT NULL OR OLD."end" IS NOT NULL BEGIN
            INSERT OR IGNORE INTO heat_due VALUES (NEW.number, 0);
        END;
        CREATE TRIGGER heat_due_removed AFTER DELETE ON trip BEGIN
            INSERT OR REPLACE INTO heat_due VALUES (OLD.number, 1);
        END;
        """
}
