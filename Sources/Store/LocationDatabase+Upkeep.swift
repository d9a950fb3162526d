import GRDB

/// How large the store is, and how often it was written.
public struct StoreStatistics: Hashable, Sendable {
    /// Bytes on the disk, those that wait in the write-ahead log included; the pages' for a temporary store.
    public var bytes: Int64
    /// Pages of the database.
    public var pages: Int64
    /// Transactions committed since it was opened.
    public var commits: Int
}

extension LocationDatabase {
    /// How large the store is, and how often it was written since it was opened.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        let path = path
        let commits = commits
        do {
            return try await queue.writeWithoutTransaction { db in
                let pageSize = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
                let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                let bytes = path.map { StoreFile.size($0) + StoreFile.size($0 + "-wal") } ?? pages * pageSize
                return StoreStatistics(bytes: bytes, pages: pages, commits: commits)
            }
        } catch {
            throw StoreError(error, path: place)
        }
    }

    /// Copies the store, as it is at one moment, to a file that must not be there yet; the daemon may go on writing.
    ///
    /// The copy's event log has another name: once it is used in place of this store, the same numbers are given to other
    /// events, and subscribers must not take one for the other.
    ///
    /// - Parameter progressed: gets the share that is copied, 0 to 1, now and then; nil where nobody wants to know, and it
    ///   is copied in one step.
    /// - Throws: ``StoreError``; no file is left where the copy fails.
    public func backup(to destination: String, progressed: ((Double) -> Void)? = nil) throws(StoreError) {
        let destination = try StoreFile.resolve(destination)
        try StoreFile.create(destination)
        do {
            let copy = try DatabaseQueue(path: destination)
            if let progressed {
                // Within one reading, so that a commit meanwhile does not begin it anew.
                try queue.read { db in
                    try copy.writeWithoutTransaction { other in
                        try db.backup(to: other, pagesPerStep: 4096) { state in
                            let total = max(1, state.totalPageCount)
                            progressed(Double(state.completedPageCount) / Double(total))
                        }
                    }
                }
            } else {
                try queue.backup(to: copy)
            }
            try copy.write { try EventLog.rename(in: $0) }
            try copy.close()
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { try? FileCalls().remove(destination + suffix) }
            throw StoreError(error, path: destination)
        }
    }
}

extension LocationDatabase {
    /// Waits for the turn of a writer and writes nothing; returns only where those before have come to an end.
    ///
    /// - Throws: ``StoreError/moved(path:)`` where the store's files are others than those that were opened.
    public func passWriter() async throws(StoreError) {
        try checkFiles()
        do {
            try await queue.writeWithoutTransaction { _ in }
        } catch {
            throw StoreError(error, path: place)
        }
    }
}
