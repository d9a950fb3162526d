// What of SQLite Swift cannot call, because the number of its arguments varies.

// Has a connection distrust the file that it is open on: no view and no trigger of the file runs, its schema calls only
// functions that are harmless, and SQL can write neither the schema nor shadow tables (sqlite3_db_config). Returns the
// first result code that is not SQLITE_OK.
int sqliteDistrust(void *connection);
