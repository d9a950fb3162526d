import Glibc
import RPC
import TestSupport
import Testing

/// Sources that send rubbish instead of sentences.
@Suite(.slow, .timeLimit(.minutes(2))) struct RubbishTests {
    /// Megabytes of rubbish in pieces, the same on each run.
    private static let rubbish: [[UInt8]] = {
        var random = SeededGenerator(seed: 20_260_501)
        func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &random) } }
        let sentence = Array(NMEA.sentence("$GPRMC,100000.00,A,5206.00000,N,00412.00000,E,5.83,0.0,010526,,,A").utf8)
        var pieces = [noise(1 << 18), [UInt8](repeating: 0x41, count: 1 << 20), [0x0A]]
        // Truncated sentences, with and without an end, and sentences with a changed byte.
        for number in 0..<500 {
            pieces.append(sentence.prefix(number % sentence.count) + (number % 2 == 0 ? [0x0D, 0x0A] : []))
            var changed = sentence
            changed[.random(in: 1..<60, using: &random)] ^= 1
            pieces.append(changed)
        }
        pieces.append([0x24] + [UInt8](repeating: 0x2C, count: 1 << 18) + [0x0D, 0x0A])
        return pieces + [[0x0D, 0x0A]]
    }()

    @Test func rubbishOverTCPIsSkipped() async throws {
        let server = try StreamServer()
        let daemon = try await RunningDaemon(in: TemporaryFolder(), sources: ["car=tcp://127.0.0.1:\(server.port)"])
        let connection = try await server.accept()
        // The subscriber comes first, because a position that is sent before it subscribes is not repeated.
        try await Subscriber.to(daemon) { subscriber in
            try await offThePool { for piece in Self.rubbish { try connection.send(piece) } }
            var walk = Walk()
            for _ in 0..<20 { try connection.send(walk.next()) }
            let time = walk.time
            // The last epochs are complete only once others follow.
            for _ in 0..<20 { try connection.send(walk.next()) }
            try await subscriber.position(of: "car", from: time)
            // The daemon reports what it skipped when a connection ends.
            #expect(shutdown(connection.number, Int32(SHUT_RDWR)) == 0)
            while try await subscriber.change() != .offline("car", "it closed the connection") {}
            let skipped = try await subscriber.call("server.stats")["malformed"]
            #expect(skipped?["checksum"]?.whole ?? 0 > 300, "\(String(describing: skipped))")
            TestTier.report("after rubbish by TCP: \(daemon.memory) kB, \(String(describing: skipped))")
        }
        try await end(daemon)
    }

    @Test func rubbishOverUDPIsSkipped() async throws {
        let feed = try Datagrams(to: FreePort.udp())
        let daemon = try await RunningDaemon(in: TemporaryFolder(), sources: ["car=udp://127.0.0.1:\(feed.port)"])
        // The first datagrams may come before the daemon has opened the port.
        let receiver = LiveReceiver { feed.send($0) }
        try await Subscriber.to(daemon) { _ = try await $0.position(of: "car", from: "2026-05-01T10:00:00.000Z") }
        for piece in Self.rubbish {
            var rest = piece[...]
            repeat {
                feed.send(Array(rest.prefix(60_000)))
                rest = rest.dropFirst(60_000)
            } while !rest.isEmpty
        }
        try await Subscriber.to(daemon) { _ = try await $0.position(of: "car", from: receiver.time) }
        TestTier.report("after rubbish by UDP: \(daemon.memory) kB")
        try await end(daemon)
    }

    private func end(_ daemon: RunningDaemon) async throws {
        daemon.expectMemory(below: 100_000)
        #expect(!daemon.log.contains(" ERROR "))
        #expect(try await daemon.stop() == .exit(0))
    }
}
