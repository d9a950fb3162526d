package import RPC

/// Where a page ended in a list ordered by a number and then by the rows' own, as `next` and `after` hold it.
package struct PageKey: Hashable, Sendable {
    /// What the list is ordered by: a time, a count.
    package var rank: Int64
    /// The row's number.
    package var number: Int64

    /// The key of that rank and number.
    package init(rank: Int64, number: Int64) {
        self.rank = rank
        self.number = number
    }
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
