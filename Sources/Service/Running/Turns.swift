package import RPC

/// Lets one work at a time; those who wait take turns, each person's own one after another.
package actor Turns {
    /// So many may wait in all, and of one person; all who are nobody count as one.
    static let (most, mostOfOne) = (32, 8)

    private struct Waiting {
        let person: String?
        let start: CheckedContinuation<Void, Never>
    }

    private var isTaken = false
    private var waiting: [Waiting] = []
    /// Who had a turn while others waited, the last of them last.
    private var served: [String?] = []

    /// Nobody works, and nobody waits.
    package init() {}

    /// How many wait.
    package var count: Int { waiting.count }

    /// Returns when it is someone's turn, which must be ended by ``end()``.
    ///
    /// - Throws: 5 where too many wait.
    package func begin(for person: String?) async throws(Refusal) {
        guard isTaken else {
            isTaken = true
            return
        }
        guard waiting.count < Self.most, waiting.count(where: { $0.person == person }) < Self.mostOfOne else {
            throw .unavailable("Too many pictures are being drawn at this moment; try again later.")
        }
        await withCheckedContinuation { waiting.append(Waiting(person: person, start: $0)) }
    }

    /// Ends a turn; the next is that of whoever has waited longest since their last one.
    package func end() {
        served.removeAll { person in !waiting.contains { $0.person == person } }
        func last(_ person: String?) -> Int { served.lastIndex(of: person) ?? -1 }
        guard let next = waiting.indices.min(by: { (last(waiting[$0].person), $0) < (last(waiting[$1].person), $1) })
        else {
            isTaken = false
            return
        }
        let turn = waiting.remove(at: next)
        served.removeAll { $0 == turn.person }
        served.append(turn.person)
        turn.start.resume()
    }
}
