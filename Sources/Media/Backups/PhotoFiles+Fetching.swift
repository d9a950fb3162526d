import GRDB
import RPC
import Service
public import Store

extension PhotoFiles {
    /// Puts the photos that a copy of a store shows into the folder beside it; one that is gone meanwhile is left out.
    ///
    /// - Parameters:
    ///   - copy: a copy of a store, beside which is no such folder yet.
    ///   - fetch: the bytes of a photo by its SHA-256; nil where there is none any more.
    /// - Returns: how many bytes of photos there are.
    /// - Throws: what `fetch` throws; 3 where there is a folder already, 5 where a photo is not what it was or cannot be
    ///   written.
    nonisolated(nonsending) public static func fetch(
        for copy: LocationDatabase, _ fetch: nonisolated(nonsending) (_ digest: String) async throws -> [UInt8]?
    ) async throws -> Int64 {
        let digests = try await copy.read { try String.fetchAll($0, sql: "SELECT sha256 FROM picture ORDER BY number") }
        guard !digests.isEmpty else { return 0 }
        let folder = StateFolder(of: copy)
        guard try folder.status(of: "") == nil else {
            throw Refusal.conflict("\(folder.path): there is something already; name another file.")
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
