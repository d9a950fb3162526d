import GRDB
import Geodesy
import Phones
import Positioning
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon

/// The places that phones report, from the request to the store.
@Suite(.slow, .timeLimit(.minutes(2))) struct ReportTests {
    /// Returns OwnTracks' messages of a drive eastward at 10 m/s after a rest, at some seconds.
    private static func report(_ seconds: [Int]) -> PhoneReport {
        let messages = seconds.map { second in
            let fix = LiveRig.fix(Double(second), east: Double(max(0, second - 60)) * 10)
            return """
                {"_type":"location","lat":\(fix.coordinate.latitude),"lon":\(fix.coordinate.longitude),"acc":5,\
                "tst":\(1_777_629_600 + second)}
                """
        }
        let body = Array("[\(messages.joined(separator: ","))]".utf8)
        return PhoneReport(reading: PhoneRequest(head: PhoneRequest.Head(), body: body))
    }

    private static let drive = Array(stride(from: 0, through: 900, by: 10))

    private func rig() async throws -> LiveRig { try await LiveRig(try Stores.temporary()) }

    @Test func aReportIsOnTheDiskWhenItIsAnswered() async throws {
        let rig = try await rig()
        try await rig.run {
            try await rig.pipeline.take(Self.report([0]), of: "anna")
            let device = try #require(try rig.store.devices().first)
            #expect(device.name == "anna")
            #expect(device.last?.time == LiveRig.time(0))
            try await rig.pipeline.take(Self.report(Self.drive), of: "anna")
            #expect(try rig.types() == ["source.online", "trip.start"])
            try await rig.refuse(true, when: "UPDATE ON device")
            await #expect(throws: ReportPostponed.self) {
                try await rig.pipeline.take(Self.report([910]), of: "anna")
            }
            try await rig.refuse(false)
        }
    }

    @Test func aBacklogInPiecesGivesTheTripOfALiveJourney() async throws {
        let live = try await rig()
        try await live.run {
            for second in Self.drive { try await live.pipeline.take(Self.report([second]), of: "anna") }
        }
        let backlog = try await rig()
        try await backlog.run {
            for start in stride(from: 0, to: Self.drive.count, by: 20) {
                let piece = Array(Self.drive.dropFirst(start).prefix(20).reversed())
                // Everything is sent twice.
                for _ in 0..<2 { try await backlog.pipeline.take(Self.report(piece), of: "anna") }
            }
        }
        func events(_ rig: LiveRig) throws -> [[UInt8]] { try rig.store.events(after: 0, limit: .max).map(\.line) }
        #expect(try events(live) == events(backlog))
        #expect(try live.store.trips() == backlog.store.trips())
        let counts = try #require(await backlog.pipeline.reported["anna"])
        #expect((counts.duplicates, counts.late, counts.future) == (Self.drive.count, 0, 0))
    }

    @Test func latePlacesAreMergedAndFutureOnesRejected() async throws {
        let rig = try await rig()
        let synchronised = try await LiveRig(try Stores.temporary(), isSynchronised: true)
        let features = Features(store: rig.store, liveState: rig.pipeline) { LiveRig.time(5_000) }
        try await rig.run {
            let early = Self.drive.filter { $0 % 30 == 0 }
            let late = Self.drive.filter { $0 % 30 != 0 }
            // An hour's rest ends the trip.
            try await rig.pipeline.take(Self.report(early + [1_000, 2_800, 4_600]), of: "anna")
            try await rig.pipeline.take(Self.report(late), of: "anna")
            #expect(await rig.pipeline.reported["anna"]?.late == late.count)
            #expect(await rig.pipeline.quiet(for: 60, among: ["anna"]) == [])
            rig.clock.move(by: 61)
            #expect(await rig.pipeline.quiet(for: 60, among: ["anna", "bob"]) == ["anna", "bob"])
            let before = try #require(try rig.store.trips().first)
            try await LateMerges(rig.pipeline, features.context, logger: rig.pipeline.logger).merge("anna")
            let after = try #require(try rig.store.trips().first)
            #expect(after.summary.fixes > before.summary.fixes)
            #expect(try rig.types().last == "trip.revised")
        }
        try await synchronised.run {
            try await synchronised.pipeline.take(Self.report([0, 90_000]), of: "anna")
            #expect(await synchronised.pipeline.reported["anna"]?.future == 1)
            let device = await synchronised.pipeline.snapshot().devices.first
            #expect(device?.read == 2)
            #expect(device?.rejected["future"] == 1)
        }
    }

    @Test func silenceForHoursEndsAPhonesTripAndPutsItOffline() async throws {
        let rig = try await rig()
        try await rig.run {
            try await rig.pipeline.take(Self.report(Self.drive), of: "anna")
            rig.clock.move(by: 3 * 3600)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(try rig.types() == ["source.online", "trip.start"])
            rig.clock.move(by: 4 * 3600)
            await rig.pipeline.tick()
            await rig.pipeline.probe()
            #expect(try rig.types() == ["source.online", "trip.start", "trip.end", "source.offline"])
            try await rig.pipeline.take(Self.report([30_000]), of: "anna")
            #expect(try rig.types().last == "source.online")
        }
    }
}
