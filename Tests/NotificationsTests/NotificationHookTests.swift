import FeatureSupport
import Foundation
import RPC
import Store
import Synchronization
import Testing
import Tracking

@testable import Notifications
@testable import Service

/// The hook: a command that receives each notification.
@Suite struct NotificationHookTests {
    /// Makes a core whose hook is `hook`, with ada on board of gps0 and three sights.
    private func core(hook: String?) async throws -> CoreFixture {
        let core = try CoreFixture(hook: hook)
        try core.people("ada")
        for sight in ["mill", "fort", "dam"] { try await core.have(sight: sight) }
        try await core.board("ada")
        return core
    }

    private func file() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("hook-\(UUID().uuidString)").path
    }

    /// A signal that arrives once; the log does not grow afterwards.
    private var once: AsyncStream<Void> {
        AsyncStream {
            $0.yield(); $0.finish()
        }
    }

    @Test func theHookReceivesEachNotificationLineOnce() async throws {
        let path = file()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let core = try await core(hook: "tee  -a \(path)")
        try await core.log(.enter, "mill")
        try await core.followers.catchUp()
        let hook = try #require(try NotificationHook(core.hook, store: core.store) { Issue.record("\($0)") })
        // The hook does not receive notifications from before its start.
        try await core.log(.enter, "fort", at: 1)
        try await core.log(.enter, "dam", at: 2)
        try await core.followers.catchUp()
        await hook.run(once)
        let lines = core.liveState.told.dropFirst().map { String(decoding: $0.line, as: UTF8.self) }
        #expect(lines.count == 2)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == lines.map { $0 + "\n" }.joined())
    }

    @Test func duringQuietHoursTheHookIsNotRun() async throws {
        let path = file()
        let core = try await core(hook: "tee -a \(path)")
        try await core.call(as: "ada", "notifications.setRules", ["quiet": "00:00-23:59", "zone": "UTC"])
        let hook = try #require(try NotificationHook(core.hook, store: core.store) { Issue.record("\($0)") })
        try await core.log(.enter, "mill")
        try await core.followers.catchUp()
        await hook.run(once)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await core.badge(of: "ada") == 1)
    }

    @Test func anAlarmRunsTheHookInQuietHours() async throws {
        let path = file()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let core = try await core(hook: "tee -a \(path)")
        try await core.call(as: "ada", "notifications.setRules", ["quiet": "00:00-23:59", "zone": "UTC"])
        let hook = try #require(try NotificationHook(core.hook, store: core.store) { Issue.record("\($0)") })
        try await core.log(.exit, "mill", isAlarm: true)
        try await core.followers.catchUp()
        await hook.run(once)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("Alarm: <b>Mill</b>"))
    }

    @Test func withoutACommandThereIsNoHook() async throws {
        for hook in [nil, "", "  "] {
            let made = try NotificationHook(hook, store: try await core(hook: hook).store) { _ in }
            #expect(made == nil)
        }
    }

    @Test func onlyTheLatestWaitingNotificationsAreKept() async throws {
        let core = try await core(hook: "true")
        for key in 0..<40 { try await core.tell("ada", key: "\(key)") }
        var queue = NotificationHook.Queue(place: 0)
        #expect(try await queue.fill(from: core.store) == 40 - NotificationHook.maximumWaiting)
        #expect(queue.next()?.seq == 9)
        #expect(try await queue.fill(from: core.store) == 0)
        #expect(queue.next()?.seq == 10)
    }
}
