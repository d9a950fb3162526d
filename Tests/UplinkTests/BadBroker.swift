import FeatureSupport
import MQTT
import Synchronization
import TestSupport
import WebClient

@testable import Uplink

/// A broker between a board and its centre, in one process, which loses, doubles and delays what it carries.
final class BadBroker: Sendable {
    let exchange: BrokerExchange
    private let centre: BoardCentre
    private let clock = PatientClock()
    private let state: Mutex<State>
    private let (messages, inlet) = AsyncStream.makeStream(of: Message.self)

    private struct Message: Sendable {
        var number: Int32
        var payload: [UInt8]
        var lane: BoardLane
    }

    private struct State {
        var generator: SeededGenerator
        var fates: [Fate]
        var number: Int32 = 0
        var sent: [Message] = []
        var answers: [[UInt8]] = []
        var retained: [UInt8]?
        var board: Task<Void, Never>?
    }

    /// What happens to one message on its way.
    enum Fate: CaseIterable {
        case arrives, isLost, answerIsLost, isDoubled, comesAfterAnOlderOne, answerComesAfterAnOlderOne, hasNoReceiver
        case linkEnds, linkEndsAfterwards, brokerForgets, comesWithNonsense, boardDies, boardDiesAfterwards
        case isHeardAndThenLost
    }

    /// Creates a broker that keeps nothing yet.
    ///
    /// - Parameter fates: What may happen.
    init(_ centre: BoardCentre, secret: SecretFile, seed: UInt64 = 1, fates: [Fate] = [.arrives]) {
        self.centre = centre
        exchange = BrokerExchange(secret: secret, topic: "waymark/van", clock: clock)
        state = Mutex(State(generator: SeededGenerator(seed: seed), fates: fates))
    }

    /// The payloads of the board's messages so far.
    var sent: [[UInt8]] { state.withLock { $0.sent.map(\.payload) } }
    /// The answer that the broker keeps.
    var retained: [UInt8]? {
        get { state.withLock { $0.retained } }
        set { state.withLock { $0.retained = newValue } }
    }

    /// Lets whatever happens to the messages from now on.
    func change(_ fates: [Fate]) { state.withLock { $0.fates = fates } }

    /// Hands the board's events to the centre until nothing is left, or the board dies.
    func run(_ uplink: BoardUplink, _ told: @escaping @Sendable (BoardUplink.Report) -> Void = { _ in }) async {
        await connect()
        let carrier = Task { for await message in messages { await carry(message) } }
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let once = AsyncStream<Void> {
            $0.yield(); $0.finish()
        }
        let board = Task {
            for await _ in gate { break }
            await uplink.run(once, told: told)
        }
        state.withLock { $0.board = board }
        open.yield()
        await board.value
        carrier.cancel()
        await carrier.value
        await exchange.close("has ended")
    }

    private func connect() async {
        await exchange.open { [self] payload, lane in
            let message = state.withLock { state in
                state.number += 1
                let message = Message(number: state.number, payload: payload, lane: lane)
                state.sent.append(message)
                return message
            }
            inlet.yield(message)
            return message.number
        }
        if let retained { await exchange.receive(retained) }
    }

    private func carry(_ message: Message) async {
        let (fate, older, answer) = state.withLock { state in
            (
                state.fates.randomElement(using: &state.generator) ?? .arrives,
                state.sent.randomElement(using: &state.generator), state.answers.randomElement(using: &state.generator)
            )
        }
        switch fate {
        case .arrives: await answers(to: message)
        case .isLost: clock.pass()
        case .answerIsLost:
            await answers(to: message, isHeard: false)
            clock.pass()
        case .isDoubled:
            await answers(to: message)
            await answers(to: message)
        case .comesAfterAnOlderOne:
            if let older { await answers(to: older) }
            await answers(to: message)
        case .answerComesAfterAnOlderOne:
            if let answer { await exchange.receive(answer) }
            await answers(to: message)
        case .isHeardAndThenLost:
            await answers(to: message)
            clock.pass()
        case .hasNoReceiver:
            await exchange.note(message.number, reason: 0x10)
            clock.pass()
        case .linkEnds:
            await exchange.close("has ended")
            await connect()
        case .linkEndsAfterwards:
            await answers(to: message, isHeard: false)
            await exchange.close("has ended")
            await connect()
        case .brokerForgets:
            // Killed without a copy on its disk, it has an old answer or none.
            retained = answer
            await exchange.close("has ended")
            await connect()
        case .comesWithNonsense:
            await exchange.receive(Array("nonsense".utf8))
            await exchange.receive(message.payload)
            await answers(to: message)
        case .boardDies: state.withLock { $0.board }?.cancel()
        case .boardDiesAfterwards:
            await answers(to: message, isHeard: false)
            state.withLock { $0.board }?.cancel()
        }
    }

    private func answers(to message: Message, isHeard: Bool = true) async {
        let (reply, _) = await centre.receive(message.payload, from: message.lane, of: "van")
        guard let answer = reply.payload else { return clock.pass() }
        state.withLock { state in
            state.answers.append(answer)
            if reply.isRetained { state.retained = answer }
        }
        if isHeard { await exchange.receive(answer) }
    }
}

/// A clock on which the patience for an answer ends when it is told to, and every other sleep at once.
final class PatientClock: Clock, Sendable {
    typealias Instant = InstantClock.Instant

    private struct State {
        var passes = 0
        var sleepers: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    let now = InstantClock().now
    let minimumResolution = Duration.zero

    /// Ends the patience for one answer.
    func pass() {
        state.withLock { state in
            guard let (number, sleeper) = state.sleepers.first else {
                state.passes += 1
                return
            }
            state.sleepers[number] = nil
            sleeper.finish()
        }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        guard now.duration(to: deadline) == .seconds(30) else { return }
        let (stream, sleeper) = AsyncStream.makeStream(of: Void.self)
        let number: Int? = state.withLock { state in
            if state.passes > 0 {
                state.passes -= 1
                return nil
            }
            state.count += 1
            state.sleepers[state.count] = sleeper
            return state.count
        }
        guard let number else { return }
        for await _ in stream {}
        state.withLock { $0.sleepers[number] = nil }
        try Task.checkCancellation()
    }
}
