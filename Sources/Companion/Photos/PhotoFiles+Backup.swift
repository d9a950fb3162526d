import Foundation
import RPC
import Service

extension PhotoFiles {
    /// Copies a store together with its photos.
    ///
    /// Photos are copied both before and after `copy` copies the store, because photos may be added and removed in
    /// between. Files that the copied store does not refer to do no harm. Thumbnails and other derived files are not
    /// copied because they can be made again; neither is the trash.
    ///
    /// - Returns: The number of bytes of photos that the copy has.
    /// - Throws: What `copy` throws, errors of the file system, and `Refusal` (`.conflict`) if the copy's folder exists
    ///   already.
    public static func backUp(store: String, to file: String, _ copy: () throws -> Void) throws -> Int64 {
        let (source, target) = (StateFolder.path(ofStore: store), StateFolder.path(ofStore: file))
        let files = FileManager.default
        guard !files.fileExists(atPath: target) else {
            throw Refusal.conflict(
                "\(target) already exists, and nothing is overwritten. Name another file.")
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
                    // The photo was removed meanwhile, so the copy that is yet to be made does not refer to it.
                }
            }
        }
        do {
            try copyNew()
            try copy()
            try copyNew()
        } catch {
            // The folder did not exist before this call, so everything in it may be removed.
            try? files.removeItem(atPath: target)
            throw error
        }
        let names = ((try? files.contentsOfDirectory(atPath: target)) ?? []).filter(isDigest)
        return names.reduce(0) { sum, name in
            sum + ((try? files.attributesOfItem(atPath: "\(target)/\(name)")[.size] as? Int64) ?? 0)
        }
    }
}
