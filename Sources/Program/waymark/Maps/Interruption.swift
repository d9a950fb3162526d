#if Companion
import ArgumentParser
import Foundation
import UnixSignals

/// The end of a command by a signal before its work is done.
enum Interruption {
    /// The exit code that a shell reports for a program ended by SIGINT.
    private static let code = ExitCode(130)

    /// Runs `body`, which SIGINT, SIGTERM and SIGHUP cancel, so that it can remove what it has begun.
    static func ending(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let working = Task { try await body() }
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let listening = Task { for await _ in signals { working.cancel() } }
        defer { listening.cancel() }
        do {
            try await working.value
        } catch is CancellationError {
            Failure.report("interrupted; nothing was changed")
            throw code
        }
    }
}
#endif
