import Foundation
import TestSupport

/// The built executable, run from the root of the repository.
enum Command {
    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The executable, which the build puts beside the tests.
    static let executable = Bundle.main.executableURL.known.deletingLastPathComponent().appending(path: "waymark")

    /// The result of a finished run.
    struct Outcome {
        var status: Int32
        var output: Data
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
        var lines: [String] { text.split(separator: "\n").map(String.init) }

        /// Returns the lines, each decoded from one JSON object.
        func decoded<Line: Decodable>(as type: Line.Type) throws -> [Line] {
            try lines.map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
        }
    }

    /// Runs the executable to its end.
    ///
    /// - Parameters:
    ///   - input: The bytes on standard input.
    ///   - limit: The largest file it may write, in blocks of 512 bytes.
    ///   - folder: A folder that is on a read-only file system for this command alone; see ``mayMount``.
    ///   - sink: A file for standard output; by default the outcome has the output.
    ///   - zone: The time zone in which it shows times.
    static func run(
        _ arguments: [String], input: Data = Data(), fileLimit limit: Int? = nil, readOnly folder: String? = nil,
        output sink: String? = nil,
        zone: String = "UTC"
    ) async throws -> Outcome {
        let own = try TemporaryFolder()
        let files = ["in", "out", "err"].map { own.file($0) }
        try input.write(to: URL(fileURLWithPath: files[0]))
        for file in files[1...] { try Data().write(to: URL(fileURLWithPath: file)) }

        let process = Process()
        process.currentDirectoryURL = repository
        process.environment = ChildProcess.surroundings.merging(["TZ": zone]) { $1 }
        if let limit {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "ulimit -f \(limit); exec \"$@\"", "sh", executable.path] + arguments
        } else if let folder {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", readOnlyScript, folder, executable.path] + arguments
        } else {
            process.executableURL = executable
            process.arguments = arguments
        }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: files[0]))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: sink ?? files[1]))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: files[2]))
        try await process.runToEnd()
        return Outcome(
            status: process.terminationStatus, output: try Data(contentsOf: URL(fileURLWithPath: files[1])),
            errors: try String(contentsOfFile: files[2], encoding: .utf8))
    }

    /// A script that runs a command in a mount namespace of its own, in which the folder `$0` is read-only.
    private static let readOnlyScript = """
        exec unshare -m --propagation private sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"' \
            "$0" "$@"
        """

    /// Whether this machine lets the tests mount a folder read-only for one command, which takes root.
    static let mayMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", readOnlyScript, "/usr", "true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Runs the executable to its end.
    static func run(_ arguments: String..., input: Data = Data()) async throws -> Outcome {
        try await run(arguments, input: input)
    }
}

extension Process {
    fileprivate func runToEnd() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            terminationHandler = { _ in continuation.resume() }
            do {
                try run()
            } catch {
                terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}

/// The running executable with an open standard input.
final class RunningCommand {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    init(_ arguments: String...) throws {
        process.currentDirectoryURL = Command.repository
        process.executableURL = Command.executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    var processID: Int32 { process.processIdentifier }

    /// Returns the next line of standard output, or `nil` at its end.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            unread += more
        }
    }

    func send(_ data: Data) throws { try input.fileHandleForWriting.write(contentsOf: data) }

    /// Closes the input and waits for the end of the output and of the process.
    func finish() throws -> (lines: [String], status: Int32) {
        try input.fileHandleForWriting.close()
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        process.waitUntilExit()
        return (lines, process.terminationStatus)
    }

    deinit { if process.isRunning { process.terminate() } }
}

extension TemporaryFolder {
    /// The names of the folder's entries, sorted.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
