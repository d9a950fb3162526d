import GRDB
import Synchronization

/// What a store holds that no version of Waymark has written: values of a wrong type, or beyond all bounds.
///
/// A damaged card and a person with an SQLite shell may put anything into a column. Everything that reads a column
/// therefore goes through ``CurrentRow``, ``StoredRow`` or `NamedRow`. They pass on only values within bounds, for
/// which arithmetic does not overflow, and report what is not.
///
/// A read leaves a damaged row out if the row is an entry of a list, such as a sight among sights: the reader asks for
/// the list's ``StoredRow/soundList(_:sql:arguments:_:)`` or `NamedRow.soundRows(_:arguments:)`. Any other damage may
/// falsify the answer, for example a sum of money. The read then fails with ``StoreError/damaged(path:detail:)`` as a
/// whole, and so does a write, which changes nothing. ``DamageNotes`` collect what was found.
package enum StoreDamage {
    /// The integers that a column may hold.
    ///
    /// These are the times of a ``Timestamp``, amounts of money, counts and sequence numbers. The product with 1000 of
    /// any of them, and the sum of 8,000, is a valid number, too.
    package static let integers: ClosedRange<Int64> = -1 << 50...1 << 50

    /// The most rows that one read leaves out; with more, it fails.
    static let mostLeftOut = 1_000

    /// The damage that one read or write has come across.
    final class Note: Sendable {
        private struct State {
            var detail: String?
            /// The rows that the read leaves out, with their damage.
            var rows: [RowContent: String] = [:]
            var hasNewRows = false
            /// The damage of what was left out otherwise.
            var others: [String] = []
        }

        private let leavesOut: Bool
        private let state = Mutex(State())

        init(leavesOut: Bool) { self.leavesOut = leavesOut }

        /// The first damage for which the whole read or write fails.
        var detail: String? { state.withLock { $0.detail } }

        /// The rows to leave out.
        var rows: Set<RowContent> { state.withLock { $0.rows.isEmpty ? [] : Set($0.rows.keys) } }

        var rowCount: Int { state.withLock { $0.rows.count } }

        /// All that was left out.
        var leftOut: [String] { state.withLock { $0.rows.isEmpty ? $0.others : $0.rows.values.sorted() + $0.others } }

        func note(_ detail: String, _ row: RowContent?) {
            state.withLock { state in
                if let row, leavesOut, state.rows[row] != nil {
                    // The first damage of a row is the cause of what follows from it.
                } else if let row, leavesOut, state.rows.count < StoreDamage.mostLeftOut {
                    state.rows[row] = detail
                    state.hasNewRows = true
                } else if state.detail == nil {
                    state.detail = detail
                }
            }
        }

        func add(leftOut detail: String) {
            state.withLock { if $0.others.count < DamageNotes.most { $0.others.append(detail) } }
        }

        /// Returns whether the read must run again to leave out rows that it has not known to be damaged.
        func startsAgain() -> Bool {
            state.withLock { state in
                guard state.hasNewRows else { return false }
                (state.detail, state.hasNewRows, state.others) = (nil, false, [])
                return true
            }
        }
    }

    /// The note of the read or write that this thread or task is in.
    @TaskLocal static var note: Note?

    /// Reports damage that was found; nothing is reported outside a read or write.
    ///
    /// - Parameter row: The row that can be left out; `nil` if the whole read fails.
    static func report(_ detail: @autoclosure () -> String, leavingOut row: @autoclosure () -> RowContent? = nil) {
        if let note { note.note(detail(), row()) }
    }

    /// Returns how many rows to ask for if a list needs `limit` of them.
    ///
    /// They are more if some are left out, so that a page is as long as it would be without these.
    package static func widened(_ limit: Int) -> Int {
        let (sum, isTooMuch) = limit.addingReportingOverflow(note?.rowCount ?? 0)
        return isTooMuch ? limit : sum
    }

    /// Runs `body`, and fails if it has come across damage.
    ///
    /// An error that `body` throws gives way to the damage, which may be its cause.
    ///
    /// - Throws: ``StoreError/damaged(path:detail:)``, and what `body` throws.
    static func checking<Value>(
        at path: String, _ notes: DamageNotes? = nil, _ body: () throws -> Value
    ) throws -> Value {
        try run(Note(leavesOut: false), at: path, notes, body)
    }

    /// Runs `body` as ``checking(at:_:_:)`` does, but leaves damaged rows of lists out.
    ///
    /// - Parameter body: It reads, and runs again if it has come across such rows.
    static func reading<Value>(at path: String, _ notes: DamageNotes, _ body: () throws -> Value) throws -> Value {
        try run(Note(leavesOut: true), at: path, notes, body)
    }

    private static func run<Value>(
        _ note: Note, at path: String, _ notes: DamageNotes?, _ body: () throws -> Value
    ) throws -> Value {
        while true {
            let result = Result { try $note.withValue(note) { try body() } }
            // Each round leaves out more rows, and there is an upper limit to these.
            if note.startsAgain() { continue }
            notes?.add(note.leftOut)
            if let detail = note.detail {
                notes?.add([detail])
                throw StoreError.damaged(path: path, detail: detail)
            }
            return try result.get()
        }
    }

    /// Returns the result of `body`; `nil` if it has come across damage, which does not fail the whole read or write.
    package static func sparing<Value>(_ body: () -> Value) -> Value? {
        let part = Note(leavesOut: false)
        let value = $note.withValue(part, operation: body)
        guard let detail = part.detail else { return value }
        note?.add(leftOut: detail)
        return nil
    }
}

