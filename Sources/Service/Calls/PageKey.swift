package import RPC

/// Where a page ended in a list ordered by a number and then by the rows' own, as `next` and `after` hold it.
package struct PageKey: Hashable, Sendable, CustomStringConvertible {
    /// What the list is ordered by: a time, a count.
    package var rank: Int64
    /// The row's number.
    package var number: Int64

    /// `RANK.NUMBER`.
    package var description: String { "\(rank).\(number)" }

    /// The key of that rank and number.
    package init(rank: Int64, number: Int64) {
        self.rank = rank
        self.number = number
    }

    /// The `after` of a call; nil where it asks for the first page.
    ///
    /// - Throws: 4 for what is no key.
    package init?(_ call: Call<some Caller>) throws(RPCError) {
        guard let text: String = try call.optional("after") else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let rank = Int64(parts[0]), let number = Int64(parts[1]) else { throw Self.fault }
        self.init(rank: rank, number: number)
    }

    /// The `after` of a call to a list ordered by the rows' numbers alone; nil where it asks for the first page.
    ///
    /// - Throws: 4 for what is no number.
    package static func number(_ call: Call<some Caller>) throws(RPCError) -> Int64? {
        guard let text: String = try call.optional("after") else { return nil }
        guard let number = Int64(text) else { throw fault }
        return number
    }

    private static var fault: RPCError { RPCError.invalid("after", "must be the next of a page before") }
}

extension PageKey: CursorKey {
    package var values: [JSONValue] { [.integer(rank), .integer(number)] }

    package init?(_ values: [JSONValue]) {
        guard values.count == 2, let rank = Int64(json: values[0]), let number = Int64(json: values[1]) else {
            return nil
        }
        self.init(rank: rank, number: number)
    }
}
