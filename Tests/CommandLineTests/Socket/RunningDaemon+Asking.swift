import Foundation
import TestSupport

extension RunningDaemon {
    /// Runs a command against the daemon's socket.
    func ask(_ words: String..., input: Data = Data()) async throws -> Command.Outcome {
        try await ask(words, input: input)
    }

    /// Runs a command against the daemon's socket.
    func ask(_ words: [String], input: Data = Data()) async throws -> Command.Outcome {
        try await Command.run(words + ["--socket", socket], input: input)
    }
}

extension TemporaryFolder {
    /// The path of the store of a daemon in this folder.
    var store: String { file("store") }
    /// The path of the socket of a daemon in this folder.
    var socket: String { file("socket") }
}
