/// The messages that are on their way to push services.
///
/// Few go to one push service at the same time, so that one that is slow delays neither the others nor this machine.
actor PushQueue {
    private var count = 0
    private var lanes: [String: Lane] = [:]

    private struct Lane {
        var running = 0
        /// Those who wait for a turn, the first first.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The most messages that are on their way; each waits for at most as long as it is news.
    static let maximumCount = 256
    /// The most messages that are handed to one push service at the same time.
    static let maximumPerService = 4

    /// Counts a message; returns `false` if there are too many.
    func enter() -> Bool {
        guard count < Self.maximumCount else { return false }
        count += 1
        return true
    }

    /// Ends a message that was counted.
    func leave() { count -= 1 }

    /// Waits for a turn at a push service, which ``end(_:)`` ends.
    ///
    /// Who is cancelled also waits, because those whose turn it is then end at once.
    func begin(_ service: String) async {
        guard lanes[service, default: Lane()].running >= Self.maximumPerService else {
            lanes[service, default: Lane()].running += 1
            return
        }
        await withCheckedContinuation { lanes[service, default: Lane()].waiting.append($0) }
    }

    /// Ends a turn; the next who waits has it.
    func end(_ service: String) {
        guard var lane = lanes[service] else { return }
        if lane.waiting.isEmpty {
            lane.running -= 1
            lanes[service] = lane.running > 0 ? lane : nil
        } else {
            let next = lane.waiting.removeFirst()
            lanes[service] = lane
            next.resume()
        }
    }
}
