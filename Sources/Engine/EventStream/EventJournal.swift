public import Callers
import Geodesy
import RPC
public import Tracking

/// A log of stored events, which are numbered without gaps.
public protocol EventJournal: Sendable {
    /// Returns the range of events that the log holds now.
    func bounds() async throws -> JournalBounds

    /// Returns the events with numbers greater than `seq`, in order, at most `limit` of them.
    ///
    /// The result includes every event committed before the call. Fewer than `limit` events mean that there were no
    /// more.
    ///
    /// - Parameter principal: The caller on whose behalf the journal is read.
    func read(after seq: Int64, limit: Int, for principal: Principal) async throws -> [EventRecord]

    /// Searches for events with numbers greater than `seq`, oldest first, or less than it, newest first.
    ///
    /// A step may end before it has found `limit` events; ``EventSearch/reached`` says where. It may contain events that
    /// do not match.
    func search(
        _ query: EventQuery, from seq: Int64, _ direction: EventDirection, limit: Int, for principal: Principal
    ) async throws -> EventSearch
}

/// The direction in which a log is searched.
public enum EventDirection: Sendable {
    /// Events after a number, oldest first.
    case forward
    /// Events before a number, newest first.
    case backward
}

extension EventJournal {
    /// Searches page by page without an index.
    public func search(
        _ query: EventQuery, from seq: Int64, _ direction: EventDirection, limit: Int, for principal: Principal
    ) async throws -> EventSearch {
        let bounds = try await bounds()
        switch direction {
        case .forward:
            let events = try await read(after: seq, limit: limit, for: principal)
            return EventSearch(
                events: events, reached: events.count < limit ? max(seq, bounds.last) : events.last?.seq ?? seq,
                examined: events.count, first: bounds.first)
        case .backward:
            let last = min(seq - 1, bounds.last)
            let start = max(bounds.first - 1, last - Int64(limit))
            guard start < last else {
                return EventSearch(events: [], reached: bounds.first - 1, examined: 0, first: bounds.first)
            }
            let events = try await read(after: start, limit: Int(last - start), for: principal)
            return EventSearch(
                events: events.reversed(), reached: start + 1, examined: events.count, first: bounds.first)
        }
    }
}

/// The range of events that a log holds.
public struct JournalBounds: Sendable, Equatable {
    /// The random name of the log.
    ///
    /// A number is valid only in its own log.
    public let log: String
    /// The number of the first event in the log; the number of the next event if the log is empty.
    public let first: Int64
    /// The number of the last event ever appended; 0 if there was none.
    public let last: Int64

    /// Creates the bounds of a log.
    ///
    /// If the log holds no event, `first` must be `last` + 1.
    public init(log: String, first: Int64, last: Int64) {
        self.log = log
        self.first = first
        self.last = last
    }
}

extension EventRecord {
    /// The latitude and longitude in degrees; `nil` if the event has no position.
    ///
    /// - Complexity: O(1) for an event of a tracker; O(length) for an event from the log, whose line is parsed.
    var degrees: (latitude: Double, longitude: Double)? {
        if let place { return (place.latitude, place.longitude) }
        let event = try? JSONValue(parsing: line.span)
        guard let latitude = event?["lat"].flatMap({ Double(json: $0) }),
            let longitude = event?["lon"].flatMap({ Double(json: $0) })
        else { return nil }
        return (latitude, longitude)
    }
}
