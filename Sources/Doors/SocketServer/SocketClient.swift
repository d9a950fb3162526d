import Glibc
import NIOCore
import NIOPosix
public import RPC

/// A client of the socket, for use by one task.
///
/// It reads only while a call or ``notification()`` waits, so a slow user delays its own connection only.
public final class SocketClient {
    private let channel: any Channel
    private let lines: InboundLines
    private(set) var waiting: [(method: String, parameters: JSONValue)] = []
    private var lastID: Int64 = 0

    private init(_ channel: any Channel, _ lines: InboundLines) {
        self.channel = channel
        self.lines = lines
    }

    /// Connects to the server at a path, runs `body`, then disconnects.
    ///
    /// - Throws: ``SocketError`` if the path is too long or nobody listens there, or the error that `body` throws.
    public static func connect<Value: Sendable>(
        to path: String, _ body: (SocketClient) async throws -> Value
    ) async throws -> Value {
        try ListeningSocket.check(path)
        let (channel, lines) = try await open(path)
        do {
            let value = try await withTaskCancellationHandler {
                try await body(SocketClient(channel, lines))
            } onCancel: {
                channel.close(promise: nil)
            }
            try? await channel.close()
            return value
        } catch {
            try? await channel.close()
            throw error
        }
    }

    private static func open(_ path: String) async throws -> (any Channel, InboundLines) {
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                // A server that has sent its last answer may still read what this side sends.
                .channelOption(.allowRemoteHalfClosure, value: true)
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture { (channel, try InboundLines(channel)) }
                }
        } catch let error as IOError {
            throw failure(error.errnoCode, path)
        }
    }

    /// Calls a method, and waits for its answer.
    ///
    /// Notifications that arrive meanwhile are kept for ``notification()``.
    ///
    /// - Throws: ``RPCError`` if the server answered with one, or ``SocketError`` if the connection ended.
    public nonisolated(nonsending) func call(
        _ method: String, _ parameters: JSONObject = JSONObject()
    ) async throws
        -> JSONValue
    {
        lastID += 1
        let request = Request(id: .integer(lastID), method: method, parameters: .named(parameters))
        try await send(request.line)
        while true {
            switch try await message() {
            case .answer(.integer(lastID), let result)?: return try result.get()
            case .answer(.null, .failure(let error))?: throw error
            case .answer?: break
            case .notification(let method, let parameters)?: waiting.append((method, parameters))
            case nil: throw SocketError(.disconnected, "The server closed the connection before it answered \(method).")
            }
        }
    }

    /// Waits for the next notification; `nil` if the server has ended the connection.
    public nonisolated(nonsending) func notification() async throws -> (method: String, parameters: JSONValue)? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while true {
            switch try await message() {
            case .notification(let method, let parameters)?: return (method, parameters)
            case .answer(.null, .failure(let error))?: throw error
            case .answer?: break
            case nil: return nil
            }
        }
    }

    /// Sends bytes unchanged.
    nonisolated(nonsending) func send(_ bytes: [UInt8]) async throws {
        do {
            try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        } catch {
            throw SocketError(.disconnected, "The server closed the connection.")
        }
    }

    /// Closes the sending direction.
    ///
    /// The server's messages can still be read.
    nonisolated(nonsending) func closeOutput() async throws { try await channel.close(mode: .output) }

    /// Waits for the next line from the server; `nil` if the server has ended the connection.
    nonisolated(nonsending) func line() async throws -> [UInt8]? {
        guard case .line(let bytes)? = try await lines.next() else { return nil }
        return bytes
    }

    private nonisolated(nonsending) func message() async throws -> ServerMessage? {
        guard let line = try await line() else { return nil }
        do throws(JSONError) {
            return try ServerMessage(parsing: line.span)
        } catch {
            throw SocketError(.disconnected, "The server did not answer in JSON-RPC: \(error).")
        }
    }

    private static func failure(_ number: CInt, _ path: String) -> SocketError {
        switch number {
        case ENOENT, ECONNREFUSED:
            SocketError(.noServer, "No server listens at \(path).")
        default: .system(number, "connect to", path)
        }
    }
}
