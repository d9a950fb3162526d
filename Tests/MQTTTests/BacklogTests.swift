import RPC
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import MQTT

/// Events of a long time without a broker.
@Suite(.slow, .withLibrary, .timeLimit(.minutes(5))) struct BacklogTests {
    /// More events than a van tells in a week.
    private static let count: Int64 = 5_000

    @Test func theEventsOfAWeekFollowOnceEachInOrder() async throws {
        let isThere = Mutex(false)
        let received = Mutex<[JSONValue]>([])
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let broker = try Listener { connection in
            guard isThere.withLock({ $0 }) else { return }
            Acknowledger { topic, payload in
                guard topic.contains("/event/"), let event = try? JSONValue(parsing: payload.span) else { return }
                received.withLock { $0.append(event["seq"] ?? .null) }
                arrival.yield()
            }.serve(connection)
        }
        var settings = MQTTSettings(broker: try #require(BrokerAddress("mqtt://127.0.0.1:\(broker.port)")))
        settings.homeAssistant = nil
        let scene = try await Scene(settings)
        try await scene.run {
            #expect(await scene.fault() != nil)
            for _ in 0..<Self.count { scene.tell("trip.start") }
            #expect(!scene.publisher.state.isConnected && scene.publisher.state.published == 0)
            isThere.withLock { $0 = true }
            var count: Int64 = 0
            for await _ in arrivals {
                // Whatever waits in the log, only so much is on its way.
                #expect(scene.publisher.state.waiting <= DeliveryWindow.greatestLimit)
                count += 1
                if count == Self.count { break }
            }
        }
        #expect(received.withLock { $0 } == (1...Self.count).map { .integer($0) })
    }
}
