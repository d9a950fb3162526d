import Foundation
import GRDB
import RPC
import Service
import Store

/// The mark that ties a folder to its store: a file with the random name that the store has for the folder.
extension StateFolder {
    /// The file that contains the name.
    static let mark = "store"

    /// Creates the folder if necessary, and checks that it belongs to the store.
    ///
    /// Call this before you change anything in the folder. A folder without a mark is marked if it has no photos, or
    /// one that the store knows.
    ///
    /// - Throws: `Refusal` (`.unavailable`) if the folder belongs to another store or cannot be used, and errors of the
    ///   store.
    func use() throws {
        let name = try name()
        let found: String?
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(Self.mark))
            found = String(decoding: try calls.read(file, from: 0, count: 64), as: UTF8.self)
        } catch {
            guard error.isMissing else { throw refusal(Self.mark, error) }
            found = nil
        }
        if let found {
            guard found.trimmingCharacters(in: .whitespacesAndNewlines) == name else { throw foreign }
            return
        }
        try make("")
        guard try mayBeMarked() else { throw foreign }
        try write(Array("\(name)\n".utf8), to: Self.mark)
    }

    /// Returns the random name that the store has for the folder.
    ///
    /// - Throws: `DatabaseError` (`SQLITE_CORRUPT`) if there is none.
    private func name() throws -> String {
        let name = try store.read { try String.fetchOne($0, sql: "SELECT name FROM photo_folder") }
        guard let name else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the folder has no name") }
        return name
    }

    /// Whether a folder without a mark can become the store's folder.
    private func mayBeMarked() throws -> Bool {
        let photos = names().filter(PhotoFiles.isDigest)
        guard !photos.isEmpty else { return true }
        return try store.read { db in
            let selection = try db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM picture WHERE sha256 = :name)
                        OR EXISTS (SELECT 1 FROM loose_picture WHERE sha256 = :name)
                    """)
            return try photos.contains { try Bool.fetchOne(selection, arguments: ["name": $0]) ?? false }
        }
    }

    private var foreign: Refusal {
        .unavailable(
            """
            The folder \(path) has the photos of another store, and nothing in it is changed. Restore that store, or \
            move the folder away.
            """)
    }
}
