import Store
import Tracking

/// Reads a board's log as it is sent to the centre.
struct UplinkReader: Sendable {
    let store: LocationDatabase
    /// Whether the bytes of an event may leave the board.
    let leaves: @Sendable (EventRecord) -> Bool
    /// The longest event that is sent as its bytes.
    var longestEvent = Int.max

    /// The number of events that are read at a time to compute a chain.
    private static let page = 256

    /// Returns the events that follow a chain, as many as fit in a batch.
    func batch(after chain: EventChain) async throws -> UplinkBatch {
        let seq = chain.seq
        let events = try await store.read { try EventLog.events(after: seq, limit: UplinkBatch.longest, in: $0) }
        var batch = UplinkBatch(after: chain)
        for event in events {
            for item in items(of: event, after: batch.last) where !batch.add(item) { return batch }
        }
        return batch
    }

    /// Returns what is sent of an event that follows the one with a number.
    private func items(of event: EventRecord, after seq: Int64) -> [UplinkBatch.Item] {
        guard let last = event.seq, last > seq else { return [] }
        var missing = event.isDamaged ? last - seq : last - 1 - seq
        var items: [UplinkBatch.Item] = []
        while missing > 0 {
            let count = min(missing, UplinkBatch.mostMissing)
            items.append(.missing(count))
            missing -= count
        }
        guard !event.isDamaged else { return items }
        let line = event.storedLine
        return items + [
            line.count <= longestEvent && leaves(event) ? .event(line) : .digest(EventChain.digest(of: line))
        ]
    }

    /// Returns the chain at a number, computed from an earlier one and the log.
    ///
    /// - Returns: `nil` if the log no longer has all events in between, or not yet.
    /// - Complexity: O(*n*) for *n* events in between.
    func chain(at seq: Int64, from start: EventChain) async throws -> EventChain? {
        var chain = start
        while chain.seq < seq {
            let from = chain.seq
            let events = try await store.read { try EventLog.events(after: from, limit: Self.page, in: $0) }
            for event in events where chain.seq < seq {
                guard let number = event.seq, number == chain.seq + 1, !event.isDamaged else { return nil }
                chain.append(event.storedLine)
            }
            guard chain.seq > from else { return nil }
        }
        return chain.seq == seq ? chain : nil
    }
}

extension EventRecord {
    /// The line as the log has stored it, which does not say that the event came late.
    var storedLine: [UInt8] {
        guard let received else { return line }
        let member = Array("\"received\":\"\(received)\",".utf8)
        guard let range = line.firstRange(of: member) else { return line }
        var line = line
        line.removeSubrange(range)
        return line
    }
}
