import Foundation

/// A folder for what a measurement writes, gone with it.
final class ScratchFolder: Sendable {
    let path: String

    /// A new folder where temporary files go; `TMPDIR` names another place.
    init() throws {
        let name = "waymark-bench-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0 ... .max))"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// How large a file in it is, in bytes.
    func size(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }
}
