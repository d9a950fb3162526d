import Foundation
import GRDB
import Geodesy
import Positioning
import Receivers
import Store
import TestSupport
import Testing
import Tracking

@testable import Daemon
@testable import Sights

/// What a commit takes of several devices.
@Suite(.slow) struct DeviceCommitTests {
    private func drive(for seconds: Int, from start: Int = 0) -> [Fix] {
        (start..<start + seconds).map { second in
            LiveRig.fix(Double(second), east: Double(max(0, second - 30)) * 10)
        }
    }

    private func store(with sights: [Sight]) throws -> LocationDatabase {
        let store = try Stores.temporary()
        _ = try store.importSights(sights)
        return store
    }

    /// Returns a sight `east` metres to the east.
    private func sight(_ id: String, east: Double) -> Sight {
        Sight(id: id, title: id, place: LiveRig.fix(0, east: east).coordinate, radius: .meters(50))
    }

    /// In a fleet an event writes no more states with more devices under way; the points of the others wait.
    ///
    /// Of a few devices it writes all.
    @Test func anEventOfAFleetWritesAsMuchWithMoreDevicesUnderWay() async throws {
        var written: [Int] = []
        var commits = CommitPolicy()
        for (count, few) in [(4, 3), (16, 3), (4, 16)] {
            commits.devicesOfEvent = few
            let rig = try await LiveRig(try store(with: [sight("here", east: 0)]), commits: commits)
            let changed = try await rig.run {
                for number in 0..<count { await rig.receive(drive(for: 60), of: "moving\(number)") }
                let before = try rig.states()
                #expect(before.count == count)
                for number in 0..<count { await rig.receive(drive(for: 5, from: 60), of: "moving\(number)") }
                await rig.receive([LiveRig.fix(0)], of: "van")
                let after = try rig.states()
                #expect(await rig.pipeline.snapshot().load.points >= (few < count ? count : 0))
                return after.count { before[$0.key] != $0.value }
            }
            written.append(changed)
            // Whatever waited is written at the end.
            let whole = try rig.store.trips().map { try rig.store.trace(ofTrip: $0.summary.id, limit: .max).count }
            #expect(whole.count == count && Set(whole).count == 1)
        }
        #expect(written == [1, 1, 5])
    }

    /// After a power cut each device goes on where its own last commit was.
    @Test(arguments: UInt64(1)...3) func devicesKilledAnywhereGiveTheSameResult(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let sights = (0..<12).map { sight("s\($0)", east: Double($0) * 400) }
        var reports: [(device: String, fix: Fix)] = []
        for second in 0..<600 {
            for (index, device) in ["van", "boat", "bike"].enumerated() {
                // Each drives, stands and drives on at other times.
                let moving = min(second, 200 + 40 * index) + max(0, second - 450 + 30 * index)
                let east = Double(moving) * Double(6 + 3 * index)
                reports.append((device, LiveRig.fix(Double(second), east: east)))
            }
        }
        var commits = CommitPolicy()
        commits.points = 37
        commits.devicesOfEvent = 1

        let straight = try await LiveRig(try store(with: sights), commits: commits)
        try await straight.run { [reports] in
            for report in reports { await straight.receive([report.fix], of: report.device, isRecording: true) }
        }

        var path = folder.file("0.db")
        try {
            let first = try Stores.open(at: path)
            _ = try first.importSights(sights)
            try first.close()
        }()
        for round in 1...5 {
            let store = try Stores.open(at: path)
            let rig = try await LiveRig(store, commits: commits)
            let end = round == 5 ? reports.count : Int.random(in: 0..<reports.count, using: &random)
            let image = folder.file("\(round).db")
            try await rig.run { [reports] in
                for report in reports[..<end] {
                    await rig.pipeline.receive([.fixes([report.fix], device: report.device)], isRecording: true)
                }
                await rig.pipeline.probe()
                if round < 5 { try store.backup(to: image) }
            }
            try store.close()
            if round < 5 { path = image }
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
