import RPC
import Service
import Store

/// The declaration of an optional text that people write about a plan or something in it.
///
/// Everything that treats the text follows from its declaration: the parameter of calls, the member of answers, the
/// column, its check, who sees it, and whether a copy of the plan has it.
struct WrittenText: Sendable {
    /// The form of a text, which decides its length and its characters.
    enum Form: Sendable {
        case line, prose, link
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
    /// Whether only members see it; only activities have such texts.
    let isPrivate: Bool
    /// Whether a plan that is made from another one has it.
    let isCopied: Bool

    /// - Parameter column: The column of the table; by default it has the text's name.
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

    /// Returns a text without surrounding white space, or `nil` if it is empty.
    ///
    /// - Throws: ``Refusal`` if the form does not allow it.
    func checked(_ text: String?) throws(Refusal) -> String? {
        switch form {
        case .line: try PlanText.line(text, name)
        case .prose: try PlanText.prose(text, name)
        case .link: try PlanText.link(text, name)
        }
    }

    /// The parameter of the calls that write it.
    fileprivate var field: Field {
        let length =
            switch form {
            case .line: 0...PlanText.longestLine
            case .prose: 0...PlanText.longestText
            case .link: 0...PlanText.longestLink
            }
        return .optional(name, .string(length: length), description(isPrivate ? "only members see it" : nil))
    }

    /// Returns the sentence that says what the text is, and who has it.
    fileprivate func description(_ addition: String?) -> String {
        ([meaning, tab.map { "only in the tab \($0)" }, addition].compactMap(\.self)).joined(separator: "; ") + "."
    }
}

/// The texts that something has; the order of its cases is that of its members in answers.
protocol WrittenTextKey: RawRepresentable<Int>, CaseIterable, Hashable, Sendable {
    /// The declaration of each case, in their order.
    static var declarations: [WrittenText] { get }
}

extension WrittenTextKey {
    /// The declaration of the text.
    var declared: WrittenText { Self.declarations[rawValue] }

    /// The parameters of the calls that write the texts.
    ///
    /// - Parameters:
    ///   - first: Leaves out the texts up to this one.
    ///   - last: Leaves out the texts after this one.
    static func fields(after first: Self? = nil, through last: Self? = nil) -> [Field] {
        keys(first, last).map(\.declared.field)
    }

    /// The members of answers for the texts.
    static func members<Owner>(
        after first: Self? = nil, through last: Self? = nil,
        of texts: @escaping @Sendable (Owner) -> WrittenTexts<Self>
    ) -> [Member<Owner>] {
        keys(first, last).map { key in
            .optional(
                key.declared.name, .text,
                key.declared.description(key.declared.isPrivate ? "present only for members" : nil)
            ) { texts($0)[key] }
        }
    }

    private static func keys(_ first: Self?, _ last: Self?) -> [Self] {
        allCases.filter { key in
            first.map { $0.rawValue < key.rawValue } ?? true && last.map { key.rawValue <= $0.rawValue } ?? true
        }
    }
}

/// The texts that people have written about something.
struct WrittenTexts<Key: WrittenTextKey>: Hashable, Sendable {
    private var texts = [String?](repeating: nil, count: Key.allCases.count)

    init() {}

    /// Reads the texts from a row of their table.
    ///
    /// - Parameter seesPrivate: Whether the reader sees the texts for members.
    init(_ row: NamedRow, seesPrivate: Bool = true) {
        for (place, declared) in Key.declarations.enumerated() where seesPrivate || !declared.isPrivate {
            texts[place] = row[declared.column]
        }
    }

    /// The text of a key; `nil` if there is none.
    subscript(key: Key) -> String? {
        get { texts[key.rawValue] }
        set { texts[key.rawValue] = newValue }
    }

    /// Returns the texts as they are stored.
    ///
    /// - Throws: ``Refusal`` if one is invalid.
    func checked() throws(Refusal) -> Self {
        var all = self
        for key in Key.allCases { all[key] = try key.declared.checked(self[key]) }
        return all
    }

    /// Adds the texts to the columns of their table.
    func add(to columns: inout ColumnValues) {
        for key in Key.allCases { columns["\(key.declared.column)"] = self[key] }
    }

    /// The texts of several lines, which count as what their writer stores.
    var prose: [String?] { Key.allCases.filter { $0.declared.form == .prose }.map { self[$0] } }

    /// The texts that a copy has.
    var copied: Self {
        var all = self
        for key in Key.allCases where !key.declared.isCopied { all[key] = nil }
        return all
    }
}

/// What people write about something, of which texts are a part.
protocol WrittenFields: Hashable, Sendable {
    associatedtype Text: WrittenTextKey
    var texts: WrittenTexts<Text> { get set }
}

extension WrittenFields {
    /// An optional text; `nil` if there is none.
    subscript(text: Text) -> String? {
        get { texts[text] }
        set { texts[text] = newValue }
    }
}

extension GivenFields {
    /// Sets the texts that are given; an empty one is removed.
    func set<Key>(_ texts: inout WrittenTexts<Key>) throws(Refusal) {
        for key in Key.allCases { try set(&texts[key], key.declared.name) }
    }
}
