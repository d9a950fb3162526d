import Callers
import Geodesy
import Synchronization
import TestSupport
import Tracking

@testable import EventStream
@testable import SocketServer

/// A journal in memory.
final class MemoryJournal: EventJournal {
    private let state = Mutex((first: Int64(1), entries: [EventRecord]()))
    let log = "test"

    func bounds() async throws -> JournalBounds {
        state.withLock { JournalBounds(log: log, first: $0.first, last: $0.first + Int64($0.entries.count) - 1) }
    }

    func read(after seq: Int64, limit: Int, for connection: Principal) async throws -> [EventRecord] {
        state.withLock { Array($0.entries.dropFirst(max(0, Int(seq - $0.first + 1))).prefix(limit)) }
    }

    /// Commits `count` events that `make` makes from their numbers, and returns them.
    func commit(_ count: Int, _ make: (Int64) -> EventRecord = MemoryJournal.enter) -> [EventRecord] {
        state.withLock { state in
            let next = state.first + Int64(state.entries.count)
            let entries = (next..<next + Int64(count)).map(make)
            state.entries += entries
            return entries
        }
    }

    /// Deletes the oldest events.
    func trim(_ count: Int) {
        state.withLock { state in
            state.entries.removeFirst(count)
            state.first += Int64(count)
        }
    }

    /// Returns an event of usual length.
    static func enter(_ seq: Int64) -> EventRecord { entry(seq, type: "geofence.enter") }

    /// Returns an event as short as possible, for tests with many.
    static func brief(_ seq: Int64) -> EventRecord {
        EventRecord(seq: seq, type: "trip.end", line: Array(#"{"seq":\#(seq)}"#.utf8))
    }

    /// Returns an event of a type.
    static func entry(_ seq: Int64, type: String, recipient: String? = nil) -> EventRecord {
        EventRecord(
            seq: seq, type: type, device: "gps0", subject: "sight/westerkerk",
            recipient: recipient, place: Coordinate(latitude: 52.37, longitude: 4.88),
            line: Array(
                #"{"seq":\#(seq),"type":"\#(type)","time":"2026-05-01T10:00:03.000Z","device":"gps0","lat":52.373056,"lon":4.892222,"geofence":{"kind":"sight","id":"westerkerk","title":"Westerkerk","distance":48.2,"radius":50}}"#
                    .utf8))
    }

    /// Returns a position of a device.
    static func position(_ device: String, _ number: Int) -> EventRecord {
        EventRecord(
            seq: nil, type: "position", device: device,
            line: Array(#"{"type":"position","device":"\#(device)","number":\#(number)}"#.utf8))
    }
}
