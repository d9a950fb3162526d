#if Fleet
import Foundation
import Glibc
import Synchronization

/// A program that this one starts on its machine, and that is killed with this object.
final class LocalProcess: Sendable {
    private let process: Mutex<Process?>
    /// The number of the process.
    let processID: Int32
    /// The line with the word that it was waited for; empty if there was none.
    let line: String

    /// The error of a program that does not begin.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a program as a user of the system, if this one runs as root, and waits until it says a word.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - user: The user; `nil` for that of this process.
    ///   - word: What its output contains once it serves; `nil` to wait for nothing.
    /// - Throws: ``Failure`` with the end of its output if it ends before.
    init(
        _ words: [String], as user: String? = nil, environment: [String: String] = [:], until word: String?
    ) async throws {
        let process = Process()
        let prefix = user.map {
            geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] : []
        }
        let all = (prefix ?? []) + words
        process.executableURL = all.first.map { URL(fileURLWithPath: $0) }
        process.arguments = Array(all.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.fileHandleForWriting.close()
        let id = process.processIdentifier
        processID = id
        self.process = Mutex(process)
        line = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<String, any Error>) in
                // The thread also takes the rest of the output, so that the program never waits for a reader.
                Thread.detachNewThread { Self.read(output.fileHandleForReading, until: word, continuation) }
            }
        } onCancel: {
            _ = Glibc.kill(id, SIGKILL)
        }
    }

    private static func read(
        _ output: FileHandle, until word: String?, _ continuation: CheckedContinuation<String, any Error>
    ) {
        var seen = ""
        var isUp = word == nil
        if isUp { continuation.resume(returning: "") }
        while case let more = output.availableData, !more.isEmpty {
            guard !isUp, let word else { continue }
            seen += String(decoding: more, as: UTF8.self)
            // The word is followed by the rest of its line.
            guard
                let found = seen.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    .first(where: { $0.contains(word) })
            else { continue }
            isUp = true
            continuation.resume(returning: String(found))
        }
        if !isUp { continuation.resume(throwing: Failure(description: String(seen.suffix(600)))) }
    }

    deinit { process.withLock { if let process = $0, process.isRunning { _ = Glibc.kill(processID, SIGKILL) } } }

    /// Whether it runs.
    var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }

    /// Sends a signal, unless it has ended.
    func signal(_ number: Int32) { if isRunning { _ = Glibc.kill(processID, number) } }

    /// Kills it with SIGKILL, and waits until it has ended.
    func kill() async {
        guard let process = process.withLock({ $0.take() }) else { return }
        if process.isRunning { _ = Glibc.kill(processID, SIGKILL) }
        _ = await Self.end(of: process)
    }

    /// Waits for the end of a process, and returns its status.
    private static func end(of process: Process) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``Failure`` if its status is not 0.
    static func run(_ words: [String], as user: String?, environment: [String: String] = [:]) async throws {
        let process = try await LocalProcess(words, as: user, environment: environment, until: nil)
        guard let running = process.process.withLock({ $0.take() }) else { return }
        let status = await end(of: running)
        guard status == 0 else { throw Failure(description: "\(words.joined(separator: " ")) ended with \(status)") }
    }
}
#endif
