import Deadlines
import NIOCore
import NIOHTTP1

/// Answers requests for pages on the event loop, and passes all other requests on to the task of the connection.
///
/// The pages are in memory, so their answers wait for nothing, and the way to a task and back would take longer than
/// the answer. A page is answered here only if the task has nothing to answer and all that was answered here is sent.
/// So the answers have the order of the requests, and a client that does not read them is made to wait by the task.
///
/// The handler also closes a connection that sends no request for too long.
final class PageHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let responder: RequestResponder
    private let idle: TimeAmount
    /// The answer to the request that is being read; `nil` if the task answers it.
    private var page: RequestResponder.Page?
    /// Whether a request has begun to arrive and has not ended.
    private var isReading = false
    /// The number of requests that were passed on and are not answered.
    private var passedOn = 0
    /// The number of pages that are not sent yet.
    private var unsent = 0
    /// Whether the connection ends after an answer that is due or was given.
    private var isEnding = false
    /// The news that the client sends nothing more, if a page was unsent when it came.
    private var lastNews: Any?
    /// The time of the last sign that the connection is in use.
    private var lastUse = NIODeadline.uptimeNanoseconds(0)
    private var alarm: Scheduled<Void>?
    /// Cuts a client that does not read a page.
    private var cut: DeadlineClock.Deadline?

    init(_ responder: RequestResponder) {
        self.responder = responder
        idle = TimeAmount(responder.limits.idle)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        lastUse = context.eventLoop.now
        watch(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.cancel()
        alarm = nil
        cut?.end()
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastUse = context.eventLoop.now
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReading = true
            if passedOn == 0, unsent == 0, !isEnding {
                page = responder.page(for: head, on: context.channel)
            }
            guard page == nil else { return }
            passedOn += 1
            isEnding = isEnding || !head.isKeepAlive
            context.fireChannelRead(data)
        case .body: if page == nil { context.fireChannelRead(data) }
        case .end:
            isReading = false
            guard let page else { return context.fireChannelRead(data) }
            self.page = nil
            send(page, context)
        }
    }

    private func send(_ page: RequestResponder.Page, _ context: ChannelHandlerContext) {
        let channel = context.channel
        unsent += 1
        context.write(wrapOutboundOut(.head(page.head)), promise: nil)
        if let body = page.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.unsent -= 1
            self.cut?.end()
            self.cut = nil
            if self.passedOn == 0 { self.responder.connections.endAnswer(channel) }
            self.noteAnswer(context)
            guard self.unsent == 0, let news = self.lastNews else { return }
            self.lastNews = nil
            context.fireUserInboundEventTriggered(news)
        }
        // Mostly the system has taken all of it by now.
        if unsent > 0 {
            cut = DeadlineClock.shared.after(responder.limits.answerTime) { channel.close(promise: nil) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The task closes the connection when it learns this, and does not know of the page.
        if unsent > 0, let news = event as? ChannelEvent, news == .inputClosed {
            lastNews = event
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        switch unwrapOutboundIn(data) {
        case .head(let head): isEnding = isEnding || !head.isKeepAlive
        case .body: break
        case .end:
            // The parser's refusal answers what never became a request.
            passedOn = max(0, passedOn - 1)
            noteAnswer(context)
        }
    }

    // MARK: Silence

    private func noteAnswer(_ context: ChannelHandlerContext) {
        guard passedOn == 0, unsent == 0 else { return }
        lastUse = context.eventLoop.now
        watch(context)
    }

    /// Sets the alarm for the end of the time without a request.
    private func watch(_ context: ChannelHandlerContext) {
        guard alarm == nil, context.channel.isActive else { return }
        alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastUse + idle) {
            self.alarm = nil
            // While an answer is due, the client need not send anything; the end of the answer sets the alarm again.
            guard self.isReading || self.passedOn == 0 && self.unsent == 0 else { return }
            if context.eventLoop.now >= self.lastUse + self.idle {
                context.close(promise: nil)
            } else {
                self.watch(context)
            }
        }
    }
}

@available(*, unavailable) extension PageHandler: Sendable {}
