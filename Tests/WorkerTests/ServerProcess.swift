#if Fleet
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// A process of a test, which is killed with this object.
final class ServerProcess: Sendable {
    private let process: Mutex<Process?>
    let processID: Int32

    /// The error of a server that does not begin.
    struct Failure: Error {
        let description: String
    }

    /// Starts a program as a user of the system, if the tests run as root, and waits until it says a word.
    ///
    /// - Parameter word: What its output contains once it serves; `nil` to wait for nothing.
    init(
        _ words: [String], as user: String?, environment: [String: String] = [:], until word: String?
    ) async throws {
        let process = Process()
        let isRoot = geteuid() == 0
        let prefix = user.map {
            isRoot ? ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] : []
        }
        let all = (prefix ?? []) + words
        process.executableURL = URL(fileURLWithPath: all[0])
        process.arguments = Array(all.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.fileHandleForWriting.close()
        self.process = Mutex(process)
        processID = process.processIdentifier
        let id = processID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    var seen = ""
                    var isUp = word == nil
                    if isUp { continuation.resume() }
                    while case let more = output.fileHandleForReading.availableData, !more.isEmpty {
                        guard !isUp, let word else { continue }
                        seen += String(decoding: more, as: UTF8.self)
                        guard seen.contains(word) else { continue }
                        isUp = true
                        continuation.resume()
                    }
                    if !isUp { continuation.resume(throwing: Failure(description: seen)) }
                }
            }
        } onCancel: {
            _ = Glibc.kill(id, SIGKILL)
        }
    }

    deinit { process.withLock { if let process = $0, process.isRunning { _ = Glibc.kill(processID, SIGKILL) } } }

    /// Whether it runs.
    var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }

    /// Kills it with SIGKILL, and waits until it has ended.
    func kill() async {
        guard let process = process.withLock({ $0.take() }) else { return }
        _ = Glibc.kill(processID, SIGKILL)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                continuation.resume()
            }
        }
    }

    /// Runs a program to its end.
    static func run(_ words: [String], as user: String?, environment: [String: String] = [:]) async throws {
        let process = try await ServerProcess(words, as: user, environment: environment, until: nil)
        guard let running = process.process.withLock({ $0.take() }) else { return }
        let status: Int32 = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                running.waitUntilExit()
                continuation.resume(returning: running.terminationStatus)
            }
        }
        guard status == 0 else { throw Failure(description: "\(words): status \(status)") }
    }
}
#endif
