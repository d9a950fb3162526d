import TestSupport

@testable import Daemon

/// A simulated machine for tests of the configuration, with a folder for the file and an environment.
struct ConfigurationSetting {
    let folder: TemporaryFolder
    var context: ConfigurationContext

    init() throws {
        folder = try TemporaryFolder()
        context = ConfigurationContext(
            environment: ["HOME": "/home/jo", "XDG_RUNTIME_DIR": "/run/user/7"], workingDirectory: "/srv/here",
            isRoot: false, defaultFile: folder.file("none.yaml"))
    }

    struct BadURL: Error, CustomStringConvertible {
        var description: String { "the URL has no scheme" }
    }

    /// Loads the configuration from a file with that text, or without a file.
    func load(_ text: String? = nil, flags: DaemonFlags = DaemonFlags()) throws -> LoadedConfiguration {
        try load(bytes: text.map { Array($0.utf8) }, flags: flags)
    }

    func load(bytes: [UInt8]?, flags: DaemonFlags = DaemonFlags()) throws -> LoadedConfiguration {
        let file = try bytes.map { try folder.file("w.yaml", $0) }
        return try LoadedConfiguration(file: file, flags: flags, context: context) {
            if !$0.contains(":") { throw BadURL() }
        }
    }

    /// Returns the problems of a configuration without the file's path, or none if it is accepted.
    func problems(_ bytes: [UInt8]?, flags: DaemonFlags = DaemonFlags()) throws -> [String] {
        do {
            _ = try load(bytes: bytes, flags: flags)
            return []
        } catch let error as ConfigurationError {
            return error.lines.map { $0.replacing("\(folder.path)/", with: "") }
        }
    }

    func problems(_ text: String, flags: DaemonFlags = DaemonFlags()) throws -> [String] {
        try problems(Array(text.utf8), flags: flags)
    }
}
