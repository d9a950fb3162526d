import Foundation
import GRDB
import Time
import Tracking

/// The index of the event log: which words and times occur in each block of it.
///
/// A word is a type, device, subject, kind of subject or recipient. A row is written when its block is full, so that an
/// event costs some bytes; an index of SQLite would cost a page for each of its columns. Blocks of 256 events are
/// summed up by 16 into larger ones, up to a million events. A block without a row may hold anything: the index only
/// says where there is nothing to find.
enum EventBlocks {
    /// The binary logarithms of the number of events in a block of each level.
    static let shifts: [Int64] = [8, 12, 16, 20]
    /// The number of blocks that are summed up into one of the next level.
    private static let fanOut: Int64 = 16
    /// The maximum number of words or of subjects in a row, which is 64 KiB; a block with more may hold any.
    private static let maximumWords = 1 << 14

    static let migration = StoreMigration(at: 63, name: "store.log.6") { db in
        try db.execute(sql: schema)
        try rebuild(in: db)
    }

    private static let schema = """
        -- Which words and times occur in blocks of the event log. The number is the level, from 0 for 256 events to 3
        -- for 1,048,576, times 2^48, and the number of the block's first event divided by the number of its events. The
        -- words are hashes of types, devices, kinds and recipients, four bytes each, in order; those of subjects are
        -- apart, because they may be as many as the events. NULL is too many. A block without a row is not full, or not
        -- known.
        CREATE TABLE event_block (
            number INTEGER PRIMARY KEY,
            earliest INTEGER NOT NULL,
            latest INTEGER NOT NULL,
            words BLOB,
            subjects BLOB
        ) STRICT;
        """

    /// Returns the key of a block's row.
    static func key(_ level: Int, _ block: Int64) -> Int64 { Int64(level) << 48 | block }

    // MARK: Writing

    /// Writes the rows of the blocks that an event has filled.
    ///
    /// - Complexity: O(1) for most events; O(256) for one that fills a block.
    static func note(_ seq: Int64, in db: Database) throws {
        for (level, shift) in shifts.enumerated() {
            guard (seq + 1) & (1 << shift - 1) == 0 else { return }
            let block = seq >> shift
            // Of a block with a damaged event nothing is known, and writing goes on.
            let found = StoreDamage.sparing {
                Result { try level == 0 ? summary(of: block, in: db) : union(level, block, in: db) }
            }
            try write(found?.get(), level, block, in: db)
        }
    }

    /// Writes the rows of all full blocks anew.
    ///
    /// - Complexity: O(*n*) for *n* events.
    static func rebuild(in db: Database) throws {
        try db.execute(sql: "DELETE FROM event_block")
        let next = try db.cachedStatement(sql: "SELECT min(event.seq) FROM event WHERE event.seq >= ?")
        guard let last = try StoredRow.integer(db.cachedStatement(sql: "SELECT max(event.seq) FROM event")) else {
            return
        }
        let size: Int64 = 1 << shifts[0]
        // Numbers may be missing, and many of them if one is damaged.
        var place: Int64 = 1
        while let seq = try StoredRow.integer(next, arguments: [place]) {
            place = (seq / size + 1) * size
            guard place - 1 <= last else { return }
            try note(place - 1, in: db)
        }
    }

    /// Deletes the rows of blocks that lie wholly before an event.
    static func forget(before seq: Int64, in db: Database) throws {
        let deletion = try db.cachedStatement(
            sql: "DELETE FROM event_block WHERE event_block.number >= ? AND event_block.number < ?")
        for (level, shift) in shifts.enumerated() {
            try deletion.execute(arguments: [key(level, 0), key(level, seq >> shift)])
        }
    }

    /// Deletes the rows of blocks that an event, or one after it, belongs to: their numbers are assigned again.
    static func forget(from seq: Int64, in db: Database) throws {
        let deletion = try db.cachedStatement(
            sql: "DELETE FROM event_block WHERE event_block.number >= ? AND event_block.number < ?")
        for (level, shift) in shifts.enumerated() {
            try deletion.execute(arguments: [key(level, seq >> shift), key(level + 1, 0)])
        }
    }

