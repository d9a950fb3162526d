import Foundation
import GRDB
import Geodesy
import Positioning
import Receivers
import Store
import Synchronization
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Sights

/// What comes in live, and when it is committed and sent to subscribers.
@Suite(.slow, .timeLimit(.minutes(2))) struct LivePipelineTests {
    /// Returns a rest and a drive eastward at 10 m/s, with a fix every second.
    private func drive(for seconds: Int, from start: Int = 0) -> [Fix] {
        (start..<start + seconds).map { second in
            LiveRig.fix(Double(second), east: Double(max(0, second - 30)) * 10)
        }
    }

    private func store(with sights: [Sight] = []) throws -> LocationDatabase {
        let store = try Stores.temporary()
        if !sights.isEmpty { _ = try store.importSights(sights) }
        return store
    }

    /// Returns a sight `east` metres to the east.
    private func sight(_ id: String, east: Double) -> Sight {
        Sight(id: id, title: id, place: LiveRig.fix(0, east: east).coordinate, radius: .meters(50))
    }

    @Test func anEventIsCommittedAtOnceAndPositionsDoNotWait() async throws {
        let rig = try await LiveRig(try store(with: [sight("here", east: 0)]))
        try await rig.run {
            await rig.receive([LiveRig.fix(0)])
            #expect(try rig.types() == ["geofence.enter"])
            let told = try await rig.told()
            #expect(told.count == 2)
            #expect(told.first?.contains("\"type\":\"position\"") == true)
            #expect(told.last == String(decoding: try rig.store.events(after: 0, limit: 1)[0].line, as: UTF8.self))
        }
    }

    @Test func pointsAreCommittedInGroupsAtTheInterval() async throws {
        let rig = try await LiveRig(try store())
        try await rig.run {
            // The trip's start is an event, and the trip's points so far are committed with it.
            await rig.receive(drive(for: 60))
            let before = rig.store.commits
            for second in 60..<104 {
                rig.clock.move(by: 1)
                await rig.receive(drive(for: 1, from: second))
                await rig.pipeline.tick()
            }
            await rig.pipeline.probe()
            #expect(rig.store.commits == before)
            rig.clock.move(by: 2)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(rig.store.commits == before + 1)
            let trip = try #require(try rig.store.trips().first)
            #expect(try rig.store.trace(ofTrip: trip.summary.id, limit: .max).count > 50)
        }
    }

    @Test func ticksAreNeededOnlyWhileSomethingWaits() async throws {
        let rig = try await LiveRig(try store())
        try await rig.run {
            #expect(await !rig.pipeline.tick())
            await rig.receive([LiveRig.fix(0)])
            #expect(await !rig.pipeline.tick())
            await rig.receive(drive(for: 60))
            #expect(await rig.pipeline.tick())
            // Half an hour of silence ends the trip.
            rig.clock.move(by: 1_800)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(try rig.types().last == "trip.end")
            #expect(await !rig.pipeline.tick())
            try await rig.refuse(true)
            await rig.receive(drive(for: 60, from: 3_600))
            #expect(await rig.pipeline.tick())
            try await rig.refuse(false)
        }
    }

    @Test func aFullGroupOfPointsIsCommittedAtOnce() async throws {
        var commits = CommitPolicy()
        commits.points = 100
        let rig = try await LiveRig(try store(), commits: commits)
        try await rig.run {
            await rig.receive(drive(for: 60))
            let before = rig.store.commits
            for second in 60..<360 { await rig.receive(drive(for: 1, from: second)) }
            #expect(rig.store.commits == before + 3)
        }
    }

    @Test func aDeviceAtRestCausesNoWrites() async throws {
        let rig = try await LiveRig(try store())
        try await rig.run {
            for second in 0..<7_200 {
                rig.clock.move(by: 1)
                await rig.pipeline.receive(
                    [.fixes([LiveRig.fix(Double(second), east: Double(second % 5))], device: "van")],
                    isRecording: false)
                await rig.pipeline.tick()
            }
            await rig.pipeline.probe()
            let types = try rig.types()
            #expect(types == ["stop.start"])
            #expect(rig.store.commits == 1)
        }
        // A clean stop stores the device's latest position.
        #expect(try rig.store.devices().first?.last?.time == LiveRig.time(7_199))
    }

    @Test func aFailingStoreDelaysEventsButNotPositionsAndLosesNone() async throws {
        let rig = try await LiveRig(try store(with: [sight("a", east: 0), sight("b", east: 1_000)]))
        try await rig.refuse(true)
        let lines = try await rig.run {
            var told: [String] = []
            for second in 0..<200 {
                await rig.receive(drive(for: 1, from: second))
                told += try await rig.told()
            }
            #expect(told.count == 200)
            #expect(told.allSatisfy { $0.contains("\"type\":\"position\"") })
            let failing = await rig.pipeline.snapshot()
            #expect(failing.load.events > 3)
            #expect(try #require(failing.failure).description.contains("refused"))
            // The commit is tried again and fails again.
            rig.clock.move(by: 6)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            let attempts = await rig.pipeline.snapshot().commits.failedCommits
            #expect(attempts == failing.commits.failedCommits + 1)
            try await rig.refuse(false)
            #expect(try rig.types().isEmpty)
            rig.clock.move(by: 6)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(await rig.pipeline.snapshot().failure == nil)
            return try await rig.told()
        }
        let kept = try rig.store.events(after: 0, limit: .max).map { String(decoding: $0.line, as: UTF8.self) }
        #expect(lines == kept)
        let straight = try Stores.temporary()
        _ = try straight.importSights([sight("a", east: 0), sight("b", east: 1_000)])
        let pipeline = Pipeline(
            store: straight, index: try GeofenceIndex(of: straight), policy: TrackingPolicy())
        try pipeline.ingest(drive(for: 200), device: "van")
        #expect(try pipeline.commit().map { String(decoding: $0.line, as: UTF8.self) } == kept)
    }

    @Test func tooManyWaitingEventsEndTheDaemon() async throws {
        var commits = CommitPolicy()
        commits.greatestEvents = 20
        let rig = try await LiveRig(
            try store(with: (0..<30).map { sight("s\($0)", east: 0) }), commits: commits)
        try await rig.refuse(true)
        await rig.pipeline.receive([.fixes([LiveRig.fix(0)], device: "van")], isRecording: false)
        let overflow = await #expect(throws: CommitOverflow.self) {
            try await rig.pipeline.commitUntilCancelled()
        }
        #expect(overflow?.events == 30)
    }

    @Test func aStoreThatFailsForLongDropsTheOldestPoints() async throws {
        var commits = CommitPolicy()
        commits.greatestPoints = 100
        commits.points = 10
        let rig = try await LiveRig(try store(), commits: commits)
        try await rig.run {
            await rig.receive(drive(for: 60))
            try await rig.refuse(true, when: "UPDATE ON device")
            for second in 60..<1_000 { await rig.receive(drive(for: 1, from: second)) }
            let failing = await rig.pipeline.snapshot()
            #expect(failing.load.points <= 100)
            #expect(failing.commits.droppedPoints > 800)
            try await rig.refuse(false)
            rig.clock.move(by: 6)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
        }
        let trip = try #require(try rig.store.trips().first)
        let trace = try rig.store.trace(ofTrip: trip.summary.id, limit: .max)
        #expect(trace.last?.time == LiveRig.time(999))
        #expect((100...200).contains(trace.count))
    }

    @Test func aRecordingDoesNotOutrunTheStore() async throws {
        var commits = CommitPolicy()
        commits.backpressureThreshold = 50
        commits.points = 40
        let rig = try await LiveRig(try store(), commits: commits)
        let most = Mutex(0)
        try await rig.run {
            for start in stride(from: 0, to: 2_000, by: 20) {
                await rig.pipeline.receive([.fixes(drive(for: 20, from: start), device: "van")], isRecording: true)
                let load = await rig.pipeline.snapshot().load
                most.withLock { $0 = max($0, load.points) }
            }
        }
        #expect(most.withLock { $0 } < 50)
        #expect(try rig.store.trips().count == 1)
    }

    /// By the settings many points may wait; those settings do not make receivers wait.
    @Test func receiversDoNotWaitForAGroupOfPoints() async throws {
        var commits = CommitPolicy()
        commits.backpressureThreshold = 50
        commits.points = 100_000
        commits.interval = 3_600
        let rig = try await LiveRig(try store(), commits: commits)
        try await rig.run {
            for second in 0..<500 {
                await rig.pipeline.receive([.fixes(drive(for: 1, from: second), device: "van")], isRecording: false)
            }
        }
        #expect(rig.store.commits < 20)
        #expect(try rig.store.trips().count == 1)
    }

    /// Only a recording waits for a store that fails, and it continues once the store can be written again.
    @Test func aRecordingWaitsForAStoreThatFails() async throws {
        var commits = CommitPolicy()
        commits.backpressureThreshold = 50
        commits.greatestEvents = 100
        let sights = (0..<40).map { sight("s\($0)", east: Double($0) * 30) }
        let rig = try await LiveRig(try store(with: sights), commits: commits)
        try await rig.refuse(true)
        try await rig.run {
            async let recording: Void = {
                for second in 0..<200 {
                    await rig.pipeline.receive([.fixes(drive(for: 1, from: second), device: "van")], isRecording: true)
                }
            }()
            while await rig.pipeline.snapshot().load.sum < 50 { await Task.yield() }
            for second in 0..<100 {
                await rig.pipeline.receive(
                    [.fixes([LiveRig.fix(Double(second), east: -5_000)], device: "boat")], isRecording: false)
            }
            #expect(await rig.pipeline.snapshot().devices.first?.statistics.accepted == 100)
            #expect(await rig.pipeline.snapshot().load.events < 60)
            try await rig.refuse(false)
            rig.clock.move(by: 6)
            await rig.pipeline.tick()
            await recording
        }
        let types = try rig.types()
        // The van has passed the first sights before its trip is recognised.
        #expect(types.count { $0 == "geofence.exit" } >= 37)
    }

    /// An event writes the state of its own device and not those of all devices at rest.
    @Test func anEventWritesTheStateOfItsOwnDeviceOnly() async throws {
        let rig = try await LiveRig(try store(with: [sight("here", east: 0)]))
        try await rig.run {
            for number in 0..<20 { await rig.receive([LiveRig.fix(0, east: 5_000)], of: "parked\(number)") }
            await rig.receive([LiveRig.fix(0)], of: "van")
            let devices = try rig.store.devices().map(\.name)
            #expect(devices == ["van"])
        }
        #expect(try rig.store.devices().count == 21)
    }

    /// A restarted timeline never repeats its events, even if none of its fixes has been accepted yet.
    @Test func aRestartedTimelineIsStoredEvenWithoutAFix() async throws {
        let store = try store(with: [sight("here", east: 0)])
        let rig = try await LiveRig(store)
        try await rig.run {
            await rig.receive(drive(for: 300, from: 1_000))
            for second in 0..<100 {
                rig.clock.move(by: 1)
                var fix = LiveRig.fix(Double(second))
                // The gate refuses this fix, so the timeline has none yet.
                fix.accuracy = .meters(5_000)
                await rig.receive([fix])
            }
        }
        let before = try rig.types()
        #expect(before.suffix(1) == ["trip.end"])
        let next = try await LiveRig(store)
        try await next.run { await next.receive([LiveRig.fix(200, east: 9_000)]) }
        #expect(try next.types() == before)
    }

    @Test func aDeviceWithAnUnreadableStateStartsOver() async throws {
        let store = try store()
        let rig = try await LiveRig(store)
        try await rig.run { await rig.receive(drive(for: 60)) }
        try await store.write { try $0.execute(sql: "UPDATE device SET state = '{}'") }
        let next = try await LiveRig(store)
        try await next.run { await next.receive(drive(for: 60, from: 60)) }
        #expect(await next.pipeline.snapshot().devices.first?.statistics.accepted == 60)
    }

    @Test func timeIsTrustedWithinADayOfTheFixes() async throws {
        let rig = try await LiveRig(try store())
        #expect(await rig.pipeline.trustedTime() == nil)
        try await rig.run { await rig.receive([LiveRig.fix(100)]) }
        // The rig's clock is not synchronised, so only the fix counts.
        #expect(await rig.pipeline.trustedTime() == LiveRig.time(100))
    }

    /// If a probe passed while the writer is stuck, the watchdog would not notice.
    @Test func aStuckWriterBlocksTheProbe() async throws {
        let folder = try TemporaryFolder()
        // A store in a file can be read while it is written.
        let rig = try await LiveRig(try Stores.open(at: folder.file("waymark.db")))
        try await rig.run {
            await rig.pipeline.probe()
            let isReleased = Atomic(false)
            let (held, holding) = AsyncStream<Void>.makeStream()
            let freed = DispatchSemaphore(value: 0)
            let writer = Thread {
                try? rig.store.write { _ in
                    holding.yield()
                    freed.wait()
                }
            }
            writer.start()
            for await _ in held { break }
            async let passed: Bool = {
                await rig.pipeline.probe()
                return isReleased.load(ordering: .sequentiallyConsistent)
            }()
            // Positions continue in the meantime.
            await rig.pipeline.receive([.fixes(drive(for: 40), device: "van")], isRecording: false)
            let told = try await rig.told()
            #expect(told.last?.contains("\"time\":\"2026-05-01T10:00:39.000Z\"") == true)
            isReleased.store(true, ordering: .sequentiallyConsistent)
            freed.signal()
            #expect(await passed)
        }
    }

    @Test func eachChangeOfAReceiverIsReportedOnceAcrossRestarts() async throws {
        let store = try store()
        for round in 0..<3 {
            let rig = try await LiveRig(store)
            try await rig.run {
                await rig.pipeline.receive([.online(device: "gps0")], isRecording: false)
                await rig.pipeline.receive([.online(device: "gps0")], isRecording: false)
                await rig.pipeline.receive([.offline(device: "gps1", reason: "refused")], isRecording: false)
                await rig.pipeline.receive([.offline(device: "gps1", reason: "no such host")], isRecording: false)
                #expect(await rig.pipeline.snapshot().devices.last?.source?.reason == "no such host")
                await rig.pipeline.receive([.stillOffline(device: "gps1", reason: "silent")], isRecording: false)
                #expect(await rig.pipeline.snapshot().devices.last?.source?.reason == "silent")
                // A receiver that is not known cannot still be offline.
                await rig.pipeline.receive([.stillOffline(device: "gps2", reason: "silent")], isRecording: false)
            }
            #expect(try rig.types() == ["source.online", "source.offline"], "round \(round)")
        }
        let line = String(decoding: try store.events(after: 1, limit: 1)[0].line, as: UTF8.self)
        #expect(
            line == #"{"seq":2,"type":"source.offline","time":"2026-05-01T10:00:00.000Z","device":"gps1","#
                + #""reason":"refused","clock":"unsynchronised"}"#)
    }

    @Test func aRemovedReceiverGoesOfflineAndIsForgotten() async throws {
        let store = try store()
        let rig = try await LiveRig(store)
        try await rig.run {
            await rig.pipeline.receive(
                [.offline(device: "bus", reason: "refused"), .online(device: "bus/a"), .online(device: "van")],
                isRecording: false)
            // A gpsd with several receivers is not a receiver itself.
            #expect(await rig.pipeline.snapshot().devices.map(\.name) == ["bus/a", "van"])
            await rig.pipeline.keep(receivers: ["van"])
            await rig.pipeline.probe()
            #expect(await rig.pipeline.snapshot().devices.map(\.name) == ["van"])
        }
        #expect(
            try rig.types() == ["source.offline", "source.online", "source.online", "source.offline"])
        #expect(try store.sourceStates()["bus/a"]?.isOnline == false)
    }

    @Test func fixesOfALiveDeviceAreCheckedAgainstTheClock() async throws {
        let rig = try await LiveRig(try store(with: [sight("here", east: 0)]))
        try await rig.run {
            await rig.receive([LiveRig.fix(1_000)])
            await rig.receive([LiveRig.fix(90_000)])
            #expect(await rig.pipeline.snapshot().devices.first?.statistics.rejected["future"] == 1)
            for second in 0..<110 {
                rig.clock.move(by: 1)
                await rig.receive([LiveRig.fix(Double(second))])
            }
            // The fixes that proved the new timeline count after all.
            #expect(await rig.pipeline.snapshot().devices.first?.statistics.rejected["late"] == 0)
        }
        // The state is unknown again, so the device enters the geofence again, and stays for more than a minute.
        #expect(try rig.types() == ["geofence.enter", "geofence.enter", "geofence.dwell"])
    }

    @Test func aRecordingMayBeAtAnyTime() async throws {
        let rig = try await LiveRig(try store(with: [sight("here", east: 0)]))
        try await rig.run {
            await rig.receive([LiveRig.fix(1_000)], isRecording: true)
            await rig.receive([LiveRig.fix(90_000)], isRecording: true)
            for second in 0..<300 { await rig.receive([LiveRig.fix(Double(second))], isRecording: true) }
            let statistics = try #require(await rig.pipeline.snapshot().devices.first?.statistics)
            #expect(statistics.accepted == 2)
            #expect(statistics.rejected["late"] == 300)
        }
        #expect(try rig.types().count { $0 == "geofence.enter" } == 1)
    }

    @Test(arguments: [false, true]) func silenceEndsTheTripOfALiveDevice(isRecording: Bool) async throws {
        let rig = try await LiveRig(try store())
        try await rig.run {
            await rig.receive(drive(for: 100), isRecording: isRecording)
            rig.clock.move(by: 904)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            let before = try rig.types()
            #expect(before == ["trip.start"])
            // The limits are 900 s, and 5 s by which a fix may come late.
            rig.clock.move(by: 2)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(try rig.types() == (isRecording ? ["trip.start"] : ["trip.start", "trip.end"]))
        }
    }

    /// After a kill nothing after the last commit is left; then the recording starts over.
    @Test(arguments: UInt64(1)...4) func aReplayKilledAnywhereGivesTheSameResult(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let sights = (0..<12).map { sight("s\($0)", east: Double($0) * 400) }
        var fixes = drive(for: 400)
        fixes += (400..<1_500).map { LiveRig.fix(Double($0), east: 3_700) }
        fixes += (1_500..<1_800).map { LiveRig.fix(Double($0), east: 3_700 + Double($0 - 1_500) * 8) }
        var commits = CommitPolicy()
        commits.points = 37

        let straight = try await LiveRig(try store(with: sights), commits: commits)
        try await straight.run { [fixes] in await straight.receive(fixes, isRecording: true) }

        var path = folder.file("0.db")
        try {
            let first = try Stores.open(at: path)
            _ = try first.importSights(sights)
            try first.close()
        }()
        for round in 1...12 {
            let store = try Stores.open(at: path)
            let rig = try await LiveRig(store, commits: commits)
            let end = round == 12 ? fixes.count : Int.random(in: 0..<fixes.count, using: &random)
            let image = folder.file("\(round).db")
            try await rig.run { [fixes] in
                for fix in fixes[..<end] {
                    await rig.pipeline.receive([.fixes([fix], device: "van")], isRecording: true)
                }
                await rig.pipeline.probe()
                // The image is what a power cut would leave.
                if round < 12 { try store.backup(to: image) }
            }
            try store.close()
            if round < 12 { path = image }
        }
        let last = try Stores.openForReading(at: path)
        #expect(
            try last.events(after: 0, limit: .max).map(\.line)
                == straight.store.events(after: 0, limit: .max).map(\.line))
        #expect(try last.trips() == straight.store.trips())
        for trip in try last.trips() {
            #expect(
                try last.trace(ofTrip: trip.summary.id, limit: .max)
                    == straight.store.trace(ofTrip: trip.summary.id, limit: .max))
        }
        #expect(try straight.types().count > 20)
    }
}
