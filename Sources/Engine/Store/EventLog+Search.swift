public import GRDB
import Time
public import Tracking

extension EventLog {
    /// The number of events that a step of a search examines at most, unless it has no conditions.
    ///
    /// That takes about a millisecond.
    static let examinedAtOnce = 4_096

    /// Searches for events with numbers greater than `seq`, oldest first.
    ///
    /// A step ends after `limit` events, or after it has read some thousands that do not match. The index passes over
    /// blocks of the log without a match. Damaged events are not found.
    ///
    /// - Complexity: O(*k* + log *n*) for *k* blocks that hold an event with one of the words and times of the query, if
    ///   the index serves it: all conditions do, except patterns of types with a `*` before the first point.
    public static func search(_ query: EventQuery, after seq: Int64, limit: Int, in db: Database) throws -> EventSearch
    {
        try search(query, from: seq == .max ? seq : seq + 1, isBackward: false, limit: limit, in: db)
    }

    /// Searches for events with numbers less than `seq`, newest first, as ``search(_:after:limit:in:)`` does.
    public static func search(_ query: EventQuery, before seq: Int64, limit: Int, in db: Database) throws -> EventSearch
    {
        try search(query, from: seq == .min ? seq : seq - 1, isBackward: true, limit: limit, in: db)
    }

    private static func search(
        _ query: EventQuery, from start: Int64, isBackward: Bool, limit: Int, in db: Database
    ) throws -> EventSearch {
        let extent = try extent(in: db)
        let first = extent.bounds.first
        // The number that the next event to examine has at least or, going back, at most.
        var place = isBackward ? min(start, extent.last) : max(start, first)
        var step = EventSearch(
            events: [], reached: isBackward ? first - 1 : extent.last, examined: 0, bounds: extent.bounds)
        let selection = try EventSelection(query, isBackward: isBackward, in: db)
        var walk = BlockWalk(query, isBackward: isBackward)
        while isBackward ? place >= first : place <= extent.last {
            guard step.events.count < limit, query.acceptsAll || step.examined < examinedAtOnce else {
                step.reached = isBackward ? place + 1 : place - 1
                break
            }
            let range: ClosedRange<Int64>
            if query.acceptsAll {
                range = isBackward ? first...place : place...extent.last
            } else {
                guard let found = try walk.next(from: place, in: db) else { break }
                let (low, high) = (max(found.range.lowerBound, first), min(found.range.upperBound, extent.last))
                guard low <= high else { break }
                if !found.isKnown {
                    // Numbers may be missing, and many of them if one is damaged.
                    guard let next = try number(from: isBackward ? high : low, isBackward: isBackward, in: db) else {
                        break
                    }
                    guard (low...high).contains(next) else {
                        place = next
                        continue
                    }
                }
                range = low...high
            }
            let left = limit - step.events.count
            let (events, last) = try selection.events(in: range, limit: left)
            step.events += events
            place = isBackward ? range.lowerBound - 1 : range.upperBound + 1
            if let last { place = isBackward ? last - 1 : last + 1 }
            step.examined += Int(
                clamping: query.acceptsAll ? Int64(events.count) : range.upperBound - range.lowerBound + 1)
        }
        return step
    }

    /// Returns the number of the next event in a direction, from a number on; `nil` if there is none.
    private static func number(from seq: Int64, isBackward: Bool, in db: Database) throws -> Int64? {
        let sql =
            isBackward
            ? "SELECT max(event.seq) FROM event WHERE event.seq <= ?"
            : "SELECT min(event.seq) FROM event WHERE event.seq >= ?"
        // A number out of bounds is followed by none within.
        let statement = try db.cachedStatement(sql: sql)
        return try StoreDamage.sparing { Result { try StoredRow.integer(statement, arguments: [seq]) } }?.get()
    }
}

/// The way of a search through the blocks of the log.
private struct BlockWalk {
    private let terms: EventBlocks.Terms
    private let isBackward: Bool
    /// The blocks examined last, one of each level, with whether a match may be in them.
    private var known: [(block: Int64, mayHold: Bool, isFull: Bool)?] = Array(
        repeating: nil, count: EventBlocks.shifts.count)

