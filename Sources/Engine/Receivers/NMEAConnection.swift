import NIOCore
import NIOPosix
import Positioning

/// An open connection that delivers NMEA sentences.
///
/// Little is read before ``run(_:_:)`` is called.
struct NMEAConnection: Sendable {
    typealias Input = (channel: any Channel, handler: NIOLoopBound<ReceiverInputHandler>)

    let channel: any Channel
    private let handler: NIOLoopBound<ReceiverInputHandler>
    /// The meaning of an end that the other side causes.
    let closeReason: String
    /// Whether the connection stays open over a silence, because a new one would not reach anybody either.
    var outlivesSilence = false

    /// Connects to a server.
    static func tcp(host: String, port: UInt16, idle: Duration) async -> Result<NMEAConnection, ConnectionEnd> {
        await open("it closed the connection") {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(ConnectionEnd.connectTimeout)
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .connect(host: host, port: Int(port)) { channel in prepare(channel, [ByteInputHandler(idle: idle)]) }
        }
    }

    /// Listens for datagrams.
    ///
    /// Without a host it listens on all addresses, including IPv6 if the machine has it.
    static func udp(
        host: String?, port: UInt16, from sender: String? = nil, idle: Duration
    ) async -> Result<NMEAConnection, ConnectionEnd> {
        var result = Result<NMEAConnection, ConnectionEnd>.failure(.before("there is no address to listen on"))
        for host in host.map({ [$0] }) ?? ["::", "0.0.0.0"] {
            result = await open("the socket was closed") {
                try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(host: host, port: Int(port)) { channel in
                        let datagrams = DatagramHandler(only: sender)
                        return prepare(
                            channel, [datagrams, ByteInputHandler(idle: idle, sender: { datagrams.sender })])
                    }
            }
            if case .success(var connection) = result {
                connection.outlivesSilence = true
                return .success(connection)
            }
        }
        return result
    }

    /// Reads from a descriptor.
    ///
    /// The connection takes ownership of it.
    static func serial(_ descriptor: CInt, idle: Duration) async -> Result<NMEAConnection, ConnectionEnd> {
        await open(SerialPort.unplugged) {
            try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .takingOwnershipOfDescriptor(input: descriptor) { channel in
                    prepare(channel, [ByteInputHandler(idle: idle)])
                }
        }
    }

    private static func open(
        _ closeReason: String, _ open: @escaping @Sendable () async throws -> Input
    ) async -> Result<NMEAConnection, ConnectionEnd> {
        let result = await unlessCancelled { () async -> Result<NMEAConnection, ConnectionEnd> in
            do {
                let input = try await open()
                return .success(
                    NMEAConnection(channel: input.channel, handler: input.handler, closeReason: closeReason))
            } catch {
                return .failure(.before(ConnectionEnd.reason(of: error)))
            }
        } discard: { result in
            if case .success(let connection) = result { try? await connection.channel.close() }
        }
        return result ?? .failure(.before("cancelled"))
    }

    private static func prepare(_ channel: any Channel, _ handlers: [any ChannelHandler]) -> EventLoopFuture<Input> {
        channel.eventLoop.makeCompletedFuture {
            let handler = ReceiverInputHandler(channel.eventLoop)
            try channel.pipeline.syncOperations.addHandlers(handlers + [handler])
            return (channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
        }
    }

    /// Reads the connection until it ends.
    ///
    /// Call this once.
    func run(_ rollover: WeekRollover, _ listener: @escaping Listener) async -> ConnectionEnd {
        let ending = channel.eventLoop.makePromise(of: ConnectionEnd.self)
        let recipient = ReceiverInputHandler.Recipient(
            connection: self, rollover: rollover, ending: ending, listener: listener)
        channel.eventLoop.execute { handler.value.start(recipient) }
        return await withTaskCancellationHandler {
            // The promise is never failed.
            (try? await ending.futureResult.get()) ?? .after(closeReason)
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}
