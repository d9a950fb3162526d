import NIOCore
import TextCoding

/// Sends what a subscription says, as fast as its connection takes it.
///
/// It works on the connection's event loop alone, where each step costs a call and no task: what is published wakes an
/// event loop once, however many subscribers it has.
final class SubscriptionPump: Sendable {
    private let subscription: Subscription
    private let journal: any EventJournal
    private let channel: any Channel
    private let opening: [UInt8]
    /// Told of what the journal throws.
    private let report: @Sendable (any Error) -> Void
    private let timer: NIOLoopBoundBox<Timer?>

    /// What looks again when something falls due.
    private struct Timer: Sendable {
        var deadline: ContinuousClock.Instant
        var task: Scheduled<Void>
    }

    /// A pump from a subscription into a channel; ``Subscription/start(_:)`` makes it work.
    init(
        _ subscription: Subscription, _ journal: any EventJournal, _ channel: any Channel,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.subscription = subscription
        self.journal = journal
        self.channel = channel
        self.report = report
        opening = Array(
            #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"\#(subscription.name)","event":"#.utf8)
        timer = .makeBoxSendingValue(nil, eventLoop: channel.eventLoop)
    }

    /// How many bytes may wait in a channel while more are added: a few live events, that rarely have to wait.
    static let unsent = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 4096)

    /// Lets pumps work that were idle.
    static func run(_ pumps: [SubscriptionPump]) {
        var rest = pumps[...]
        while let eventLoop = rest.first?.channel.eventLoop {
            let here = rest.filter { $0.channel.eventLoop === eventLoop }
            if here.count < rest.count { rest.removeAll { $0.channel.eventLoop === eventLoop } } else { rest = [] }
            eventLoop.execute { for pump in here { pump.work() } }
        }
    }

    /// How many batches are sent before it is others' turn.
    private static let turn = 4

    /// Does what is next; where that takes a while, comes back when it is done.
    private func work() {
        for _ in 0..<Self.turn {
            switch subscription.next() {
            case .send(let messages):
                channel.writeAndFlush(lines(messages), promise: nil)
                // What is left over is written when the reader goes on, and nothing is added before.
                guard channel.isWritable else { return waitUntilSent() }
            case .read(let seq, let limit): return read(after: seq, limit)
            case .wait(let deadline): return wait(until: deadline)
            case .end: return finish()
            // The log was trimmed faster than it was read.
            case .lost: return fail()
            }
        }
        channel.eventLoop.execute { self.work() }
    }

    private func waitUntilSent() {
        let sent = channel.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { result in
            if case .success = result { self.channel.eventLoop.execute { self.work() } } else { self.fail() }
        }
        channel.writeAndFlush(ByteBuffer(), promise: sent)
    }

    private func finish() {
        timer.value?.task.cancel()
        timer.value = nil
        subscription.finish()
    }

    /// The connection cannot go on.
    private func fail() {
        channel.close(promise: nil)
        finish()
    }

    private func read(after seq: Int64, _ limit: Int) {
        let eventLoop = channel.eventLoop
        Task {
            do {
                let page = try await journal.read(after: seq, limit: limit)
                subscription.supply(page, limit: limit)
                eventLoop.execute { self.work() }
            } catch {
                report(error)
                eventLoop.execute { self.fail() }
            }
        }
    }

    private func wait(until deadline: ContinuousClock.Instant?) {
        guard deadline != timer.value?.deadline else { return }
        timer.value?.task.cancel()
        timer.value = deadline.map { deadline in
            let task = channel.eventLoop.scheduleTask(in: TimeAmount(ContinuousClock.now.duration(to: deadline))) {
                self.timer.value = nil
                self.subscription.wake()
            }
            return Timer(deadline: deadline, task: task)
        }
    }

    /// The messages as lines, in one buffer.
    ///
    /// An event's text was made once, when it was committed, and the opening once for the subscription; so a line
    /// costs no more than copying it.
    private func lines(_ messages: [SubscriptionState.Message]) -> ByteBuffer {
        let closing = StaticString("}}\n")
        let size = messages.reduce(0) { size, message in
            if case .event(let text) = message {
                size + opening.count + text.count + closing.utf8CodeUnitCount
            } else {
                size + 128
            }
        }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(size)
        for message in messages {
            switch message {
            case .event(let text):
                buffer.writeBytes(opening)
                buffer.writeBytes(text)
                buffer.writeStaticString(closing)
            case .cursor(let seq):
                var json = JSONWriter()
                json.object { json in
                    json.member("jsonrpc", "2.0")
                    json.member("method", "cursor")
                    json.object("params") { json in
                        json.member("subscription", subscription.name)
                        json.member("seq", seq)
                    }
                }
                buffer.writeBytes(json.bytes)
                buffer.writeInteger(UInt8(ascii: "\n"))
            }
        }
        return buffer
    }
}
