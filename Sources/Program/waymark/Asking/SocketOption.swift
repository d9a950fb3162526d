import ArgumentParser
import Daemon
import Deadlines
import Foundation
import SocketServer

/// The option `--socket`, which names the daemon to call.
struct SocketOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket, instead of $WAYMARK_SOCKET, /run/waymark/waymark.sock or "
                + "$XDG_RUNTIME_DIR/waymark.sock.",
            valueName: "path"))
    var socket: String?

    /// The path of the daemon's socket.
    var path: String { socket ?? DefaultSocket.path(environment: ProcessInfo.processInfo.environment) }

    /// Connects to the daemon while `body` runs, and resumes the stored session.
    func connect<Value: Sendable>(_ body: (SocketClient) async throws -> Value) async throws -> Value {
        let path = path
        return try await SocketClient.connect(to: path) { client in
            try await client.resume(at: path)
            return try await body(client)
        }
    }

    /// Connects to the daemon while `body` runs, for at most `limit`.
    ///
    /// - Throws: ``DaemonSilence`` after `limit`, and the errors of `body`.
    func connect<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (SocketClient) async throws -> Value
    ) async throws -> Value {
        guard let value = try await Deadlines.within(limit, .deadlines, { try await connect(body) }) else {
            throw DaemonSilence(path: path, limit: limit)
        }
        return value
    }
}

/// The error that a daemon does not answer in time.
struct DaemonSilence: Error, CustomStringConvertible {
    let path: String
    let limit: Duration

    var description: String {
        "The daemon at \(path) has not answered for \(limit.components.seconds) s. It hangs, or is still starting; "
            + "see its log."
    }
}
