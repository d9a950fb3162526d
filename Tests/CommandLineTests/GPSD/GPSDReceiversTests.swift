import RPC
import TestSupport
import Testing

/// Several receivers of one gpsd.
@Suite(.slow, .timeLimit(.minutes(1)), .enabled(if: GPSD.isInstalled, "gpsd is not installed"))
struct GPSDReceiversTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func twoReceiversOfOneGPSDAreTwoDevices() async throws {
        let feeds = try (0..<2).map { _ in try Datagrams(to: FreePort.udp()) }
        let names = feeds.map { "car/127.0.0.1:\($0.port)" }
        let port = try FreePort.tcp()
        let daemon = try await RunningDaemon(in: folder, sources: ["car=gpsd://127.0.0.1:\(port)?idle=2"])
        try await Subscriber.to(daemon) { subscriber in
            // The daemon does not know yet that there are two.
            #expect(try await subscriber.change() == .offline("car", "it refused the connection"))
            let gpsd = try await GPSD(receivers: feeds.map { "udp://127.0.0.1:\($0.port)" }, port: port)
            // The receivers are half a degree apart, which is 55 km.
            let receivers = zip(feeds, [6.0, 36.0]).map { feed, minutes in
                LiveReceiver(Walk(minutes: minutes)) { feed.send($0) }
            }
            // The source as a whole, which was offline, comes online first.
            #expect(try await subscriber.change() == .online("car"))
            let online = try await [subscriber.change(), subscriber.change()]
            #expect(Set(online.map(\.device)) == Set(names))
            #expect(online.allSatisfy { $0.type == "source.online" })

            // A minute of walking makes a trip.
            var trips: [JSONValue] = []
            while trips.count < 2 {
                let event = try await subscriber.event()
                if event["type"] == "trip.start" { trips.append(event) }
            }
            #expect(Set(trips.compactMap { $0["device"]?.text }) == Set(names))
            #expect(trips.allSatisfy { $0["trip"]?["id"]?.text?.hasPrefix("\($0["device"]?.text ?? "?")@") == true })

            receivers[0].fallSilent()
            #expect(try await subscriber.change() == .offline(names[0], "silent for 2 s"))
            let time = receivers[1].time
            let positions = try await [
                subscriber.position(of: names[0], from: ""), subscriber.position(of: names[1], from: time),
            ]
            let latitudes = positions.compactMap { position -> Double? in
                if case .number(let latitude)? = position["lat"] { latitude } else { nil }
            }
            try #require(latitudes.count == 2)
            #expect(latitudes[0] > 52.1 && latitudes[0] < 52.2)
            #expect(latitudes[1] > 52.6 && latitudes[1] < 52.7)
            receivers[0].speak { feeds[0].send($0) }
            #expect(try await subscriber.change() == .online(names[0]))
            withExtendedLifetime((gpsd, receivers)) {}
        }
    }
}
