import Foundation
import Simulation

/// Writes the recordings to a folder or, with `--check`, reports those that differ from what would be written.
///
/// Returns the exit code: 0 on success, 1 if files differ or cannot be written, 64 on wrong usage.
func run(_ arguments: [String]) -> Int32 {
    let folders = arguments.filter { $0 != "--check" }
    guard let folder = folders.first, folders.count == 1, !folder.hasPrefix("-") else {
        complain("usage: FixtureGenerator [--check] FOLDER")
        return 64
    }
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    return arguments.contains("--check") ? check(root) : write(root)
}

func check(_ root: URL) -> Int32 {
    var differing = 0
    for file in Fixtures.files() {
        let stored = try? Data(contentsOf: root.appendingPathComponent(file.name))
        guard stored != Data(file.bytes) else { continue }
        complain("\(file.name): \(stored == nil ? "missing" : "differs")")
        differing += 1
    }
    if differing > 0 { complain("write them again with: swift run FixtureGenerator \(root.relativePath)") }
    return differing == 0 ? 0 : 1
}

func write(_ root: URL) -> Int32 {
    do {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for file in Fixtures.files() {
            try Data(file.bytes).write(to: root.appendingPathComponent(file.name))
        }
        return 0
    } catch {
        complain("cannot write to \(root.relativePath): \(error.localizedDescription)")
        return 1
    }
}

func complain(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
}

exit(run(Array(CommandLine.arguments.dropFirst())))
