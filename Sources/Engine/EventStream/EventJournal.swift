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

    /// Returns the display names of the events' trips and stops, by the events' numbers.
    ///
    /// Events without a name are absent. All are if no search says that they may have some.
    func names(of events: [EventRecord], for principal: Principal) async throws -> [Int64: String]
}

/// The direction in which a log is searched.
public enum EventDirection: Sendable {
    /// Events after a number, oldest first.
    case forward
    /// Events before a number, newest first.
    case backward
}

extension EventJournal {
    /// Knows no names.
    public func names(of events: [EventRecord], for principal: Principal) async throws -> [Int64: String] { [:] }

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
                examined: events.count, bounds: bounds)
        case .backward:
            let last = min(seq - 1, bounds.last)
            let start = max(bounds.first - 1, last - Int64(limit))
            guard start < last else {
                return EventSearch(events: [], reached: bounds.first - 1, examined: 0, bounds: bounds)
            }
            let events = try await read(after: start, limit: Int(last - start), for: principal)
            return EventSearch(
                events: events.reversed(), reached: start + 1, examined: events.count, bounds: bounds)
        }
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
