import NIOCore
import RPC

/// What a connection sent: a line, or the news that there was none to be had.
enum InboundLine: Sendable {
    /// A line without its end.
    case line([UInt8])
    /// A line was too long; nothing follows, and what is sent besides is thrown away.
    case tooLong
}

/// Cuts what comes in into lines.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = InboundLine

    private var framing = LineFraming()
    private var isTooLong = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isTooLong else { return }
        let buffer = unwrapInboundIn(data)
        var lines: [[UInt8]] = []
        do throws(LineFraming.LineTooLong) {
            try framing.feed(buffer.readableBytesUInt8Span, into: &lines)
        } catch {
            isTooLong = true
        }
        fire(lines, context)
        if isTooLong { context.fireChannelRead(wrapInboundOut(.tooLong)) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            var lines: [[UInt8]] = []
            framing.finish(into: &lines)
            fire(lines, context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func fire(_ lines: [[UInt8]], _ context: ChannelHandlerContext) {
        for line in lines { context.fireChannelRead(wrapInboundOut(.line(line))) }
    }
}
