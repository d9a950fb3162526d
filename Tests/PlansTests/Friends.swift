import FeatureSupport
import GRDB
import Store

extension CoreFixture {
    /// Makes all people friends of each other.
    func befriendEverybody() throws {
        try store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO friend SELECT one.number, other.number, 0 FROM person AS one, person AS other
                    WHERE one.id <> other.id
                    """)
        }
    }
}
