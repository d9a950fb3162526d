import NIOCore
import NIOPosix
import Positioning

/// An open connection that brings NMEA sentences.
struct NMEAConnection: Sendable {
    typealias Input = NIOAsyncChannel<ByteInput, Never>

    let input: Input
    /// What it means where the other side ends it.
    let endMeans: String
    /// Whether it stays open over a silence, since nobody is at the other side whom a new connection would reach.
    var outlivesSilence = false

    /// How many inputs may wait for the listener; reading stops beyond them.
    private static let watermarks = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark(
        lowWatermark: 1, highWatermark: 4)

    /// Connects to a server.
    static func tcp(host: String, port: UInt16, idle: Duration) async -> Result<NMEAConnection, Ending> {
        await open("it ended the connection") {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(Ending.connectTimeout)
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .connect(host: host, port: Int(port)) { channel in
                    channel.eventLoop.makeCompletedFuture { try wrap(channel, idle) }
                }
        }
    }

    /// Listens for datagrams; without a host at all addresses, of IPv6 too where the machine has it.
    static func udp(host: String?, port: UInt16, idle: Duration) async -> Result<NMEAConnection, Ending> {
        var result = Result<NMEAConnection, Ending>.failure(.before("no address to listen at"))
        for host in host.map({ [$0] }) ?? ["::", "0.0.0.0"] {
            result = await open("it was closed") {
                try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(host: host, port: Int(port)) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(DatagramHandler())
                            return try wrap(channel, idle)
                        }
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
                .takingOwnershipOfDescriptor(input: descriptor) { channel in
                    channel.eventLoop.makeCompletedFuture { try wrap(channel, idle) }
                }
        }
    }

    private static func open(
        _ endMeans: String, _ open: @escaping @Sendable () async throws -> Input
    ) async -> Result<NMEAConnection, Ending> {
        let result = await unlessCancelled { () async -> Result<NMEAConnection, Ending> in
            do {
                return .success(NMEAConnection(input: try await open(), endMeans: endMeans))
            } catch {
                return .failure(.before(Ending.reason(of: error)))
            }
        } discard: { result in
            if case .success(let connection) = result { try? await connection.input.executeThenClose { _ in } }
        }
        return result ?? .failure(.before("cancelled"))
    }

    private static func wrap(_ channel: any Channel, _ idle: Duration) throws -> Input {
        try channel.pipeline.syncOperations.addHandler(ByteInputHandler(idle: idle))
        return try Input(
            wrappingChannelSynchronously: channel, configuration: .init(backPressureStrategy: watermarks))
    }

    /// Hears the connection to its end.
    func run(notBefore: CalendarDate?, _ listener: Listener) async -> Ending {
        do {
            return try await input.executeThenClose { inbound in
                await hear(inbound, notBefore, listener)
            }
        } catch {
            return .after(Ending.reason(of: error))
        }
    }

    private func hear(
        _ inbound: NIOAsyncChannelInboundStream<ByteInput>, _ notBefore: CalendarDate?, _ listener: Listener
    ) async -> Ending {
        var feed = NMEAFeed(notBefore: notBefore)
        var reason = endMeans
        do {
            for try await input in inbound {
                let hearings = feed.take(input)
                guard !hearings.isEmpty else { continue }
                switch await listener(hearings) {
                case .goOn: break
                case .silent where outlivesSilence:
                    // What speaks next may be another receiver.
                    feed = NMEAFeed(notBefore: notBefore)
                case .silent, .stop: return .after("silent")
                }
            }
        } catch {
            reason = Ending.reason(of: error)
        }
        let rest = feed.finish()
        if !rest.isEmpty { _ = await listener(rest) }
        return .after(reason)
    }
}
