package import RPC
package import TextCoding

/// A page of a list whose elements each have a key, and the key of its last.
package struct KeyedPage {
    private var page: TextPage
    private var last: String?

    package init(limit: Int) { page = TextPage(limit: limit) }

    /// Takes the next element, an object, as long as there is room.
    ///
    /// - Returns: whether it was taken.
    package mutating func take(_ key: some CustomStringConvertible, _ members: (inout JSONWriter) -> Void) -> Bool {
        take(key, .object(members))
    }

    /// Takes the next element, as long as there is room.
    ///
    /// - Returns: whether it was taken.
    package mutating func take(_ key: some CustomStringConvertible, _ element: JSONText) -> Bool {
        guard page.take(element) else { return false }
        last = key.description
        return true
    }

    /// The answer to a call: the elements as `name`, and `next` where there are more.
    package func answer(_ name: String) -> JSONText {
        .object { json in
            page.write(name, to: &json)
            if page.isFull { json.member("next", last) }
        }
    }
}
