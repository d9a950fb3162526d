import NIOCore

/// What comes in on a connection.
enum ByteInput: Hashable, Sendable {
    /// Bytes, cut anywhere.
    case bytes([UInt8])
    /// After bytes, none came for as long as a receiver pauses between two cycles.
    case pause
    /// Nothing came for the idle time; again each idle time.
    case silence
}

/// Turns what a channel reads into ``ByteInput``.
///
/// Time counts only while bytes are wanted: a reader that is too slow to ask for them does not make a receiver silent.
/// One timer is enough: it waits for the pause after bytes, and for the silence after the pause.
final class ByteInputHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteInput
    typealias OutboundIn = Never

    /// The silence that ends an epoch; a receiver sends its sentences without one, and pauses at least as long at up
    /// to 5 Hz.
    static let pause = TimeAmount.milliseconds(100)

    private let idle: TimeAmount
    private var hasPaused = true
    private var timer: Scheduled<Void>?

    /// A handler that tells of such a silence.
    init(idle: Duration) { self.idle = TimeAmount(idle) }

    func read(context: ChannelHandlerContext) {
        if timer == nil { schedule(context) }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        stop()
        let bytes = unwrapInboundIn(data)
        guard bytes.readableBytes > 0 else { return }
        hasPaused = false
        context.fireChannelRead(wrapInboundOut(.bytes(Array(bytes.readableBytesView))))
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    private func stop() {
        timer?.cancel()
        timer = nil
    }

    private func schedule(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: hasPaused ? idle : Self.pause) {
            let input = self.hasPaused ? ByteInput.silence : .pause
            self.hasPaused = true
            self.schedule(context)
            context.fireChannelRead(self.wrapInboundOut(input))
            context.fireChannelReadComplete()
        }
    }
}

/// Takes the bytes out of datagrams.
///
/// Some senders leave out the line end of a datagram's last sentence, which would keep it waiting for the next
/// datagram. So one is added where a datagram ends with a checksum; after what is no whole sentence it would do harm.
final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data).data
        if Self.endsWithChecksum(bytes.readableBytesView) { bytes.writeInteger(UInt8(ascii: "\n")) }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    private static func endsWithChecksum(_ bytes: ByteBufferView) -> Bool {
        let end = bytes.suffix(3)
        return end.count == 3 && end.first == UInt8(ascii: "*")
            && end.dropFirst().allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }
}
