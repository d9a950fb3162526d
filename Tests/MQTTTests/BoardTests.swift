import Synchronization
import TestSupport
import Testing

@testable import MQTT

/// The topics of boards.
@Suite struct BoardTopicTests {
    @Test(arguments: [
        ("waymark/+", "waymark/van/events", "van", BoardLane.events), ("waymark/+", "waymark/van/trace", "van", .trace),
        ("fleet/+/north", "fleet/van/north/events", "van", .events),
    ])
    func aTopicNamesItsBoard(_ filter: String, _ topic: String, _ board: String, _ lane: BoardLane) throws {
        let topics = try #require(BoardTopics(filter))
        let found = try #require(topics.board(of: topic))
        #expect(found.name == board && found.lane == lane)
    }

    @Test(arguments: [
        "waymark/van/ack", "waymark/van/event/trip.end", "waymark/van/status", "waymark//events", "waymark/events",
        "other/van/events", "waymark/van/x/events", "", "waymark/van/events/",
    ])
    func otherTopicsAreThoseOfNoBoard(_ topic: String) throws {
        #expect(try #require(BoardTopics("waymark/+")).board(of: topic) == nil)
    }

    @Test func aFilterTellsWhatToSubscribeToAndWhereToAnswer() throws {
        let topics = try #require(BoardTopics("fleet/+/north"))
        #expect(topics.filters == ["fleet/+/north/events", "fleet/+/north/trace"])
        #expect(topics.answers(to: "van") == "fleet/van/north/ack")
    }

    @Test(arguments: [
        "", "+", "+/waymark", "waymark/#", "waymark", "waymark/+/+", "waymark//+", "$share/x/+", "a/+/ b",
    ])
    func whatIsNoFilterOfBoardsIsRefused(_ filter: String) throws {
        #expect(BoardTopics(filter) == nil)
        var settings = MQTTSettings(broker: try #require(BrokerAddress("mqtt://a")))
        settings.boards = filter
        #expect(settings.refusal?.key == "mqtt.boards")
    }
}

/// A centre that takes what begins with `good`, and answers with the name of the board and what it has read.
private final class Centre: BoardMessages {
    let longestMessage = 70_000
    private let state = Mutex<[(name: String, lane: BoardLane, count: Int)]>([])
    private let (changes, reporter) = AsyncStream.makeStream(of: Void.self)

    var taken: [(name: String, lane: BoardLane, count: Int)] { state.withLock { $0 } }

    func receive(_ payload: [UInt8], from lane: BoardLane, of board: String) async -> BoardReply {
        state.withLock { $0.append((board, lane, payload.count)) }
        defer { reporter.yield() }
        let isGood = payload.starts(with: Array("good".utf8))
        return BoardReply(Array("\(board) \(payload.count)".utf8), isRetained: isGood, isTaken: isGood)
    }

    func wait(for count: Int) async {
        guard taken.count < count else { return }
        for await _ in changes where taken.count >= count { return }
    }
}

/// The board's side of an uplink, which notes what it is told.
private final class Board: UplinkMessages {
    enum Note: Equatable, Sendable {
        case opened
        case answer(String)
        case reason(Int32)
        case closed
    }

    private let state = Mutex<(publish: Publish?, number: Int32?)>((nil, nil))
    let (notes, reporter) = AsyncStream.makeStream(of: Note.self)

    func open(_ publish: @escaping Publish) async {
        state.withLock { $0.publish = publish }
        reporter.yield(.opened)
    }

    func receive(_ answer: [UInt8]) async { reporter.yield(.answer(String(decoding: answer, as: UTF8.self))) }

    func note(_ number: Int32, reason: Int32) async {
        if state.withLock({ $0.number == number }) { reporter.yield(.reason(reason)) }
    }

    func close(_ reason: String) async { reporter.yield(.closed) }

    func send(_ text: String, _ lane: BoardLane = .events) {
        state.withLock { state in state.number = state.publish?(Array(text.utf8), lane) }
    }

