import Glibc
import Synchronization
import TestSupport
import Testing

@testable import MQTT

/// The topics of phones, and the way of their messages.
@Suite struct PhoneTopicTests {
    @Test(arguments: [
        ("owntracks/+/+", "owntracks/ada/phone", "ada/phone"),
        ("owntracks/+/+", "owntracks/ada/phone/event", "ada/phone"),
        ("owntracks/+/+", "owntracks/ada/phone/cmd", nil), ("owntracks/+/+", "owntracks/ada", nil),
        ("owntracks/+/+", "owntracks//phone", nil), ("owntracks/+/+", "other/ada/phone", nil),
        ("owntracks/+/+", "owntracks/ada/event", "ada/event"), ("owntracks/ada/+", "owntracks/ada/phone", "phone"),
        ("owntracks/ada/+", "owntracks/bob/phone", nil), ("a/+/phone", "a/ada/phone", "ada"),
    ])
    func aTopicNamesItsDevice(_ filter: String, _ topic: String, _ device: String?) throws {
        #expect(try #require(PhoneTopics(filter)).device(of: topic) == device)
    }

    @Test(arguments: ["", "+", "+/+", "owntracks/#", "owntracks/ada", "owntracks//+", "a/+b", "$share/x/+", "a/+/ b"])
    func whatIsNoFilterOfPhonesIsRefused(_ filter: String) throws {
        #expect(PhoneTopics(filter) == nil)
        var settings = MQTTSettings(broker: try #require(BrokerAddress("mqtt://a")))
        settings.phones = filter
        #expect(settings.refusal?.key == "mqtt.phones")
    }
}

/// Takes the messages of phones, and refuses them as long as a test wants.
private final class Receiver: PhoneMessages {
    private struct State {
        var taken: [(device: String, payload: [UInt8])] = []
        var failures = 0
    }

    private let state = Mutex(State())
    private let (changes, reporter) = AsyncStream.makeStream(of: Void.self)

    struct Full: Error {}

    init(failures: Int = 0) { state.withLock { $0.failures = failures } }

    var taken: [(device: String, payload: [UInt8])] { state.withLock { $0.taken } }

    func receive(_ payload: [UInt8], of device: String) async throws -> Bool {
        defer { reporter.yield() }
        return try state.withLock { state in
            guard state.failures == 0 else {
                state.failures -= 1
                throw Full()
            }
            state.taken.append((device, payload))
            return device != "stranger/phone"
        }
    }

    /// Waits until so many messages were taken.
    func wait(for count: Int) async {
        for await _ in changes where taken.count >= count { return }
    }
}

/// The way of a phone's message from a real broker.
@Suite(.slow, .withBroker, .timeLimit(.minutes(5))) struct PhoneTests {
    private static func settings(_ broker: Broker) throws -> MQTTSettings {
        var settings = MQTTSettings(broker: try #require(BrokerAddress("mqtt://127.0.0.1:\(broker.port)")))
        settings.phones = "owntracks/+/+"
        return settings
    }

    private static func texts(_ receiver: Receiver) -> [String] {
        receiver.taken.map { "\($0.device) \(String(decoding: $0.payload.prefix(20), as: UTF8.self))" }
    }

    @Test func messagesComeInOrderWithTheDeviceOfTheirTopic() async throws {
        let broker = try await Broker()
        let settings = try Self.settings(broker)
        let receiver = Receiver()
        let scene = try await Scene(settings, receiver: receiver)
        try await scene.run {
            let observer = try await Observer(settings)
            await observer.receive { $0.text("waymark/van/status") == "online" }
            for index in 0..<300 { observer.publish("\(index)", to: "owntracks/ada/phone") }
            observer.publish("in", to: "owntracks/ada/phone/event")
            observer.publish("x", to: "owntracks/stranger/phone")
            observer.publish("no", to: "owntracks/ada/phone/cmd")
            observer.publish(String(repeating: "x", count: 100_000), to: "owntracks/ada/phone")
            // A client that takes no messages reads no acknowledgements either.
            await observer.receive { $0.latest["owntracks/ada/phone"]?.count == 65_536 }
            await receiver.wait(for: 303)
            let wanted = (0..<300).map { "ada/phone \($0)" } + ["ada/phone in", "stranger/phone x"]
            let texts = Self.texts(receiver)
            #expect(Array(texts.prefix(302)) == wanted, "\(texts.count)")
            #expect(receiver.taken.last?.payload.count == 65_536)
        }
        #expect(scene.publisher.state.received == 302 && scene.publisher.state.strangers == 1)
    }

    @Test func whatComesWhileNobodyListensOrCannotBeWrittenWaitsAtTheBroker() async throws {
        let broker = try await Broker { folder in
            "allow_anonymous true\nmax_queued_messages 0\npersistence true\npersistence_location \(folder.path)/"
        }
        let settings = try Self.settings(broker)
        // The first connection only subscribes.
        let first = try await Scene(settings, receiver: Receiver())
        let observer = try await Observer(settings)
        try await first.run { await observer.receive { $0.text("waymark/van/status") == "online" } }
        await observer.receive { $0.text("waymark/van/status") == "offline" }
        for index in 0..<100 { observer.publish("\(index)", to: "owntracks/ada/phone") }
        observer.publish("", to: "observer/sent")
        await observer.receive { $0.latest["observer/sent"] != nil }
        // Nothing can be written for a while, so the broker must send it again.
        let receiver = Receiver(failures: 17)
        let second = try await Scene(settings, receiver: receiver)
        try await second.run { await receiver.wait(for: 100) }
        var seen: [String] = []
        for text in Self.texts(receiver) where !seen.contains(text) { seen.append(text) }
        #expect(seen == (0..<100).map { "ada/phone \($0)" })
    }

    @Test func aFloodIsReadNoFasterThanItIsTaken() async throws {
        // A broker that accepts every connection, and sends as much as the connection takes.
        let payload = [UInt8](repeating: 0x78, count: 8_000)
        let topic = Array("owntracks/ada/phone".utf8)
        let size = 2 + topic.count + payload.count
        let packet =
            [0x30, UInt8(size & 0x7F | 0x80), UInt8(size >> 7), 0, UInt8(topic.count)] + topic + payload
        let sent = Mutex(0)
        let listener = try Listener { connection in
            _ = Listener.read(connection)
            Listener.write([0x20, 0x02, 0x00, 0x00], to: connection)
            while unsafe send(connection, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count {
                sent.withLock { $0 += 1 }
            }
        }
        var settings = MQTTSettings(broker: try #require(BrokerAddress("mqtt://127.0.0.1:\(listener.port)")))
        settings.phones = "owntracks/+/+"
        let receiver = Receiver()
        let scene = try await Scene(settings, receiver: receiver)
        try await scene.run {
            await receiver.wait(for: 1_000)
            // What is on the way fits in the buffers of two sockets.
            #expect(sent.withLock { $0 } - receiver.taken.count < 2_000)
        }
    }

    @Test func anInboxHasAnEnd() {
        let inbox = BrokerInbox()
        var count = 0
        while inbox.add(bytes: 65_536, qos: 1) { count += 1 }
        #expect(count < 100 && inbox.isHolding && !inbox.isEmpty)
        for _ in 0..<count { inbox.remove() }
        #expect(!inbox.isHolding && inbox.isEmpty)
        inbox.remove()
        let isAdded = inbox.add(bytes: 10, qos: 0)
        #expect(isAdded && !inbox.isHolding)
    }
}