    private static func write(_ summary: Summary?, _ level: Int, _ block: Int64, in db: Database) throws {
        guard let summary else { return }
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO event_block (number, earliest, latest, words, subjects) VALUES (?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                key(level, block), summary.earliest, summary.latest, bytes(summary.words), bytes(summary.subjects),
            ])
    }

    private static func bytes(_ words: Set<UInt32>?) -> Data? {
        guard let words, words.count <= maximumWords else { return nil }
        return Data(
            words.sorted().flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } })
    }

    /// The times and words of a block; any are possible where there are none.
    private struct Summary {
        var earliest = Int64.max
        var latest = Int64.min
        var words: Set<UInt32>? = []
        var subjects: Set<UInt32>? = []
    }

    /// Returns the summary of a block of events; `nil` if it has none.
    private static func summary(of block: Int64, in db: Database) throws -> Summary? {
        let rows = try DirectStatement(
            """
            SELECT event.time, event.type, event.device, event.subject, event.recipient FROM event
            WHERE event.seq BETWEEN ? AND ?
            """, in: db)
        try rows.bind(block << shifts[0], at: 1)
        try rows.bind((block + 1) << shifts[0] - 1, at: 2)
        var (words, subjects): (Set<UInt32>, Set<UInt32>) = ([], [])
        var summary = Summary()
        while try rows.step() {
            guard let time = rows.integer(0) else { return nil }
            (summary.earliest, summary.latest) = (min(summary.earliest, time), max(summary.latest, time))
            let type = rows.text(1)
            words.insert(Word.type.hash(type))
            if let family = family(of: type) { words.insert(Word.family.hash(family)) }
            if !rows.row.isNull(2) { words.insert(Word.device.hash(rows.text(2))) }
            if !rows.row.isNull(3) {
                let subject = rows.text(3)
                subjects.insert(Word.subject.hash(subject))
                words.insert(Word.kind.hash(subject.prefix { $0 != "/" }))
            }
            if !rows.row.isNull(4) { words.insert(Word.recipient.hash(rows.text(4))) }
        }
        (summary.words, summary.subjects) = (words, subjects)
        return words.isEmpty ? nil : summary
    }

    /// Returns the summary of a larger block; `nil` if that of a part is not known.
    private static func union(_ level: Int, _ block: Int64, in db: Database) throws -> Summary? {
        var sum = Summary()
        let rows = try DirectStatement(
            """
            SELECT event_block.earliest, event_block.latest, event_block.words, event_block.subjects FROM event_block
            WHERE event_block.number = ?
            """, in: db)
        for part in block * fanOut..<(block + 1) * fanOut {
            try rows.bind(key(level - 1, part), at: 1)
            guard try rows.step() else {
                // Events before the beginning of the log were deleted.
                guard try !hasEvents(level - 1, part, in: db) else { return nil }
                continue
            }
            guard let earliest = rows.integer(0), let latest = rows.integer(1) else { return nil }
            (sum.earliest, sum.latest) = (min(sum.earliest, earliest), max(sum.latest, latest))
            let (words, subjects) = (Words(rows.row, 2), Words(rows.row, 3))
            if let words { sum.words?.formUnion(words.all) } else { sum.words = nil }
            if let subjects { sum.subjects?.formUnion(subjects.all) } else { sum.subjects = nil }
            rows.reset()
        }
        return sum.earliest <= sum.latest ? sum : nil
    }

    private static func hasEvents(_ level: Int, _ block: Int64, in db: Database) throws -> Bool {
        let shift = shifts[level]
        return try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM event WHERE event.seq BETWEEN ? AND ?)"),
            arguments: [block << shift, (block + 1) << shift - 1]) ?? true
    }

    // MARK: Reading

    /// What a search wants of a block: a time, and one word of each set.
    struct Terms {
        fileprivate let from: Int64
        fileprivate let until: Int64
        fileprivate let words: [[UInt32]]
        fileprivate let subjects: [UInt32]

        init(_ query: EventQuery) {
            from = query.from?.milliseconds ?? .min
            until = query.until?.milliseconds ?? .max
            var words: [[UInt32]] = []
            // A pattern that begins with * says nothing of the words in a block.
            let types = query.types.map { EventBlocks.word(ofType: $0) }
            if !types.isEmpty, !types.contains(nil) { words.append(types.compactMap { $0 }) }
            if !query.devices.isEmpty { words.append(query.devices.map { Word.device.hash($0) }) }
            if !query.kinds.isEmpty { words.append(query.kinds.map { Word.kind.hash($0) }) }
            if let recipient = query.recipient { words.append([Word.recipient.hash(recipient)]) }
            self.words = words
            subjects = query.subjects.map { Word.subject.hash($0) }
        }
    }

    /// Returns whether a block may hold an event that a search wants; `nil` if nothing is known of the block.
    static func mayHold(_ terms: Terms, _ level: Int, _ block: Int64, in db: Database) throws -> Bool? {
        try StoreDamage.sparing { Result { try read(terms, level, block, in: db) } }?.get()
    }

    private static func read(_ terms: Terms, _ level: Int, _ block: Int64, in db: Database) throws -> Bool? {
        let row = try DirectStatement(
            """
            SELECT event_block.earliest, event_block.latest, event_block.words, event_block.subjects FROM event_block
            WHERE event_block.number = ?
            """, in: db)
        try row.bind(key(level, block), at: 1)
        guard try row.step(), let earliest = row.integer(0), let latest = row.integer(1) else { return nil }
        guard latest >= terms.from, earliest < terms.until else { return false }
        if !terms.words.isEmpty, let words = Words(row.row, 2) {
            guard terms.words.allSatisfy({ $0.contains { words.contains($0) } }) else { return false }
        }
        if !terms.subjects.isEmpty, let subjects = Words(row.row, 3) {
            guard terms.subjects.contains(where: { subjects.contains($0) }) else { return false }
        }
        return true
    }

    /// The hashes in a column, in order.
    private struct Words {
        private let bytes: [UInt8]

        /// Reads a column; `nil` if it is `NULL` or damaged, so that any word is possible.
        init?(_ row: CurrentRow, _ column: Int32) {
            guard !row.isNull(column) else { return nil }
            bytes = [UInt8](row.data(column))
            guard bytes.count.isMultiple(of: 4) else { return nil }
        }

        private subscript(index: Int) -> UInt32 {
            let place = 4 * index
            return UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
                | UInt32(bytes[place + 3]) << 24
        }

        var all: [UInt32] { (0..<bytes.count / 4).map { self[$0] } }

        func contains(_ word: UInt32) -> Bool {
            var (low, high) = (0, bytes.count / 4)
            while low < high {
                let middle = (low + high) / 2
                if self[middle] < word { low = middle + 1 } else { high = middle }
            }
            return low < bytes.count / 4 && self[low] == word
        }
    }

    // MARK: Words

    /// The kinds of words, each with the byte that comes before its texts in a hash.
    private enum Word: UInt8 {
        case type, family, device, subject, kind, recipient

        /// Returns the FNV-1a hash of 32 bits (RFC 9923).
        func hash(_ text: some StringProtocol) -> UInt32 {
            var hash = (2_166_136_261 ^ UInt32(rawValue)) &* 16_777_619
            for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
            return hash
        }
    }

    /// Returns the beginning of a type up to its first point, such as `trip.` of `trip.end`; `nil` if it has none.
    private static func family(of type: some StringProtocol) -> String? {
        type.firstIndex(of: ".").map { String(type[...$0]) }
    }

    /// Returns the word that a block must have to hold events of a type, or of a pattern such as `trip.*`.
    private static func word(ofType pattern: String) -> UInt32? {
        guard let star = pattern.firstIndex(of: "*") else { return Word.type.hash(pattern) }
        return family(of: pattern[..<star]).map { Word.family.hash($0) }
    }
}
