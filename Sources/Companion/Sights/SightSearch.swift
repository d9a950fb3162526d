import GRDB
import Service
import Store

/// The full-text search for sights by the words of title, category and description.
///
/// Words are those of FTS5's `unicode61` tokenizer: letters and digits, without regard to case and diacritics, so that
/// `eglise` finds *Église*. The best match by bm25 comes first. A word of the title counts ten times as much as one of
/// the description, and one of the category five times.
///
/// Scoring takes time for each match. If more than ``maximumScored`` sights match, the sights with all words in their title
/// come first, and within each group the older before the newer.
package enum SightSearch {
    /// The longest text to search for, in characters.
    package static let longest = 200

    /// The maximum number of matches that are scored.
    ///
    /// Scoring one match takes about a microsecond.
    package static let maximumScored = 2_000

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

    /// Runs `body`, which adds sights, and then adds all new sights to the search index in one statement.
    ///
    /// `body` must not remove any.
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
    /// - Complexity: O(*m*) for *m* matches, of which at most ``maximumScored`` + 1 are counted.
    static func isCommon(_ query: String, in db: Database) throws -> Bool {
        let count = try Int.fetchOne(
            db.cachedStatement(
                sql: "SELECT count(*) FROM (SELECT 1 FROM sight_text WHERE sight_text MATCH ? LIMIT ?)"),
            arguments: [query, maximumScored + 1])
        return count ?? 0 > maximumScored
    }

    /// Returns the FTS5 query for a text that somebody typed; `nil` if the text is blank.
    ///
    /// The query matches all words, and the last one as a prefix, since it may not be typed to its end. Each word
    /// becomes a string of the query language, so that FTS5 operators in the text have no effect. A word without
    /// letters and digits matches nothing by itself, and is ignored next to other words.
    package static func query(_ typed: String) -> String? {
        let words = typed.split { $0.isWhitespace || $0.unicodeScalars.contains { $0.value < 0x20 } }
        guard !words.isEmpty else { return nil }
        return words.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ") + "*"
    }
}
