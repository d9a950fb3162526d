import Foundation
import GRDB
import Geodesy
import Positioning
import Receivers
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import Sights

/// Batches, commits between them and restarts of the daemon make no difference to what is stored.
@Suite(.slow) struct PipelineBatchesTests {
    /// All that the store has about devices, byte by byte.
    ///
    /// It leaves out the numbers of events, which depend on the events of the other devices.
    private struct Kept: Equatable {
        var events: [String: [String]] = [:]
        var states: [String: String] = [:]
        var trips: [RecordedTrip]
        var stops: [[StopSummary]]
        var traces: [[Fix]]

        init(_ store: LocationDatabase, _ devices: [String]) throws {
            for event in try store.events(after: 0, limit: .max) {
                let line = String(decoding: event.line, as: UTF8.self)
                let named = devices.filter { line.contains("\"device\":\"\($0)\"") }
                events[named.joined(), default: []].append(String(line.drop { $0 != "," }))
            }
            for device in devices {
                states[device] = try store.read {
                    try String.fetchOne($0, sql: "SELECT state FROM device WHERE name = ?", arguments: [device])
                }
            }
            trips = try store.trips().sorted { $0.summary.id < $1.summary.id }
            stops = try devices.map { try store.stops(ofDevice: $0) }
            traces = try trips.map { try store.trace(ofTrip: $0.summary.id, limit: .max) }
        }

        /// A copy without the distances travelled since the process began, which start over after a restart.
        ///
        /// It also drops the spaces at the end of the states, because their number depends on the digits of those
        /// distances.
        var withoutDistances: Kept {
            var kept = self
            kept.states = states.mapValues {
                $0.replacing(#/"travelled":{"meters":[^}]*}/#, with: "").replacing(#/ +$/#, with: "")
            }
            return kept
        }
    }

    private static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures").path
    private static let devices = ["van", "walker"]

    private let index: GeofenceIndex
    private let journeys: [String: [Fix]]

    init() throws {
        index = GeofenceIndex(try SightFile.read(path: "\(Self.fixtures)/amsterdam.sights.csv"))
        journeys = [
            "van": try Self.fixes(of: "city-drive.gpx", 700), "walker": try Self.fixes(of: "canal-walk.gpx", 400),
        ]
    }

    private static func fixes(of name: String, _ count: Int) throws -> [Fix] {
        let recording = try Recording(path: "\(fixtures)/\(name)")
        var fixes: [Fix] = []
        while fixes.count < count, let more = try recording.next() { fixes += more }
        return Array(fixes.prefix(count))
    }

    /// Returns the journey with everything that may happen to fixes between receiver and daemon.
    private func awkward(_ device: String, _ random: inout SeededGenerator) -> [Fix] {
        let tellsAccuracy = Bool.random(using: &random)
        var fixes: [Fix] = []
        var (delay, lost) = (Int64(0), 0)
        for truth in journeys[device] ?? [] {
            var fix = truth
            fix.time = truth.time?.advanced(byMilliseconds: delay)
            if tellsAccuracy { fix.accuracy = .meters(.random(in: 2...80, using: &random)) }
            lost = max(0, lost - 1)
            switch Int.random(in: 0..<250, using: &random) {
            case 0: fix.beginsSegment = true
            case 1: fix.time = nil
            case 2: fix.time = fix.time?.advanced(byMilliseconds: -20_000)
            case 3: fix.accuracy = .meters(900)
            case 4: fix.coordinate = Coordinate(latitude: truth.coordinate.latitude + 0.02, longitude: 4.9).known
            case 5: fixes.append(fix)
            case 6: lost = .random(in: 2...60, using: &random)
            case 7: delay += [240_000, 1_200_000].randomElement(using: &random) ?? 0
            default: break
            }
            if lost == 0 { fixes.append(fix) }
        }
        return fixes
    }

    private func pipeline(_ store: LocationDatabase) -> Pipeline {
        var policy = TrackingPolicy()
        policy.lookahead = Lookahead()
        return Pipeline(store: store, index: index, policy: policy)
    }

    /// Ingests the parts one after the other, and returns what is stored after each and after the ends of the
    /// recordings.
    private func kept(
        _ parts: [[String: [Fix]]], ingest: (LocationDatabase, inout Pipeline, [String: [Fix]]) throws -> Void
    ) throws -> [Kept] {
        let store = try Stores.temporary()
        var pipeline = pipeline(store)
        var kept: [Kept] = []
        for part in parts {
            try ingest(store, &pipeline, part)
            _ = try pipeline.commit()
            kept.append(try Kept(store, Self.devices))
        }
        for device in Self.devices { try pipeline.finish(device: device) }
        _ = try pipeline.commit()
        kept.append(try Kept(store, Self.devices))
        try store.close()
        return kept
    }

    @Test(arguments: UInt64(1)...3, [false, true])
    func batchesCommitsAndRestartsDoNotChangeTheStoredBytes(seed: UInt64, restarts: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let fixes = Dictionary(uniqueKeysWithValues: Self.devices.map { ($0, awkward($0, &random)) })
        // The first snapshot is taken in the middle, while much is open.
        let middle = Double.random(in: 0.2...0.9, using: &random)
        let parts = [
            fixes.mapValues { Array($0.prefix(Int(middle * Double($0.count)))) },
            fixes.mapValues { Array($0.dropFirst(Int(middle * Double($0.count)))) },
        ]
        let straight = try kept(parts) { _, pipeline, part in
            for device in Self.devices { try pipeline.ingest(part[device] ?? [], device: device) }
        }
        let longest = [1, 5, 60, 300].randomElement(using: &random) ?? 1
        let cut = try kept(parts) { store, pipeline, part in
            var left = part.mapValues { $0[...] }
            while let device = Self.devices.filter({ left[$0]?.isEmpty == false }).randomElement(using: &random) {
                let batch = (left[device] ?? []).prefix(.random(in: 0...longest, using: &random))
                left[device] = left[device]?.dropFirst(batch.count)
                try pipeline.ingest(batch, device: device)
                guard Int.random(in: 0..<(longest < 10 ? 20 : 3), using: &random) == 0 else { continue }
                _ = try pipeline.commit()
                if restarts { pipeline = self.pipeline(store) }
            }
        }
        #expect(cut.map { restarts ? $0.withoutDistances : $0 } == straight.map { restarts ? $0.withoutDistances : $0 })
        for device in Self.devices {
            #expect(straight[0].states[device] != straight[1].states[device])
            #expect((straight.last?.events[device]?.count ?? 0) > 10)
        }
    }
}
