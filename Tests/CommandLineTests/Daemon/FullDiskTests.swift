import Foundation
import RPC
import TestSupport
import Testing

@Suite(.slow, .enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
struct FullDiskTests {
    @Test func eventsWaitForAFullDiskAndAreDeliveredOnce() async throws {
        let drive = Drive(places: 150)
        let undisturbed = try await StoreCopy.ofUndisturbed(drive)

        let disk = try SmallDisk()
        let folder = try TemporaryFolder()
        let store = disk.path + "/store"
        let file = try await drive.prepare(in: folder, store: store)
        // With a watchdog, the daemon sends its status every half second.
        let daemon = try await RunningDaemon(
            in: folder, store: store, sources: ["car=\(file)?speed=2000"], environment: ["WATCHDOG_USEC": "1500000"])
        let path = daemon.socket
        let (started, begun) = AsyncStream<Void>.makeStream()
        async let subscriber = offThePool {
            try LineSocket(to: path).allEvents(until: "source.offline") { if $0 == 30 { begun.finish() } }
        }
        for await _ in started {}
        try disk.fill()
        try await daemon.notice("STATUS=store: it cannot be written")
        let (pending, others) = try await offThePool {
            let socket = try LineSocket(to: path)
            let pending = try socket.call("server.stats")["result"]?["pending"]
            try socket.call("events.subscribe", #"{"types":["*"]}"#)
            return (pending, try (0..<20).map { _ in try socket.event() ?? [] })
        }
        #expect(pending?["error"]?.text?.contains("full") ?? false)
        #expect(pending?["events"]?.whole ?? 0 > 0)
        #expect(others.allSatisfy { $0.contains(#""type":"position""#) })
        try disk.free()

        let told = try await subscriber
        let after = try await offThePool { try LineSocket(to: path).call("server.stats") }
        #expect(after["result"]?["pending"]?["error"] == nil)
        #expect(after["result"]?["pending"]?["events"] == 0)
        #expect(try await daemon.stop() == .exit(0))
        #expect(daemon.log.contains(" CRITICAL "))
        #expect(daemon.log.contains("The store can be written again."))
        let kept = try StoreCopy(of: store)
        #expect(kept.integrity == "ok")
        #expect(kept.events.map(\.body) == told)
        #expect(kept.journeys == undisturbed.journeys)
        #expect(kept.travels == undisturbed.travels)
    }

    @Test(.enabled(if: TestTier.isSoak, "it takes half a minute"))
    func whenTooManyEventsWaitTheDaemonExitsToBeRestarted() async throws {
        let drive = Drive(places: 1, sightsAtOnce: 10_001)
        let disk = try SmallDisk()
        let folder = try TemporaryFolder()
        let store = disk.path + "/store"
        let file = try await drive.prepare(in: folder, store: store)
        let daemon = try await RunningDaemon(in: folder, store: store)
        try disk.fill()
        try daemon.configure("sources: [\"car=\(file)?speed=max\"]\n")
        daemon.send(SIGHUP)
        let ending = try await daemon.ending()
        #expect(ending == .exit(74))
        #expect(daemon.log.contains("events wait for the store, which is the maximum"))
        try disk.free()

        let next = try await RunningDaemon(in: folder, store: store, sources: ["car=\(file)?speed=max"])
        let path = next.socket
        let told = try await offThePool { try LineSocket(to: path).allEvents(until: "source.offline") }
        #expect(told.count { $0.contains(#""type":"geofence.enter""#) } == 10_001)
        #expect(try await next.stop() == .exit(0))
        let kept = try StoreCopy(of: store)
        #expect(kept.integrity == "ok")
        #expect(kept.events.map(\.body) == told)
    }
}
