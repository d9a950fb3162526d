import GRDB

/// The reason why a store cannot be opened, read or written.
public enum StoreError: Error, Hashable, Sendable {
    /// There is no file at the path.
    case missing(path: String)
    /// The file is not an SQLite database.
    case notADatabase(path: String)
    /// The file is another application's database, with this `application_id`.
    case foreign(path: String, applicationID: Int32)
    /// A newer version has written the store: `found` is its schema number, `known` the greatest that this version
    /// knows.
    case newer(path: String, found: Int, known: Int)
    /// An older version has written the store, and opening it for reading does not upgrade it.
    case older(path: String, found: Int, known: Int)
    /// Another process, or another part of this one, is writing the store; the process id and socket if known.
    case inUse(path: String, processID: Int32?, socket: String?)
    /// A file of the store was moved, replaced or removed after it was opened.
    case moved(path: String)
    /// The file or its folder cannot be used, for a reason that the system gives.
    case unusable(path: String, reason: String)
    /// The files of the store, or their folder, cannot be written, for a reason that the system gives.
    case readOnly(path: String, reason: String)
    /// The disk is full.
    case full(path: String)
    /// The content of the file is damaged.
    case damaged(path: String, detail: String)
    /// Another connection kept the store locked for too long.
    case busy(path: String)
    /// A read exceeded its time limit.
    case tooLong(path: String, limit: Duration)
    /// SQLite failed for another reason.
    case failed(path: String, detail: String)

    /// What SQLite's functions say of values that no version of Waymark writes (json.c and func.c of SQLite).
    private static let wordsOfDamage: Set<String> = [
        "JSON cannot hold BLOB values", "malformed JSON", "integer overflow",
    ]

    /// Translates an error of SQLite for the store at a path; a ``StoreError`` stays as it is.
    init(_ error: any Error, path: String) {
        if let error = error as? StoreError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self = .failed(path: path, detail: String(describing: error))
            return
        }
        let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_NOTADB: self = .notADatabase(path: path)
        case .SQLITE_FULL: self = .full(path: path)
        case .SQLITE_CORRUPT: self = .damaged(path: path, detail: detail)
        case .SQLITE_ERROR where Self.wordsOfDamage.contains(detail): self = .damaged(path: path, detail: detail)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_IOERR:
            if let reason = ReadOnlyStore.writingFailure(path, hasFailed: true) {
                self = .readOnly(path: path, reason: reason)
            } else {
                self =
                    error.resultCode == .SQLITE_IOERR
                    ? .failed(path: path, detail: detail) : .unusable(path: path, reason: detail)
            }
        default: self = .failed(path: path, detail: detail)
        }
    }
}

extension StoreError {
    /// Whether a retry would fail in the same way until a person acts.
    public var staysSo: Bool {
        switch self {
        case .notADatabase, .foreign, .newer, .damaged: true
        default: false
        }
    }
}

extension StoreError {
    /// Whether the store must be reopened, because writes to the open files may be lost.
    public var needsReopening: Bool {
        if case .moved = self { true } else { false }
    }
}

extension StoreError: CustomStringConvertible {
    /// A message for people: the problem, the place and what to do.
    public var description: String {
        switch self {
        case .missing(let path): "\(path): no such store"
        case .notADatabase(let path): "\(path): not a Waymark store, and not an SQLite database"
        case .foreign(let path, let applicationID):
            "\(path): not a Waymark store, but another application's database (application_id \(applicationID))"
        case .newer(let path, let found, let known):
            "\(path): written by a newer Waymark (schema \(found); this one supports \(known)): upgrade Waymark"
        case .older(let path, let found, let known):
            "\(path): written by an older Waymark (schema \(found); this one needs \(known)): "
                + "upgrade it by starting the daemon, or with a command that writes"
        case .inUse(let path, let processID, let socket):
            "\(path): in use"
                + (processID.map { " by process \($0)" } ?? "")
                + (socket.map { ": use its socket, \($0)" } ?? ": use its socket, or stop the daemon first")
        case .moved(let path):
            "\(path): the store or its -wal file was moved, replaced or removed while open: nothing more is written"
        case .unusable(let path, let reason): "\(path): \(reason)"
        case .readOnly(let path, let reason):
            "\(path): it cannot be written (\(reason)): nothing was saved. Reading still works, so save a copy elsewhere: "
                + "\"waymark backup FILE --store \(path)\""
        case .full(let path): "\(path): the disk is full: nothing was written"
        case .damaged(let path, let detail):
            "\(path): damaged (\(detail)): restore a backup, or save what can be read with \"waymark recover\""
        case .busy(let path): "\(path): locked by another connection: try again"
        case .tooLong(_, let limit):
            "the query takes longer than \(limit): ask for less, such as a shorter time, a smaller area or fewer words"
        case .failed(let path, let detail): "\(path): \(detail)"
        }
    }
}
