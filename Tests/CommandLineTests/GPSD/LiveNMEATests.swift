import RPC
import TestSupport
import Testing

/// Receivers that send NMEA directly, without gpsd.
@Suite(.slow, .timeLimit(.minutes(2))) struct LiveNMEATests {
    private let folder: TemporaryFolder
    private let epochs: [[UInt8]]

    init() throws {
        folder = try TemporaryFolder()
        epochs = try NMEA.epochs(of: "city-drive.nmea")
    }

    private typealias Send = @Sendable ([UInt8]) throws -> Void

    /// Expects that a live drive gives the events of its replay, to the byte.
    ///
    /// The comparison ignores the events' numbers, because the receiver's own events count too, and what a replay
    /// closes at its end.
    private func expectTheReplay(
        from url: String, connect: () async throws -> Send, feed: (Subscriber, @escaping Send) async throws -> Void
    ) async throws {
        let replay = try await Command.run(
            "replay", "fixtures/city-drive.nmea", "--sights", Fixture.sights, "--approach", "--json")
        let expected = try replay.eventsBeforeTheEnd.map(\.unnumbered)
        #expect(expected.count > 120)
        _ = try await Command.run("sight", "import", Fixture.sights, "--store", folder.file("store"))
        let daemon = try await RunningDaemon(
            in: folder, sources: ["city-drive=\(url)"], configuration: "tracking:\n  approach: on\n")
        try await Subscriber.to(daemon) { subscriber in
            let send = try await connect()
            // The first epoch has no fix. It shows that the daemon listens and has no other effect.
            let first = epochs[0]
            let knocking = Beat { try? send(first) }
            #expect(try await subscriber.change() == .online("city-drive"))
            await knocking.end()
            try await feed(subscriber, send)
            try await subscriber.position(of: "city-drive", from: "2026-05-01T10:34:26.000Z")
            #expect(try await daemon.stop() == .exit(0))
            try await subscriber.hearAll()
            #expect(subscriber.travel.map(\.unnumbered) == expected)
        }
    }

    /// Sends all epochs at once; the sender waits for the reader.
    private func feedAll(_ subscriber: Subscriber, _ send: @escaping Send) async throws {
        let epochs = epochs
        try await offThePool { for epoch in epochs { try send(epoch) } }
    }

    @Test func aSerialLineGivesTheEventsOfTheReplay() async throws {
        let line = try SerialLine(at: folder.file("ttyGPS"))
        try await expectTheReplay(
            from: "nmea:\(folder.file("ttyGPS"))", connect: { { try line.sendAll($0) } }, feed: feedAll)
    }

    @Test func aTCPServerGivesTheEventsOfTheReplay() async throws {
        let server = try StreamServer()
        try await expectTheReplay(
            from: "tcp://127.0.0.1:\(server.port)",
            connect: {
                let client = try await server.accept()
                return { try client.send($0) }
            },
            feed: feedAll)
    }

    /// Sends groups of datagrams and waits for the positions of each, because datagrams that are not read in time are
    /// lost.
    @Test func datagramsGiveTheEventsOfTheReplay() async throws {
        let feed = try Datagrams(to: FreePort.udp())
        try await expectTheReplay(from: "udp://127.0.0.1:\(feed.port)", connect: { { feed.send($0) } }) {
            subscriber, send in
            for start in stride(from: 0, to: epochs.count, by: 20) {
                let some = epochs[start..<min(start + 20, epochs.count)]
                for epoch in some { try send(epoch) }
                // One fix may be rejected and then has no position.
                let times = some.compactMap { NMEA.time(of: $0, on: "2026-05-01") }
                if let time = times.dropLast().last { try await subscriber.position(of: "city-drive", from: time) }
            }
        }
    }

    @Test func anUnpluggedReceiverIsBackWhenPluggedInAgain() async throws {
        let port = folder.file("ttyGPS")
        let daemon = try await RunningDaemon(in: folder, sources: ["boat=nmea:\(port)?idle=2"])
        try await Subscriber.to(daemon) { subscriber in
            #expect(try await subscriber.change() == .offline("boat", "there is no such device"))
            let receiver = LiveReceiver { _ in }
            for _ in 0..<3 {
                try await { () async throws in
                    let line = try SerialLine(at: port)
                    let time = receiver.time
                    receiver.speak { line.send($0) }
                    #expect(try await subscriber.change() == .online("boat"))
                    try await subscriber.position(of: "boat", from: time)
                    receiver.fallSilent()
                }()
                #expect(try await subscriber.change() == .offline("boat", "unplugged"))
            }
            #expect(try await daemon.stop() == .exit(0))
            try await subscriber.hearAll()
            #expect(subscriber.changes.count == 7)
        }
    }
}
