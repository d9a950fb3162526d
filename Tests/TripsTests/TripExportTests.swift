import FeatureSupport
import Foundation
import GPX
import Geodesy
import Positioning
import Receivers
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon
@testable import Service
@testable import Trips

@Suite struct TripExportTests {
    private let folder: TemporaryFolder
    private let store: LocationDatabase
    private let trips: [String]
    private static let begin = Timestamp(rfc3339: "2026-05-01T10:00:00Z").known

    /// Records two trips, each with a gap in its middle.
    init() throws {
        folder = try TemporaryFolder()
        store = try LocationDatabase.fresh()
        var ids: [String] = []
        for device in ["bike", "van"] {
            var pending = PendingCommit()
            var tracker = Tracker(device: device)
            var output = Tracker.Output()
            for fix in Self.fixes { tracker.ingest(fix, in: GeofenceIndex(), into: &output) }
            tracker.finish(into: &output)
            pending.add(output, of: device)
            _ = try store.commit(pending)
            ids += try store.trips(TripQuery(device: device)).map(\.summary.id)
        }
        trips = ids
    }

    private static let fixes = (0..<120).map { second in
        var fix = Fix(
            time: begin.advanced(byMilliseconds: Int64(second) * 1000 + 250),
            coordinate: Coordinate(latitudeE7: 523_700_000 + Int32(second) * 1_001, longitudeE7: -48_900_003).known,
            beginsSegment: second == 60)
        fix.altitude = .meters(12.5)
        fix.speed = .metersPerSecond(11.13)
        fix.track = .degrees(0.5)
        return fix
    }

    private func export(_ ids: [String], as format: TripExport.Format) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try TripExport.write(trips: ids, of: store, as: format) { bytes += $0 }
        return bytes
    }

    @Test func aGPXExportReadsBackAsTheSameFixes() throws {
        #expect(trips.count == 2)
        let trip = try #require(trips.first)
        let path = try folder.file("trip.gpx", try export([trip], as: .gpx))
        let recording = try Recording(path: path)
        var fixes: [Fix] = []
        while let more = try recording.next() { fixes += more }
        #expect(fixes.map(\.time) == Self.fixes.map(\.time))
        #expect(fixes.map(\.coordinate) == Self.fixes.map(\.coordinate))
        #expect(fixes.map(\.speed) == Self.fixes.map(\.speed))
        #expect(fixes.map(\.altitude) == Self.fixes.map(\.altitude))
        #expect(fixes.indices.filter { fixes[$0].beginsSegment && $0 > 0 } == [60])
        #expect(recording.malformed.isEmpty)
    }

    @Test func replayingAnExportGivesTheSameTrip() throws {
        let trip = try #require(trips.first)
        let recording = try Recording(path: try folder.file("trip.gpx", try export([trip], as: .gpx)))
        var tracker = Tracker(device: "bike")
        var output = Tracker.Output()
        while let fixes = try recording.next() {
            for fix in fixes { tracker.ingest(fix, in: GeofenceIndex(), into: &output) }
        }
        tracker.finish(into: &output)
        let summaries = output.changes.compactMap { change in
            if case .tripEnded(let summary) = change { summary } else { nil }
        }
        let stored = try #require(try store.trip(id: trip)).summary
        #expect(summaries.map(\.id) == [trip])
        #expect(summaries.first?.distance == stored.distance)
        #expect(summaries.first?.fixes == stored.fixes)
    }

    @Test func tripsAreExportedInTheRequestedOrder() throws {
        for format in TripExport.Format.allCases where format != .csv {
            let text = String(decoding: try export(trips.reversed(), as: format), as: UTF8.self)
            let places = try trips.map { try #require(text.range(of: $0)).lowerBound }
            #expect(places.count == 2)
            #expect(places[1] < places[0], "\(format)")
        }
    }

    @Test func gapsSplitATripIntoSegments() throws {
        let survey = RecordingSurvey(path: try folder.file("trips.gpx", try export(trips, as: .gpx)))
        #expect(survey.counts.tracks == 2)
        #expect(survey.counts.segments == 4)
        #expect(survey.counts.points == 240)

        let rows = String(decoding: try export([trips[0]], as: .csv), as: UTF8.self).split(whereSeparator: \.isNewline)
        #expect(rows.count == 121)
        #expect(rows.dropFirst().prefix(60).allSatisfy { $0.hasSuffix(",1") })
        #expect(rows.dropFirst(61).allSatisfy { $0.hasSuffix(",2") })

        let geoJSON = String(decoding: try export([trips[0]], as: .geojson), as: UTF8.self)
        #expect(geoJSON.contains("\"MultiLineString\""))
        let kml = String(decoding: try export([trips[0]], as: .kml), as: UTF8.self)
        #expect(kml.components(separatedBy: "<gx:Track>").count == 3)
    }

    @Test func anUnknownTripIsRefusedBeforeAnythingIsWritten() throws {
        for format in TripExport.Format.allCases {
            var pieces = 0
            #expect(throws: TripExport.Failure.unknownTrip(id: "nope")) {
                try TripExport.write(trips: trips + ["nope"], of: store, as: format) { _ in pieces += 1 }
            }
            #expect(pieces == 0)
        }
    }

    @Test func errorsOfTheWriterArePropagated() throws {
        struct Full: Error {}
        for format in TripExport.Format.allCases {
            #expect(throws: Full.self) {
                try TripExport.write(trips: trips, of: store, as: format) { _ in throw Full() }
            }
        }
    }
}
