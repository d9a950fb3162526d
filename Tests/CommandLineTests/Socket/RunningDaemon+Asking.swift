import Foundation
import TestSupport

extension RunningDaemon {
    /// Runs a command that asks it.
    func ask(_ words: String..., input: Data = Data()) async throws -> Command.Outcome {
        try await ask(words, input: input)
    }

    /// Runs a command that asks it.
    func ask(_ words: [String], input: Data = Data()) async throws -> Command.Outcome {
        try await Command.run(words + ["--socket", socket], input: input)
    }
}

extension TemporaryFolder {
    /// The store of the daemon that is started in it.
    var store: String { file("store") }
    /// The socket of the daemon that is started in it.
    var socket: String { file("socket") }
}