    /// Waits for a note.
    func wait(for note: Note) async {
        for await found in notes where found == note { return }
    }
}

/// The uplink over a real broker.
@Suite(.slow, .withBroker, .timeLimit(.minutes(5))) struct BoardTests {
    private static func settings(_ broker: Broker, boards: String? = nil) throws -> MQTTSettings {
        var settings = MQTTSettings(broker: try #require(BrokerAddress("mqtt://127.0.0.1:\(broker.port)")))
        settings.boards = boards
        return settings
    }

    @Test(arguments: [BrokerConnection.Version.mqtt5, .mqtt311])
    func messagesComeWithTheBoardOfTheirTopicAndAreAnswered(_ version: BrokerConnection.Version) async throws {
        let broker = try await Broker()
        let settings = try Self.settings(broker, boards: "waymark/+")
        let (centre, board) = (Centre(), Board())
        let scene = try await Scene(settings, newest: version, centre: centre, topic: "waymark/centre")
        let van = try await Scene(try Self.settings(broker), newest: version, uplink: board)
        try await scene.run {
            let observer = try await Observer(settings)
            await observer.receive { $0.text("waymark/centre/status") == "online" }
            try await van.run {
                await board.wait(for: .opened)
                board.send("good")
                await board.wait(for: .answer("van 4"))
                board.send("good one", .trace)
                await board.wait(for: .answer("van 8"))
                observer.publish("bad", to: "waymark/bus/events")
                observer.publish("good", to: "waymark/van/ack/x")
                observer.publish(String(repeating: "x", count: 200_000), to: "waymark/bus/events")
                await observer.receive { $0.text("waymark/bus/ack") == "bus 70001" }
            }
            await board.wait(for: .closed)
            // Only the answer to a good message is kept.
            let other = try await Observer(settings, as: "other")
            await other.receive { $0.latest["waymark/van/ack"] != nil }
            #expect(other.text("waymark/van/ack") == "van 8")
            #expect(other.latest["waymark/bus/ack"] == nil)
        }
        #expect(centre.taken.map(\.count) == [4, 8, 3, 70_001])
        #expect(centre.taken.map(\.lane) == [.events, .trace, .events, .events])
        #expect(scene.publisher.state.handed == 2 && scene.publisher.state.rejected == 2)
    }

    @Test func theBrokerSaysThatNobodySubscribes() async throws {
        let broker = try await Broker()
        let board = Board()
        let scene = try await Scene(try Self.settings(broker), newest: .mqtt5, uplink: board)
        try await scene.run {
            await board.wait(for: .opened)
            board.send("good")
            await board.wait(for: .reason(0x10))
        }
    }

    @Test func theKeptAnswerComesAfterEachConnection() async throws {
        let broker = try await Broker { folder in
            "allow_anonymous true\npersistence true\nautosave_on_changes true\nautosave_interval 1\n"
                + "persistence_location \(folder.path)/"
        }
        let settings = try Self.settings(broker)
        let observer = try await Observer(settings)
        observer.publish("seven", to: "waymark/van/ack", isRetained: true)
        await observer.receive { $0.text("waymark/van/ack") == "seven" }
        let board = Board()
        let scene = try await Scene(settings, uplink: board)
        try await scene.run {
            await board.wait(for: .opened)
            await board.wait(for: .answer("seven"))
            await broker.kill()
            await board.wait(for: .closed)
            try await broker.start()
            await board.wait(for: .opened)
            await board.wait(for: .answer("seven"))
        }
    }

    @Test func whatComesWhileTheCentreIsAwayWaitsAtTheBroker() async throws {
        let broker = try await Broker()
        let settings = try Self.settings(broker, boards: "waymark/+")
        let observer = try await Observer(settings)
        let first = try await Scene(settings, centre: Centre(), topic: "waymark/centre")
        try await first.run { await observer.receive { $0.text("waymark/centre/status") == "online" } }
        await observer.receive { $0.text("waymark/centre/status") == "offline" }
        observer.publish("good", to: "waymark/van/events")
        observer.publish("", to: "observer/sent")
        await observer.receive { $0.latest["observer/sent"] != nil }
        let centre = Centre()
        let second = try await Scene(settings, centre: centre, topic: "waymark/centre")
        try await second.run { await observer.receive { $0.text("waymark/van/ack") == "van 4" } }
        #expect(centre.taken.map(\.name) == ["van"])
    }
}
