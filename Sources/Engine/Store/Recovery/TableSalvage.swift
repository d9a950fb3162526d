import GRDB

/// Copies the readable rows of one table.
///
/// A pass over the table ends at the first error. A second pass starts from the other end. The range between the two is
/// halved, the widest ranges first, until what is left cannot be read from either side.
struct TableSalvage {
    private let table: TableShape
    private let source: Database
    private let copy: Database
    private let insertion: Statement
    private var refused = 0
    /// The statements that read ranges, by their text.
    ///
    /// GRDB's cache drops a statement that met an unreadable page.
    private var passes: [String: Statement] = [:]

    /// The most ranges to try in one table; an unreadable range costs some ten microseconds.
    private static let maximumRanges = 100_000
    /// The most halvings of a range in which no row is found.
    ///
    /// Crossing a page of rows takes seven or eight.
    private static let maximumEmptyHalvings = 8
    /// The most halvings without a row after which a single key value is still searched by the next key column.
    private static let maximumEmptyHalvingsForValue = 3
    /// The lower end of the search if the first row of a table is unreadable; assigned keys are positive.
    private static let beforeAll: Int64 = -1

    init(_ table: TableShape, from source: Database, to copy: Database) throws {
        self.table = table
        self.source = source
        self.copy = copy
        let names = table.columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        insertion = try copy.makeStatement(
            sql: "INSERT OR IGNORE INTO \(table.quoted) (\(names)) VALUES (\(places))")
    }

    /// Copies the readable rows.
    ///
    /// - Throws: An error if the new store cannot be written.
    mutating func run() throws -> StoreRecovery.Table {
        let ranges = try isKnown ? salvage() : []
        let lost = isKnown ? ranges.map { $0.words(table.key) } : ["all rows: the definition cannot be read"]
        let rows = try Int.fetchOne(copy, sql: "SELECT count(*) FROM \(table.quoted)") ?? 0
        let names = table.hasRowNumbers ? LostRows(table, source, copy).names(ranges.map(\.integers)) : []
        return StoreRecovery.Table(name: table.name, rows: rows, lost: lost, refused: refused, lostNames: names)
    }

    private var isKnown: Bool {
        let names = table.columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        return (try? source.makeStatement(sql: "SELECT \(names) FROM \(table.quoted)")) != nil
    }

    /// - Returns: The ranges that cannot be read, in order.
    private mutating func salvage() throws -> [KeyRange] {
        var ranges = [KeyRange()]
        var lost: [KeyRange] = []
        var next = 0
        while next < ranges.count {
            guard next < Self.maximumRanges else { return KeyRange.merged(lost + ranges[next...]) }
            var range = ranges[next]
            next += 1
            guard let first = try copyRows(of: range, descending: false) else { continue }
            range.low = first.last ?? range.low
            guard let second = try copyRows(of: range, descending: true) else { continue }
            range.high = second.last ?? range.high
            range.inVain = first.last == nil && second.last == nil ? range.inVain + 1 : 0
            // There may be more rows with the key values at which the passes ended.
            let isLastColumn = range.prefix.count + 1 == table.key.count
            if !isLastColumn {
                for value in Set([first.last, second.last].compactMap { $0 }) {
                    ranges.append(KeyRange(prefix: range.prefix + [value]))
                }
            }
            if range.isEmpty { continue }
            let parts = halves(of: range)
            if !parts.isEmpty {
                ranges += parts
            } else if !isLastColumn, range.inVain <= Self.maximumEmptyHalvingsForValue, let value = range.single {
                ranges.append(KeyRange(prefix: range.prefix + [value], inVain: range.inVain))
            } else {
                lost.append(range)
            }
        }
        return KeyRange.merged(lost)
    }

    /// Returns the two halves of a range of integers; none if it holds a single integer or is given up.
    private func halves(of range: KeyRange) -> [KeyRange] {
        guard table.key[range.prefix.count].isInteger, range.inVain <= Self.maximumEmptyHalvings else { return [] }
        let low = range.low.flatMap(Int64.fromDatabaseValue) ?? Self.beforeAll
        var (lower, upper) = (range, range)
        let middle: Int64
        if let high = range.high.flatMap(Int64.fromDatabaseValue) {
            // Unsigned, because `low` may lie as far below 0 as `high` lies above it.
            let width = UInt64(bitPattern: high &- low)
            guard low < high, width > 2 else { return [] }
            middle = low &+ Int64(bitPattern: width / 2)
        } else {
            let (sum, overflow) = low.addingReportingOverflow(range.step)
            guard !overflow, sum < .max else { return [] }
            middle = sum
            upper.step = range.step.multipliedReportingOverflow(by: 2).partialValue
            guard upper.step > 0 else { return [] }
            // An unbounded range is not given up, because the keys of two trips lie 2⁴⁰ apart. The doubling step ends
            // the search.
            upper.inVain = 0
        }
        lower.low = low.databaseValue
        lower.high = (middle + 1).databaseValue
        upper.low = middle.databaseValue
        return [lower, upper]
    }

    /// The last value that a pass read, in the key column that the range restricts; `nil` if it read no row.
    private struct End {
        let last: DatabaseValue?
    }

