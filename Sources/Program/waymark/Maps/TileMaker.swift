#if Companion
import Foundation
import Service
import Store
import TextCoding

/// Debian's program `tilemaker`, which makes vector tiles of an extract of OpenStreetMap.
///
/// It reads our own configuration and profile, which are part of the executable, and needs no other files.
struct TileMaker {
    /// The error that no tiles were made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The extract of OpenStreetMap, as an absolute path.
    let extract: String
    /// The size of the extract in bytes.
    let size: Int
    /// The area as west, south, east and north in degrees; `nil` if the extract says it itself.
    let bounds: [Double]?

    private static let program = "tilemaker"
    /// The longest time that it may run, in seconds: a continent on a small board.
    private static let longestTime = 7 * 86_400
    /// The size of an extract from which the work is kept on the disk.
    ///
    /// Below, tilemaker needs less than 1 GB of memory; on the disk it needs at least 3 GB.
    private static let largestInMemory = 64 << 20

    /// Checks that the program is installed.
    static func checkIsInstalled() throws(Failure) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard !folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }) else {
            return
        }
        throw missing
    }

    private static var missing: Failure {
        Failure(
            description:
                "tilemaker is not installed, which makes maps of OpenStreetMap's data. Install it with \"sudo apt "
                + "install tilemaker\", or add a finished map with \"waymark map use\".")
    }

    /// Makes an MBTiles file.
    ///
    /// - Parameters:
    ///   - file: The path of the file, which ends with `.mbtiles`.
    ///   - scratch: An empty folder for files that are needed meanwhile.
    /// - Throws: ``Failure``, `CancellationError` if the task was cancelled, and errors of the file system.
    func make(_ file: String, in scratch: String) async throws {
        let (configuration, profile) = ("\(scratch)/config.json", "\(scratch)/profile.lua")
        try Data(PackageResources.config_json).write(to: URL(fileURLWithPath: configuration))
        try Data(PackageResources.profile_lua).write(to: URL(fileURLWithPath: profile))
        var words = [
            Self.program, "--input", extract, "--output", file, "--config", configuration, "--process", profile,
        ]
        if size > Self.largestInMemory { words += ["--store", scratch] }
        if let bounds {
            words += ["--bbox", bounds.map { DecimalText.string($0, decimals: 7) }.joined(separator: ",")]
        }
        let command = Command(words: words)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await Self.showProgress(of: file) }
                try await command.run(given: [], within: Self.longestTime)
                group.cancelAll()
            }
        } catch let failure as Command.Failure {
            switch failure.reason {
            case .cancelled: throw CancellationError()
            case .missing: throw Self.missing
            default: throw Failure(description: "\(extract): no map was made of it: tilemaker \(failure)")
            }
        }
    }

    /// Shows how large the file has become, until the task is cancelled.
    private static func showProgress(of file: String) async {
        let progress = Progress()
        defer { progress.clear() }
        let begin = ContinuousClock.now
        while !Task.isCancelled {
            let size = (try? FileCalls().status(file).size) ?? 0
            let seconds = (ContinuousClock.now - begin).components.seconds
            progress.show("making tiles: \(Amounts.bytes(Int64(clamping: size))) after \(seconds) s")
            try? await Task.sleep(for: .milliseconds(500))
        }
    }
}
#endif
