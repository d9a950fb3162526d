import FeatureSupport
import RPC
import Synchronization
import TestSupport
import Testing
import Tracking
import WebClient

@testable import Store
@testable import Uplink

/// A board and its centre, two stores in one process, and the ways between them.
struct BoardAndCentre {
    let board: LocationDatabase
    let centre: CoreFixture
    /// The number of the board at the centre.
    let number: Int64
    /// The secret of the board, and the file where the board has it.
    let secret: String
    let secretFile: SecretFile
    private let folder: TemporaryFolder
    private let leaves: @Sendable (EventRecord) -> Bool

    /// Creates both, empty.
    ///
    /// - Parameter leaves: Whether the bytes of an event may leave the board.
    init(leaves: @escaping @Sendable (EventRecord) -> Bool) async throws {
        self.leaves = leaves
        board = try .fresh()
        centre = try CoreFixture()
        secret = try #require(try await centre.call("uplink.board", ["name": "van"])["secret"].text)
        number = try #require(try await BoardCentre(centre.context).board(secret: secret))
        folder = try TemporaryFolder()
        secretFile = SecretFile(try folder.file("secret", secret))
    }

    /// A signal that arrives once; the log does not grow afterwards.
    var once: AsyncStream<Void> {
        AsyncStream {
            $0.yield(); $0.finish()
        }
    }

    /// The way on which nothing is lost.
    var reliable: BoardUplink.Transport {
        { [context = centre.context, number] body in
            let answer = try await BoardCentre(context).receive(body, of: number)
            return WebReply(status: answer.status, body: answer.body)
        }
    }

    func uplink(_ transport: @escaping BoardUplink.Transport) -> BoardUplink {
        BoardUplink(store: board, leaves: leaves, clock: InstantClock(), transport: transport)
    }

    /// Creates a broker between the two, and the board's uplink over it.
    func broker(seed: UInt64 = 1, fates: [BadBroker.Fate] = [.arrives]) -> (broker: BadBroker, uplink: BoardUplink) {
        let broker = BadBroker(BoardCentre(centre.context), secret: secretFile, seed: seed, fates: fates)
        return (broker, BoardUplink(over: broker.exchange, store: board, leaves: leaves))
    }

    /// Sends over a bad broker, with a board that may die at each message, in rounds that each begin with `prepare`; at the
    /// end the broker is well.
    func sendOverBadBroker(
        rounds: Int, seed: UInt64, _ prepare: (_ round: Int) async throws -> Void
    ) async throws {
        var retained: [UInt8]?
        for round in 0...rounds {
            try await prepare(round)
            let isGood = round == rounds
            // Each round is another life of the board; the broker keeps what it has.
            let (broker, uplink) = broker(
                seed: seed &* 100 &+ UInt64(round), fates: isGood ? [.arrives] : BadBroker.Fate.allCases)
            broker.retained = retained
            await broker.run(uplink)
            retained = broker.retained
        }
    }

    /// Sends all that the board has.
    func send() async { await uplink(reliable).run(once) }

    /// What happens to one batch on its way.
    private enum Fate: CaseIterable {
        case arrives, isLost, answerIsLost, isDoubled, comesAfterAnOlderOne, boardDies, boardDiesAfterwards
    }

    /// Sends over a bad network, with a board that may die at each batch, in rounds that each begin with `prepare`.
    func sendBadly(rounds: Int, seed: UInt64, _ prepare: (_ round: Int) async throws -> Void) async throws {
        let generator = Mutex(SeededGenerator(seed: seed))
        let sent = Mutex<[[UInt8]]>([])
        let running = Mutex<Task<Void, Never>?>(nil)
        let reliable = reliable
        let transport: BoardUplink.Transport = { body in
            let (fate, older) = generator.withLock { generator in
                let older = sent.withLock { $0.randomElement(using: &generator) }
                return (Fate.allCases.randomElement(using: &generator) ?? .arrives, older)
            }
            sent.withLock { $0.append(body) }
            switch fate {
            case .arrives: break
            case .isLost: throw WebFailure("is away")
            case .answerIsLost:
                _ = try await reliable(body)
                throw WebFailure("is away")
            case .isDoubled: _ = try await reliable(body)
            case .comesAfterAnOlderOne: if let older { _ = try await reliable(older) }
            case .boardDies:
                running.withLock { $0 }?.cancel()
                throw CancellationError()
            case .boardDiesAfterwards:
                _ = try await reliable(body)
                running.withLock { $0 }?.cancel()
                throw CancellationError()
            }
            return try await reliable(body)
        }
        for round in 0..<rounds {
            try await prepare(round)
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let (uplink, updates) = (uplink(transport), once)
            let task = Task {
                for await _ in gate { break }
                await uplink.run(updates)
            }
            running.withLock { $0 = task }
            open.yield()
            await task.value
        }
    }
}
