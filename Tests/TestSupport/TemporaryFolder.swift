import Foundation

/// A folder of its own for a test, gone with the test.
public final class TemporaryFolder: Sendable {
    /// Where it is.
    public let path: String

    /// Makes an empty folder.
    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/waymark-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it, which need not be there.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, and gives its path.
    public func file(_ name: String, _ content: some Sequence<UInt8>) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    /// Writes a file, and gives its path.
    public func file(_ name: String, _ text: String) throws -> String { try file(name, text.utf8) }
}
