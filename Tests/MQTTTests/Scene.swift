import Callers
import EventStream
import Geodesy
import Positioning
import RPC
import Synchronization
import TestSupport
import Time
import Tracking

@testable import MQTT

/// A publisher with a log and devices of its own.
struct Scene {
    let journal = Journal()
    let hub: EventHub
    let devices = Devices()
    let publisher: MQTTPublisher
    /// What was reported: what is wrong, or `nil` when all is well.
    let reports: AsyncStream<BrokerFault?>

    static let now = Timestamp(milliseconds: 1_800_000_000_000)

    /// Creates a publisher whose pauses are short, below the topic `waymark/van` unless it is another one.
    ///
    /// - Parameter newest: The version to try first; by default that of the door.
    init(
        _ settings: MQTTSettings, patience: Duration = .seconds(3_600), newest: BrokerConnection.Version? = nil,
        receiver: (any PhoneMessages)? = nil, centre: (any BoardMessages)? = nil, uplink: (any UplinkMessages)? = nil,
        topic: String = "waymark/van"
    ) async throws {
        hub = try await EventHub(journal: journal)
        var settings = settings
        settings.topic = topic
        let (stream, reporter) = AsyncStream.makeStream(of: BrokerFault?.self)
        reports = stream
        var clocks = MQTTPublisher.Clocks(time: { Self.now })
        clocks.pause = { _ in .milliseconds(5) }
        clocks.retry = .milliseconds(1)
        clocks.patience = patience
        publisher = MQTTPublisher(
            settings, hub: hub, source: devices, receiver: receiver, centre: centre, uplink: uplink,
            machine: "ignored", program: "1", clocks: clocks,
            newest: newest
        ) { reporter.yield($0) }
    }

    /// Publishes an event, as a commit does.
    @discardableResult
    func tell(_ type: String, secondsAgo: Double = 0, note: String = "") -> EventRecord {
        let time = Self.now.advanced(byMilliseconds: -Int64(secondsAgo * 1000))
        let event = journal.commit { seq in
            EventRecord(
                seq: seq, type: type, device: "gps0",
                line: Array(
                    #"{"seq":\#(seq),"type":"\#(type)","time":"\#(time)","device":"gps0","note":"\#(note)"}"#.utf8))
        }
        hub.publish([event])
        return event
    }

    /// Runs the publisher while `body` runs, and until it has ended.
    func run(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [publisher] in await publisher.run() }
            try await body()
            group.cancelAll()
        }
    }

    /// The first report that is a fault.
    func fault() async -> BrokerFault? {
        for await report in reports { if let report { return report } }
        return nil
    }
}

/// The devices that the broker is told of.
final class Devices: DeviceReports {
    private let current = Mutex([Devices.van])

    static let van: DeviceReport = {
        var fix = Fix(time: Scene.now, coordinate: Coordinate(latitude: 52.373056, longitude: 4.892222).known)
        fix.speed = .metersPerSecond(12.5)
        return DeviceReport(
            name: "gps0", title: "Our van", fix: fix, isMoving: true, distanceToday: .meters(15_240),
            trip: "gps0@2027-01-15T08:00:00.000Z")
    }()

    func set(_ devices: [DeviceReport]) { current.withLock { $0 = devices } }

    func reports() async throws -> [DeviceReport] { current.withLock { $0 } }
}

/// A log in memory.
final class Journal: EventJournal {
    private let events = Mutex<[EventRecord]>([])

    func bounds() async throws -> JournalBounds {
        events.withLock { JournalBounds(log: "test", first: 1, last: Int64($0.count)) }
    }

    func read(after seq: Int64, limit: Int, for caller: Principal) async throws -> [EventRecord] {
        events.withLock { Array($0.dropFirst(Int(seq)).prefix(limit)) }
    }

    func commit(_ make: (Int64) -> EventRecord) -> EventRecord {
        events.withLock { events in
            let event = make(Int64(events.count) + 1)
            events.append(event)
            return event
        }
    }
}

/// A client that receives everything.
final class Observer {
    private let connection: BrokerConnection
    private var signals: AsyncStream<BrokerSignal>.Iterator
    /// The last message of each topic.
    private(set) var latest: [String: [UInt8]] = [:]
    /// All messages, oldest first.
    private(set) var all: [(topic: String, payload: [UInt8], isRetained: Bool)] = []

    init(_ settings: MQTTSettings, as name: String = "observer") async throws {
        var settings = settings
        // It needs no session of its own.
        settings.boards = nil
        connection = try BrokerConnection(
            to: settings, as: name, password: Array("right".utf8),
            will: .init(topic: "observer/will", payload: []), version: .mqtt5)
        signals = connection.signals.makeAsyncIterator()
        connection.open()
        while let signal = await signals.next() {
            guard case .accepted = signal else { continue }
            connection.subscribe(to: "#", onlyRetained: false)
            // The broker takes the messages of one connection in order, so the subscription holds when this is back.
            publish("", to: "observer/ready")
            await receive { $0.latest["observer/ready"] != nil }
            return
        }
        throw Broker.Failure(description: "the observer was refused")
    }

    deinit { connection.close() }

    func publish(_ text: String, to topic: String, isRetained: Bool = false) {
        _ = connection.publish(Array(text.utf8), to: topic, qos: 1, isRetained: isRetained)
    }

    /// Receives messages until a condition holds.
    func receive(until isDone: (Observer) -> Bool) async {
        while !isDone(self), let signal = await signals.next() {
            guard case .message(let topic, let payload, let isRetained) = signal else { continue }
            connection.noteTaken()
            latest[topic] = payload
            all.append((topic, payload, isRetained))
        }
    }

    func text(_ topic: String) -> String? { latest[topic].map { String(decoding: $0, as: UTF8.self) } }

    func json(_ topic: String) -> JSONValue? { latest[topic].flatMap { try? JSONValue(parsing: $0.span) } }
}
