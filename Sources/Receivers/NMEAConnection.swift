import NIOCore
import NIOPosix
import Positioning

/// An open connection that brings NMEA sentences; nothing is read before it is heard.
struct NMEAConnection: Sendable {
    let channel: any Channel
    /// What it means where the other side ends it.
    let endMeans: String
    /// Whether it stays open over a silence, since nobody is at the other side whom a new connection would reach.
    var outlivesSilence = false

    /// Connects to a server.
    static func tcp(host: String, port: UInt16, idle: Duration) async -> Result<NMEAConnection, Ending> {
        await open("it ended the connection") {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(Ending.connectTimeout)
                .channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .connect(host: host, port: Int(port)) { channel in prepare(channel, [ByteInputHandler(idle: idle)]) }
        }
    }

    /// Listens for datagrams; without a host at all addresses, of IPv6 too where the machine has it.
    static func udp(host: String?, port: UInt16, idle: Duration) async -> Result<NMEAConnection, Ending> {
        var result = Result<NMEAConnection, Ending>.failure(.before("no address to listen at"))
        for host in host.map({ [$0] }) ?? ["::", "0.0.0.0"] {
            result = await open("it was closed") {
                try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .channelOption(.autoRead, value: false)
                    .bind(host: host, port: Int(port)) { channel in
                        prepare(channel, [DatagramHandler(), ByteInputHandler(idle: idle)])
                    }
            }
            if case .success(var connection) = result {
                connection.outlivesSilence = true
                return .success(connection)
            }
        }
        return result
    }

    /// Reads from a descriptor, which belongs to the connection from then on.
    static func serial(_ descriptor: CInt, idle: Duration) async -> Result<NMEAConnection, Ending> {
        await open(SerialPort.unplugged) {
            try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: false)
                .takingOwnershipOfDescriptor(input: descriptor) { channel in
                    prepare(channel, [ByteInputHandler(idle: idle)])
                }
        }
    }

    private static func open(
        _ endMeans: String, _ open: @escaping @Sendable () async throws -> any Channel
    ) async -> Result<NMEAConnection, Ending> {
        let result = await unlessCancelled { () async -> Result<NMEAConnection, Ending> in
            do {
                return .success(NMEAConnection(channel: try await open(), endMeans: endMeans))
            } catch {
                return .failure(.before(Ending.reason(of: error)))
            }
        } discard: { result in
            if case .success(let connection) = result { try? await connection.channel.close() }
        }
        return result ?? .failure(.before("cancelled"))
    }

    private static func prepare(
        _ channel: any Channel, _ handlers: [any ChannelHandler]
    ) -> EventLoopFuture<any Channel> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers(handlers)
            return channel
        }
    }

    /// Hears the connection to its end.
    func run(notBefore: CalendarDate?, _ listener: @escaping Listener) async -> Ending {
        let ending = channel.eventLoop.makePromise(of: Ending.self)
        return await withTaskCancellationHandler {
            do {
                try await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(
                        HearingHandler(self, notBefore: notBefore, ending: ending, listener))
                }.get()
                try await channel.setOption(.autoRead, value: true).get()
                return try await ending.futureResult.get()
            } catch {
                ending.succeed(.after(Ending.reason(of: error)))
                try? await channel.close()
                return .after(Ending.reason(of: error))
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}
