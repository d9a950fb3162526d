import RPC
import Time

/// An answer with one list, as a table for a terminal.
struct ListTable {
    let table: TextTable
    /// The lines for the members besides the list.
    let rest: [String]
    /// The cursor of the next page; `nil` if this is the last page.
    let next: String?
    /// The members left out because the terminal is too narrow.
    let leftOut: [String]

    /// Creates a table; `nil` unless the answer has exactly one list that is not empty, with objects as elements.
    ///
    /// - Parameters:
    ///   - marked: The members whose texts contain emphasis, which is removed.
    ///   - width: The width of the terminal in columns; members that do not fit are left out.
    init?(_ answer: JSONValue, marked: Set<String>, width: Int) {
        guard case .object(let members) = answer else { return nil }
        let lists = members.names.filter { answer.elements($0).count > 0 }
        guard lists.count == 1, let list = lists.first else { return nil }
        let elements = answer.elements(list)
        var names: [String] = []
        for element in elements {
            guard case .object(let members) = element else { return nil }
            for name in members.names where !names.contains(name) {
                guard !Self.unsaid.contains(name),
                    elements.contains(where: { Self.text($0[name], isMarked: false) != nil })
                else { continue }
                names.append(name)
            }
        }
        guard !names.isEmpty else { return nil }
        // Each column is as wide as its cells need at least. The least informative columns are left out first.
        func columns(of name: String) -> Int {
            // A key is never cut.
            let most = Self.keys.contains(name) ? Int.max : Self.least
            return elements.map { min(Self.text($0[name], isMarked: marked.contains(name))?.count ?? 0, most) }
                .reduce(name.count, max) + 2
        }
        var room = width + 2 - names.map(columns).reduce(0, +)
        var leftOut: [String] = []
        while room < 0, names.count > 1 {
            let isAlike = { name in elements.allSatisfy { $0[name] == elements.first?[name] } }
            guard
                let last = Self.details.last(where: names.contains) ?? names.dropFirst().last(where: isAlike)
                    ?? names.last
            else { break }
            names.removeAll { $0 == last }
            leftOut.insert(last.replacing("_", with: " "), at: 0)
            room += columns(of: last)
        }
        self.leftOut = leftOut
        var table = TextTable(names.map { $0.replacing("_", with: " ") })
        for element in elements {
            table.add(
                names.map { name in
                    let text = Self.text(element[name], isMarked: marked.contains(name)) ?? ""
                    switch element[name] {
                    case .integer?, .number?: return .number(text)
                    default: return Self.keys.contains(name) ? .key(text) : .text(text)
                    }
                })
        }
        self.table = table
        // The members "among" and "text" repeat the request.
        rest = members.names.filter { ![list, "next", "among", "text"].contains($0) }.flatMap { name in
            JSONValue.object([name: members[name] ?? .null]).plainLines(marked: marked)
        }
        next = answer.text("next") ?? answer.integer("next").map { "\($0)" }
    }

    /// Whether an answer consists of an empty list.
    static func isEmpty(_ answer: JSONValue) -> Bool {
        guard case .object(let members) = answer else { return false }
        let said = members.names.filter { $0 != "among" && answer.integer($0) != 0 }
        guard said.count == 1, case .array(let elements)? = members[said[0]] else { return false }
        return elements.isEmpty
    }

    /// The members that only programs read: the ids of photos that represent a thing.
    private static let unsaid: Set = ["picture"]

    /// The number of characters from which a cut text is still useful.
    private static let least = 20
    /// The least informative members, which are left out first, beginning with the last.
    private static let details = [
        "category", "subject", "friend", "following", "agreed", "flags", "flagged", "radius", "lon", "lat",
        "destination",
    ]

    /// The members that identify a thing or date it, which are never cut.
    private static let keys: Set = ["id", "name", "person", "device", "code", "time", "added", "until", "since"]

    /// Returns a value on one line; for an object its name, title or id, and `nil` if it has none of these.
    private static func text(_ value: JSONValue?, isMarked: Bool) -> String? {
        switch value {
        case nil, .null?: return ""
        case .string(let text)?: return isMarked ? MarkedText(text).plain : text
        case .bool(let flag)?: return flag ? "yes" : "no"
        case .array(let elements)?:
            let texts = elements.compactMap { Self.text($0, isMarked: false) }
            return texts.count == elements.count ? texts.joined(separator: ", ") : nil
        case .object?: return value?.text("name") ?? value?.text("title") ?? value?.text("id")
        case .integer?, .number?: return value.map { String(decoding: $0.line, as: UTF8.self) }
        }
    }
}

extension JSONValue {
    /// Returns the value with its timestamps in the time of a clock.
    func withMoments(by clock: DisplayClock) -> JSONValue {
        switch self {
        case .string(let text):
            // All methods write timestamps in this form, so hardly any other text matches.
            guard text.utf8.count == 24, text.hasSuffix("Z"), let time = Timestamp(rfc3339: text) else { return self }
            return .string("\(clock.minute(time))\(clock.name(at: time) == "UTC" ? " UTC" : "")")
        case .array(let elements): return .array(elements.map { $0.withMoments(by: clock) })
        case .object(let members):
            var shown = JSONObject()
            for name in members.names { shown[name] = members[name]?.withMoments(by: clock) }
            return .object(shown)
        default: return self
        }
    }
}
