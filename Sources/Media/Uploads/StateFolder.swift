import Foundation
import Glibc
package import RPC
import Service
public import Store

/// The folder beside the store for what is too large for it: `STORE.photos`.
///
/// It is made when something is first put there, readable for its owner alone, and marked with the name that the store
/// has for it; see ``use()``. That of a temporary store is a temporary folder, gone with this. No name in it comes from
/// a client. Its parts are photos and what is made of them, each under a digest, and the folders `uploads`, `scratch`
/// and `trash`.
public final class StateFolder: Sendable {
    /// Where it is, or will be.
    public let path: String
    package let store: LocationDatabase
    let calls: FileCalls
    private let isTemporary: Bool

    /// Where things are made that then get their name; what an earlier process has left there is of no use.
    static let scratch = "scratch"

    /// The folder of a store.
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

    /// Where the folder of a store at a path is: its whole name is in it, so that `van.sqlite` and `van.backup` have each
    /// their own.
    package static func path(ofStore store: String) -> String { store + ".photos" }

    deinit { if isTemporary { try? FileManager.default.removeItem(atPath: path) } }

    /// The path of a file in it; its own for an empty name.
    package func file(_ name: String) -> String { name.isEmpty ? path : "\(path)/\(name)" }

    /// The names of what is in it, or in a folder in it; none where there is no such folder.
    func names(in folder: String = "") -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []
    }

    /// What is known of a file; nil where there is none.
    package func status(of name: String) throws(Refusal) -> FileCalls.Status? {
        do throws(FileCalls.Failure) {
            return try calls.status(file(name))
        } catch {
            if error.isMissing { return nil }
            throw refusal(name, error)
        }
    }

    /// Whether there is a file of a name, as far as the system says.
    package func has(_ name: String) -> Bool { (try? calls.status(file(name))) != nil }

    /// Makes a folder in it, where it is not there.
    func make(_ folder: String) throws(Refusal) {
        do throws(FileCalls.Failure) {
            try calls.makeFolder(file(folder))
        } catch {
            guard error.number == EEXIST else { throw refusal(folder, error) }
        }
    }

    /// Has a file of these bytes, instead of what was there, all at once; they are on the disk when this returns.
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

    /// Makes an empty file that must not be there yet.
    func create(_ name: String) throws(Refusal) {
        do throws(FileCalls.Failure) {
            _ = try calls.open(file(name), flags: O_WRONLY | O_CREAT | O_EXCL)
        } catch {
            throw refusal(name, error)
        }
    }

    /// Writes bytes into a file from an offset on.
    package func append(_ bytes: [UInt8], to name: String, at offset: Int) throws(Refusal) {
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(name), flags: O_WRONLY)
            try calls.write(bytes, to: file, at: offset)
        } catch {
            throw refusal(name, error)
        }
    }

    /// Has a file on the disk when it returns.
    ///
    /// Where that fails, what was written may be lost without a further word; it must be written anew.
    func synchronize(_ name: String) throws(Refusal) {
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(name), flags: O_WRONLY)
            try calls.synchronize(file)
        } catch {
            throw refusal(name, error)
        }
    }

    /// Has the names in it, or in a folder in it, on the disk when it returns.
    func synchronizeNames(in folder: String = "") throws(Refusal) {
        do throws(FileCalls.Failure) {
            let file = try calls.open(self.file(folder), flags: O_RDONLY | O_DIRECTORY)
            try calls.synchronize(file)
        } catch {
            throw refusal(folder, error)
        }
    }

    /// Gives a file a second name, which must be free, and which is on the disk when this returns.
    func link(_ name: String, as other: String) throws(Refusal) {
        do throws(FileCalls.Failure) {
            try calls.link(file(name), as: file(other))
        } catch {
            throw refusal(other, error)
        }
        try synchronizeNames()
    }

    /// Removes a file, or a folder with all in it, where it is there.
    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: file(name)) }

    /// Bytes of a file that must have so many in all.
    ///
    /// It is read, not mapped: a card that fails under a mapped file ends the process.
    ///
    /// - Parameter range: which bytes; all if left out.
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
        // It may have been cut since.
        if damage == nil, bytes.count < range.count { damage = .length(range.lowerBound + bytes.count, of: size) }
        if let damage { throw damage }
        return bytes
    }

    /// What is wrong with a file that must have so many bytes; nil where nothing is.
    package func damage(of name: String, size: Int) -> FileDamage? {
        do throws(FileCalls.Failure) {
            return FileDamage(try calls.status(file(name)), size: size)
        } catch {
            return FileDamage(error)
        }
    }

    /// Error 5 for what the system refuses.
    package func refusal(_ name: String, _ failure: FileCalls.Failure) -> Refusal {
        .unavailable("The folder for photos cannot be used: \(file(name)): \(failure)")
    }
}

/// Why a file cannot be read as it was written, as a clause.
package enum FileDamage: Error, Hashable, CustomStringConvertible {
    case missing
    case noFile
    case length(Int, of: Int)
    case unreadable(String)

    /// What is wrong with a file of so many bytes; nil where nothing is.
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
        case .noFile: "is no file"
        case .length(let found, let size): "has \(found) bytes instead of \(size)"
        case .unreadable(let reason): "cannot be read (\(reason))"
        }
    }
}
