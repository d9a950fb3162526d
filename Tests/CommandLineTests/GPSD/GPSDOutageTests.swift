import Glibc
import TestSupport
import Testing

/// A receiver of which gpsd, the serial line or the sender stops and comes back.
@Suite(.slow, .timeLimit(.minutes(2)), .enabled(if: GPSD.isInstalled, "gpsd is not installed"))
struct GPSDOutageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a gpsd with a moving receiver, and a daemon that reads it as `car`.
    ///
    /// - Parameter idle: the seconds of silence after which the car is offline.
    private func car(
        idle: Int = 2
    ) async throws -> (gpsd: GPSD, receiver: LiveReceiver, feed: Datagrams, daemon: RunningDaemon) {
        let feed = try Datagrams(to: FreePort.udp())
        let gpsd = try await GPSD(receivers: ["udp://127.0.0.1:\(feed.port)"])
        let daemon = try await RunningDaemon(in: folder, sources: ["car=gpsd://127.0.0.1:\(gpsd.port)?idle=\(idle)"])
        return (gpsd, LiveReceiver { feed.send($0) }, feed, daemon)
    }

    @Test func aGPSDThatEndsFiveTimesIsReconnectedFiveTimes() async throws {
        // No silence is meant here: on a busy machine the receiver of the test may be silent for seconds.
        let (gpsd, receiver, _, daemon) = try await car(idle: 60)
        try await Subscriber.to(daemon) { subscriber in
            #expect(try await subscriber.change() == .online("car"))
            for signal in [SIGTERM, SIGKILL, SIGTERM, SIGKILL, SIGTERM] {
                await gpsd.end(by: signal)
                #expect(try await subscriber.change() == .offline("car", "it closed the connection"))
                let time = receiver.time
                try await gpsd.start()
                #expect(try await subscriber.change() == .online("car"))
                try await subscriber.position(of: "car", from: time)
            }
            #expect(try await daemon.stop() == .exit(0))
            try await subscriber.hearAll()
            #expect(subscriber.changes.count == 11, "\(subscriber.changes)")
        }
    }

    @Test func aGPSDThatHangsGoesOfflineAndIsBackWhenItResumes() async throws {
        let (gpsd, receiver, _, daemon) = try await car()
        try await Subscriber.to(daemon) { subscriber in
            #expect(try await subscriber.change() == .online("car"))
            gpsd.send(SIGSTOP)
            #expect(try await subscriber.change() == .offline("car", "silent for 2 s"))
            let time = receiver.time
            gpsd.send(SIGCONT)
            #expect(try await subscriber.change() == .online("car"))
            try await subscriber.position(of: "car", from: time)
        }
    }

    @Test func aSilentReceiverIsOfflineUntilItSendsAgain() async throws {
        let (gpsd, receiver, feed, daemon) = try await car()
        try await Subscriber.to(daemon) { subscriber in
            #expect(try await subscriber.change() == .online("car"))
            for _ in 0..<2 {
                receiver.fallSilent()
                #expect(try await subscriber.change() == .offline("car", "silent for 2 s"))
                let time = receiver.time
                receiver.speak { feed.send($0) }
                #expect(try await subscriber.change() == .online("car"))
                try await subscriber.position(of: "car", from: time)
            }
        }
        withExtendedLifetime(gpsd) {}
    }

    @Test func aReceiverRemovedFromGPSDIsOfflineUntilItIsAdded() async throws {
        let port = folder.file("ttyGPS")
        let line = try SerialLine(at: port)
        let receiver = LiveReceiver { line.send($0) }
        // gpsd reads nothing for about 2 s while it opens a serial line.
        let gpsd = try await GPSD(receivers: [port], control: folder.file("control"))
        let daemon = try await RunningDaemon(in: folder, sources: ["car=gpsd://127.0.0.1:\(gpsd.port)?idle=5"])
        try await Subscriber.to(daemon) { subscriber in
            #expect(try await subscriber.change() == .online("car"))
            for _ in 0..<2 {
                try await gpsd.unplug(port)
                #expect(try await subscriber.change() == .offline("car", "gpsd has closed it"))
                let time = receiver.time
                try await gpsd.plug(port)
                #expect(try await subscriber.change() == .online("car"))
                try await subscriber.position(of: "car", from: time)
            }
        }
    }
}