    init(_ query: EventQuery, isBackward: Bool) {
        terms = EventBlocks.Terms(query)
        self.isBackward = isBackward
    }

    /// Returns the next numbers, from `place` on, among which there may be a match, and whether their block is known;
    /// `nil` if going back has come to number 0.
    ///
    /// Past the end of the log no block is known, so that the walk ends there.
    mutating func next(
        from place: Int64, in db: Database
    ) throws -> (range: ClosedRange<Int64>, isKnown: Bool)? {
        var place = place
        search: while place >= 0 {
            for (level, shift) in EventBlocks.shifts.enumerated().reversed() {
                let block = place >> shift
                if try !mayHold(level, block, in: db) {
                    place = isBackward ? block << shift - 1 : (block + 1) << shift
                    continue search
                }
            }
            let shift = EventBlocks.shifts[0]
            let block = place >> shift
            return (
                isBackward ? block << shift...place : place...(block + 1) << shift - 1, known[0]?.isFull ?? false
            )
        }
        return nil
    }

    private mutating func mayHold(_ level: Int, _ block: Int64, in db: Database) throws -> Bool {
        if let known = known[level], known.block == block { return known.mayHold }
        let found = try EventBlocks.mayHold(terms, level, block, in: db)
        known[level] = (block, found ?? true, found != nil)
        return found ?? true
    }
}

/// The query for the events of a range of numbers that match.
private struct EventSelection {
    private let statement: Statement
    private let arguments: StatementArguments

    init(_ query: EventQuery, isBackward: Bool, in db: Database) throws {
        var conditions = ["event.seq BETWEEN :first AND :last"]
        var arguments: StatementArguments = [:]
        if query.from != nil || query.until != nil {
            conditions.append("event.time >= :from AND event.time < :until")
            arguments += [
                "from": query.from?.milliseconds ?? .min, "until": query.until?.milliseconds ?? .max,
            ]
        }
        let patterns = query.types.filter { $0.contains("*") }
        var types = patterns.indices.map { "event.type GLOB :pattern\($0)" }
        for (index, pattern) in patterns.enumerated() { arguments += ["pattern\(index)": Self.glob(pattern)] }
        if patterns.count < query.types.count {
            types.append("event.type IN (SELECT value FROM json_each(:types))")
            arguments += ["types": try StoredJSON.encode(query.types)]
        }
        if !types.isEmpty { conditions.append("(\(types.joined(separator: " OR ")))") }
        for (name, column, texts) in [
            ("devices", "event.device", query.devices), ("subjects", "event.subject", query.subjects),
            ("kinds", "substr(event.subject, 1, instr(event.subject || '/', '/') - 1)", query.kinds),
            ("recipients", "event.recipient", query.recipient.map { [$0] } ?? []),
        ] where !texts.isEmpty {
            conditions.append("\(column) IN (SELECT value FROM json_each(:\(name)))")
            arguments += [name: try StoredJSON.encode(texts)]
        }
        statement = try db.cachedStatement(
            sql: """
                SELECT \(EventRecord.columns) FROM event WHERE \(conditions.joined(separator: " AND "))
                ORDER BY event.seq \(isBackward ? "DESC" : "ASC") LIMIT :limit
                """)
        self.arguments = arguments
    }

    /// Returns at most `limit` events of a range, and the number of the last one if there may be more.
    func events(in range: ClosedRange<Int64>, limit: Int) throws -> (events: [EventRecord], last: Int64?) {
        let rows = try StoredRow.fetchCursor(
            statement, arguments: arguments + ["first": range.lowerBound, "last": range.upperBound, "limit": limit])
        var events: [EventRecord] = []
        var (count, last) = (0, nil as Int64?)
        while let row = try rows.next() {
            count += 1
            let event = EventRecord(sound: row)
            last = event?.seq ?? StoreDamage.sparing { row[0] as Int64 } ?? last
            if let event { events.append(event) }
        }
        return (events, count < limit ? nil : last)
    }

    /// Returns the pattern as `GLOB` takes it, to which `?` and `[` have a meaning, too.
    private static func glob(_ pattern: String) -> String {
        String(pattern.flatMap { $0 == "?" || $0 == "[" ? "[\($0)]" : "\($0)" })
    }
}
