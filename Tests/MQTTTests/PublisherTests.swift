import Foundation
import Glibc
import RPC
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import MQTT

/// The publisher with a real broker.
@Suite(.slow, .withBroker, .timeLimit(.minutes(5)))
struct PublisherTests {
    private static func settings(_ port: UInt16, tls: Bool = false) throws -> MQTTSettings {
        // The certificate of these tests is for this name.
        let address = tls ? "mqtts://localhost:\(port)" : "mqtt://127.0.0.1:\(port)"
        return MQTTSettings(broker: try #require(BrokerAddress(address)))
    }

    private static let base = "waymark/van"
    private static let config = "homeassistant/device/waymark_van_gps0/config"

    @Test func statesAndDescriptionsAreRetained() async throws {
        let broker = try await Broker()
        let settings = try Self.settings(broker.port)
        let scene = try await Scene(settings)
        try await scene.run {
            let first = try await Observer(settings)
            let topics = ["status", "device/gps0/position", "device/gps0/state"].map { "\(Self.base)/\($0)" }
            await first.receive { observer in (topics + [Self.config]).allSatisfy { observer.latest[$0] != nil } }
            // Only what is retained reaches one that comes later.
            let second = try await Observer(settings)
            await second.receive { observer in (topics + [Self.config]).allSatisfy { observer.latest[$0] != nil } }
            #expect(!second.all.contains { !$0.isRetained && $0.topic != "observer/ready" })
            #expect(second.text("\(Self.base)/status") == "online")
            let position = try #require(second.json("\(Self.base)/device/gps0/position"))
            #expect(position["latitude"] == 52.373056 && position["longitude"] == 4.892222)
            #expect(position["speed"] == 12.5)
            let state = try #require(second.json("\(Self.base)/device/gps0/state"))
            #expect(state["moving"] == true && state["distance_today"] == 15.24 && state["speed"] == 12.5)
            _ = try DiscoveryTests.check(try #require(second.json(Self.config)))
            #expect(scene.publisher.state.isConnected && scene.publisher.state.version == "3.1.1")
        }
        let last = try await Observer(settings)
        await last.receive { $0.text("\(Self.base)/status") == "offline" }
        #expect(last.text("\(Self.base)/status") == "offline")
    }

    @Test func eventsArePublishedAsTheyAreAndRecentOnesForHomeAssistant() async throws {
        let broker = try await Broker()
        let settings = try Self.settings(broker.port)
        let scene = try await Scene(settings)
        try await scene.run {
            let observer = try await Observer(settings)
            await observer.receive { $0.latest[Self.config] != nil }
            let old = scene.tell("geofence.enter", secondsAgo: 901)
            scene.tell("post.added")
            let exit = scene.tell("geofence.exit", secondsAgo: 900)
            let trip = scene.tell("trip.start")
            await observer.receive { $0.latest["\(Self.base)/device/gps0/trip"] != nil }
            #expect(observer.latest["\(Self.base)/event/geofence.enter"] == old.line)
            #expect(observer.latest["\(Self.base)/event/geofence.exit"] == exit.line)
            #expect(observer.latest["\(Self.base)/event/post.added"] == nil)
            let occurrences = observer.all.filter { $0.topic.hasPrefix("\(Self.base)/device/gps0/") }
                .compactMap { try? JSONValue(parsing: $0.payload.span)["event_type"] }
            #expect(occurrences == ["geofence.exit", "trip.start"])
            #expect(observer.latest["\(Self.base)/event/trip.start"] == trip.line)
            #expect(!observer.all.contains { $0.topic.contains("/event/") && $0.isRetained })
        }
    }

    @Test func eventsOfATimeWithoutBrokerFollowInOrder() async throws {
        let broker = try await Broker()
        var settings = try Self.settings(broker.port)
        settings.homeAssistant = nil
        let scene = try await Scene(settings)
        try await scene.run {
            do {
                let observer = try await Observer(settings)
                await observer.receive { $0.text("\(Self.base)/status") == "online" }
            }
            for round in 0..<3 {
                await broker.kill()
                // Seen before more is told, so that none of it is on the way to a broker that is gone.
                while scene.publisher.state.isConnected {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                for _ in 0..<30 { scene.tell("trip.start") }
                try await broker.start()
                let observer = try await Observer(settings)
                let end = scene.tell("trip.end")
                await observer.receive { $0.latest["\(Self.base)/event/trip.end"] == end.line }
                let numbers = observer.all.filter { $0.topic.contains("/event/") }
                    .compactMap { try? JSONValue(parsing: $0.payload.span)["seq"] }
                    .compactMap { if case .integer(let number) = $0 { number } else { nil } }
                // Those that came before the observer are missing at the begin; nothing is missing after.
                let last = Int64(round + 1) * 31
                #expect(numbers.last == last)
                #expect(numbers == Array((numbers.first ?? 0)...last))
            }
        }
        #expect(scene.publisher.state.refused == 0)
    }

    @Test func homeAssistantIsToldAgainWhenItStarts() async throws {
        let broker = try await Broker()
        let settings = try Self.settings(broker.port)
        let scene = try await Scene(settings)
        try await scene.run {
            let observer = try await Observer(settings)
            await observer.receive { $0.latest[Self.config] != nil }
            func count() -> Int { observer.all.count { $0.topic == Self.config && !$0.isRetained } }
            let before = count()
            observer.publish("online", to: "homeassistant/status")
            await observer.receive { _ in count() > before }
            #expect(count() > before)
        }
    }

    @Test func whatIsGoneIsRemoved() async throws {
        let broker = try await Broker()
        let settings = try Self.settings(broker.port)
        let other = "homeassistant/device/waymark_other_x/config"
        let left = ["\(Self.base)/device/old/state", "homeassistant/device/waymark_van_old/config"]
        do {
            let observer = try await Observer(settings)
            observer.publish(#"{"availability_topic":"waymark/other/status"}"#, to: other, isRetained: true)
            observer.publish("{}", to: left[0], isRetained: true)
            observer.publish(#"{"availability_topic":"waymark/van/status"}"#, to: left[1], isRetained: true)
            await observer.receive { $0.latest[left[1]] != nil }
        }
        let scene = try await Scene(settings)
        try await scene.run {
            let observer = try await Observer(settings)
            await observer.receive { observer in
                left.allSatisfy { observer.latest[$0] == [] || observer.latest[$0] == nil }
                    && observer.latest[Self.config] != nil
            }
            scene.devices.set([])
            scene.tell("trip.start")
            await observer.receive { $0.latest[Self.config] == [] }
            let later = try await Observer(settings)
            await later.receive { $0.latest[other] != nil && $0.latest["\(Self.base)/status"] != nil }
            later.publish("x", to: "end")
            await later.receive { $0.latest["end"] != nil }
            #expect(
                Set(later.all.filter(\.isRetained).map(\.topic)) == [other, "\(Self.base)/status"])
        }
    }

    @Test func aWrongPasswordIsSaidInWords() async throws {
        let broker = try await Broker { folder in
            let file = try folder.file("passwords", "")
            let tool = Process()
            tool.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_passwd")
            tool.arguments = ["-b", file, "van", "right"]
            tool.standardInput = FileHandle.nullDevice
            try tool.run()
            tool.waitUntilExit()
            return "allow_anonymous false\npassword_file \(file)"
        }
        var settings = try Self.settings(broker.port)
        settings.user = "van"
        let folder = try TemporaryFolder()
        settings.passwordFile = try folder.file("password", "wrong\n")
        let scene = try await Scene(settings)
        try await scene.run {
            #expect(await scene.fault()?.description.contains("refuses the user or the password") == true)
            #expect(scene.publisher.state.reason?.contains("refuses") == true)
            // The file is read again for each attempt.
            _ = try folder.file("password", "right\n")
            let observer = try await Observer(settings)
            await observer.receive { $0.text("\(Self.base)/status") == "online" }
            #expect(scene.publisher.state.isConnected && scene.publisher.state.reason == nil)
        }
        settings.passwordFile = folder.file("missing")
        let blind = try await Scene(settings)
        try await blind.run { #expect(await blind.fault()?.description.contains("cannot be read") == true) }
    }

    @Test func aBrokerIsKnownByItsAuthorityOrItsFingerprint() async throws {
        let broker = try await Broker { folder in
            let certificate = try folder.file("c.pem", Certificate.certificate)
            let key = try folder.file("k.pem", Certificate.key)
            return "allow_anonymous true\ncertfile \(certificate)\nkeyfile \(key)"
        }
        let settings = try Self.settings(broker.port, tls: true)
        func outcome(_ change: (inout MQTTSettings) -> Void) async throws -> BrokerFault? {
            var settings = settings
            change(&settings)
            let scene = try await Scene(settings)
            var outcome: BrokerFault?
            try await scene.run {
                for await report in scene.reports {
                    outcome = report
                    if report == nil { #expect(scene.publisher.state.version == "5") }
                    return
                }
            }
            return outcome
        }
        #expect(try await outcome { $0.authority = broker.folder.file("c.pem") } == nil)
        #expect(try await outcome { $0.fingerprint = MQTTSettings.fingerprint(Certificate.fingerprint) } == nil)
        for fault in [
            try await outcome { $0.fingerprint = [UInt8](repeating: 1, count: 32) }, try await outcome { _ in },
        ] {
            #expect(fault?.description.contains("does not prove who it is") == true, "\(String(describing: fault))")
        }
        let missing = try await outcome { $0.authority = broker.folder.file("missing.pem") }
        #expect(missing?.description.contains("missing.pem") == true)
    }
}

/// The publisher with programs that are no brokers, or old ones.
@Suite(.slow, .withLibrary, .timeLimit(.minutes(5))) struct StrangeBrokerTests {
    private static func settings(_ port: UInt16) throws -> MQTTSettings {
        MQTTSettings(broker: try #require(BrokerAddress("mqtt://127.0.0.1:\(port)")))
    }

    @Test(arguments: 1...UInt64(20)) func rubbishIsAFault(seed: UInt64) async throws {
        let count = Mutex(seed)
        let listener = try Listener { connection in
            _ = Listener.read(connection)
            var random = SeededGenerator(
                seed: count.withLock { count in
                    count += 1_000
                    return count
                })
            // No rubbish is by chance the beginning of an acceptance, which is 0x20 0x03.
            let rubbish = [UInt8(0xF7)] + (0..<Int(seed * 7)).map { _ in UInt8.random(in: 0...255, using: &random) }
            Listener.write(rubbish, to: connection)
        }
        let scene = try await Scene(Self.settings(listener.port))
        try await scene.run {
            let fault = try #require(await scene.fault())
            #expect(!scene.publisher.state.isConnected && !fault.description.isEmpty && !fault.remedy.isEmpty)
        }
    }

    @Test func aServerThatSaysNothingIsAFault() async throws {
        let listener = try Listener { connection in while !Listener.read(connection).isEmpty {} }
        let scene = try await Scene(Self.settings(listener.port), patience: .milliseconds(1))
        try await scene.run {
            #expect(await scene.fault()?.description.contains("does not answer as an MQTT broker") == true)
        }
    }

    @Test func aPortWithoutServerIsAFault() async throws {
        let scene = try await Scene(Self.settings(try Broker.freePort()))
        try await scene.run {
            #expect(await scene.fault()?.description.contains("nothing listens there") == true)
            #expect(scene.publisher.state.published == 0)
        }
    }

    @Test func aBrokerWithoutProofIsSpokenToInTheOlderVersion() async throws {
        // libmosquitto ends the process when it meets an unknown property, which only MQTT 5 has.
        let listener = try Listener { connection in
            let request = Listener.read(connection)
            // After the header come the length and the name of the protocol, and its version.
            guard request.dropFirst(8).first == 4 else { return }
            Listener.write([0x20, 0x02, 0x00, 0x00], to: connection)
            Acknowledger { _, _ in }.serve(connection)
        }
        let scene = try await Scene(Self.settings(listener.port))
        try await scene.run {
            for await report in scene.reports where report == nil { break }
            #expect(scene.publisher.state.isConnected && scene.publisher.state.version == "3.1.1")
        }
    }

    @Test func aBrokerOfTheOlderVersionIsServed() async throws {
        let listener = try Listener { connection in
            let request = Listener.read(connection)
            let isNew = request.dropFirst(8).first == 5
            Listener.write([0x20, 0x02, 0x00, isNew ? 0x01 : 0x00], to: connection)
            if !isNew { Acknowledger { _, _ in }.serve(connection) }
        }
        let scene = try await Scene(Self.settings(listener.port), newest: .mqtt5)
        try await scene.run {
            for await report in scene.reports {
                // It is no fault that a broker is old.
                #expect(report == nil)
                break
            }
            #expect(scene.publisher.state.isConnected && scene.publisher.state.version == "3.1.1")
        }
    }
}