    /// Copies the rows of a range until the first error.
    ///
    /// - Returns: `nil` if the whole range was read.
    private mutating func copyRows(of range: KeyRange, descending: Bool) throws -> End? {
        let column = table.key[range.prefix.count]
        let order = table.key[range.prefix.count...].map { "\($0.quoted) \(descending ? "DESC" : "ASC")" }
        var conditions = zip(table.key, range.prefix).map { column, _ in "\(column.quoted) = ?" }
        if range.low != nil { conditions.append("\(column.quoted) > ?") }
        if range.high != nil { conditions.append("\(column.quoted) < ?") }
        let names = ([column.quoted] + table.columns.map(\.quotedDatabaseIdentifier)).joined(separator: ", ")
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let sql = """
            SELECT \(names) FROM \(table.quoted) \(table.hasRowNumbers ? "NOT INDEXED" : "")
            \(condition) ORDER BY \(order.joined(separator: ", "))
            """
        let bounds = range.prefix + [range.low, range.high].compactMap { $0 }
        var last: DatabaseValue?
        let rows: RowCopy
        do {
            let statement = try pass(sql)
            try statement.setArguments(StatementArguments(bounds))
            rows = RowCopy(statement, to: insertion, in: copy, hasIntegers: column.isInteger)
        } catch is DatabaseError {
            return End(last: last)
        }
        while true {
            switch try rows.next() {
            case .copied: break
            // An earlier pass may have copied it.
            case .refused: if try !isThere(rows.values) { refused += 1 }
            case .end: return nil
            case .unreadable: return End(last: last)
            }
            last = rows.key
        }
    }

    /// Returns the prepared statement of a pass.
    private mutating func pass(_ sql: String) throws -> Statement {
        if let known = passes[sql] { return known }
        let statement = try source.makeStatement(sql: sql)
        passes[sql] = statement
        return statement
    }

    /// Whether a row was already copied by an earlier pass.
    private func isThere(_ values: [DatabaseValue]) throws -> Bool {
        guard !table.hasRowNumbers else { return false }
        let keys = table.key.map(\.name)
        let own = keys.compactMap { key in table.columns.firstIndex(of: key).map { values[$0] } }
        let condition = table.key.map { "\($0.quoted) = ?" }.joined(separator: " AND ")
        return try Bool.fetchOne(
            copy.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM \(table.quoted) WHERE \(condition))"),
            arguments: StatementArguments(own)) ?? false
    }
}

/// The rows whose first key columns equal `prefix`, and whose next key column lies strictly between `low` and `high`.
private struct KeyRange {
    var prefix: [DatabaseValue] = []
    var low: DatabaseValue?
    var high: DatabaseValue?
    /// The distance beyond `low` to search if `high` is unknown; it doubles each time.
    var step: Int64 = 64
    /// The number of halvings since a row was found.
    var inVain = 0

    init(prefix: [DatabaseValue] = [], inVain: Int = 0) {
        self.prefix = prefix
        self.inVain = inVain
    }

    private var bounds: (low: Int64, high: Int64)? {
        guard let low = low.flatMap(Int64.fromDatabaseValue), let high = high.flatMap(Int64.fromDatabaseValue) else {
            return nil
        }
        return (low, high)
    }

    /// The integers between the bounds, which are those of an open range at most.
    var integers: ClosedRange<Int64> {
        let low: Int64 = low.flatMap(Int64.fromDatabaseValue).map { $0 < .max ? $0 + 1 : $0 } ?? 0
        let high: Int64 = high.flatMap(Int64.fromDatabaseValue).map { $0 > .min ? $0 - 1 : $0 } ?? .max
        return low...max(low, high)
    }

    /// Whether no integer lies between the bounds.
    var isEmpty: Bool { bounds.map { $0.high <= $0.low || $0.high - 1 == $0.low } ?? false }

    /// The one integer between the bounds; `nil` if there are more or none.
    var single: DatabaseValue? {
        bounds.flatMap { $0.low < $0.high && $0.high - 1 == $0.low + 1 ? ($0.low + 1).databaseValue : nil }
    }

    /// Returns the ranges in order, merging those that overlap or touch.
    static func merged(_ ranges: [KeyRange]) -> [KeyRange] {
        func start(_ range: KeyRange) -> Int64 { range.low.flatMap(Int64.fromDatabaseValue) ?? .min }
        let sorted = ranges.sorted { first, second in
            let (one, other) = (first.prefix.map(\.description), second.prefix.map(\.description))
            return one == other ? start(first) < start(second) : one.lexicographicallyPrecedes(other)
        }
        return sorted.reduce(into: []) { merged, range in
            guard let before = merged.last, before.prefix == range.prefix,
                let end = before.high.flatMap(Int64.fromDatabaseValue), start(range) < end
            else { return merged.append(range) }
            merged[merged.count - 1].high = range.high
        }
    }

    /// Returns the range in words for people, such as `trip = 5, time > 41, time < 90`.
    func words(_ key: [TableShape.KeyColumn]) -> String {
        let column = key[prefix.count].name
        let parts =
            zip(key, prefix).map { "\($0.name) = \($1)" } + (low.map { ["\(column) > \($0)"] } ?? [])
            + (high.map { ["\(column) < \($0)"] } ?? [])
        return parts.isEmpty ? "all rows" : parts.joined(separator: ", ")
    }
}
