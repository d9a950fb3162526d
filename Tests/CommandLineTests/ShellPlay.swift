import Foundation
import TestSupport
import Testing

/// Runs the commands of a documentation page with `bash`, exactly as written.
enum ShellPlay {
    /// Runs commands in a new folder and returns their output.
    ///
    /// The folder also takes the place of `/tmp`. It has `fixtures`, and `waymark` is on the path.
    ///
    /// - Parameter files: Further files in the folder, by name.
    static func output(of commands: String, beside files: [String: Data] = [:]) async throws -> String {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: folder.file("fixtures"), withDestinationPath: Command.repository.appending(path: "fixtures").path)
        try manager.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
        try manager.createSymbolicLink(
            atPath: folder.file("bin/waymark"), withDestinationPath: Command.executable.path)
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: folder.file(name))) }
        let script = try folder.file(
            "script",
            "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\ncd \(folder.path)\n"
                + "export TZ=UTC PATH=\(folder.file("bin")):$PATH\n"
                + commands.replacing("/tmp/", with: "\(folder.path)/"))
        // Each command takes a moment, and longer on a busy machine. The limit turns a hang into a failure.
        let told = try await Command.shell("timeout 480 bash \(script)")
        #expect(told.status == 0, "\(told.text)")
        return told.text
    }
}
