import Foundation
import Store

/// The files of a folder, read into memory once, so that a request cannot reach any other file.
struct InMemoryFolder: Sendable {
    /// An error for a folder that cannot be served.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The contents of the files, by their paths below the folder.
    let files: [String: [UInt8]]

    /// The most bytes and the most files that are read: far more than the pages have, and still bearable in memory.
    static let maximumBytes = 32 << 20
    private static let maximumFiles = 2_000

    /// Reads all files below a folder, except those with a name or folder that begins with a dot.
    ///
    /// - Throws: ``Failure`` if the folder is missing, or if it exceeds the limits.
    init(_ folder: String) throws {
        guard let entries = FileManager.default.enumerator(atPath: folder) else {
            throw Failure(description: "\(folder) cannot be read")
        }
        var files: [String: [UInt8]] = [:]
        var size = 0
        let calls = FileCalls()
        for case let path as String in entries where !path.split(separator: "/").contains(where: { $0.hasPrefix(".") })
        {
            do {
                let status = try calls.status("\(folder)/\(path)", links: .followed)
                guard status.isRegular else { continue }
                guard status.size <= Self.maximumBytes - size, files.count < Self.maximumFiles else {
                    throw Failure(
                        description: "\(folder) contains more than \(Self.maximumBytes) bytes or "
                            + "\(Self.maximumFiles) files, the maximum for pages")
                }
                let file = try calls.open("\(folder)/\(path)", links: .followed)
                files[path] = try calls.read(file, from: 0, count: status.size)
                size += status.size
            } catch let failure as FileCalls.Failure {
                throw Failure(description: "\(folder)/\(path) cannot be read: \(failure)")
            }
        }
        self.files = files
    }
}
