import GRDB
import Testing

@testable import Store

/// The number of bytes that the saved state of a device occupies.
@Suite struct StateLengthTests {
    @Test(arguments: [(1, 256), (256, 256), (257, 512), (768, 768), (769, 1788), (1788, 1788), (1789, 2808)])
    func statesOfSimilarLengthArePaddedToTheSameLength(_ count: Int, _ length: Int) {
        let text = String(repeating: "a", count: count)
        let padded = EncodedCommit.padded(text)
        #expect(padded.utf8.count == length)
        #expect(padded.hasPrefix(text) && padded.dropFirst(count).allSatisfy { $0 == " " })
    }

    @Test(arguments: [(769, 1), (1788, 1), (1789, 2), (2808, 2)])
    func aLongStateFillsItsPages(_ count: Int, _ pages: Int) throws {
        let store = try LocationDatabase.temporary()
        let more = try store.write { db in
            try db.execute(sql: "INSERT INTO device (name, state) VALUES ('van', '')")
            func pages() throws -> Int { try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 }
            let before = try pages()
            try db.execute(
                sql: "UPDATE device SET state = ?",
                arguments: [EncodedCommit.padded(String(repeating: "a", count: count))])
            return try pages() - before
        }
        #expect(more == pages)
    }
}
