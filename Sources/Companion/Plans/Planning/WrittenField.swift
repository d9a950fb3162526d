import GRDB
import RPC
import Service
import Store

/// The declaration of an optional field that people write about a plan or something in it.
///
/// Everything that treats the field follows from its declaration: the parameter of calls, the member of answers, the
/// column, its check, who sees it, and whether a copy of the plan has it.
struct WrittenField: Sendable {
    /// The form of a value, which decides what is allowed.
    enum Form: Hashable, Sendable {
        /// A line of text, a text of several lines, or a link; an empty one removes the value.
        case line, prose, link
        /// An integer in a range.
        case integer(ClosedRange<Int>)
        /// A truth value, which is false until somebody sets it.
        case flag
    }

    /// The name in calls, in answers and in the history.
    let name: String
    /// The column of the table.
    let column: StaticString
    let form: Form
    /// What it is, in words that a sentence can begin with.
    let meaning: String
    /// The only tab whose activities have it; `nil` for all.
    let tab: Activity.Tab?
    /// Whether only members see it; only activities have such fields.
    let isPrivate: Bool
    /// Whether a plan that is made from another one has it.
    let isCopied: Bool

    /// - Parameter column: The column of the table; by default it has the field's name.
    init(
        _ name: StaticString, column: StaticString? = nil, _ form: Form, _ meaning: String,
        only tab: Activity.Tab? = nil, isPrivate: Bool = false, isCopied: Bool = true
    ) {
        self.name = "\(name)"
        self.column = column ?? name
        self.form = form
        self.meaning = meaning
        self.tab = tab
        self.isPrivate = isPrivate
        self.isCopied = isCopied && !isPrivate
    }

    /// Returns a value as it is stored: a text without surrounding white space, `nil` for an empty one.
    ///
    /// - Throws: ``Refusal`` if the form does not allow it.
    func checked(_ value: WrittenValue?) throws(Refusal) -> WrittenValue? {
        switch form {
        case .line: return try PlanText.line(value?.text, name).map(WrittenValue.text)
        case .prose: return try PlanText.prose(value?.text, name).map(WrittenValue.text)
        case .link: return try PlanText.link(value?.text, name).map(WrittenValue.text)
        case .integer(let range):
            guard let integer = value?.integer else { return nil }
            guard range.contains(integer) else {
                throw .invalid(name, "must be \(range.lowerBound) to \(range.upperBound)")
            }
            return .integer(integer)
        case .flag: return .flag(value?.flag ?? false)
        }
    }

    /// Returns the value in a row of the table.
    fileprivate func value(in row: NamedRow) -> WrittenValue? {
        switch form {
        case .line, .prose, .link: (row[column] as String?).map(WrittenValue.text)
        case .integer: (row[column] as Int?).map(WrittenValue.integer)
        case .flag: .flag(row[column] as Bool? ?? false)
        }
    }

    /// The parameter of the calls that write it.
    fileprivate var field: Field {
        let schema: Schema =
            switch form {
            case .line: .string(length: 0...PlanText.longestLine)
            case .prose: .string(length: 0...PlanText.longestText)
            case .link: .string(length: 0...PlanText.longestLink)
            case .integer(let range): .integer(in: Int64(range.lowerBound)...Int64(range.upperBound))
            case .flag: .boolean
            }
        return .optional(name, schema, description(isPrivate ? "only members see it" : nil))
    }

    /// Returns the member of answers.
    fileprivate func member<Owner>(of value: @escaping @Sendable (Owner) -> WrittenValue?) -> Member<Owner> {
        let doc = description(isPrivate ? "present only for members" : nil)
        switch form {
        case .line, .prose, .link: return .optional(name, .text, doc) { value($0)?.text }
        case .integer: return .optional(name, .integer, doc) { value($0)?.integer }
        case .flag: return .optional(name, .boolean, doc) { value($0)?.flag }
        }
    }

    /// Returns the sentence that says what the field is, and who has it.
    private func description(_ addition: String?) -> String {
        ([meaning, tab.map { "only in the tab \($0)" }, addition].compactMap(\.self)).joined(separator: "; ") + "."
    }
}

/// What people have written in one field.
enum WrittenValue: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case flag(Bool)

    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
    fileprivate var integer: Int? { if case .integer(let integer) = self { integer } else { nil } }
    fileprivate var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

    /// Whether it says no more than that nobody has written anything.
    fileprivate var isUnwritten: Bool { self == .flag(false) }

    fileprivate var column: any DatabaseValueConvertible {
        switch self {
        case .text(let text): text
        case .integer(let integer): integer
        case .flag(let flag): flag
        }
    }
}

/// The fields that something has; the order of its cases is that of its members in answers.
protocol WrittenFieldKey: RawRepresentable<Int>, CaseIterable, Hashable, Sendable {
    /// The declaration of each case, in their order.
    static var declarations: [WrittenField] { get }
}

