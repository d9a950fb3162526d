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

/// A fix's path from the recording to the store, divided in ways that must make no difference.
@Suite(.slow) struct PipelineTests {
    private let folder: TemporaryFolder
    private let index: GeofenceIndex

    private static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures").path

    init() throws {
        folder = try TemporaryFolder()
        index = GeofenceIndex(try SightFile.read(path: "\(Self.fixtures)/amsterdam.sights.csv"))
    }

    /// The fixes of the drive's beginning and of the walk, with their devices.
    private static let journeys: [(device: String, fixes: [Fix])] = {
        func fixes(_ name: String) -> [Fix] {
            guard let recording = try? Recording(path: "\(fixtures)/\(name)") else { return [] }
            var fixes: [Fix] = []
            while let more = try? recording.next() { fixes += more }
            return fixes
        }
        return [("van", Array(fixes("city-drive.gpx").prefix(1000))), ("walker", fixes("canal-walk.gpx"))]
    }()

    /// The contents of a store.
    private struct Remains: Equatable {
        var lines: [String]
        var trips: [RecordedTrip]
        var stops: [StopSummary]
        var traces: [[Fix]]

        init(_ store: LocationDatabase) throws {
            lines = try store.events(after: 0, limit: .max).map { String(decoding: $0.line, as: UTF8.self) }
            trips = try store.trips().sorted { $0.summary.id < $1.summary.id }
            stops = try ["van", "walker"].flatMap { try store.stops(ofDevice: $0) }
            traces = try trips.map { try store.trace(ofTrip: $0.summary.id, limit: .max) }
        }
    }

    private func text(_ told: [EventRecord]) -> [String] { told.map { String(decoding: $0.line, as: UTF8.self) } }

    private func pipeline(_ store: LocationDatabase, positions: Pipeline.Positions = .omitted) -> Pipeline {
        Pipeline(store: store, index: index, policy: TrackingPolicy(), positions: positions)
    }

    /// Returns what is stored if each journey comes in one batch and all is committed at once.
    private func straight() throws -> Remains {
        let store = try Stores.temporary()
        let pipeline = pipeline(store)
        for (device, fixes) in Self.journeys {
            try pipeline.ingest(fixes, device: device)
            try pipeline.finish(device: device)
        }
        let told = try pipeline.commit()
        let remains = try Remains(store)
        #expect(text(told) == remains.lines)
        #expect(remains.trips.count == 2)
        #expect(remains.lines.count > 50)
        return remains
    }

