import Crypto
import Foundation
import GRDB
public import Positioning
import RPC
import Service
import Store

/// The files of photos, each under the SHA-256 of its bytes; what is made of one is beside it.
///
/// A file is put there before the row that shows it is committed, and taken away after no row does; both happen only
/// within the changes of an ``Editor``, which come one after another. The table `loose_picture` is the ledger of files
/// that the store has written and no row shows: one to come is listed before it is put there, and leaves the list with
/// its row; one whose last row goes is listed in that transaction, and leaves the list once it is in the trash. So there
/// is never a row without its file, whatever the moment of a crash; and what is not listed was put there by somebody
/// else, or is shown by a newer copy of the store, and is left alone.
public struct PhotoFiles: Sendable {
    package let folder: StateFolder
    let trash: PhotoTrash
    private let now: @Sendable () -> Timestamp

    private var store: LocationDatabase { folder.store }

    /// A file that has come, is whole and on the disk.
    package struct Source: Sendable {
        /// Its name in the folder.
        package var name: String
        package var digest: String
        package var size: Int
    }

    /// The name of what is made of a file.
    package static func name(of product: PictureTool.Product, _ digest: String) -> String {
        "\(digest).\(product.rawValue)"
    }

    /// Whether a name is that of a photo.
    static func isDigest(_ name: String) -> Bool {
        name.utf8.count == 64 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The files in a folder.
    package init(folder: StateFolder, now: @escaping @Sendable () -> Timestamp) {
        self.folder = folder
        self.now = now
        trash = PhotoTrash(folder: folder)
    }

    /// Has a file there, listed until a row shows it.
    ///
    /// A file of its name that is damaged goes to the trash, and so is mended.
    ///
    /// - Throws: 5 where it cannot be put there; what has been listed goes with ``removeLoose()``.
    func put(_ source: Source) async throws {
        try folder.use()
        try await store.write { db in
            try db.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO loose_picture
                    SELECT :name WHERE NOT EXISTS (SELECT 1 FROM picture WHERE sha256 = :name)
                    """
            ).execute(arguments: ["name": source.digest])
        }
        if try folder.status(of: source.digest) != nil {
            let known = try? folder.read(source.digest, size: source.size)
            if known.map(Self.digest) == source.digest { return }
            try trash.take(source.digest, at: now())
        }
        try folder.link(source.name, as: source.digest)
    }

    /// Moves what is listed to the trash; what cannot be moved stays listed for the next time.
    func removeLoose() async {
        guard (try? folder.use()) != nil else { return }
        var last = ""
        while let digests = try? await listed(after: last), let end = digests.last {
            last = end
            let gone = digests.filter { digest in
                for product in PictureTool.Product.allCases { folder.remove(Self.name(of: product, digest)) }
                return (try? trash.take(digest, at: now())) != nil
            }
            guard !gone.isEmpty, (try? folder.synchronizeNames()) != nil else { continue }
            try? await store.write { db in
                let deletion = try db.cachedStatement(sql: "DELETE FROM loose_picture WHERE sha256 = ?")
                for digest in gone { try deletion.execute(arguments: [digest]) }
            }
        }
        trash.empty(at: nil)
    }

    /// Empties the trash of what has been there for long; ``PhotoTrash/days`` days.
    ///
    /// - Parameter time: the present time, where that is known.
    public func emptyTrash(at time: Timestamp?) {
        guard folder.has(""), (try? folder.use()) != nil else { return }
        trash.empty(at: time)
    }

    private func listed(after digest: String) async throws -> [String] {
        try await store.read { db in
            try String.fetchAll(
                db.cachedStatement(
                    sql: "SELECT sha256 FROM loose_picture WHERE sha256 > ? ORDER BY sha256 LIMIT 500"),
                arguments: [digest])
        }
    }

    /// Whether anything is listed.
    static func hasLoose(in db: Database) throws -> Bool {
        try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM loose_picture)")) ?? false
    }

    /// The SHA-256 of some bytes, 64 hexadecimal digits.
    package static func digest(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }
}

extension PhotoFiles {
    /// What was found in the folder when it was looked through.
    public struct Stock: Hashable, Sendable {
        /// How many things are in it that the store does not know.
        public internal(set) var unknown = 0
        /// Some of their names.
        public internal(set) var unknownNames: [String] = []
        /// How many photos have no file, or a damaged one.
        public internal(set) var damaged = 0
        /// What is wrong with some of them.
        public internal(set) var damages: [String] = []

        /// So many names are given.
        fileprivate static let most = 3

        /// What is not as it should be, a sentence each.
        public var remarks: [String] {
            func list(_ names: [String], of count: Int) -> String {
                names.joined(separator: ", ") + (count > names.count ? ", …" : "")
            }
            var remarks: [String] = []
            if damaged > 0 {
                remarks.append(
                    "Photos cannot be shown, \(damaged) of them: \(list(damages, of: damaged)). "
                        + "Put their files back from a backup.")
            }
            if unknown > 0 {
                remarks.append(
                    "In the folder of photos are files that the store does not know, \(unknown) of them: "
                        + "\(list(unknownNames, of: unknown)). They are left alone.")
            }
            return remarks
        }
    }

    /// Looks through the folder before anything is added: moves to the trash what is listed, removes what an earlier
    /// process was making, and leaves all else as it is.
    ///
    /// - Returns: what is not as it should be.
    /// - Throws: 5 where the folder is another store's, or cannot be used.
    /// - Complexity: O(*n* log *n*) for *n* photos, with a look at each file's length.
    public func takeStock() async throws -> Stock {
        if folder.has("") {
            try folder.use()
            folder.remove(StateFolder.scratch)
            await removeLoose()
        }
        return try await store.read { [folder] db in
            var stock = Stock()
            var unknown = Set(folder.names()).subtracting([StateFolder.mark, Uploads.folder, PhotoTrash.name])
            let rows = try NamedRow.fetchCursor(
                db.cachedStatement(
                    sql: "SELECT sha256, size FROM picture UNION ALL SELECT sha256, NULL FROM loose_picture"))
            while let row = try rows.next() {
                let digest: String = row["sha256"]
                unknown.remove(digest)
                for product in PictureTool.Product.allCases { unknown.remove(Self.name(of: product, digest)) }
                guard let size = row["size"] as Int?, let damage = folder.damage(of: digest, size: size) else {
                    continue
                }
                stock.damaged += 1
                if stock.damages.count < Stock.most { stock.damages.append("\(folder.file(digest)) \(damage)") }
            }
            stock.unknown = unknown.count
            stock.unknownNames = unknown.sorted().prefix(Stock.most).map { folder.file($0) }
            return stock
        }
    }
}
