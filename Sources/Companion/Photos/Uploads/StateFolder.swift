import Foundation
import Glibc
package import RPC
import Service
public import Store

/// The folder `STORE.photos` beside the store, for files that are too large for the store itself.
///
/// It is created when the first file is written. Only its owner can read it, and it is marked with the name that the
/// store has for it; see ``use()``. The folder of a temporary store is temporary too, and is deleted with this object.
///
/// No file name in it comes from a client. It contains photos and their products, each named by a digest, and the
/// folders `uploads`, `scratch` and `trash`.
public final class StateFolder: Sendable {
    /// The path of the folder, which may not exist yet.
    public let path: String
    package let store: LocationDatabase
    let calls: FileCalls
    private let isTemporary: Bool

    /// The subfolder for files that are renamed once they are complete.
    ///
    /// Files that an earlier process has left there are useless.
    static let scratch = "scratch"

    /// Creates the access to the folder of a store.
    public convenience init(of store: LocationDatabase) { self.init(of: store, calls: FileCalls()) }

    init(of store: LocationDatabase, calls: FileCalls) {
        self.store = store
        self.calls = calls
        if let file = store.path {
            path = Self.path(ofStore: file)
            isTemporary = false
        } else {
            path = FileManager.default.temporaryDirectory.path + "/waymark-\(UUID().uuidString).photos"
            isTemporary = true
        }
    }

    /// Returns the path of the folder of a store.
    ///
    /// It contains the store's complete file name, so `van.sqlite` and `van.backup` have different folders.
    package static func path(ofStore store: String) -> String { store + ".photos" }

    deinit { if isTemporary { try? FileManager.default.removeItem(atPath: path) } }

    /// Returns the path of a file in the folder, or of the folder itself if the name is empty.
    package func file(_ name: String) -> String { name.isEmpty ? path : "\(path)/\(name)" }

    /// Returns the names of the entries of the folder or one of its subfolders.
    ///
    /// The result is empty if there is no such folder.
    func names(in folder: String = "") -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []
    }

    /// Returns the status of a file, or `nil` if there is none.
    package func status(of name: String) throws(Refusal) -> FileCalls.Status? {
        do throws(FileCalls.Failure) {
            return try calls.status(file(name))
        } catch {
            if error.isMissing { return nil }
            throw refusal(name, error)
        }
    }

    /// Whether a file exists and the system lets this process examine it.
    package func has(_ name: String) -> Bool { (try? calls.status(file(name))) != nil }

    /// Creates a subfolder unless it exists.
    func make(_ folder: String) throws(Refusal) {
        do throws(FileCalls.Failure) {
            try calls.makeFolder(file(folder))
        } catch {
            guard error.number == EEXIST else { throw refusal(folder, error) }
        }
    }

    /// Writes a file atomically, replacing an existing one.
    ///
    /// The bytes are on the disk when this returns.
    package func write(_ bytes: [UInt8], to name: String) throws(Refusal) {
        try make(Self.scratch)
        let new = "\(Self.scratch)/\(UUID().uuidString)"
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(new), flags: O_WRONLY | O_CREAT | O_EXCL)
            try calls.write(bytes, to: file)
            try calls.synchronize(file)
            try calls.rename(self.file(new), to: self.file(name))
        } catch {
            remove(new)
            throw refusal(name, error)
        }
        try synchronizeNames()
    }

    /// Creates an empty file, which must not exist yet.
    func create(_ name: String) throws(Refusal) {
        do throws(FileCalls.Failure) {
            _ = try calls.open(file(name), flags: O_WRONLY | O_CREAT | O_EXCL)
        } catch {
            throw refusal(name, error)
        }
    }

    /// Writes bytes to an existing file at an offset.
    package func append(_ bytes: [UInt8], to name: String, at offset: Int) throws(Refusal) {
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(name), flags: O_WRONLY)
            try calls.write(bytes, to: file, at: offset)
        } catch {
            throw refusal(name, error)
        }
    }

    /// Writes a file's data to the disk.
    ///
    /// If this fails, data may be lost without any further error, and the file must be written again.
    func synchronize(_ name: String) throws(Refusal) {
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(name), flags: O_WRONLY)
            try calls.synchronize(file)
        } catch {
            throw refusal(name, error)
        }
    }

    /// Writes the entries of the folder, or of a subfolder, to the disk.
    func synchronizeNames(in folder: String = "") throws(Refusal) {
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(folder), flags: O_RDONLY | O_DIRECTORY)
            try calls.synchronize(file)
        } catch {
            throw refusal(folder, error)
        }
    }

    /// Gives a file a second name, which must not exist yet.
    ///
    /// The name is on the disk when this returns.
    func link(_ name: String, as other: String) throws(Refusal) {
        do throws(FileCalls.Failure) {
            try calls.link(file(name), as: file(other))
        } catch {
            throw refusal(other, error)
        }
        try synchronizeNames()
    }

    /// Removes a file, or a folder with everything in it.
    ///
    /// Errors are ignored.
    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: file(name)) }

    /// Returns bytes of a file that must have exactly `size` bytes.
    ///
    /// The file is read, not mapped, because a failing card under a mapped file would kill the process.
    ///
    /// - Parameter range: The range of bytes to read; the whole file by default.
    package func read(_ name: String, size: Int, _ range: Range<Int>? = nil) throws(FileDamage) -> [UInt8] {
        let range = range ?? 0..<size
        var damage: FileDamage?
        var bytes: [UInt8] = []
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(name))
            let status = try calls.status(file)
            damage = FileDamage(status, size: size)
            if damage == nil {
                bytes = try calls.read(file, from: range.lowerBound, count: range.count)
            }
        } catch {
            throw FileDamage(error)
        }
        // The file may have been truncated meanwhile.
        if damage == nil, bytes.count < range.count { damage = .length(range.lowerBound + bytes.count, of: size) }
        if let damage { throw damage }
        return bytes
    }

    /// Returns what is wrong with a file that must have exactly `size` bytes, or `nil` if it is intact.
    package func damage(of name: String, size: Int) -> FileDamage? {
        do throws(FileCalls.Failure) {
            return FileDamage(try calls.status(file(name)), size: size)
        } catch {
            return FileDamage(error)
        }
    }

    /// Returns the refusal for an error of the file system, of kind `unavailable`.
    package func refusal(_ name: String, _ failure: FileCalls.Failure) -> Refusal {
        .unavailable("The folder for photos cannot be used: \(file(name)): \(failure)")
    }
}

/// The reason why a file cannot be read as it was written.
///
/// Its description is a clause.
package enum FileDamage: Error, Hashable, CustomStringConvertible {
    case missing
    case noFile
    case length(Int, of: Int)
    case unreadable(String)

    /// Returns what is wrong with a file that must have exactly `size` bytes, or `nil` if it is intact.
    init?(_ status: FileCalls.Status, size: Int) {
        if !status.isRegular {
            self = .noFile
        } else if status.size != size {
            self = .length(status.size, of: size)
        } else {
            return nil
        }
    }

    init(_ failure: FileCalls.Failure) {
        self = failure.isMissing ? .missing : .unreadable(failure.description)
    }

    package var description: String {
        switch self {
        case .missing: "is missing"
        case .noFile: "is not a file"
        case .length(let found, let size): "has \(found) bytes instead of \(size)"
        case .unreadable(let reason): "cannot be read (\(reason))"
        }
    }
}
