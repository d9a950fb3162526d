import NIOCore
import TextCoding

/// Sends what a subscription says, as fast as its connection takes it.
struct SubscriptionPump {
    let subscription: Subscription
    let journal: any EventJournal
    let output: ConnectionOutput
    let eventLoop: any EventLoop
    /// Told of what the journal throws.
    let report: @Sendable (any Error) -> Void

    /// Runs until the subscription ends.
    ///
    /// - Throws: what reading the journal or sending throws; the connection cannot go on then.
    func run() async throws {
        defer { subscription.finish() }
        let opening = Array(
            #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"\#(subscription.name)","event":"#.utf8)
        while true {
            switch subscription.next() {
            case .send(let messages): try await output.deliver(lines(messages, opening))
            case .read(let seq, let limit):
                subscription.supply(try await read(after: seq, limit), limit: limit)
            case .wait(let deadline): await wait(until: deadline)
            case .end: return
            case .lost: throw SocketError(.disconnected, "The log was trimmed faster than it was read.")
            }
        }
    }

    private func read(after seq: Int64, _ limit: Int) async throws -> [JournalEntry] {
        do {
            return try await journal.read(after: seq, limit: limit)
        } catch {
            report(error)
            throw error
        }
    }

    /// The messages as lines, in one buffer.
    ///
    /// An event's text was made once, when it was committed, and the opening once for the subscription; so a line
    /// costs no more than copying it.
    private func lines(_ messages: [SubscriptionState.Message], _ opening: [UInt8]) -> ByteBuffer {
        let closing = Array("}}\n".utf8)
        let size = messages.reduce(0) { size, message in
            if case .event(let text) = message { size + opening.count + text.count + closing.count } else { size + 128 }
        }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(size)
        for message in messages {
            switch message {
            case .event(let text):
                buffer.writeBytes(opening)
                buffer.writeBytes(text)
                buffer.writeBytes(closing)
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

    private func wait(until deadline: ContinuousClock.Instant?) async {
        guard let deadline else { return await subscription.wait() }
        let delay = ContinuousClock.now.duration(to: deadline)
        let timer = eventLoop.scheduleTask(in: TimeAmount(delay)) { subscription.wake() }
        await subscription.wait()
        timer.cancel()
    }
}
