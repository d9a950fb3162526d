package import RPC
package import TextCoding

/// One page of a list: as many elements as are asked for and fit a line.
package struct TextPage: Sendable {
    /// What a page holds, in bytes: half of what a line may have, so that no answer is too long for one.
    ///
    /// A longer element has a page of its own.
    private static let longest = LineFraming.maximumLength / 2

    /// Whether there was more than fits.
    package private(set) var isFull = false
    private let limit: Int
    private var elements: [JSONText] = []
    private var length = 0

    package init(limit: Int) { self.limit = limit }

    /// Takes the next element, as long as there is room; the first always has.
    ///
    /// - Returns: whether it was taken.
    package mutating func take(_ element: JSONText) -> Bool {
        guard elements.count < limit, elements.isEmpty || length + element.bytes.count < Self.longest else {
            isFull = true
            return false
        }
        elements.append(element)
        length += element.bytes.count + 1
        return true
    }

    /// Writes the elements as an array.
    package func write(_ key: String, to json: inout JSONWriter) {
        json.key(key)
        write(to: &json)
    }

    /// Writes the elements as an array.
    package func write(to json: inout JSONWriter) {
        json.array { json in
            for element in elements { json.raw(element.bytes) }
        }
    }
}
