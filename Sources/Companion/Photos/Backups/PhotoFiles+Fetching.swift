import GRDB
import RPC
import Service
public import Store

extension PhotoFiles {
    /// Writes the photos that a copied store refers to into the folder beside the copy.
    ///
    /// Photos that were removed meanwhile are left out.
    ///
    /// - Parameters:
    ///   - copy: A copy of a store. The folder beside it must not exist yet.
    ///   - fetch: Returns the bytes of the photo with a SHA-256, or `nil` if it no longer exists.
    /// - Returns: The total size of the photos, in bytes.
    /// - Throws: What `fetch` throws, `Refusal` (`.conflict`) if the folder exists already, and `.unavailable` if a
    ///   photo is damaged or cannot be written.
    nonisolated(nonsending) public static func fetch(
        for copy: LocationDatabase, _ fetch: nonisolated(nonsending) (_ digest: String) async throws -> [UInt8]?
    ) async throws -> Int64 {
        let digests = try await copy.read { try String.fetchAll($0, sql: "SELECT sha256 FROM picture ORDER BY number") }
        guard !digests.isEmpty else { return 0 }
        let folder = StateFolder(of: copy)
        guard try folder.status(of: "") == nil else {
            throw Refusal.conflict("\(folder.path) already exists. Name another file.")
        }
        try folder.use()
        var sum: Int64 = 0
        do {
            for digest in digests {
                guard let bytes = try await fetch(digest) else { continue }
                guard Self.digest(of: bytes) == digest else {
                    throw Refusal.unavailable("The photo \(digest) is damaged.")
                }
                try folder.write(bytes, to: digest)
                sum += Int64(bytes.count)
            }
        } catch {
            folder.remove("")
            throw error
        }
        folder.remove(StateFolder.scratch)
        return sum
    }
}
