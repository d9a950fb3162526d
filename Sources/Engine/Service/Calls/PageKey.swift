package import RPC

/// The sort key of a list that is ordered by a rank, and within a rank by the row's number.
package struct PageKey: Hashable, Sendable {
    /// The rank, such as a time or a count.
    package var rank: Int64
    /// The row's number.
    package var number: Int64

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
