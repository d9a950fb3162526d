package import RPC

/// Admits one worker at a time.
///
/// Waiting people take turns, and each person's requests run in order.
package actor FairLock {
    /// The maximum number of waiting requests, in all and of one person.
    ///
    /// All callers without a person count as one.
    static let (maximumCount, maximumPerPerson) = (32, 8)

    private struct Waiting {
        let person: String?
        let start: CheckedContinuation<Void, Never>
    }

    private var isTaken = false
    private var waiting: [Waiting] = []
    /// The people who had a turn while others waited, the most recent last.
    private var served: [String?] = []

    package init() {}

    /// The number of waiting requests.
    package var count: Int { waiting.count }

    /// Waits for a turn, which the caller must end with ``end()``.
    ///
    /// - Throws: Error 5 (unavailable) if too many requests wait.
    package func begin(for person: String?) async throws(Refusal) {
        guard isTaken else {
            isTaken = true
            return
        }
        guard waiting.count < Self.maximumCount, waiting.count(where: { $0.person == person }) < Self.maximumPerPerson
        else {
            throw .unavailable("Too many pictures are being drawn at the moment. Try again later.")
        }
        await withCheckedContinuation { waiting.append(Waiting(person: person, start: $0)) }
    }

    /// Ends a turn, and begins that of the waiting person whose last turn was longest ago.
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
