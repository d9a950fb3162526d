import NIOCore
import RPC

/// What a connection sent: a line, or the news that there was none to be had.
enum InboundLine: Sendable {
    /// A line without its end.
    case line([UInt8])
    /// No line is taken any more, and what is sent besides is thrown away; the error is to be the last answer.
    case refused(RPCError)
}

/// The lines that come in through a channel.
struct InboundLines: Sendable {
    private let reader: NIOLoopBound<LineReader>

    /// Reads a channel's lines; to be called on its event loop, before anything is read.
    init(_ channel: any Channel) throws {
        let reader = LineReader(channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(reader)
        self.reader = NIOLoopBound(reader, eventLoop: channel.eventLoop)
    }

    /// Takes in no more than this from now on.
    func keep(within bounds: LineReader.Bounds) {
        reader.eventLoop.execute { [reader] in reader.value.bounds = bounds }
    }

    /// The next line; nil where the other side has no more to say.
    ///
    /// Only one may be waited for at a time.
    func next() async throws -> InboundLine? {
        try await reader.eventLoop.flatSubmit { [reader] in reader.value.next() }.get()
    }
}

/// Cuts what comes in into lines, and gives them away one at a time.
///
/// The socket is read only while somebody waits for a line and none has come whole, so that what waits is as little
/// as one reading gives, whatever it will be cut into.
final class LineReader: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never

    /// What a server takes in.
    struct Bounds: Sendable {
        /// What each byte is charged to, until the line that it is of has been answered.
        var holding: Holding
        /// An unfinished line longer than this must grow.
        var free: Int
        /// By how many bytes at least.
        var growth: Int
        /// Within which time.
        var interval: Duration
    }

    private let eventLoop: any EventLoop
    /// What is taken in; nil for all there is.
    var bounds: Bounds?
    private var framing = LineFraming()
    /// What has come in and was not looked at.
    private var pending = ByteBuffer()
    /// How many bytes are charged that were not given away.
    private var charged = 0
    private var refusal: RPCError?
    /// Whether what comes in is thrown away.
    private var isRefused = false
    private var hasEnded = false
    private var waiting: EventLoopPromise<InboundLine?>?
    private var context: ChannelHandlerContext?
    private var isReadHeldBack = false
    private var watch: Scheduled<Void>?

    /// A reader of a channel of this event loop.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    // MARK: Giving away

    /// The next line.
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

    /// Gives whoever waits what there is.
    private func answer() {
        guard let promise = waiting else { return }
        if let line = takeLine() {
            give(.line(line), to: promise)
        } else if let refusal {
            self.refusal = nil
            give(.refused(refusal), to: promise)
        } else if hasEnded {
            give(takeLast().map { .line($0) }, to: promise)
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

    private func takeLine() -> [UInt8]? {
        while let end = pending.readableBytesView.firstIndex(of: LineFraming.end) {
            if let line = feed(end + 1 - pending.readerIndex) { return line }
        }
        return feed(pending.readableBytes)
    }

    /// Looks at so many bytes, with one end of a line at most, and that the last.
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

    private func takeLast() -> [UInt8]? {
        var lines: [[UInt8]] = []
        framing.finish(into: &lines)
        return charge(lines.first)
    }

    /// Leaves what is charged for a line to whoever answers it, and gives back what is charged for nothing.
    private func charge(_ line: [UInt8]?) -> [UInt8]? {
        // The memory that it is in may be much more.
        if pending.readableBytes == 0 { pending = ByteBuffer() }
        let kept = pending.readableBytes + framing.unfinished
        bounds?.holding.give(charged - kept - (line?.count ?? 0))
        charged = kept
        return line
    }

    // MARK: Taking in

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
        if let holding = bounds?.holding, !holding.take(buffer.readableBytes) {
            refuse(holding.requestRefusal)
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

    /// Looks after a while whether the line goes on.
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
            "A line longer than \(free) bytes must grow by \(growth) bytes in \(interval); yours did not, and the "
                + "connection ends here. Send lines whole, or shorter ones.")
    }
}

extension Holding {
    fileprivate var requestRefusal: RPCError {
        .unavailable(
            "Your connections have sent \(allotment.bound) bytes of lines that are not finished or not answered, as "
                + "many as a user may, and this one ends here. Wait for answers, or close connections.")
    }
}
