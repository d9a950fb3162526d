import NIOCore
import Positioning

/// Hears a connection on its event loop: what comes in is decoded and taken by one call, without a task's being woken,
/// where the listener can take it at once.
///
/// Where it cannot, nothing more is read meanwhile.
final class HearingHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteInput
    typealias OutboundIn = Never

    /// Who hears it, and how.
    struct Hearer: Sendable {
        let connection: NMEAConnection
        let notBefore: CalendarDate?
        let ending: EventLoopPromise<Ending>
        let listener: Listener
    }

    private let eventLoop: any EventLoop
    /// Nil at first.
    private var hearer: Hearer?
    private var feed = NMEAFeed(notBefore: nil)
    private var failure: String?
    private var context: ChannelHandlerContext?
    /// Whether the listener is taking something in, or there is none; what has come meanwhile; and whether more is
    /// wanted after that.
    private var isBusy = true
    private var waiting: [ByteInput] = []
    private var wantsMore = false
    private var isOpen = true
    private var isOver = false

    /// A handler of a channel on that event loop, which nobody hears yet.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Tells someone what has come and comes, and in the end how the connection ended; to be called once.
    func start(_ hearer: Hearer) {
        self.hearer = hearer
        feed = NMEAFeed(notBefore: hearer.notBefore)
        goOn(.goOn)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        close()
    }

    func channelInactive(context: ChannelHandlerContext) { close() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = Ending.reason(of: error)
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
        guard !isOver, !hearings.isEmpty, let hearer else { return }
        switch hearer.listener(hearings) {
        case .taken(let demand): obey(demand)
        case .pending(let take):
            isBusy = true
            wait(for: take)
        }
    }

    private func wait(for take: @escaping @Sendable () async -> Demand) {
        let here = NIOLoopBound(self, eventLoop: eventLoop)
        Task { [eventLoop] in
            let demand = await take()
            eventLoop.execute { here.value.goOn(demand) }
        }
    }

    private func goOn(_ demand: Demand) {
        isBusy = false
        obey(demand)
        while !isBusy, !waiting.isEmpty { take(waiting.removeFirst()) }
        guard !isBusy else { return }
        if !isOpen { return end() }
        if wantsMore {
            wantsMore = false
            context?.read()
        }
    }

    private func obey(_ demand: Demand) {
        guard let hearer else { return }
        switch demand {
        case .goOn: break
        // What speaks next may be another receiver.
        case .silent where hearer.connection.outlivesSilence: feed = NMEAFeed(notBefore: hearer.notBefore)
        case .silent, .stop:
            isOver = true
            hearer.ending.succeed(.after("silent"))
            context?.close(promise: nil)
        }
    }

    private func close() {
        guard isOpen else { return }
        isOpen = false
        if !isBusy { end() }
    }

    private func end() {
        guard !isOver, let hearer else { return }
        isOver = true
        let ending = Ending.after(failure ?? hearer.connection.endMeans)
        let rest = feed.finish()
        guard !rest.isEmpty else { return hearer.ending.succeed(ending) }
        Task {
            _ = await hearer.listener(rest).demand
            hearer.ending.succeed(ending)
        }
    }
}
