import Foundation
import RPC
import Service

extension PhotoFiles {
    /// Makes a copy of a store, with the photos that it shows.
    ///
    /// Photos are copied before and after `copy` makes that of the store, since meanwhile some may come and go; what the
    /// copy does not show is left alone. Thumbnails are made again, and the trash stays where it is.
    ///
    /// - Returns: how many bytes of photos were copied.
    /// - Throws: what `copy` throws, what the system refuses, and 3 where the copy's folder is there already.
    public static func backUp(store: String, to file: String, _ copy: () throws -> Void) throws -> Int64 {
        let (source, target) = (StateFolder.path(ofStore: store), StateFolder.path(ofStore: file))
        let files = FileManager.default
        guard !files.fileExists(atPath: target) else {
            throw Refusal.conflict(
                "\(target): there is something already, and nothing is overwritten; name another file.")
        }
        func copyNew() throws {
            let names = (try? files.contentsOfDirectory(atPath: source)) ?? []
            for name in names where name == StateFolder.mark || isDigest(name) {
                guard !files.fileExists(atPath: "\(target)/\(name)") else { continue }
                try files.createDirectory(
                    atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                do {
                    try files.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
                } catch  where !files.fileExists(atPath: "\(source)/\(name)") {
                    // Gone meanwhile: no row of the copy to come shows it.
                }
            }
        }
        do {
            try copyNew()
            try copy()
            try copyNew()
        } catch {
            // It was not there before.
            try? files.removeItem(atPath: target)
            throw error
        }
        let names = ((try? files.contentsOfDirectory(atPath: target)) ?? []).filter(isDigest)
        return names.reduce(0) { sum, name in
            sum + ((try? files.attributesOfItem(atPath: "\(target)/\(name)")[.size] as? Int64) ?? 0)
        }
    }
}
