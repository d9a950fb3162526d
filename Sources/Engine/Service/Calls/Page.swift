package import RPC
import TextCoding

/// The sort key of the last element of a page.
///
/// The next page begins after this key. Therefore rows that are added or removed between two calls do not shift the
/// pages.
package protocol CursorKey: Sendable {
    /// The key as the values of a cursor.
    var values: [JSONValue] { get }
    /// Reads the key from the values of a cursor; `nil` if they are not a key of this type.
    init?(_ values: [JSONValue])
}

extension Int64: CursorKey {
    package var values: [JSONValue] { [.integer(self)] }
    package init?(_ values: [JSONValue]) {
        guard values.count == 1, let number = Int64(json: values[0]) else { return nil }
        self = number
    }
}

extension String: CursorKey {
    package var values: [JSONValue] { [.string(self)] }
    package init?(_ values: [JSONValue]) {
        guard values.count == 1, let text = String(json: values[0]) else { return nil }
        self = text
    }
}

/// The part of a list that a call requests.
package struct PageRequest<Key: CursorKey>: Sendable {
    /// The maximum number of elements.
    package let limit: Int
    /// The key where the previous page ended; `nil` for the first page.
    package let after: Key?
    /// The name of the list in its cursors.
    let list: String

    package init(list: String, limit: Int, after: Key? = nil) {
        self.list = list
        self.limit = limit
        self.after = after
    }

    /// Returns the `next` of a page whose last element has the given key.
    package func next(after key: Key) -> String { Cursor(list, key.values).text }

    /// Returns an empty page with this request's limit.
    package func page<Element: Answerable>(of element: Element.Type = Element.self) -> Page<Element> {
        Page(list: list, limit: limit)
    }
}

extension Parameter {
    /// Returns the parameters `limit` and `after` of a list.
    ///
    /// - Parameter list: The name that distinguishes the list's cursors from those of other lists, usually the
    ///   method's name.
    package static func page<Key: CursorKey>(
        of list: String, by key: Key.Type = Key.self, upTo most: Int, default usual: Int
    ) -> Parameter where Value == PageRequest<Key> {
        Parameter([.limit(upTo: most, default: usual), .after]) { members throws(Refusal) in
            let limit: Int = try members.value("limit") ?? usual
            return PageRequest(list: list, limit: limit, after: try members.key(of: list))
        }
    }

    /// Returns the parameter `after` alone, for a list with pages of a fixed size.
    ///
    /// Its value is `nil` for the first page.
    package static func after<Key: CursorKey>(
        in list: String, by key: Key.Type = Key.self
    ) -> Parameter where Value == Key? {
        Parameter([.after]) { members throws(Refusal) in try members.key(of: list) }
    }
}

extension Parameter where Value == Int {
    /// Returns the parameter `limit` alone, for a list that defines the beginning of a page by other parameters.
    package static func limit(upTo most: Int, default usual: Int) -> Parameter {
        Parameter([.limit(upTo: most, default: usual)]) { members throws(Refusal) in
            try members.value("limit") ?? usual
        }
    }
}

extension JSONObject {
    /// Returns the key in the member `after`; `nil` if it is omitted.
    fileprivate func key<Key: CursorKey>(of list: String) throws(Refusal) -> Key? {
        guard let text: String = try value("after") else { return nil }
        guard let cursor = Cursor(text, of: list), let key = Key(cursor.values) else { throw Cursor.fault }
        return key
    }
}

extension Member {
    /// Returns the member `next`, which is omitted on the last page.
    package static func next(
        _ doc: String = Field.next.doc, _ cursor: @escaping @Sendable (Owner) -> String?
    ) -> Member { .optional("next", .text(Field.next.schema), doc, cursor) }
}

/// A page of a list: the elements that fit the limit and a line, and the cursor of the next page.
package struct Page<Element: Answerable>: Sendable {
    private let list: String
    private let shape = Element.shape
    private var page: PageText
    private var last: (any CursorKey)?

    package init(list: String, limit: Int) {
        self.list = list
        page = PageText(limit: limit)
    }

    /// Whether there are more elements than the page holds.
    package var isFull: Bool { page.isFull }

    /// Appends an element if there is room, in a list that computes the beginning of the next page itself.
    ///
    /// - Returns: Whether the element was appended; if `false`, there is a next page.
    package mutating func append(_ element: Element) -> Bool {
        page.append { [shape] in shape.write(element, to: &$0) }
    }

    /// Appends an element with its sort key if there is room.
    ///
    /// - Returns: Whether the element was appended; if `false`, there is a next page.
    package mutating func append(_ element: Element, at key: @autoclosure () -> some CursorKey) -> Bool {
        guard append(element) else { return false }
        last = key()
        return true
    }

    /// Returns the members of an answer that holds a page: the elements as `name`, and `next` if there are more.
    package static func members(_ name: String, _ doc: String) -> [Member<Page>] {
        [
            elements(name, doc),
            .next { page in page.isFull ? Cursor(page.list, page.last?.values ?? []).text : nil },
        ]
    }

    /// Returns the member with the elements alone.
    package static func elements(_ name: String, _ doc: String) -> Member<Page> {
        let shape = AnswerShape<Page>(.array(of: Element.shape.schema)) { page, json in page.page.write(to: &json) }
        return Member(name, shape, doc) { $0 }
    }
}

extension AnswerShape {
    /// Returns the shape of an answer that holds a page.
    package static func page<Element>(_ name: String, _ doc: String) -> AnswerShape where Value == Page<Element> {
        .object(Page<Element>.members(name, doc))
    }
}

/// The elements of a page as JSON text.
private struct PageText: Sendable {
    /// The maximum size of a page in bytes: half of a line's, so that no answer exceeds a line.
    ///
    /// An element that is longer gets a page of its own.
    private static let longest = LineFraming.maximumLength / 2

    /// Whether there were more elements than fit.
    private(set) var isFull = false
    private let limit: Int
    private var count = 0
    /// The elements, separated by commas.
    private var elements = JSONWriter()

    init(limit: Int) { self.limit = limit }

    /// Appends an element if there is room.
    ///
    /// The first element always fits.
    ///
    /// - Parameter write: Writes the element.
    mutating func append(_ write: (inout JSONWriter) -> Void) -> Bool {
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
