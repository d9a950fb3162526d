import GRDB

/// What a look for damage came to.
public enum StoreCheck: Hashable, Sendable {
    /// Nothing is wrong.
    case sound
    /// What is wrong, in SQLite's words; no more than ``mostProblems``.
    case damaged([String])
    /// The time was up before all was looked at, and nothing wrong was found until then.
    case unfinished

    /// The most problems that are named.
    public static let mostProblems = 10

    /// Looks for damage in the store at a path, beside its writer or without one.
    ///
    /// It reads the whole file on a connection of its own. While it goes on, the write-ahead log of a store that is
    /// written cannot be cut back, and grows.
    ///
    /// - Parameters:
    ///   - isThorough: whether each entry of each index is compared with its row too.
    ///   - limit: how long it may take; nil is as long as it needs, and zero is unfinished at once.
    /// - Complexity: O(*n*) for *n* bytes; thorough, O(*n* log *n*).
    /// - Throws: ``StoreError`` where the file cannot be looked at, and `CancellationError`.
    public static func run(
        at path: String, isThorough: Bool = false, within limit: Duration? = nil
    ) async throws -> StoreCheck {
        let path = try StoreFile.resolve(path)
        guard (try? FileCalls().status(path, links: .followed)) != nil else { throw StoreError.missing(path: path) }
        if let limit, limit <= .zero { return .unfinished }
        var configuration = Configuration()
        configuration.label = "check"
        configuration.readonly = true
        configuration.busyMode = .timeout(LocationDatabase.busyTimeout)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try await withThrowingTaskGroup(of: StoreCheck.self) { group in
                group.addTask {
                    let name = isThorough ? "integrity_check" : "quick_check"
                    let found = try await queue.read {
                        try String.fetchAll($0, sql: "PRAGMA \(name)(\(mostProblems))")
                    }
                    return found == ["ok"] ? .sound : .damaged(found)
                }
                if let limit {
                    group.addTask {
                        try await Task.sleep(for: limit)
                        return .unfinished
                    }
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .unfinished
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return .damaged([error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"])
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }
}
