import RPC

/// Admits one worker at a time.
///
/// Waiting people take turns, and each person's requests run in order.
package actor FairLock {
    /// The maximum number of waiting requests, in all and of one person.
    ///
    /// All callers without a person count as one.
    static let (maximumCount, maximumPerPerson) = (32, 8)

    private struct Waiting {
        let number: Int
        let person: String?
        /// Resumed with whether the turn has come; if it has not, the caller was cancelled.
        let start: CheckedContinuation<Bool, Never>
    }

    /// The sentence that refuses a request if too many wait.
    private let refusal: String
    /// The number of the last request that had to wait.
    private var last = 0
    private var isTaken = false
    private var waiting: [Waiting] = []
    /// The people who had a turn while others waited, the most recent last.
    private var served: [String?] = []

    /// Creates turns of which none is taken.
    ///
    /// - Parameter refusal: The sentence that refuses a request if too many wait.
    package init(refusal: String) { self.refusal = refusal }

    /// The number of waiting requests.
    package var count: Int { waiting.count }

    /// Waits for a turn, which the caller must end with ``end()``.
    ///
    /// - Throws: Error 5 (unavailable) if too many requests wait, and `CancellationError` if the caller is cancelled
    ///   before its turn comes. In both cases there is no turn to end.
    package func begin(for person: String?) async throws {
        try Task.checkCancellation()
        guard isTaken else {
            isTaken = true
            return
        }
        guard waiting.count < Self.maximumCount, waiting.count(where: { $0.person == person }) < Self.maximumPerPerson
        else {
            throw Refusal.unavailable(refusal)
        }
        last += 1
        let number = last
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { start in
                // If the caller is cancelled from here on, `leave` runs after this, because the actor is busy.
                guard !Task.isCancelled else { return start.resume(returning: false) }
                waiting.append(Waiting(number: number, person: person, start: start))
            }
        } onCancel: {
            Task { await self.leave(number) }
        }
        guard isMine else { throw CancellationError() }
    }

    /// Removes a waiting request whose caller was cancelled.
    private func leave(_ number: Int) {
        guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: place).start.resume(returning: false)
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
        turn.start.resume(returning: true)
    }
}
