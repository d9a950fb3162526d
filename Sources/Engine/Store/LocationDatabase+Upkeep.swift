import GRDB

/// The size of the store, and the number of commits.
public struct StoreStatistics: Hashable, Sendable {
    /// The bytes on the disk, including the write-ahead log; for a temporary store, the bytes of its pages.
    public var bytes: Int64
    /// The number of pages of the database.
    public var pages: Int64
    /// The number of transactions committed since the store was opened.
    public var commits: Int
}

extension LocationDatabase {
    /// Returns the size of the store, and the number of commits since it was opened.
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

    /// Copies a snapshot of the store to a new file, while the daemon may go on writing.
    ///
    /// The event log of the copy gets another name. Once the copy is used in place of this store, it assigns the same
    /// numbers to other events, and subscribers must not confuse the two.
    ///
    /// - Parameters:
    ///   - destination: A file that must not exist yet.
    ///   - progressed: Receives the share copied so far, 0 to 1, from time to time. If it is `nil`, the store is copied
    ///     in one step.
    /// - Throws: ``StoreError``. No file is left if the copy fails.
    public func backup(to destination: String, progressed: ((Double) -> Void)? = nil) throws(StoreError) {
        let destination = try StoreFile.resolve(destination)
        try StoreFile.create(destination)
        do {
            let copy = try DatabaseQueue(path: destination)
            // Within one read transaction, so that a commit meanwhile does not restart the copy.
            try read { db in
                try copy.writeWithoutTransaction { other in
                    try db.backup(to: other, pagesPerStep: progressed == nil ? -1 : 4096) { state in
                        let total = max(1, state.totalPageCount)
                        progressed?(Double(state.completedPageCount) / Double(total))
                    }
                }
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
    /// Waits for the writer's queue and writes nothing; returns once all earlier writes have ended.
    ///
    /// - Throws: ``StoreError/moved(path:)`` if the store's files are no longer those that were opened.
    public func waitForWriter() async throws(StoreError) {
        try checkFiles()
        do {
            try await queue.writeWithoutTransaction { _ in }
        } catch {
            throw StoreError(error, path: place)
        }
    }
}
