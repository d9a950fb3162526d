import GRDB
import Service
import Store

/// Finding sights by the words of their title, category and description.
///
/// The words are those of FTS5's `unicode61`: letters and digits, in any case and without diacritics, so that `eglise`
/// finds *Église*. The best match comes first by bm25, in which a word of the title counts ten times as much as one of the
/// description, and one of the category five times. Where so many sights match that scoring each would take long, those
/// with all the words in their title come first, and the older before the newer.
package enum SightSearch {
    /// The longest text that is searched for, in characters.
    package static let longest = 200

    /// How many matches are scored at most: a microsecond each.
    package static let mostScored = 2_000

    static let migration = StoreMigration(
        at: 19, name: "companion.sights.3",
        sql: """
            -- What people search sights by; it holds the index alone, the words themselves are the sights'.
            CREATE VIRTUAL TABLE sight_text USING fts5 (
                title, category, description, content = 'sight', content_rowid = 'number',
                tokenize = 'unicode61 remove_diacritics 2'
            );
            INSERT INTO sight_text (sight_text, rank) VALUES ('rank', 'bm25(10.0, 5.0, 1.0)');
            INSERT INTO sight_text (sight_text) VALUES ('rebuild');
            -- While sights are added, those with higher numbers than this are not in the index yet: one statement for all
            -- of them costs a fraction of the trigger, after each of which FTS5 writes to its tables.
            CREATE TABLE sight_text_due (after INTEGER NOT NULL) STRICT;
            CREATE TRIGGER sight_text_added AFTER INSERT ON sight
            WHEN NOT EXISTS (SELECT 1 FROM sight_text_due WHERE after < NEW.number) BEGIN
                INSERT INTO sight_text (rowid, title, category, description)
                VALUES (NEW.number, NEW.title, NEW.category, NEW.description);
            END;
            CREATE TRIGGER sight_text_changed AFTER UPDATE OF title, category, description ON sight
            WHEN (OLD.title, OLD.category, OLD.description) IS NOT (NEW.title, NEW.category, NEW.description)
                AND NOT EXISTS (SELECT 1 FROM sight_text_due WHERE after < NEW.number) BEGIN
                INSERT INTO sight_text (sight_text, rowid, title, category, description)
                VALUES ('delete', OLD.number, OLD.title, OLD.category, OLD.description);
                INSERT INTO sight_text (rowid, title, category, description)
                VALUES (NEW.number, NEW.title, NEW.category, NEW.description);
            END;
            CREATE TRIGGER sight_text_removed AFTER DELETE ON sight BEGIN
                INSERT INTO sight_text (sight_text, rowid, title, category, description)
                VALUES ('delete', OLD.number, OLD.title, OLD.category, OLD.description);
            END;
            -- A map's window is told by the index alone; so is a category.
            DROP INDEX sight_by_latitude;
            CREATE INDEX sight_by_place ON sight (lat_e7, lon_e7);
            CREATE INDEX sight_by_category ON sight (category) WHERE category IS NOT NULL;
            """)

    /// Has `body` add sights, and takes the new ones into the index at once; none may be removed meanwhile.
    static func adding<Value>(in db: Database, _ body: () throws -> Value) throws -> Value {
        try db.execute(sql: "INSERT INTO sight_text_due SELECT coalesce(max(number), 0) FROM sight")
        let value = try body()
        try db.execute(
            sql: """
                INSERT INTO sight_text (rowid, title, category, description)
                SELECT number, title, category, description FROM sight WHERE number > (SELECT after FROM sight_text_due);
                DELETE FROM sight_text_due;
                """)
        return value
    }

    /// Whether more sights match an FTS5 query than are scored.
    ///
    /// - Complexity: O(*m*) for *m* matches, of which it counts no more than are scored.
    static func isCommon(_ query: String, in db: Database) throws -> Bool {
        let count = try Int.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*) FROM (SELECT 1 FROM sight_text WHERE sight_text MATCH ? LIMIT ?)"),
            arguments: [query, mostScored + 1])
        return count ?? 0 > mostScored
    }

    /// The FTS5 query for what someone has typed: all its words, the last of them perhaps not yet typed to its end; nil
    /// where they have typed nothing.
    ///
    /// Each word is a string of the query language, so that none of its operators can be typed. What has no letter or
    /// digit finds nothing by itself, and takes nothing away beside words.
    package static func query(_ typed: String) -> String? {
        let words = typed.split { $0.isWhitespace || $0.unicodeScalars.contains { $0.value < 0x20 } }
        guard !words.isEmpty else { return nil }
        return words.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ") + "*"
    }
}
