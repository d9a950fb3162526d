import Foundation

/// A folder for the files of a measurement, removed when the object is released.
final class ScratchFolder: Sendable {
    let path: String

    /// Creates a folder in the directory for temporary files; `TMPDIR` names another directory.
    init() throws {
        let name = "waymark-bench-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0 ... .max))"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in the folder.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns the size of a file in the folder, in bytes.
    func size(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }
}
