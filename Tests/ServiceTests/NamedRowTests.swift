import Foundation
import GRDB
import Store
import Testing

@testable import Service

struct NamedRowTests {
    /// Reads the same rows from a running query, and the first one from a copy.
    private func read<Value>(_ sql: String, _ body: (NamedRow) throws -> Value) throws -> [Value] {
        try LocationDatabase.temporary().read { db in
            let statement = try db.cachedStatement(sql: sql)
            let going = try NamedRow.list(statement, arguments: [], body)
            let copied = try #require(try NamedRow.fetchOne(statement))
            return try going + [body(copied)]
        }
    }

    @Test func nullReadsAsNilForEachOptionalType() throws {
        func isNil<Value: DatabaseValueConvertible>(_ value: Value?) -> Bool { value == nil }
        let readings = try read("SELECT NULL AS gone") { row -> [Bool] in
            [
                isNil(row["gone"] as Int64?), isNil(row["gone"] as Int32?), isNil(row["gone"] as Int?),
                isNil(row["gone"] as Double?), isNil(row["gone"] as Bool?), isNil(row["gone"] as String?),
                isNil(row["gone"] as Data?),
            ]
        }
        #expect(readings == Array(repeating: Array(repeating: true, count: 7), count: 2))
    }

    /// What is read, from a running query and from a copy, and what is expected of it in words.
    private static let damaged: [(sql: String, read: @Sendable (NamedRow) -> Void, words: String)] = [
        ("NULL", { _ = $0["it"] as Int64 }, "is empty"), ("NULL", { _ = $0["it"] as String }, "is empty"),
        ("NULL", { _ = $0["it"] as Bool }, "is empty"), ("NULL", { _ = $0["it"] as Data }, "is empty"),
        ("9223372036854775807", { _ = $0["it"] as Int64? }, "holds 9223372036854775807"),
        ("-9223372036854775808", { _ = $0["it"] as Int }, "holds -9223372036854775808"),
        ("2147483648", { _ = $0["it"] as Int32 }, "holds 2147483648"),
        ("9e999", { _ = $0["it"] as Double }, "holds inf"),
        ("'word'", { _ = $0["it"] as Int32? }, "holds no number"),
        ("x'00'", { _ = $0["it"] as Double? }, "holds no number"),
    ]

    @Test(arguments: damaged)
    func whatNoColumnHoldsMakesTheWholeReadFail(
        _ sql: String, _ read: @Sendable (NamedRow) -> Void, _ words: String
    ) throws {
        let store = try LocationDatabase.temporary()
        for isCopied in [false, true] {
            let error = #expect(throws: StoreError.self) {
                try store.read { db in
                    let statement = try db.cachedStatement(sql: "SELECT \(sql) AS it")
                    if isCopied {
                        read(try #require(try NamedRow.fetchOne(statement)))
                    } else {
                        _ = try NamedRow.list(statement, arguments: []) { read($0) }
                    }
                }
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("damaged (the column it \(words)"))
        }
        // The damage is that of one read alone.
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test func aDamagedRowOfAListIsLeftOutAndItsPageStaysFull() throws {
        let store = try LocationDatabase.temporary()
        try store.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE thing (number INTEGER PRIMARY KEY, size);
                    INSERT INTO thing VALUES (1, 10), (2, 9223372036854775807), (3, 30), (4, 'x'), (5, 50);
                    """)
        }
        for limit in 1...6 {
            let (list, direct) = try store.read { db in
                let list = try NamedRow.soundList(
                    db.cachedStatement(sql: "SELECT number, size FROM thing ORDER BY number LIMIT ?"),
                    arguments: [StoreDamage.widened(limit)]
                ) { ($0["size"] as Int, $0["number"] as Int) }
                let rows = try DirectStatement("SELECT size FROM thing ORDER BY number", isList: true, in: db)
                var direct: [Int64?] = []
                while try rows.step() { direct.append(rows.integer(0)) }
                return (list, direct)
            }
            #expect(list.map(\.0).prefix(limit) == [10, 30, 50].prefix(limit))
            #expect(direct == [10, 30, 50])
        }
        #expect(
            store.damage.details.contains(
                "the column size of the table thing holds 9223372036854775807, in the row with number 2"))
        #expect(
            store.damage.details.contains(
                "the column size of the table thing holds no number, in the row with number 4"))
    }

    @Test func aRowThatIsDamagedAsAWholeIsLeftOut() throws {
        let store = try LocationDatabase.temporary()
        let list = try store.read { db in
            try NamedRow.soundList(db.cachedStatement(sql: "VALUES (1), (2), (3)"), arguments: []) { row -> Int in
                let number: Int = row["column1"]
                if number == 2 { throw row.damage("a thing is no thing") }
                return number
            }
        }
        #expect(list == [1, 3])
        #expect(store.damage.details == ["a thing is no thing"])
    }

    @Test func aWriteNeverLeavesADamagedRowOut() throws {
        let store = try LocationDatabase.temporary()
        #expect(throws: StoreError.self) {
            try store.write { db in
                try NamedRow.soundList(db.cachedStatement(sql: "VALUES (1), ('x')"), arguments: []) {
                    $0["column1"] as Int
                }
            }
        }
    }

    @Test func aListWithTooManyDamagedRowsFails() throws {
        let store = try LocationDatabase.temporary()
        let sql = """
            WITH RECURSIVE count (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM count WHERE number < 1001)
            SELECT number, 'x' AS it FROM count
            """
        #expect(throws: StoreError.self) {
            try store.read { db in
                try NamedRow.soundList(db.cachedStatement(sql: sql), arguments: []) { $0["it"] as Int }
            }
        }
        #expect(store.damage.details == ["the column it holds no number"])
    }

    @Test func valuesOfEachTypeAreReadUnchanged() throws {
        let readings = try read(
            "SELECT -9000000000 AS large, 52.5 AS place, 1 AS yes, 'Brücke' AS name, x'00FF' AS bytes"
        ) { row in
            [
                row["large"] as Int64 == -9_000_000_000, row["large"] as Int64? == -9_000_000_000,
                row["place"] as Double == 52.5, row["yes"] as Bool, row["yes"] as Bool? == true,
                row["name"] as String == "Brücke", row["name"] as String? == "Brücke",
                row["bytes"] as Data == Data([0, 255]), row["bytes"] as Data? == Data([0, 255]),
            ]
        }
        #expect(readings == Array(repeating: Array(repeating: true, count: 9), count: 2))
    }

    @Test func aMissingColumnReadsAsNilAndAPrefixSelectsColumns() throws {
        let readings = try read("SELECT 1 AS first_id, 2 AS second_id") { row in
            [
                row["third_id"] as Int? == nil, row.under("first")["_id"] as Int == 1,
                row.under("second")["_id"] as Int == 2, row.under("first")["_id"] as Int == 1,
            ]
        }
        #expect(readings == Array(repeating: Array(repeating: true, count: 4), count: 2))
    }

    @Test func columnsOfEachRowAreReadInAnyOrder() throws {
        let sums = try LocationDatabase.temporary().read { db in
            try NamedRow.list(
                db.cachedStatement(sql: "VALUES (1, 10), (2, 20), (3, 30)"), arguments: []
            ) { row -> Int in
                let (first, second): (Int, Int) = (row["column1"], row["column2"])
                return (row["column2"] as Int) + first * 100 + second
            }
        }
        #expect(sums == [120, 240, 360])
    }
}
