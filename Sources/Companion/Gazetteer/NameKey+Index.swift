import GRDB
import Store

extension NameKey {
    /// Adds the first bytes of the spellings of places to an index of names.
    ///
    /// - Parameters:
    ///   - query: The numbers of the places and their spellings, sorted by number.
    ///   - table: The index.
    static func index(_ query: String, as table: String, in db: Database) throws {
        var entries: [Entry] = []
        do {
            let places = try DirectStatement(query, in: db)
            var keys: [Int64] = []
            while try places.step() {
                guard let number = places.integer(0) else { continue }
                keys.removeAll(keepingCapacity: true)
                let spellings = places.text(1)
                for name in spellings.utf8.split(separator: 0x0A) {
                    let key = NameKey.key(name)
                    if !keys.contains(key) { keys.append(key) }
                }
                for key in keys { entries.append(Entry(key: key, place: number)) }
            }
        }
        entries.sort()
        let statement = try DirectStatement("INSERT INTO \(table) VALUES (?, ?)", in: db)
        for entry in entries {
            try statement.bind(entry.key, at: 1)
            try statement.bind(entry.place, at: 2)
            try statement.run()
        }
    }

    /// A row of the index of names.
    private struct Entry: Comparable {
        let key: Int64
        let place: Int64

        static func < (lhs: Entry, rhs: Entry) -> Bool { (lhs.key, lhs.place) < (rhs.key, rhs.place) }
    }
}
