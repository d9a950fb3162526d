import NIOCore
import NIOEmbedded
import RPC
import Testing

@testable import SocketServer

@Suite(.timeLimit(.minutes(1))) struct ConnectionOutputTests {
    private let reader = Reader()
    private let channel: NIOAsyncTestingChannel
    private let quota = Quota(1_000)
    private let output: ConnectionOutput

    init() async throws {
        channel = await NIOAsyncTestingChannel(handler: reader)
        output = ConnectionOutput(channel, unread: ConnectionQuota(of: quota, allowance: 100))
    }

    /// Lets no output through until `isReading` is set.
    private final class Reader: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = ByteBuffer

        let isReading = Shared(false)

        func flush(context: ChannelHandlerContext) { if isReading.value { context.flush() } }
    }

    private static func answer(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "a"), count: count) }

    @Test func anAnswerBeyondTheUsersAllotmentIsRefusedAtOnce() async throws {
        try await output.send(Self.answer(600))
        let error = await #expect(throws: RPCError.self) { try await output.send(Self.answer(501)) }
        #expect(error?.code == .unavailable)
        // The first 100 bytes belong to the connection's own allowance.
        #expect(quota.reserve(500) && !quota.reserve(1))
    }

    @Test func deliveredBytesAreReturnedToTheAllotment() async throws {
        try await output.send(Self.answer(1_100))
        #expect(!quota.reserve(1))
        reader.isReading.value = true
        try await output.deliver(ByteBuffer())
        #expect(quota.reserve(1_000))
    }
}
