import Foundation
import Glibc
import RPC
public import Store

/// The folder beside the store for what is too large for it: `STORE.photos`.
///
/// It is made when something is first put there, readable for its owner alone. That of a temporary store is a temporary
/// folder, gone with this. No name in it comes from a client.
public final class StateFolder: Sendable {
    /// Where it is, or will be.
    public let path: String
    private let isTemporary: Bool

    /// The folder of a store.
    public init(of store: LocationDatabase) {
        if let file = store.path {
            path = Self.path(ofStore: file)
            isTemporary = false
        } else {
            path = FileManager.default.temporaryDirectory.path + "/waymark-\(UUID().uuidString).photos"
            isTemporary = true
        }
    }

    /// Where the folder of a store at a path is: its whole name is in it, so that `van.sqlite` and `van.backup` have each
    /// their own.
    static func path(ofStore store: String) -> String { store + ".photos" }

    deinit { if isTemporary { try? FileManager.default.removeItem(atPath: path) } }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of what is in it, or in a folder in it; none where there is no such folder.
    func names(in folder: String = "") -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []
    }

    /// Makes it, or a folder in it, where it is not there.
    func make(_ folder: String = "") throws {
        try Self.telling {
            try FileManager.default.createDirectory(
                atPath: file(folder), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    /// Writes a new file of these bytes, which are on the disk when this returns.
    func write(_ bytes: Data, to name: String) throws {
        try Self.telling {
            try? FileManager.default.removeItem(atPath: file(name))
            guard
                FileManager.default.createFile(
                    atPath: file(name), contents: nil, attributes: [.posixPermissions: 0o600])
            else {
                throw CocoaError(.fileWriteUnknown)
            }
            try append(bytes, to: name, at: 0, isLast: true)
        }
    }

    /// Writes bytes into a file from an offset on.
    ///
    /// - Parameter isLast: whether the file is to be on the disk when this returns.
    func append(_ bytes: Data, to name: String, at offset: UInt64, isLast: Bool = false) throws {
        try Self.telling {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file(name)))
            defer { try? handle.close() }
            try handle.seek(toOffset: offset)
            try handle.write(contentsOf: bytes)
            if isLast { try handle.synchronize() }
        }
    }

    /// Gives a file a second name; nothing where that is there already, for equal names mean equal bytes.
    ///
    /// - Returns: whether the name is new; it is on the disk then.
    func link(_ name: String, as other: String) throws -> Bool {
        guard !has(other) else { return false }
        try Self.telling {
            try FileManager.default.linkItem(atPath: file(name), toPath: file(other))
            try synchronizeNames()
        }
        return true
    }

    /// Whether there is a file of a name.
    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    /// Removes a file, or a folder with all in it, where it is there.
    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: file(name)) }

    /// The bytes of a file, read as they are needed.
    func contents(of name: String) throws -> Data {
        try Self.telling { try Data(contentsOf: URL(fileURLWithPath: file(name)), options: .alwaysMapped) }
    }

    /// Puts the names themselves on the disk.
    private func synchronizeNames() throws {
        // The path is a string that outlives the call; the descriptor is closed by whoever opened it.
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Says what the system refuses as error 5.
    private static func telling<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError.unavailable("The folder for photos cannot be used: \(error.localizedDescription)")
        }
    }
}
