import GRDB
import TestSupport
import Testing

@testable import Store

@Suite struct DirectStatementTests {
    private func inStore<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let store = try LocationDatabase.temporary()
        return try store.write { db in
            try db.execute(sql: "CREATE TABLE thing (number INTEGER PRIMARY KEY, part REAL, name TEXT NOT NULL) STRICT")
            return try body(db)
        }
    }

    @Test func boundValuesAreReadBack() throws {
        let (least, greatest) = (StoreDamage.integers.lowerBound, StoreDamage.integers.upperBound)
        try inStore { db in
            let insertion = try DirectStatement("INSERT INTO thing VALUES (?, ?, ?)", in: db)
            for (number, name) in [(least, ""), (0, "点 🚏"), (greatest, "a\0b")] {
                try insertion.bind(number, at: 1)
                try insertion.bind(nil as Int64?, at: 2)
                try insertion.bind(name, at: 3)
                try insertion.run()
            }
            try db.execute(sql: "UPDATE thing SET part = 0.5 WHERE number = 0")
            let selection = try DirectStatement("SELECT number, part, name FROM thing ORDER BY number", in: db)
            var rows: [String] = []
            while try selection.step() {
                rows.append("\(selection.integer(0) ?? 7) \(selection.real(1)) \(selection.text(2))")
            }
            #expect(rows == ["\(least) 0.0 ", "0 0.5 点 🚏", "\(greatest) 0.0 a\0b"])
            #expect(try selection.step())
            #expect(selection.integer(1) == nil)
        }
    }

    @Test func aStatementIsUsableAfterAnError() throws {
        try inStore { db in
            let insertion = try DirectStatement("INSERT INTO thing (number, name) VALUES (?, ?)", in: db)
            try insertion.bind(1, at: 1)
            try insertion.bind("one", at: 2)
            try insertion.run()
            let error = #expect(throws: DatabaseError.self) { try insertion.run() }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            try insertion.bind(2, at: 1)
            try insertion.run()
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM thing") == 2)
            #expect(throws: DatabaseError.self) { try insertion.bind(3, at: 9) }
        }
    }

    @Test func anUnfinishedStatementCanBeUsedAgain() throws {
        try inStore { db in
            try db.execute(sql: "INSERT INTO thing (number, name) VALUES (1, 'one'), (2, 'two')")
            for _ in 0..<2 {
                let selection = try DirectStatement("SELECT number FROM thing WHERE number <> ?", in: db)
                #expect(try !selection.step())
                try selection.bind(7, at: 1)
                #expect(try selection.step())
                #expect(selection.integer(0) == 1)
            }
        }
    }
}
