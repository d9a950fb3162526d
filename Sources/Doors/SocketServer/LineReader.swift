import NIOCore
import RPC

/// The input of a connection: a line, or the reason why no more lines are accepted.
enum InboundLine: Sendable {
    /// A line without its ending.
    case line([UInt8])
    /// No more lines are accepted, and further input is discarded.
    ///
    /// The error is the last answer to send.
    case refused(RPCError)
}

/// The lines that arrive on a channel.
struct InboundLines: Sendable {
    private let reader: NIOLoopBound<LineReader>

    /// Creates a reader of a channel's lines.
    ///
    /// Must be called on the channel's event loop, before anything is read.
    init(_ channel: any Channel) throws {
        let reader = LineReader(channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(reader)
        self.reader = NIOLoopBound(reader, eventLoop: channel.eventLoop)
    }

    /// Limits the input from now on.
    func keep(within bounds: LineReader.Bounds) {
        reader.eventLoop.execute { [reader] in reader.value.bounds = bounds }
    }

    /// Waits for the next line; `nil` when the peer sends no more.
    ///
    /// Only one task at a time may wait.
    func next() async throws -> InboundLine? {
        try await reader.eventLoop.flatSubmit { [reader] in reader.value.next() }.get()
    }
}

/// Splits input into lines, and delivers one line at a time.
///
/// The socket is read only while somebody waits for a line and no complete line is available. Therefore at most the
/// data of one read is pending, however many lines it contains.
final class LineReader: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never

    /// The limits on a connection's input.
    struct Bounds: Sendable {
        /// The account that each byte is charged to until its line is answered.
        var quota: ConnectionQuota
        /// The maximum length of an unfinished line that need not grow.
        var free: Int
        /// The minimum growth of a longer unfinished line in bytes.
        var growth: Int
        /// The time within which the line must grow.
        var interval: Duration
    }

    private let eventLoop: any EventLoop
    /// The limits on the input; `nil` for no limits.
    var bounds: Bounds?
    private var framing = LineFraming()
    /// The bytes received but not examined.
    private var pending = ByteBuffer()
    /// The number of bytes charged and not yet delivered.
    private var charged = 0
    private var refusal: RPCError?
    /// Whether further input is discarded.
    private var isRefused = false
    private var hasEnded = false
    private var waiting: EventLoopPromise<InboundLine?>?
    private var context: ChannelHandlerContext?
    private var isReadHeldBack = false
    private var watch: Scheduled<Void>?

    /// Creates a reader for a channel of an event loop.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    // MARK: Delivering lines

    /// Returns a future of the next line.
    func next() -> EventLoopFuture<InboundLine?> {
        let promise = eventLoop.makePromise(of: InboundLine?.self)
        waiting = promise
        answer()
        if waiting != nil, isReadHeldBack {
            isReadHeldBack = false
            context?.read()
        }
        return promise.futureResult
    }

    /// Delivers the next line, refusal or end of input to the waiting task, if there is one.
    private func answer() {
        guard let promise = waiting else { return }
        if let line = popLine() {
            give(.line(line), to: promise)
        } else if let refusal {
            self.refusal = nil
            give(.refused(refusal), to: promise)
        } else if hasEnded {
            give(popLast().map { .line($0) }, to: promise)
        } else if watch == nil, let bounds, framing.unfinished > bounds.free {
            watchGrowth(bounds)
        }
    }

    private func give(_ line: InboundLine?, to promise: EventLoopPromise<InboundLine?>) {
        waiting = nil
        watch?.cancel()
        watch = nil
        promise.succeed(line)
    }

    private func popLine() -> [UInt8]? {
        while let end = pending.readableBytesView.firstIndex(of: LineFraming.end) {
            if let line = feed(end + 1 - pending.readerIndex) { return line }
        }
        return feed(pending.readableBytes)
    }

    /// Examines `count` bytes, which contain at most one line ending, as their last byte.
    ///
    /// - Returns: The line that they complete, if any.
    private func feed(_ count: Int) -> [UInt8]? {
        guard count > 0, let piece = pending.readSlice(length: count) else { return nil }
        var lines: [[UInt8]] = []
        do throws(LineFraming.LineTooLong) {
            try framing.feed(piece.readableBytesUInt8Span, into: &lines)
        } catch {
            refuse(error.answer)
        }
        return charge(lines.first)
    }

    private func popLast() -> [UInt8]? {
        var lines: [[UInt8]] = []
        framing.finish(into: &lines)
        return charge(lines.first)
    }

    /// Releases the charge for bytes that are neither kept nor part of `line`.
    ///
    /// Whoever answers the line releases its charge.
    private func charge(_ line: [UInt8]?) -> [UInt8]? {
        // Replace the buffer, because its memory may be much larger.
        if pending.readableBytes == 0 { pending = ByteBuffer() }
        let kept = pending.readableBytes + framing.unfinished
        bounds?.quota.release(charged - kept - (line?.count ?? 0))
        charged = kept
        return line
    }

    // MARK: Receiving bytes

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        end()
    }

    func read(context: ChannelHandlerContext) {
        if waiting == nil { isReadHeldBack = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        var buffer = unwrapInboundIn(data)
        if let quota = bounds?.quota, !quota.reserve(buffer.readableBytes) {
            refuse(quota.requestRefusal)
        } else {
            charged += buffer.readableBytes
            if pending.readableBytes == 0 { pending = buffer } else { pending.writeBuffer(&buffer) }
        }
        answer()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { end() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        hasEnded = true
        answer()
    }

    private func refuse(_ error: RPCError) {
        refusal = error
        isRefused = true
        framing = LineFraming()
        pending = ByteBuffer()
        _ = charge(nil)
    }

    /// Checks after an interval whether the unfinished line has grown enough.
    private func watchGrowth(_ bounds: Bounds) {
        let before = framing.unfinished
        watch = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(bounds.interval)) { [self] in
            watch = nil
            if framing.unfinished - before < bounds.growth { refuse(bounds.slowness) }
            answer()
        }
    }
}

extension LineReader.Bounds {
    fileprivate var slowness: RPCError {
        .unavailable(
            "A line longer than \(free) bytes must grow by \(growth) bytes in \(interval). Yours did not, so the "
                + "connection is closed. Send whole lines, or shorter ones.")
    }
}

extension ConnectionQuota {
    fileprivate var requestRefusal: RPCError {
        .unavailable(
            "Your connections have sent \(quota.bound) bytes of lines that are unfinished or unanswered, the "
                + "maximum for a user, so this connection is closed. Wait for answers, or close connections.")
    }
}
