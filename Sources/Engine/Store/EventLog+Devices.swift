public import GRDB
import Positioning
public import Tracking

extension EventLog {
    /// The events of a device whose type begins with a prefix, one at a time, by time and number.
    public struct DeviceEvents {
        private let rows: StoredRow.Rows

        /// Returns the next event that is not damaged; `nil` at the end.
        public mutating func next() throws -> EventRecord? {
            while let row = try rows.next() { if let event = EventRecord(sound: row) { return event } }
            return nil
        }

        fileprivate init(_ rows: StoredRow.Rows) { self.rows = rows }
    }

    /// Returns the events of a device whose type begins with a prefix, such as `geofence.`, by time and number.
    ///
    /// - Complexity: O(*n* + *k* log *k*) for *n* events in the log and *k* results. SQLite sorts on disk what exceeds
    ///   its memory.
    public static func events(
        ofDevice device: String, typePrefix: String, in db: Database
    ) throws -> DeviceEvents {
        DeviceEvents(
            try StoredRow.fetchCursor(
                db,
                sql: """
                    SELECT \(EventRecord.columns) FROM event
                    WHERE device = :device AND substr(type, 1, length(:prefix)) = :prefix ORDER BY time, seq
                    """,
                arguments: ["device": device, "prefix": typePrefix]))
    }
}
