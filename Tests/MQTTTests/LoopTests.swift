import Glibc
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import MQTT

/// The loop of a connection: great descriptors, ends at any time, and messages that cannot be sent.
@Suite(.slow, .withLibrary, .timeLimit(.minutes(5))) struct LoopTests {
    private static func settings(_ port: UInt16) throws -> MQTTSettings {
        MQTTSettings(broker: try #require(BrokerAddress("mqtt://127.0.0.1:\(port)")))
    }

    private static func secureSettings(_ port: UInt16) throws -> MQTTSettings {
        var settings = MQTTSettings(broker: try #require(BrokerAddress("mqtts://localhost:\(port)")))
        settings.fingerprint = MQTTSettings.fingerprint(Certificate.fingerprint)
        return settings
    }

    @Test(.withBroker) func aConnectionMayHaveAnyDescriptor() async throws {
        let broker = try await Broker()
        let settings = try Self.settings(broker.port)
        // select takes no descriptor above 1,023.
        let descriptors = try ManyDescriptors(until: 1_100)
        defer { descriptors.close() }
        let scene = try await Scene(settings)
        try await scene.run {
            let observer = try await Observer(settings)
            await observer.receive { $0.text("waymark/van/status") == "online" }
            let event = scene.tell("trip.start")
            await observer.receive { $0.latest["waymark/van/event/trip.start"] != nil }
            #expect(observer.latest["waymark/van/event/trip.start"] == event.line)
            #expect(scene.publisher.state.isConnected)
        }
        let last = try await Observer(settings)
        await last.receive { $0.text("waymark/van/status") == "offline" }
        #expect(last.text("waymark/van/status") == "offline")
    }

    @Test(arguments: [false, true], [false, true])
    func anEndBeforeTheAnswerIsAFault(isSecure: Bool, isReset: Bool) async throws {
        let listener = try Listener { connection in
            // Of TLS, this is the client's first message, so the handshake has begun.
            _ = Listener.read(connection)
            if isReset { Listener.resetAtEnd(connection) }
        }
        let scene = try await Scene(
            isSecure ? Self.secureSettings(listener.port) : Self.settings(listener.port))
        try await scene.run {
            let fault = try #require(await scene.fault())
            #expect(!scene.publisher.state.isConnected && !fault.remedy.isEmpty)
            // Versions of the library differ in what they make of a reset in a handshake.
            let isOfTLS = isSecure && fault.description.contains("by TLS")
            #expect(isOfTLS || fault.description.contains("ended the connection"))
        }
    }

    @Test func aBrokerThatAcknowledgesNothingHoldsUpNothing() async throws {
        // A broker that accepts every connection, reads it, and says nothing more.
        let connections = Mutex<[Int32]>([])
        let listener = try Listener { connection in
            _ = Listener.read(connection)
            Listener.write([0x20, 0x02, 0x00, 0x00], to: connection)
            connections.withLock { $0.append(connection) }
            while !Listener.read(connection).isEmpty {}
        }
        let scene = try await Scene(Self.settings(listener.port))
        try await scene.run {
            try await Self.wait { scene.publisher.state.isConnected }
            for _ in 0..<50 { scene.tell("trip.start") }
            // All that may wait for an acknowledgement waits, and an event more.
            for count in 1...3 {
                try await Self.wait { connections.withLock { $0.count } == count }
                try await Self.wait { scene.publisher.state.waiting >= DeliveryWindow.greatestLimit }
                shutdown(connections.withLock { $0[count - 1] }, Int32(SHUT_RDWR))
            }
            // It has accepted each connection, and yet it is not well.
            for await report in scene.reports {
                #expect(report?.description.contains("ended the connection") == true)
                break
            }
        }
        #expect(!scene.publisher.state.isConnected)
    }

    private static func wait(until isSo: () -> Bool) async throws {
        while !isSo() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test(.withBroker) func aMessageTooLongForTheBrokerHoldsUpNoOther() async throws {
        let broker = try await Broker { folder in
            let certificate = try folder.file("c.pem", Certificate.certificate)
            let key = try folder.file("k.pem", Certificate.key)
            return "allow_anonymous true\ncertfile \(certificate)\nkeyfile \(key)\nmax_packet_size 2000"
        }
        var settings = try Self.secureSettings(broker.port)
        settings.homeAssistant = nil
        let scene = try await Scene(settings)
        try await scene.run {
            let observer = try await Observer(settings)
            await observer.receive { $0.text("waymark/van/status") == "online" }
            // More of them than may wait for their acknowledgement.
            for _ in 0..<50 { scene.tell("trip.start", note: String(repeating: "x", count: 2000)) }
            let end = scene.tell("trip.end")
            await observer.receive { $0.latest["waymark/van/event/trip.end"] != nil }
            #expect(observer.latest["waymark/van/event/trip.end"] == end.line)
            #expect(observer.latest["waymark/van/event/trip.start"] == nil)
            // The last of them may still be on the way from the library when the other has arrived.
            try await Self.wait { scene.publisher.state.refused == 50 }
            #expect(scene.publisher.state.isConnected)
        }
    }
}
