import Foundation
import GRDB
import RPC
public import Store

/// The files of photos, each under the SHA-256 of its bytes; what is made of one is beside it.
///
/// A file is put there before the row that shows it is committed, and taken away after no row does; both happen only
/// within the changes of an ``Editor``, which come one after another. So there is never a row without its file, and a
/// crash leaves at most a file without a row, which ``sweep(_:)`` takes away.
public struct PhotoFiles: Sendable {
    let folder: StateFolder

    /// What follows the digest in the name of a square thumbnail.
    private static let squareEnding = ".square"

    /// The name of the thumbnail of a file.
    static func square(_ digest: String) -> String { digest + squareEnding }

    /// The files in a folder.
    init(folder: StateFolder) { self.folder = folder }

    /// Takes away the files of digests that no row shows any more.
    func remove(_ digests: [String]) {
        for digest in digests {
            folder.remove(digest)
            folder.remove(Self.square(digest))
        }
    }

    /// Takes away every file that no row shows; what an earlier process may have left.
    ///
    /// To be called before anything is added.
    public func sweep(_ store: LocationDatabase) throws {
        let (known, isLoose) = try store.read { db in
            let known = Set(try String.fetchAll(db, sql: "SELECT sha256 FROM picture"))
            return (known, try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM loose_picture)") ?? false)
        }
        // Nothing is written where nothing has changed.
        if isLoose { _ = try store.write { try Self.takeLoose(in: $0) } }
        for name in folder.names() {
            let digest = name.hasSuffix(Self.squareEnding) ? String(name.dropLast(Self.squareEnding.count)) : name
            if !known.contains(digest) { folder.remove(name) }
        }
    }

    /// Makes a copy of a store, with the photos that it shows.
    ///
    /// Photos are copied before and after `copy` makes that of the store, since meanwhile some may come and go; of those
    /// that the copy does not show, its daemon takes the files away when it starts. Thumbnails are made again.
    ///
    /// - Returns: how many bytes of photos were copied.
    /// - Throws: what `copy` throws, and what the system refuses.
    public static func backUp(store: String, to file: String, _ copy: () throws -> Void) throws -> Int64 {
        let (source, target) = (StateFolder.path(ofStore: store), StateFolder.path(ofStore: file))
        let files = FileManager.default
        func copyNew() throws {
            let names = (try? files.contentsOfDirectory(atPath: source)) ?? []
            for name in names where name.utf8.count == 64 && !files.fileExists(atPath: "\(target)/\(name)") {
                try files.createDirectory(
                    atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                do {
                    try files.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
                } catch  where !files.fileExists(atPath: "\(source)/\(name)") {
                    // Gone meanwhile: no row of the copy to come shows it.
                }
            }
        }
        try copyNew()
        try copy()
        try copyNew()
        let names = (try? files.contentsOfDirectory(atPath: target)) ?? []
        return names.reduce(0) { sum, name in
            sum + ((try? files.attributesOfItem(atPath: "\(target)/\(name)")[.size] as? Int64) ?? 0)
        }
    }

    /// The digests of files that a change has made loose; forgotten from now on.
    static func takeLoose(in db: Database) throws -> [String] {
        let digests = try String.fetchAll(db.cachedStatement(sql: "SELECT sha256 FROM loose_picture"))
        if !digests.isEmpty { try db.cachedStatement(sql: "DELETE FROM loose_picture").execute() }
        return digests
    }
}
