#if Companion
import GRDB
import Service
import Store

extension Follows {
    /// The maximum number of friends whose friends are counted; of more friends, that many are sampled.
    private static let sampledFriends = 100
    /// The maximum number of friends of each of them that are counted.
    private static let sampledOfEach = 100
    /// The maximum number of people with equally many shared friends that are compared by their followers.
    private static let compared = 1_000

    /// Returns people whom a person might want to follow.
    ///
    /// The person and everybody the person already follows are omitted. Friends of friends come first, by the number of
    /// shared friends, then the people with the most followers. Among many friends, the shared ones are counted in a
    /// sample, which is the same each time.
    ///
    /// - Parameter others: The ids of people to leave out because they were suggested before.
    /// - Complexity: O(*f* + *g* + *k*) for *f* friends, *g* people who are followed already, and *k* results and
    ///   excluded people; the sample is of bounded size.
    static func suggested(
        to person: Int64, not others: [String], limit: Int, in db: Database
    ) throws -> [PersonRow] {
        var leftOut = try excluded(others, in: db)
        leftOut.insert(person)
        var chosen: [Int64] = []
        let shared = try sharedFriends(of: person, in: db).filter { !leftOut.contains($0.key) }
        let equals = Dictionary(grouping: shared.keys) { shared[$0] ?? 0 }
        let following = try DirectStatement("SELECT 1 FROM follow WHERE follow.person = ? AND follow.other = ?", in: db)
        try following.bind(person, at: 1)
        for (_, equal) in equals.sorted(by: { $0.key > $1.key }) where chosen.count < limit {
            var wanted: [Int64] = []
            // In one order, whatever the dictionary's is.
            for number in equal.sorted() where wanted.count < compared {
                try following.bind(number, at: 2)
                if try !following.step() { wanted.append(number) }
                following.reset()
            }
            chosen += try mostFollowed(wanted, in: db)
        }
        if chosen.count < limit {
            chosen += try mostFollowed(butNot: leftOut.union(chosen), person, limit: limit - chosen.count, in: db)
        }
        return try rows(Array(chosen.prefix(limit)), for: person, in: db)
    }

    /// Returns how many friends each person shares with another, who is sampled if there are many.
    private static func sharedFriends(of person: Int64, in db: Database) throws -> [Int64: Int] {
        // Multiplied by Knuth's constant, numbers in a row are far from each other.
        let mine = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT friend.other FROM friend WHERE friend.person = ?
                    ORDER BY friend.other * 2654435761 & 4294967295 LIMIT ?
                    """), arguments: [person, sampledFriends])
        let greatest = try StoredRow.integer(db.cachedStatement(sql: "SELECT max(person.number) FROM person")) ?? 0
        var shared: [Int64: Int] = [:]
        let after = try DirectStatement(
            "SELECT friend.other FROM friend WHERE friend.person = ? AND friend.other >= ? LIMIT ?", in: db)
        let before = try DirectStatement(
            "SELECT friend.other FROM friend WHERE friend.person = ? AND friend.other < ? LIMIT ?", in: db)
        for friend in mine {
            // Somewhere among the friends of each, so that not everybody's oldest are counted.
            let start = greatest > 0 ? (friend &* 2_654_435_761 & 0xFFFF_FFFF) % greatest : 0
            let found = try count(after, friend, start, Int64(sampledOfEach), in: &shared)
            let left = Int64(sampledOfEach) - found
            if left > 0 { _ = try count(before, friend, start, left, in: &shared) }
        }
        return shared
    }

    private static func count(
        _ statement: borrowing DirectStatement, _ friend: Int64, _ start: Int64, _ limit: Int64,
        in shared: inout [Int64: Int]
    ) throws -> Int64 {
        try statement.bind(friend, at: 1)
        try statement.bind(start, at: 2)
        try statement.bind(limit, at: 3)
        var found: Int64 = 0
        while try statement.step() {
            found += 1
            if let number = statement.integer(0) { shared[number, default: 0] += 1 }
        }
        return found
    }

    private static func excluded(_ ids: [String], in db: Database) throws -> Set<Int64> {
        let selection = try db.cachedStatement(sql: "SELECT person.number FROM person WHERE person.id = ?")
        var numbers: Set<Int64> = []
        for id in ids {
            if let number = try Int64.fetchOne(selection, arguments: [id]) { numbers.insert(number) }
        }
        return numbers
    }

    /// Returns people in the order of their followers, most first, and then of their ids.
    private static func mostFollowed(_ people: [Int64], in db: Database) throws -> [Int64] {
        try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT person.number FROM json_each(?) AS given CROSS JOIN person ON person.number = given.value
                    ORDER BY person.followers DESC, person.id
                    """), arguments: [json(people)])
    }

    /// Returns the people with the most followers, without some and those whom a person follows.
    private static func mostFollowed(
        butNot leftOut: Set<Int64>, _ person: Int64, limit: Int, in db: Database
    ) throws -> [Int64] {
        let numbers = try Int64.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT person.number FROM person
                    WHERE NOT EXISTS (SELECT 1 FROM follow WHERE follow.person = ? AND follow.other = person.number)
                    ORDER BY person.followers DESC, person.id
                    """), arguments: [person])
        var found: [Int64] = []
        while found.count < limit, let number = try numbers.next() {
            if !leftOut.contains(number) { found.append(number) }
        }
        return found
    }

    /// Returns the rows of people in a given order, as a person sees them.
    private static func rows(_ people: [Int64], for person: Int64, in db: Database) throws -> [PersonRow] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(PersonRow.columns()) FROM json_each(:people) AS given
                CROSS JOIN person ON person.number = given.value ORDER BY given.key
                """)
        return try NamedRow.soundList(statement, arguments: ["me": person, "people": json(people)]) { PersonRow($0) }
    }

    private static func json(_ numbers: [Int64]) -> String {
        "[\(numbers.map(String.init).joined(separator: ","))]"
    }
}
#endif
