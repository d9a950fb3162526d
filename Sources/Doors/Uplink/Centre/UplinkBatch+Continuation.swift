extension UplinkBatch {
    /// Why a batch cannot be the continuation of a log.
    package struct Contradiction: Error, Hashable, Sendable {
        /// The reason, as a sentence.
        package let text: String

        /// The contradiction of a board that begins one log after another.
        package static let tooManyLogs = Contradiction(
            text: "This board has \(Boards.mostLogs) logs, which is the most.")
    }

    /// Returns what a log lacks of the batch, each item with the number at which it begins, and the chain that follows.
    ///
    /// There are no items if the batch begins later than with the next event, or if all its events are there.
    ///
    /// - Throws: ``Contradiction`` if the chain that follows is not the sender's.
    package func continuation(
        of log: EventChain
    ) throws(Contradiction) -> (items: [(seq: Int64, item: Item)], chain: EventChain) {
        guard first <= log.seq + 1, last > log.seq else { return ([], log) }
        var chain = log
        var items: [(seq: Int64, item: Item)] = []
        var seq = first
        for item in self.items {
            let end = seq + item.count
            defer { seq = end }
            guard end > chain.seq + 1 else { continue }
            let begin = chain.seq + 1
            var new = item
            // Only missing events are several, of which the first may be there.
            if case .missing = item { new = .missing(end - begin) }
            new.extend(&chain)
            items.append((begin, new))
        }
        guard chain == self.chain else {
            throw Contradiction(text: "The events contradict those that are here up to \(first - 1).")
        }
        return (items, chain)
    }
}