/// The damage that was found in a store since it was opened.
public final class DamageNotes: Sendable {
    private struct State {
        var details: [String] = []
        var report: (@Sendable (String) -> Void)?
    }

    private let state = Mutex(State())

    /// Creates notes without any damage.
    public init() {}

    /// The most details that are kept; any further damage is of the same store.
    static let most = 20

    /// The damage, each part as a clause.
    public var details: [String] { state.withLock { $0.details } }

    /// Calls `report` with each detail that was found or is found later, once.
    public func observe(_ report: @escaping @Sendable (String) -> Void) {
        let known = state.withLock { state in
            state.report = report
            return state.details
        }
        for detail in known { report(detail) }
    }

    func add(_ details: [String]) {
        guard !details.isEmpty else { return }
        let (new, report) = state.withLock { state in
            var new: [String] = []
            for detail in details where state.details.count < Self.most && !state.details.contains(detail) {
                state.details.append(detail)
                new.append(detail)
            }
            return (new, state.report)
        }
        for detail in new { report?(detail) }
    }
}

/// The content of a row of a query, by which a second run of the query recognises it.
struct RowContent: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case real(UInt64)
        case bytes([UInt8])
    }

    var query: String
    var values: [Value]
}

/// A value of a column, as far as it is a number.
enum StoredNumber {
    case null
    case integer(Int64)
    case real(Double)
    /// A text, or binary data.
    case other

    /// The integers that an `Int32` can hold.
    static let small = Int64(Int32.min)...Int64(Int32.max)
    /// The integers that a sum of numbers may be.
    static let sums = Int64.min + 1 ... .max

    var words: String {
        switch self {
        case .null: "nothing"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .other: "no number"
        }
    }
}

/// A row of a query, whose columns are counted from 0.
///
/// Both kinds of rows check numbers in the same way.
protocol CheckedColumns {
    /// The value of a column, as far as it is a number.
    func number(_ column: Int32) -> StoredNumber

    /// Reports damage of a column.
    ///
    /// - Parameter words: What is wrong, which follows the name of the column.
    func report(_ column: Int32, _ words: String)
}

extension CheckedColumns {
    /// Returns the integer of a column; `nil` for `NULL`, and for what is not within `bounds`, which is reported.
    func integer(_ column: Int32, within bounds: ClosedRange<Int64>) -> Int64? {
        let number = number(column)
        switch number {
        case .null: return nil
        case .integer(let number) where bounds.contains(number): return number
        case .real(let number):
            if let number = Int64(exactly: number.rounded(.towardZero)), bounds.contains(number) { return number }
        default: break
        }
        report(column, "holds \(number.words)")
        return nil
    }

    /// Returns the finite number of a column; `nil` for `NULL`, and for anything else, which is reported.
    func checkedReal(_ column: Int32) -> Double? {
        let number = number(column)
        switch number {
        case .null: return nil
        case .integer(let number): return Double(number)
        case .real(let number) where number.isFinite: return number
        default: break
        }
        report(column, "holds \(number.words)")
        return nil
    }
}
