package import RPC
import TextCoding

/// Where a list goes on: what the last element of a page stands at in the list's order.
///
/// The rows that follow are found by it again, so that what is added or removed meanwhile moves nothing.
package protocol CursorKey: Sendable {
    /// What says where, as a cursor holds it.
    var values: [JSONValue] { get }
    /// The key of values that a cursor has held; nil for any others.
    init?(_ values: [JSONValue])
}

extension Int64: CursorKey {
    package var values: [JSONValue] { [.integer(self)] }
    package init?(_ values: [JSONValue]) {
        guard values.count == 1, let number = Int64(json: values[0]) else { return nil }
        self = number
    }
}

/// What a call asks of a list: how many elements, and from where.
package struct PageRequest<Key: CursorKey>: Sendable {
    /// How many elements at most.
    package let limit: Int
    /// Where the page before ended; nil for the first page.
    package let after: Key?
    /// What the list is called in its cursors.
    let list: String

    package init(list: String, limit: Int, after: Key? = nil) {
        self.list = list
        self.limit = limit
        self.after = after
    }

    /// The `next` of a page whose last element stands at a key.
    package func next(after key: Key) -> String { Cursor(list, key.values).text }

    /// A page to be filled with what is asked for.
    package func page<Element: Answerable>(of element: Element.Type = Element.self) -> Page<Element> {
        Page(list: list, limit: limit)
    }
}

extension Parameter {
    /// The parameters `limit` and `after` of a list.
    ///
    /// - Parameter list: what tells the list's cursors from those of other lists: the method's name, usually.
    package static func page<Key: CursorKey>(
        of list: String, by key: Key.Type = Key.self, upTo most: Int, usually usual: Int
    ) -> Parameter where Value == PageRequest<Key> {
        Parameter([.limit(upTo: most, usually: usual), .after]) { members throws(Refusal) in
            let limit: Int = try members.value("limit") ?? usual
            return PageRequest(list: list, limit: limit, after: try members.key(of: list))
        }
    }

    /// The parameter `after` alone, of a list whose pages are as long as they are; nil for the first page.
    package static func after<Key: CursorKey>(
        in list: String, by key: Key.Type = Key.self
    ) -> Parameter where Value == Key? {
        Parameter([.after]) { members throws(Refusal) in try members.key(of: list) }
    }
}

extension Parameter where Value == Int {
    /// The parameter `limit` alone, of a list that says otherwise where a page begins.
    package static func limit(upTo most: Int, usually usual: Int) -> Parameter {
        Parameter([.limit(upTo: most, usually: usual)]) { members throws(Refusal) in
            try members.value("limit") ?? usual
        }
    }
}

extension JSONObject {
    /// The key that the member `after` holds; nil where it was left out.
    fileprivate func key<Key: CursorKey>(of list: String) throws(Refusal) -> Key? {
        guard let text: String = try value("after") else { return nil }
        guard let cursor = Cursor(text, of: list), let key = Key(cursor.values) else { throw Cursor.fault }
        return key
    }
}

extension Member {
    /// The member `next`, which says where the next page begins; left out where there is none.
    package static func next(
        _ doc: String = Field.next.doc, _ cursor: @escaping @Sendable (Owner) -> String?
    ) -> Member { .optional("next", .text(Field.next.schema), doc, cursor) }
}

/// One page of a list: as many elements as are asked for and fit a line, and where the next page begins.
package struct Page<Element: Answerable>: Sendable {
    private let list: String
    private let shape = Element.shape
    private var page: PageText
    private var last: (any CursorKey)?

    package init(list: String, limit: Int) {
        self.list = list
        page = PageText(limit: limit)
    }

    /// Whether there is more than was taken.
    package var isFull: Bool { page.isFull }

    /// Takes the next element, as long as there is room, in a list that says otherwise where its next page begins.
    ///
    /// - Returns: whether it was taken; where not, there is a next page.
    package mutating func take(_ element: Element) -> Bool {
        page.take { [shape] in shape.write(element, to: &$0) }
    }

    /// Takes the next element, as long as there is room.
    ///
    /// - Returns: whether it was taken; where not, there is a next page.
    package mutating func take(_ element: Element, at key: @autoclosure () -> some CursorKey) -> Bool {
        guard take(element) else { return false }
        last = key()
        return true
    }

    /// The members of an answer that holds such a page: its elements as `name`, and `next` where there are more.
    package static func members(_ name: String, _ doc: String) -> [Member<Page>] {
        [
            elements(name, doc),
            .next { page in page.isFull ? Cursor(page.list, page.last?.values ?? []).text : nil },
        ]
    }

    /// The elements alone.
    package static func elements(_ name: String, _ doc: String) -> Member<Page> {
        let shape = Shape<Page>(.array(of: Element.shape.schema)) { page, json in page.page.write(to: &json) }
        return Member(name, shape, doc) { $0 }
    }
}

extension Shape {
    /// The answer of a list that is such a page.
    package static func page<Element>(_ name: String, _ doc: String) -> Shape where Value == Page<Element> {
        .object(Page<Element>.members(name, doc))
    }
}

/// The elements of a page as text.
private struct PageText: Sendable {
    /// What a page holds, in bytes: half of what a line may have, so that no answer is too long for one.
    ///
    /// A longer element has a page of its own.
    private static let longest = LineFraming.maximumLength / 2

    /// Whether there was more than fits.
    private(set) var isFull = false
    private let limit: Int
    private var count = 0
    /// The elements with their commas.
    private var elements = JSONWriter()

    init(limit: Int) { self.limit = limit }

    /// Takes the next element, as long as there is room; the first always has.
    ///
    /// - Parameter write: writes it.
    mutating func take(_ write: (inout JSONWriter) -> Void) -> Bool {
        guard count < limit else {
            isFull = true
            return false
        }
        let end = elements.mark
        write(&elements)
        guard count == 0 || elements.bytes.count <= Self.longest else {
            elements.goBack(to: end)
            isFull = true
            return false
        }
        count += 1
        return true
    }

    /// Writes the elements as an array.
    func write(to json: inout JSONWriter) {
        json.array { json in if count > 0 { json.raw(elements.bytes) } }
    }
}
