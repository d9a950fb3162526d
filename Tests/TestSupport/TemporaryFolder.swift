import Foundation

/// A temporary folder for a test, removed when the object is released.
public final class TemporaryFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Creates an empty folder.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/waymark-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in the folder, which need not exist.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, and returns its path.
    public func file(_ name: String, _ content: some Sequence<UInt8>) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    /// Writes a text to a file, and returns its path.
    public func file(_ name: String, _ text: String) throws -> String { try file(name, text.utf8) }
}
