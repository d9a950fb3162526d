import NIOCore
import Positioning

/// Hears a connection on its event loop: what comes in is decoded and taken by one call, without a task's being woken,
/// where the listener can take it at once.
///
/// Where it cannot, nothing more is read meanwhile.
final class HearingHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteInput
    typealias OutboundIn = Never

    private let connection: NMEAConnection
    private let notBefore: CalendarDate?
    private let ending: EventLoopPromise<Ending>
    private let listener: Listener
    private var feed: NMEAFeed
    private var reason: String
    private var context: ChannelHandlerContext?
    /// Whether the listener is taking something in, what has come meanwhile, and whether more is wanted after that.
    private var isBusy = false
    private var waiting: [ByteInput] = []
    private var wantsMore = false
    private var isOpen = true
    private var isOver = false

    /// A handler that tells a listener, and in the end how the connection ended.
    init(
        _ connection: NMEAConnection, notBefore: CalendarDate?, ending: EventLoopPromise<Ending>,
        _ listener: @escaping Listener
    ) {
        self.connection = connection
        self.notBefore = notBefore
        self.ending = ending
        self.listener = listener
        feed = NMEAFeed(notBefore: notBefore)
        reason = connection.endMeans
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        close()
    }

    func channelInactive(context: ChannelHandlerContext) { close() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        reason = Ending.reason(of: error)
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if isBusy { wantsMore = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let input = unwrapInboundIn(data)
        if isBusy { waiting.append(input) } else { take(input) }
    }

    private func take(_ input: ByteInput) {
        let hearings = feed.take(input)
        guard !isOver, !hearings.isEmpty else { return }
        switch listener(hearings) {
        case .taken(let verdict): obey(verdict)
        case .pending(let take):
            isBusy = true
            wait(for: take)
        }
    }

    private func wait(for take: @escaping @Sendable () async -> Verdict) {
        let eventLoop = connection.channel.eventLoop
        let here = NIOLoopBound(self, eventLoop: eventLoop)
        Task {
            let verdict = await take()
            eventLoop.execute { here.value.goOn(verdict) }
        }
    }

    private func goOn(_ verdict: Verdict) {
        isBusy = false
        obey(verdict)
        while !isBusy, !waiting.isEmpty { take(waiting.removeFirst()) }
        guard !isBusy else { return }
        if !isOpen { return end() }
        if wantsMore {
            wantsMore = false
            context?.read()
        }
    }

    private func obey(_ verdict: Verdict) {
        switch verdict {
        case .goOn: break
        // What speaks next may be another receiver.
        case .silent where connection.outlivesSilence: feed = NMEAFeed(notBefore: notBefore)
        case .silent, .stop:
            isOver = true
            ending.succeed(.after("silent"))
            context?.close(promise: nil)
        }
    }

    private func close() {
        guard isOpen else { return }
        isOpen = false
        if !isBusy { end() }
    }

    private func end() {
        guard !isOver else { return }
        isOver = true
        let rest = feed.finish()
        guard !rest.isEmpty else { return ending.succeed(.after(reason)) }
        Task { [ending, listener, reason] in
            _ = await listener(rest).verdict
            ending.succeed(.after(reason))
        }
    }
}
