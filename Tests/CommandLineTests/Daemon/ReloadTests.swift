#if Companion
import Foundation
import Glibc
import RPC
import TestSupport
import Testing

@Suite(.slow) struct ReloadTests {
    /// Writes another configuration and makes the daemon read it.
    private func reload(_ daemon: RunningDaemon, _ configuration: String, store: String? = nil) async throws {
        try daemon.configure(configuration, store: store)
        daemon.send(SIGHUP)
        try await daemon.notice("RELOADING=1")
        try await daemon.notice("READY=1")
    }

    /// Returns the events from the first up to the first of that type.
    private func events(_ daemon: RunningDaemon, to type: String) async throws -> [JSONValue] {
        let path = daemon.socket
        let events = try await offThePool { try LineSocket(to: path).allEvents(until: type) }
        return try events.map { try JSONValue(parsing: $0.span) }
    }

    @Test func aReloadWorksAsSoonAsTheDaemonIsReady() async throws {
        let daemon = try await RunningDaemon(in: TemporaryFolder())
        daemon.send(SIGHUP)
        try await daemon.notice("RELOADING=1")
        try await daemon.notice("READY=1")
        #expect(try await daemon.stop() == .exit(0))
    }

    @Test func aNewSourceAndDwellTimeTakeEffect() async throws {
        let folder = try TemporaryFolder()
        // The car rests for four minutes at each tenth place, outside all circles, and passes each circle in 20 s.
        let file = try await Drive(places: 12).prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder, configuration: "tracking:\n  dwell: 3600\n")
        try await reload(daemon, "sources: [\"car=\(file)?speed=max\"]\ntracking:\n  dwell: 10\n")
        let types = try await events(daemon, to: "source.offline").compactMap { $0["type"]?.text }
        #expect(types.count { $0 == "source.online" } == 1)
        #expect(types.count { $0 == "geofence.enter" } == 12)
        // The car is half through the first place before its trip is recognised, so that place has no dwell.
        #expect(types.count { $0 == "geofence.dwell" } == 11)
        #expect(try await daemon.stop() == .exit(0))
    }

    @Test func aRemovedSourceGoesOffline() async throws {
        let folder = try TemporaryFolder()
        let file = try await Drive(places: 12).prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder, configuration: "sources: [\"car=\(file)?speed=1\"]\n")
        _ = try await events(daemon, to: "source.online")
        try await reload(daemon, "")
        let offline = try #require(try await events(daemon, to: "source.offline").last)
        #expect(offline["device"] == "car")
        #expect(offline["reason"]?.text?.contains("configured") ?? false)
    }

    @Test(arguments: [
        ("tracking: {dwell: soon}\n", "dwell"), ("nonsense: 1\n", "nonsense"),
        ("sources: [car]\n", "sources"), ("{", "waymark.yaml"),
    ])
    func aRefusedConfigurationChangesNothing(configuration: String, problem: String) async throws {
        let folder = try TemporaryFolder()
        let file = try await Drive(places: 12).prepare(in: folder)
        let good = "sources: [\"car=\(file)?speed=1\"]\n"
        let daemon = try await RunningDaemon(in: folder, configuration: good)
        _ = try await events(daemon, to: "source.online")
        try await reload(daemon, configuration)
        let complaint = daemon.log.split(separator: "\n").first { $0.contains("The configuration was refused") }
        #expect(complaint?.contains(" ERROR ") ?? false)
        #expect(complaint?.contains(problem) ?? false, "\(daemon.log)")
        #expect(!daemon.log.contains("is offline"))
        let path = daemon.socket
        let answer = try await offThePool { try LineSocket(to: path).call("server.reload") }
        #expect(answer["error"]?["code"] == 3)
        #expect(answer["error"]?["message"]?.text?.contains(problem) ?? false)
        #expect(try await daemon.stop() == .exit(0))
    }

    @Test func settingsThatNeedARestartAreNamedAndTheRestTakesEffect() async throws {
        let folder = try TemporaryFolder()
        let file = try await Drive(places: 12).prepare(in: folder)
        let daemon = try await RunningDaemon(in: folder)
        let configuration = "sources: [\"car=\(file)?speed=1\"]\nadmin-group: root\nnotifications: {hook: \"true\"}\n"
        try await reload(daemon, configuration, store: "/somewhere/else")
        _ = try await events(daemon, to: "source.online")
        let keys = "store, admin-group, notifications.hook"
        let warning = daemon.log.split(separator: "\n").first { $0.contains("Restart the daemon to apply \(keys)") }
        #expect(warning?.contains(" WARNING ") ?? false, "\(daemon.log)")
        // The settings wait for a restart until the configuration no longer has them.
        let path = daemon.socket
        let answer = try await offThePool { try LineSocket(to: path).call("server.reload") }
        #expect(answer["result"]?["waiting"] == ["store", "admin-group", "notifications.hook"])
        try daemon.configure("")
        let mended = try await offThePool { try LineSocket(to: path).call("server.reload") }
        #expect(mended["result"]?["waiting"] == [])
        #expect(try await daemon.stop() == .exit(0))
    }
}
#endif
