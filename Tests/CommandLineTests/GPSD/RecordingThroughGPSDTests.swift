import RPC
import TestSupport
import Testing
import Time

/// Recordings that reach a daemon through gpsd, compared with their replay.
@Suite(.slow, .timeLimit(.minutes(2)), .enabled(if: GPSD.isInstalled, "gpsd is not installed"))
struct RecordingThroughGPSDTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the daemon's events and rejected fixes of a recording that gpsd reads, up to its last fix.
    private func told(
        of epochs: [[UInt8]], device: String, configuration: String = "", until time: String
    ) async throws -> (events: [JSONValue], rejected: JSONValue?) {
        _ = try await Command.run("sight", "import", Fixture.sights, "--store", folder.file("store"))
        let feed = try Datagrams(to: FreePort.udp())
        let gpsd = try await GPSD(receivers: ["udp://127.0.0.1:\(feed.port)"])
        let daemon = try await RunningDaemon(
            in: folder, sources: ["\(device)=gpsd://127.0.0.1:\(gpsd.port)"], configuration: configuration)
        return try await Subscriber.to(daemon) { subscriber in
            // The first epoch has no fix. It shows that the daemon reads gpsd and has no other effect.
            let knocking = Beat { feed.send(epochs[0]) }
            #expect(try await subscriber.change() == .online(device))
            await knocking.end()
            try await gpsd.feed(epochs, to: feed)
            try await subscriber.position(of: device, from: time)
            let rejected = try await subscriber.call("server.stats")["devices"]?.elements?.first?["rejected"]
            #expect(try await daemon.stop() == .exit(0))
            try await subscriber.hearAll()
            return (subscriber.travel, rejected)
        }
    }

    /// Expects the same events with the same ids in the same order, at the same times to within a second.
    ///
    /// gpsd knows no date before the first valid RMC or ZDA, so the first fix has no time and the second is the first
    /// that counts. gpsd also computes each fix's accuracy, on which the exit margin depends unless it is fixed, and
    /// each course and speed, on which approaches depend.
    @Test(arguments: [
        ("city-drive", "on", "2026-05-01T10:34:26.000Z"), ("city-drive", "off", "2026-05-01T10:34:26.000Z"),
        ("harbour-boat", "on", "2026-05-03T15:41:44.000Z"),
    ])
    func theEventsAreTheSameAsInTheReplay(name: String, gate: String, end: String) async throws {
        let gateOff = gate == "off" ? ["--gate", "off"] : []
        let replay = try await Command.run(
            ["replay", "fixtures/\(name).nmea", "--sights", Fixture.sights, "--exit-margin", "10", "--json"] + gateOff)
        let expected = try replay.eventsBeforeTheEnd
        #expect(expected.count >= 9)
        let (events, _) = try await told(
            of: NMEA.epochs(of: "\(name).nmea"), device: name,
            configuration: "tracking:\n  exit-margin: 10\n  gate: \"\(gate)\"\n  approach: off\n", until: end)
        #expect(events.map(\.subject) == expected.map(\.subject))
        for (event, expected) in zip(events, expected) {
            let time = try #require(event["time"]?.text.flatMap(Timestamp.init(rfc3339:)))
            let its = try #require(expected["time"]?.text.flatMap(Timestamp.init(rfc3339:)))
            #expect(abs(time.seconds(since: its)) <= 1, "\(expected.unnumbered)")
        }
    }

    /// A jump of 250 m for one second is rejected, although gpsd computes a speed from it that fits.
    @Test func aJumpIsRejectedAlthoughGPSDReportsAMatchingSpeed() async throws {
        var walk = Walk()
        var epochs: [[UInt8]] = [Array(NMEA.sentence("$GPGGA,,,,,,0,00,99.99,,,,,,").utf8)]
        for second in 0..<120 {
            var there = walk
            there.minutes += 250.0 / 1852
            epochs.append(second == 100 ? there.next() : walk.next())
            if second == 100 { _ = walk.next() }
        }
        let (_, rejected) = try await told(of: epochs, device: "walk", until: "2026-05-01T10:01:59.000Z")
        #expect(rejected?["speed"] == 1)
    }
}

extension JSONValue {
    /// What identifies an event: its type, its device, and the id of its geofence, trip or stop.
    fileprivate var subject: [String?] {
        ["type", "device"].map { self[$0]?.text } + ["geofence", "trip", "stop"].map { self[$0]?["id"]?.text }
    }
}
