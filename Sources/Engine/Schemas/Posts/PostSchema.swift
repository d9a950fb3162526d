package import Store

/// The tables of posts, products and shopping lists.
package enum PostSchema {
    package static let migration = StoreMigration(
        at: 41, name: "posts.posts.1", sql: products + posts + counts + flags + removal)

    private static let products = """
        -- What can be bought, as posts show it. The price is in minor units of the currency. It stays as long as a post
        -- shows it, also where the account of who has entered it is gone. Hearts are counted by triggers, hidden and flags
        -- are as the table flagged has them.
        CREATE TABLE product (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            owner INTEGER REFERENCES person (number) ON DELETE SET NULL,
            name TEXT NOT NULL CHECK (name <> ''),
            brand TEXT NOT NULL CHECK (brand <> ''),
            price INTEGER NOT NULL CHECK (price > 0),
            currency TEXT NOT NULL CHECK (length(currency) = 3),
            link TEXT CHECK (link GLOB 'http://*' OR link GLOB 'https://*'),
            created INTEGER NOT NULL,
            hearts INTEGER NOT NULL DEFAULT 0,
            hidden INTEGER NOT NULL DEFAULT 0,
            flags INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX product_by_owner ON product (owner) WHERE owner IS NOT NULL;

        -- What people want to buy, the later the higher the number; times in milliseconds since 1970.
        CREATE TABLE shopping_item (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            product INTEGER NOT NULL REFERENCES product (number) ON DELETE CASCADE,
            added INTEGER NOT NULL,
            UNIQUE (person, product)
        ) STRICT;
        CREATE INDEX shopping_item_by_person ON shopping_item (person, number);
        CREATE INDEX shopping_item_by_product ON shopping_item (product);

        """

    private static let posts = """
        -- What people show, the later the higher the number; of a product where that is not NULL. Brands stand one a line;
        -- place is what the gazetteer called the place when it was made, cell the part of the map that it is in. Hearts,
        -- wears and changes are counted by triggers, hidden and flags are as the table flagged has them.
        CREATE TABLE post (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            author INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            product INTEGER REFERENCES product (number) ON DELETE SET NULL,
            text TEXT CHECK (text <> ''),
            brands TEXT NOT NULL DEFAULT '',
            voting INTEGER NOT NULL DEFAULT 0 CHECK (voting IN (0, 1)),
            level TEXT NOT NULL DEFAULT 'everyone' CHECK (level IN ('friends', 'everyone')),
            lat_e7 INTEGER NOT NULL CHECK (lat_e7 BETWEEN -900000000 AND 900000000),
            lon_e7 INTEGER NOT NULL CHECK (lon_e7 BETWEEN -1800000000 AND 1800000000),
            cell INTEGER NOT NULL,
            place TEXT,
            created INTEGER NOT NULL,
            hearts INTEGER NOT NULL DEFAULT 0,
            wears INTEGER NOT NULL DEFAULT 0,
            changes INTEGER NOT NULL DEFAULT 0,
            hidden INTEGER NOT NULL DEFAULT 0,
            flags INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        -- Enough to know what someone sees of whose posts, without the posts.
        CREATE INDEX post_by_author ON post (author, number, hidden, level);
        CREATE INDEX post_by_product ON post (product, number) WHERE product IS NOT NULL;
        CREATE INDEX post_by_place ON post (cell, lat_e7, lon_e7);

        -- What people would do with what a post shows: 1 wear it, 0 change it.
        CREATE TABLE post_verdict (
            post INTEGER NOT NULL REFERENCES post (number) ON DELETE CASCADE,
            person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
            wears INTEGER NOT NULL CHECK (wears IN (0, 1)),
            PRIMARY KEY (post, person)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX post_verdict_by_person ON post_verdict (person);

        """

    /// Returns an SQL expression for the number of the post or product that a row of `subject` is; NULL if it is of
    /// another kind.
    private static func number(of kind: String, subject: String) -> String {
        """
        (SELECT CAST(substr(id, \(kind.utf8.count + 2)) AS INTEGER) FROM subject
            WHERE number = \(subject) AND id GLOB '\(kind)/*')
        """
    }

    private static let counts = """
        CREATE TRIGGER post_judged AFTER INSERT ON post_verdict BEGIN
            UPDATE post SET wears = wears + NEW.wears, changes = changes + 1 - NEW.wears WHERE number = NEW.post;
        END;
        CREATE TRIGGER post_judged_no_more AFTER DELETE ON post_verdict BEGIN
            UPDATE post SET wears = wears - OLD.wears, changes = changes - 1 + OLD.wears WHERE number = OLD.post;
        END;

        """
        + ["post", "product"].map { kind in
            """
            CREATE TRIGGER \(kind)_loved AFTER INSERT ON reaction WHEN NEW.kind = 'heart' BEGIN
                UPDATE \(kind) SET hearts = hearts + 1 WHERE number = \(number(of: kind, subject: "NEW.subject"));
            END;
            CREATE TRIGGER \(kind)_loved_no_more AFTER DELETE ON reaction WHEN OLD.kind = 'heart' BEGIN
                UPDATE \(kind) SET hearts = hearts - 1 WHERE number = \(number(of: kind, subject: "OLD.subject"));
            END;

            """
        }.joined()

    private static let flags = ["post", "product"].map { kind in
        """
        CREATE TRIGGER \(kind)_flagged AFTER UPDATE OF hidden, flags ON flagged BEGIN
            UPDATE \(kind) SET hidden = NEW.hidden, flags = NEW.flags
            WHERE number = \(number(of: kind, subject: "NEW.subject"));
        END;

        """
    }.joined()

    private static let removal = """
        -- With a post goes what people have said of it and been told by name, and its product where no other shows that.
        CREATE TRIGGER post_removing BEFORE DELETE ON post BEGIN
            DELETE FROM notification WHERE (person, key) IN (
                SELECT suggestion.recipient, 'suggestion/' || suggestion.number
                FROM subject JOIN suggestion ON suggestion.subject = subject.number
                WHERE subject.id = 'post/' || OLD.number);
        END;
        CREATE TRIGGER post_removed AFTER DELETE ON post BEGIN
            DELETE FROM subject WHERE id = 'post/' || OLD.number;
            DELETE FROM product
            WHERE number = OLD.product AND NOT EXISTS (SELECT 1 FROM post WHERE product = OLD.product);
        END;
        CREATE TRIGGER product_removing BEFORE DELETE ON product BEGIN
            DELETE FROM notification WHERE (person, key) IN (
                SELECT suggestion.recipient, 'suggestion/' || suggestion.number
                FROM subject JOIN suggestion ON suggestion.subject = subject.number
                WHERE subject.id = 'product/' || OLD.number);
        END;
        CREATE TRIGGER product_removed AFTER DELETE ON product BEGIN
            DELETE FROM subject WHERE id = 'product/' || OLD.number;
        END;
        """
}