extension WrittenFieldKey {
    /// The declaration of the field.
    var declared: WrittenField { Self.declarations[rawValue] }

    /// The parameters of the calls that write the fields.
    ///
    /// - Parameters:
    ///   - first: Leaves out the fields up to this one.
    ///   - last: Leaves out the fields after this one.
    static func fields(after first: Self? = nil, through last: Self? = nil) -> [Field] {
        keys(first, last).map(\.declared.field)
    }

    /// The members of answers for the fields.
    static func members<Owner>(
        after first: Self? = nil, through last: Self? = nil,
        of values: @escaping @Sendable (Owner) -> WrittenValues<Self>
    ) -> [Member<Owner>] {
        keys(first, last).map { key in key.declared.member { values($0).value(of: key) } }
    }

    private static func keys(_ first: Self?, _ last: Self?) -> [Self] {
        allCases.filter { key in
            first.map { $0.rawValue < key.rawValue } ?? true && last.map { key.rawValue <= $0.rawValue } ?? true
        }
    }
}

/// What people have written in the fields of something.
struct WrittenValues<Key: WrittenFieldKey>: Hashable, Sendable {
    private var values = [WrittenValue?](repeating: nil, count: Key.allCases.count)

    init() {}

    /// Reads the values from a row of their table.
    ///
    /// - Parameter seesPrivate: Whether the reader sees the fields for members.
    init(_ row: NamedRow, seesPrivate: Bool = true) {
        for (place, declared) in Key.declarations.enumerated() where seesPrivate || !declared.isPrivate {
            values[place] = declared.value(in: row)
        }
    }

    /// The text in a field; `nil` if there is none.
    subscript(key: Key) -> String? {
        get { values[key.rawValue]?.text }
        set { values[key.rawValue] = newValue.map(WrittenValue.text) }
    }

    /// The integer in a field; `nil` if there is none.
    subscript(integer key: Key) -> Int? {
        get { values[key.rawValue]?.integer }
        set { values[key.rawValue] = newValue.map(WrittenValue.integer) }
    }

    /// The value of a flag; `false` if nobody has set it, or if the reader does not see it.
    subscript(flag key: Key) -> Bool {
        get { values[key.rawValue]?.flag ?? false }
        set { values[key.rawValue] = .flag(newValue) }
    }

    /// The value of a field; `nil` if there is none, or if the reader does not see it.
    fileprivate func value(of key: Key) -> WrittenValue? { values[key.rawValue] }

    /// The fields in which somebody has written something.
    var written: [Key] {
        Key.allCases.filter { key in values[key.rawValue].map { !$0.isUnwritten } ?? false }
    }

    /// Returns the values as they are stored.
    ///
    /// - Throws: ``Refusal`` if one is invalid.
    func checked() throws(Refusal) -> Self {
        var all = self
        for key in Key.allCases { all.values[key.rawValue] = try key.declared.checked(values[key.rawValue]) }
        return all
    }

    /// Adds the values to the columns of their table.
    func add(to columns: inout ColumnValues) {
        for (value, declared) in zip(values, Key.declarations) { columns["\(declared.column)"] = value?.column }
    }

    /// Replaces the values that only members see with those of `other`.
    mutating func setPrivate(_ other: Self) {
        for key in Key.allCases where key.declared.isPrivate { values[key.rawValue] = other.values[key.rawValue] }
    }

    /// The texts of several lines, which count as what their writer stores.
    var prose: [String?] { Key.allCases.filter { $0.declared.form == .prose }.map { self[$0] } }

    /// The values that a copy has.
    var copied: Self {
        var all = self
        for key in Key.allCases where !key.declared.isCopied { all.values[key.rawValue] = nil }
        return all
    }
}

/// What people write about something; optional fields are a part of it.
protocol WrittenFields: Hashable, Sendable {
    associatedtype Key: WrittenFieldKey
    var values: WrittenValues<Key> { get set }
}

extension WrittenFields {
    /// The text in an optional field; `nil` if there is none.
    subscript(key: Key) -> String? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// The integer in an optional field; `nil` if there is none.
    subscript(integer key: Key) -> Int? {
        get { values[integer: key] }
        set { values[integer: key] = newValue }
    }

    /// The value of a flag; `false` if nobody has set it, or if the reader does not see it.
    subscript(flag key: Key) -> Bool {
        get { values[flag: key] }
        set { values[flag: key] = newValue }
    }
}

extension GivenFields {
    /// Sets the fields that are given; an empty text is removed.
    func set<Key>(_ values: inout WrittenValues<Key>) throws(Refusal) {
        for key in Key.allCases {
            let declared = key.declared
            switch declared.form {
            case .line, .prose, .link: try set(&values[key], declared.name)
            case .integer: try set(&values[integer: key], declared.name)
            case .flag: if let given: Bool = try value(declared.name) { values[flag: key] = given }
            }
        }
    }
}