    @Test func aDeviceHasItsOwnLimitOfSpeed() throws {
        let store = try Stores.temporary()
        try store.write { db in
            try Devices.add("van", to: db)
            try Devices.setSpeedLimit(.kilometersPerHour(20), of: "van", in: db)
        }
        let pipeline = pipeline(store)
        func speeding(_ journeys: [(device: String, fixes: [Fix])]) throws -> [String] {
            for (device, fixes) in journeys { try pipeline.ingest(fixes, device: device) }
            return try text(pipeline.commit()).filter { $0.contains(#""type":"geofence.speed""#) }
        }
        let (van, walker) = (Self.journeys[0], Self.journeys[1])
        let first = try speeding([("van", Array(van.fixes.prefix(500))), walker])
        #expect(!first.isEmpty)
        #expect(first.allSatisfy { $0.contains(#""device":"van""#) && !$0.contains(#""geofence":"#) })
        // A change holds from the next fix on, also after that of the settings for all.
        pipeline.limitSpeeds(["van": nil])
        pipeline.adopt(TrackingPolicy())
        #expect(try speeding([("van", Array(van.fixes.dropFirst(500)))]).allSatisfy { $0.contains("max_speed") })
        #expect(try store.speedLimit(ofDevice: "van") == .kilometersPerHour(20))
    }

    /// Ingests the journeys in batches of random length, and calls `between` after each.
    private func cut(
        longest: Int, seed: UInt64, into pipeline: () -> Pipeline,
        between: (inout SeededGenerator) throws -> Void
    ) throws {
        var generator = SeededGenerator(seed: seed)
        for (device, fixes) in Self.journeys {
            var rest = fixes[...]
            while !rest.isEmpty {
                let batch = rest.prefix(Int.random(in: 1...longest, using: &generator))
                rest = rest.dropFirst(batch.count)
                try pipeline().ingest(batch, device: device)
                try between(&generator)
            }
            try pipeline().finish(device: device)
        }
    }

    @Test(arguments: [(1 as UInt64, 1), (2, 7), (3, 100), (4, 700)])
    func anyDivisionIntoBatchesAndCommitsGivesTheSameResult(seed: UInt64, longest: Int) throws {
        let store = try Stores.temporary()
        let pipeline = pipeline(store)
        var told: [String] = []
        try cut(longest: longest, seed: seed, into: { pipeline }) { generator in
            if Bool.random(using: &generator) { told += text(try pipeline.commit()) }
        }
        told += text(try pipeline.commit())
        let expected = try straight()
        #expect(told == expected.lines)
        #expect(try Remains(store) == expected)
    }

    @Test(arguments: [(1 as UInt64, 3), (2, 40), (3, 400)])
    func aRestartBetweenAnyTwoCommitsGivesTheSameResult(seed: UInt64, longest: Int) throws {
        let store = try Stores.temporary()
        var pipeline = pipeline(store)
        var told: [String] = []
        var restarts = 0
        try cut(longest: longest, seed: seed, into: { pipeline }) { _ in
            told += text(try pipeline.commit())
            pipeline = self.pipeline(store)
            restarts += 1
        }
        told += text(try pipeline.commit())
        #expect(restarts > 2)
        let expected = try straight()
        #expect(told == expected.lines)
        #expect(try Remains(store) == expected)
    }

    @Test func aCrashLosesOnlyUncommittedFixes() throws {
        let store = try Stores.temporary()
        let (device, fixes) = try #require(Self.journeys.first)
        for lost in [20, 300] {
            // The process dies after fixes that were not committed; the next one receives them again.
            let died = pipeline(store)
            try died.ingest(fixes.prefix(lost / 2), device: device)
            _ = try died.commit()
            try died.ingest(fixes[(lost / 2)..<lost], device: device)
        }
        let next = pipeline(store)
        for (device, fixes) in Self.journeys {
            try next.ingest(fixes, device: device)
            try next.finish(device: device)
        }
        _ = try next.commit()
        #expect(try Remains(store) == straight())
    }

    @Test func aReopenedStoreContinuesWhereItStopped() throws {
        let path = folder.file("waymark.db")
        var store = try Stores.open(at: path)
        var pipeline = pipeline(store)
        try cut(longest: 400, seed: 5, into: { pipeline }) { _ in
            _ = try pipeline.commit()
            try store.close()
            store = try Stores.open(at: path)
            pipeline = self.pipeline(store)
        }
        _ = try pipeline.commit()
        #expect(try Remains(store) == straight())
        try store.close()
    }

    @Test func aFailedCommitReportsNothingAndKeepsEverything() throws {
        let store = try Stores.temporary()
        let pipeline = pipeline(store)
        var told: [String] = []
        var refused = 0
        try cut(longest: 60, seed: 6, into: { pipeline }) { generator in
            guard Int.random(in: 0..<3, using: &generator) > 0 else {
                told += text(try pipeline.commit())
                return
            }
            let before = try Remains(store)
            // The trigger refuses at the end of the transaction, after traces and events have been written.
            try store.write {
                try $0.execute(
                    sql: "CREATE TRIGGER refusal BEFORE UPDATE ON device BEGIN SELECT RAISE(ABORT, 'refused'); END")
            }
            for _ in 0..<2 {
                let error = #expect(throws: StoreError.self) { try pipeline.commit() }
                #expect("\(try #require(error))".contains("refused"))
            }
            #expect(pipeline.uncommitted > 0)
            try store.write { try $0.execute(sql: "DROP TRIGGER refusal") }
            #expect(try Remains(store) == before)
            refused += 1
        }
        told += text(try pipeline.commit())
        #expect(refused > 3)
        #expect(pipeline.uncommitted == 0)
        let expected = try straight()
        #expect(told == expected.lines)
        #expect(try Remains(store) == expected)
    }

    @Test func onAFullDiskEverythingStaysPendingUntilThereIsSpace() throws {
        let store = try Stores.open(at: folder.file("waymark.db"))
        let pipeline = pipeline(store)
        let pages = try store.write { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        _ = try store.write { try Int.fetchOne($0, sql: "PRAGMA max_page_count = \(pages)") }
        for (device, fixes) in Self.journeys {
            try pipeline.ingest(fixes, device: device)
            try pipeline.finish(device: device)
            let error = #expect(throws: StoreError.self) { try pipeline.commit() }
            #expect(error == .full(path: folder.file("waymark.db")))
            #expect(try Remains(store).lines.isEmpty)
        }
        _ = try store.write { try Int.fetchOne($0, sql: "PRAGMA max_page_count = 1000000") }
        let expected = try straight()
        #expect(text(try pipeline.commit()) == expected.lines)
        #expect(try Remains(store) == expected)
        try store.close()
    }

    @Test func positionsAreReportedWithTheCommitButNotStored() throws {
        let store = try Stores.temporary()
        let pipeline = pipeline(store, positions: .committed)
        let (device, fixes) = try #require(Self.journeys.last)
        try pipeline.ingest(fixes, device: device)
        try pipeline.finish(device: device)
        let told = try pipeline.commit()
        let times = told.filter { $0.seq == nil }.map(\.time)
        #expect(times.count == fixes.count)
        #expect(times == times.sorted())
        #expect(try Remains(store).lines == text(told.filter { $0.seq != nil }))
        #expect(try pipeline.commit().isEmpty)
    }

    @Test func anEmptyCommitWritesNothing() throws {
        let store = try Stores.temporary()
        let pipeline = pipeline(store)
        let before = store.commits
        #expect(try pipeline.commit().isEmpty)
        #expect(store.commits == before)
    }
}
