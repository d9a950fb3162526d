import GRDB

/// Why a store cannot be opened, read or written.
public enum StoreError: Error, Hashable, Sendable {
    /// There is no such file to read.
    case missing(path: String)
    /// The file is no SQLite database.
    case notADatabase(path: String)
    /// The file is another application's database; its `application_id` is given.
    case foreign(path: String, applicationID: Int32)
    /// A newer version has written the store: its schema number, and the greatest that is known here.
    case newer(path: String, found: Int, known: Int)
    /// An older version has written the store, and reading alone does not upgrade it.
    case older(path: String, found: Int, known: Int)
    /// Another process, or another part of this one, writes the store: its process id and socket where known.
    case inUse(path: String, processID: Int32?, socket: String?)
    /// A file of the store is not the one any more that was opened: it was moved, replaced or removed since.
    case moved(path: String)
    /// The file or its folder cannot be used as it is, for a reason the system gives.
    case unusable(path: String, reason: String)
    /// The disk is full.
    case full(path: String)
    /// What is in the file cannot be right.
    case damaged(path: String, detail: String)
    /// Another connection has kept the store locked for too long.
    case busy(path: String)
    /// A reading took longer than it may.
    case tooLong(path: String, limit: Duration)
    /// Anything else that SQLite refuses.
    case failed(path: String, detail: String)

    /// What an error of SQLite means for the store at a path; errors of the store pass as they are.
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
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: self = .unusable(path: path, reason: detail)
        default: self = .failed(path: path, detail: detail)
        }
    }
}

extension StoreError {
    /// Whether trying again later gives the same: it takes a person.
    public var staysSo: Bool {
        switch self {
        case .notADatabase, .foreign, .newer, .damaged: true
        default: false
        }
    }
}

extension StoreError {
    /// Whether the store must be opened anew: what is written to it as it is open now may be lost.
    public var needsReopening: Bool {
        if case .moved = self { true } else { false }
    }
}

extension StoreError: CustomStringConvertible {
    /// What is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .missing(let path): "\(path): no such store"
        case .notADatabase(let path): "\(path): not a Waymark store, and no SQLite database at all"
        case .foreign(let path, let applicationID):
            "\(path): not a Waymark store, but another application's database (application_id \(applicationID))"
        case .newer(let path, let found, let known):
            "\(path): written by a newer Waymark (schema \(found); this one knows \(known)): upgrade Waymark"
        case .older(let path, let found, let known):
            "\(path): written by an older Waymark (schema \(found), needed is \(known)): "
                + "a command that writes, or the daemon, upgrades it"
        case .inUse(let path, let processID, let socket):
            "\(path): in use"
                + (processID.map { " by process \($0)" } ?? "")
                + (socket.map { ": use its socket, \($0)" } ?? ": use its socket, or end the daemon first")
        case .moved(let path):
            "\(path): it or its -wal was moved, replaced or removed while it was open: nothing more is written to it"
        case .unusable(let path, let reason): "\(path): \(reason)"
        case .full(let path): "\(path): the disk is full: nothing was written"
        case .damaged(let path, let detail):
            "\(path): damaged (\(detail)): restore a backup, or save what can be read with \"waymark recover\""
        case .busy(let path): "\(path): another connection has kept it locked: try again"
        case .tooLong(_, let limit):
            "this takes longer than \(limit) to look up: ask for less, such as a shorter time, a smaller area or fewer "
                + "words"
        case .failed(let path, let detail): "\(path): \(detail)"
        }
    }
}
