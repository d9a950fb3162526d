import NIOCore

/// Input from a connection.
enum ByteInput: Hashable, Sendable {
    /// Bytes, split anywhere.
    case bytes([UInt8])
    /// The bytes of a datagram.
    case datagram([UInt8], DatagramSender)
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
    /// The sender of the bytes that are being read, if they are datagrams.
    private let sender: () -> DatagramSender?
    private var hasPaused = true
    private var timer: Scheduled<Void>?

    /// Creates a handler that reports a silence after `idle`.
    init(idle: Duration, sender: @escaping () -> DatagramSender? = { nil }) {
        self.idle = TimeAmount(idle)
        self.sender = sender
    }

    func read(context: ChannelHandlerContext) {
        if timer == nil { schedule(context) }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        stop()
        let bytes = unwrapInboundIn(data)
        guard bytes.readableBytes > 0 else { return }
        hasPaused = false
        let read = Array(bytes.readableBytesView)
        context.fireChannelRead(wrapInboundOut(sender().map { .datagram(read, $0) } ?? .bytes(read)))
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

/// Extracts the bytes of datagrams, and knows the sender of the one that is being read.
final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias InboundOut = ByteBuffer

    /// The sender of the datagram that is being read.
    private(set) var sender: DatagramSender?
    /// The only address whose datagrams are read; `nil` for all.
    private let only: String?

    init(only: String? = nil) { self.only = only }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        let sender = Self.sender(envelope.remoteAddress)
        guard only == nil || sender?.address == only else { return }
        self.sender = sender
        var bytes = envelope.data
        // Some senders omit the line end of a datagram's last sentence, which would delay it.
        if Self.endsWithChecksum(Array(bytes.readableBytesView)) { bytes.writeInteger(UInt8(ascii: "\n")) }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    private static func sender(_ address: SocketAddress) -> DatagramSender? {
        guard let text = address.ipAddress else { return nil }
        // A socket for both versions of IP shows addresses of version 4 in this form.
        let plain = text.lowercased().hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
        return DatagramSender(address: plain, port: address.port ?? 0)
    }

    /// Whether bytes end with a sentence's checksum.
    static func endsWithChecksum(_ bytes: [UInt8]) -> Bool {
        let end = bytes.suffix(3)
        return end.count == 3 && end.first == UInt8(ascii: "*")
            && end.dropFirst().allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }
}
