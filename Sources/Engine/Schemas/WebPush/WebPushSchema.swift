package import Store

/// The tables of notifications that browsers get by web push.
package enum WebPushSchema {
    /// All steps.
    package static let migrations = [subscriptions]

    private static let subscriptions = StoreMigration(
        at: 79, name: "push.subscriptions.1",
        sql: """
            -- The private key (P-256) by which push services know this store; there is at most one.
            CREATE TABLE push_key (
                number INTEGER PRIMARY KEY CHECK (number = 1),
                secret BLOB NOT NULL CHECK (length(secret) = 32)
            ) STRICT;

            -- The browsers that people are notified in: the address at the browser's push service, the browser's public
            -- key and its secret. Each goes with the session in which the person asked for it.
            CREATE TABLE push_subscription (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                person INTEGER NOT NULL REFERENCES person (number) ON DELETE CASCADE,
                session INTEGER NOT NULL UNIQUE REFERENCES session (number) ON DELETE CASCADE,
                endpoint TEXT NOT NULL UNIQUE,
                key BLOB NOT NULL CHECK (length(key) = 65),
                secret BLOB NOT NULL CHECK (length(secret) = 16),
                made INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX push_subscription_by_person ON push_subscription (person, number);
            """)
}
