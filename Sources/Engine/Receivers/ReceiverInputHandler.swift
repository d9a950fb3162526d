import NIOCore
import Positioning

/// Reads a connection on its event loop.
///
/// If the listener can process input at once, one call decodes and delivers it, and no task has to wake up. Otherwise
/// nothing more is read until the listener is done.
final class ReceiverInputHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteInput
    typealias OutboundIn = Never

    /// The recipient of a connection's input.
    struct Recipient: Sendable {
        let connection: NMEAConnection
        let rollover: WeekRollover
        let ending: EventLoopPromise<ConnectionEnd>
        let listener: Listener
    }

    private let eventLoop: any EventLoop
    /// The recipient; `nil` until ``start(_:)``.
    private var recipient: Recipient?
    private var feed = SenderFeeds(WeekRollover(notBefore: nil))
    private var failure: String?
    private var context: ChannelHandlerContext?
    /// Whether the listener is processing input, or there is no listener yet.
    private var isBusy = true
    /// The input that has arrived while the listener was busy.
    private var waiting: [ByteInput] = []
    /// Whether the channel has asked for more input while the listener was busy.
    private var wantsMore = false
    private var isOpen = true
    private var isOver = false

    /// Creates a handler without a recipient, for a channel on the given event loop.
    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Delivers past and future input to a recipient, and finally the ending of the connection.
    ///
    /// Call this once.
    func start(_ recipient: Recipient) {
        self.recipient = recipient
        feed = SenderFeeds(recipient.rollover)
        goOn(.goOn)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        close()
    }

    func channelInactive(context: ChannelHandlerContext) { close() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = ConnectionEnd.reason(of: error)
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if isBusy { wantsMore = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let input = unwrapInboundIn(data)
        if isBusy { waiting.append(input) } else { process(input) }
    }

    private func process(_ input: ByteInput) {
        let inputs = feed.process(input)
        guard !isOver, !inputs.isEmpty, let recipient else { return }
        switch recipient.listener(inputs) {
        case .taken(let demand): obey(demand)
        case .pending(let receive):
            isBusy = true
            wait(for: receive)
        }
    }

    private func wait(for receive: @escaping @Sendable () async -> Demand) {
        let here = NIOLoopBound(self, eventLoop: eventLoop)
        Task { [eventLoop] in
            let demand = await receive()
            eventLoop.execute { here.value.goOn(demand) }
        }
    }

    private func goOn(_ demand: Demand) {
        isBusy = false
        obey(demand)
        while !isBusy, !waiting.isEmpty { process(waiting.removeFirst()) }
        guard !isBusy else { return }
        if !isOpen { return end() }
        if wantsMore {
            wantsMore = false
            context?.read()
        }
    }

    private func obey(_ demand: Demand) {
        guard let recipient else { return }
        switch demand {
        case .goOn: break
        // The next input may come from another receiver.
        case .silent where recipient.connection.outlivesSilence: feed = SenderFeeds(recipient.rollover)
        case .silent, .stop:
            isOver = true
            recipient.ending.succeed(.after("silent"))
            context?.close(promise: nil)
        }
    }

    private func close() {
        guard isOpen else { return }
        isOpen = false
        if !isBusy { end() }
    }

    private func end() {
        guard !isOver, let recipient else { return }
        isOver = true
        let ending = ConnectionEnd.after(failure ?? recipient.connection.closeReason)
        let rest = feed.finish()
        guard !rest.isEmpty else { return recipient.ending.succeed(ending) }
        Task {
            _ = await recipient.listener(rest).demand
            recipient.ending.succeed(ending)
        }
    }
}
