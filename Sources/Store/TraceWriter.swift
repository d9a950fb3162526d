import GRDB
import GRDBSQLite

/// Inserts points through one statement prepared on SQLite's own handle, some ten times as fast as by records.
///
/// The only file that sees the handle. It is used while its `Database` is, which is within a transaction on the
/// connection's own queue; the statement is finalized before that ends, for this value cannot be copied out of it.
@safe
struct TraceWriter: ~Copyable {
    private let statement: OpaquePointer
    private let db: Database

    init(_ db: Database) throws {
        var prepared: OpaquePointer?
        let sql = """
            INSERT OR REPLACE INTO trace
                (trip, time, lat_e7, lon_e7, alt_dm, speed_cmps, track_ddeg, accuracy_m)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        // The handle is open, for `db` is in use. SQLite reads the text during the call alone, up to its final zero.
        let code = unsafe sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw Self.error(code, db) }
        unsafe statement = prepared
        self.db = db
    }

    // The statement is ours, was made by init, and is not used after.
    deinit { unsafe sqlite3_finalize(statement) }

    /// Writes a point, in place of one of the same time.
    func write(_ point: TracePoint, ofTrip trip: Int64) throws {
        bind(1, trip)
        bind(2, point.time)
        bind(3, point.latitudeE7)
        bind(4, point.longitudeE7)
        bind(5, point.altitude)
        bind(6, point.speed)
        bind(7, point.track)
        bind(8, point.accuracy)
        // The statement lives as long as this value does.
        let code = unsafe sqlite3_step(statement)
        let reset = unsafe sqlite3_reset(statement)
        guard code == SQLITE_DONE, reset == SQLITE_OK else { throw Self.error(reset == SQLITE_OK ? code : reset, db) }
    }

    private func bind(_ index: Int32, _ value: Int64?) {
        // The statement has eight parameters and is reset: binding a number to one of them cannot fail.
        if let value {
            unsafe sqlite3_bind_int64(statement, index, value)
        } else {
            unsafe sqlite3_bind_null(statement, index)
        }
    }

    private static func error(_ code: Int32, _ db: Database) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
}

extension Database {
    /// How many pages this connection has written since it was opened, those moved by checkpoints not counted.
    var writtenPages: Int64 {
        var current: Int32 = 0
        var highest: Int32 = 0
        // The handle is open while this is called; both numbers are written during the call alone.
        let code = unsafe sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return code == SQLITE_OK ? Int64(UInt32(bitPattern: current)) : 0
    }
}
