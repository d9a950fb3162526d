import Crypto
import Foundation
import GRDB
import RPC
import Service
import Store
public import Time

/// The files of photos, each named by the SHA-256 of its bytes, with the products made of it beside it.
///
/// A file is written before the row that refers to it is committed, and removed after the last such row is deleted.
/// Both happen only within changes of an ``Editor``, which run one after another.
///
/// The table `loose_picture` lists the files that the store has written and to which no row refers. A new file is
/// listed before it is written, and leaves the list in the transaction that inserts its row. A file whose last row is
/// deleted is listed in that transaction, and leaves the list once it is in the trash. So a crash at any moment leaves
/// no row without its file.
///
/// A file that no row refers to and that is not listed was put there by somebody else, or belongs to a newer copy of
/// the store. It is left alone.
public struct PhotoFiles: Sendable {
    package let folder: StateFolder
    let trash: PhotoTrash
    private let now: @Sendable () -> Timestamp

    private var store: LocationDatabase { folder.store }

    /// A complete file that was uploaded and is on the disk.
    package struct Source: Sendable {
        /// The file's name in the folder.
        package var name: String
        package var digest: String
        package var size: Int
    }

    /// Returns the name of the file of a product that is made from a photo.
    package static func name(of product: PictureTool.Product, _ digest: String) -> String {
        "\(digest).\(product.rawValue)"
    }

    /// Whether a name is that of a photo's file.
    static func isDigest(_ name: String) -> Bool {
        name.utf8.count == 64 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Creates the access to the photos in a folder.
    package init(folder: StateFolder, now: @escaping @Sendable () -> Timestamp) {
        self.folder = folder
        self.now = now
        trash = PhotoTrash(folder: folder)
    }

    /// Makes an uploaded file available under its digest.
    ///
    /// It stays listed in `loose_picture` until a row refers to it.
    ///
    /// A damaged file with that name is moved to the trash, so uploading a picture again repairs it.
    ///
    /// - Throws: `Refusal` (`.unavailable`) if the file cannot be created. ``removeLoose()`` then removes the list
    ///   entry.
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
            try trash.moveIn(source.digest, at: now())
        }
        try folder.link(source.name, as: source.digest)
    }

    /// Moves the files listed in `loose_picture` to the trash.
    ///
    /// Files that cannot be moved stay listed for the next time.
    func removeLoose() async {
        guard (try? folder.use()) != nil else { return }
        var last = ""
        while let digests = try? await listed(after: last), let end = digests.last {
            last = end
            let gone = digests.filter { digest in
                for product in PictureTool.Product.allCases { folder.remove(Self.name(of: product, digest)) }
                return (try? trash.moveIn(digest, at: now())) != nil
            }
            guard !gone.isEmpty, (try? folder.synchronizeNames()) != nil else { continue }
            try? await store.write { db in
                let deletion = try db.cachedStatement(sql: "DELETE FROM loose_picture WHERE sha256 = ?")
                for digest in gone { try deletion.execute(arguments: [digest]) }
            }
        }
        trash.empty(at: nil)
    }

    /// Deletes files from the trash that are older than ``PhotoTrash/days`` days.
    ///
    /// - Parameter time: The current time, or `nil` if it is not known.
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

    /// Whether any file is listed in `loose_picture`.
    static func hasLoose(in db: Database) throws -> Bool {
        try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM loose_picture)")) ?? false
    }

    /// Returns the SHA-256 of bytes, as 64 hexadecimal digits.
    package static func digest(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }
}

extension PhotoFiles {
    /// The result of checking the folder.
    public struct FolderReport: Hashable, Sendable {
        /// The number of entries in the folder that the store does not know.
        public internal(set) var unknown = 0
        /// The paths of up to three of the unknown entries.
        public internal(set) var unknownNames: [String] = []
        /// The number of photos whose file is missing or damaged.
        public internal(set) var damaged = 0
        /// The paths and defects of up to three of the damaged files.
        public internal(set) var damages: [String] = []

        /// The maximum number of paths in each list.
        fileprivate static let maximumCount = 3

        /// The problems that were found, one sentence each.
        public var remarks: [String] {
            func list(_ names: [String], of count: Int) -> String {
                names.joined(separator: ", ") + (count > names.count ? ", …" : "")
            }
            var remarks: [String] = []
            if damaged > 0 {
                remarks.append(
                    "Photos cannot be shown, \(damaged) in all: \(list(damages, of: damaged)). "
                        + "Restore their files from a backup.")
            }
            if unknown > 0 {
                remarks.append(
                    "The folder of photos has files that the store does not know, \(unknown) in all: "
                        + "\(list(unknownNames, of: unknown)). They are left unchanged.")
            }
            return remarks
        }
    }

    /// Checks the folder.
    ///
    /// Call this before anything is added.
    ///
    /// Moves the files listed in `loose_picture` to the trash and removes the unfinished files of an earlier process.
    /// All other files stay as they are.
    ///
    /// - Returns: The problems that were found.
    /// - Throws: `Refusal` (`.unavailable`) if the folder belongs to another store or cannot be used, and `StoreError`.
    /// - Complexity: O(*n* log *n*) for *n* photos. Reads the length of each file.
    public func checkFolder() async throws -> FolderReport {
        if folder.has("") {
            try folder.use()
            folder.remove(StateFolder.scratch)
            await removeLoose()
        }
        return try await store.read { [folder] db in
            var report = FolderReport()
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
                report.damaged += 1
                if report.damages.count < FolderReport.maximumCount {
                    report.damages.append("\(folder.file(digest)) \(damage)")
                }
            }
            report.unknown = unknown.count
            report.unknownNames = unknown.sorted().prefix(FolderReport.maximumCount).map { folder.file($0) }
            return report
        }
    }
}
