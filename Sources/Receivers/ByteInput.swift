import NIOCore

/// Input from a connection.
enum ByteInput: Hashable, Sendable {
    /// Bytes, split anywhere.
    case bytes([UInt8])
    /// A pause after bytes, of the length that receivers make between two cycles.
    case pause
    /// Silence for the idle time, reported again after each further idle time.
    case silence
}

/// Turns the bytes that a channel reads into ``ByteInput``.
///
/// Time counts only while the reader asks for bytes, so a slow reader does not make a receiver appear silent. One timer
/// suffices: it waits for the pause after bytes, and for the silence after the pause.
final class ByteInputHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteInput
    typealias OutboundIn = Never

    /// The pause that ends an epoch.
    ///
    /// A receiver sends the sentences of one epoch without a pause, and pauses for at least this long between epochs at
    /// rates of up to 5 Hz.
    static let pause = TimeAmount.milliseconds(100)

    private let idle: TimeAmount
    private var hasPaused = true
    private var timer: Scheduled<Void>?

    /// Creates a handler that reports a silence after `idle`.
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

/// Extracts the bytes of datagrams.
///
/// Some senders omit the line end of a datagram's last sentence, which would delay the sentence until the next
/// datagram. So the handler adds a line end if a datagram ends with a checksum. After an incomplete sentence it would
/// do harm.
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
