import Foundation
import GRDB
import Geodesy
import Positioning
import Synchronization
import TextCoding
import Time

@testable import Daemon
@testable import Interchange
@testable import Store
@testable import Tracking
@testable import Trips

extension FuzzTarget {
    /// The saved state of a device, and a drive that continues from it.
    static let state = FuzzTarget("state", seeds: savedStates) { bytes in
        guard let saved = try? JSONDecoder().decode(Tracker.Saved.self, from: Data(bytes)) else { return }
        var index = GeofenceIndex([(fence, revision: 1)])
        var tracker = Tracker(device: "van", saved: saved, in: &index)
        var output = Tracker.Output()
        let begin = saved.lastTime ?? beginning
        for fix in drive(from: begin, at: saved.lastPlace ?? fence.center) {
            tracker.ingest(fix, in: index, into: &output)
        }
        tracker.elapse(until: begin.advanced(byMilliseconds: .max), into: &output)
        tracker.finish(into: &output)
        check(output)
        guard let text = try? StoredJSON.encode(tracker.saved(in: index)) else { return demand(false, "no state") }
        demand((try? StoredJSON.decode(Tracker.Saved.self, from: text)) != nil, "a state that is not read again")
    }

    /// Arbitrary fixes, which pass through the tracker, the explanations and the export formats.
    static let journey = FuzzTarget("journey", seeds: ["drive", String(repeating: "\u{1}a", count: 200)]) { bytes in
        var choices = Choices(bytes)
        var policy = TrackingPolicy()
        policy.gate.isOff = choices.below(2) == 1
        policy.lookahead = choices.below(2) == 1 ? Lookahead() : nil
        let index = GeofenceIndex([(fence, revision: 1)])
        var tracker = Tracker(device: "van", policy: policy)
        var history = FixHistory()
        var output = Tracker.Output(wantsPositions: true)
        let fixes = fixes(&choices, most: 200)
        for fix in fixes {
            history.prepare(for: tracker)
            history.add(fix, tracker.ingest(fix, in: index, into: &output), revision: 1)
        }
        tracker.finish(into: &output)
        check(output)
        let question = Explanation.Question(time: fixes.last?.time ?? beginning, window: abs(choices.number()))
        _ = history.explain(question, fence.identity, device: "van", in: index, policy: policy)
        var simplified: [Fix] = []
        var simplifier = TraceSimplifier(tolerance: .meters(abs(choices.number())))
        for fix in fixes { simplifier.add(fix, into: &simplified) }
        simplifier.finish(into: &simplified)
        let track = ExportedTrack(name: "x", segments: [simplified])
        var bytes: [UInt8] = []
        var writers: [any TrackWriter] = [GeoJSONWriter(), KMLWriter(), CSVTrackWriter()]
        for index in writers.indices {
            writers[index].begin(to: &bytes)
            writers[index].append(track, to: &bytes) { (_: inout [UInt8]) in }
            writers[index].end(to: &bytes)
        }
    }

    /// A few trips of arbitrary points in a store, and edits of them.
    static let edits = FuzzTarget("edits", seeds: ["abcdefgh", String(repeating: "\u{2}b", count: 100)]) { bytes in
        var choices = Choices(bytes)
        try? store?.write { db in
            // The rollback at the end leaves an empty store for the next input.
            struct Undo: Error {}
            var ids: [String] = []
            for _ in 0..<choices.below(3) + 1 {
                var past = PastRecording(
                    device: "van", policy: TrackingPolicy(), stops: choices.below(2) == 1 ? [] : nil)
                guard var found = try? past.add(fixes(&choices, most: 20)) else { continue }
                found += (try? past.finish()) ?? []
                for case .trip(let trip) in found {
                    if try Travels.add(trip, policy: TrackingPolicy(), now: beginning, to: db) == .added {
                        ids.append(trip.summary.id)
                    }
                }
            }
            for _ in 0..<8 where !ids.isEmpty && !choices.isEmpty {
                let id = ids[choices.below(UInt8(clamping: ids.count))]
                let time = time(&choices)
                do {
                    let now = beginning
                    let revision: TripRevision? =
                        switch choices.below(7) {
                        case 0: try TripEditing.merge(id, with: ids[0], now: now, in: db)
                        case 1: try TripEditing.split(id, at: time, now: now, in: db)
                        case 2: try TripEditing.removePoint(at: time, ofTrip: id, now: now, in: db)
                        case 3:
                            try TripEditing.removeSpan(
                                from: time, until: FuzzTarget.time(&choices), ofTrip: id, now: now, in: db)
                        case 4: try TripEditing.undo(id, now: now, in: db)
                        default: try TripEditing.recompute(id, now: now, in: db).1
                        }
                    ids += revision?.trips.map(\.summary.id).filter { !ids.contains($0) } ?? []
                } catch is TripEditError {}
            }
            let trips = try ids.compactMap { try Travels.trip(id: $0, in: db) }.filter { $0.summary.end != nil }
            for format in TripExport.Format.allCases { _ = try TripExport.piece(of: trips, as: format, in: db) }
            throw Undo()
        }
    }

    private static let store = try? Stores.temporary()
    private static let beginning = Timestamp(milliseconds: 1_777_629_600_000)
    private static let fence = Geofence(
        identity: .init(kind: .sight, id: "a"), title: "A", center: Coordinate(latitude: 50, longitude: 5) ?? .origin,
        radius: .meters(100))

    private static func time(_ choices: inout Choices) -> Timestamp {
        switch choices.below(8) {
        case 0: Timestamp(milliseconds: choices.integer())
        case 1: .latest
        default: beginning.advanced(byMilliseconds: Int64(choices.byte()) * 1000)
        }
    }

    private static func fixes(_ choices: inout Choices, most: Int) -> [Fix] {
        var fixes: [Fix] = []
        var time = choices.below(4) == 0 ? time(&choices) : beginning
        var (latitude, longitude) = (500_000_000, 50_000_000)
        while fixes.count < most, !choices.isEmpty {
            let kind = choices.byte()
            time =
                kind & 7 == 7
                ? self.time(&choices)
                : time.advanced(byMilliseconds: Int64(kind & 7) * Int64(choices.byte()) * 1000 + 1000)
            latitude += (Int(choices.byte()) - 128) * 100
            longitude += (Int(choices.byte()) - 128) * (kind & 8 == 0 ? 100 : 10_000_000)
            let place = Coordinate(
                latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
            guard let place else {
                (latitude, longitude) = (899_999_999, -1_800_000_000)
                continue
            }
            var fix = Fix(time: time, coordinate: place, beginsSegment: kind & 16 != 0)
            if kind & 32 != 0 { fix.altitude = .meters(choices.number()) }
            if kind & 64 != 0 { fix.speed = .metersPerSecond(choices.number()) }
            if kind & 128 != 0 {
                fix.accuracy = .meters(choices.number())
                fix.track = .degrees(choices.number())
            }
            fixes.append(fix)
        }
        return fixes
    }

    /// Returns 60 fixes, one a second, of a drive with a rest in the middle.
    ///
    /// At the end of the rest there is no fix for 400 s.
    private static func drive(from begin: Timestamp, at place: Coordinate) -> [Fix] {
        (0..<60).compactMap { second in
            let moved = Double(second < 25 ? second : second < 35 ? 25 : second - 10)
            guard let place = Coordinate(latitude: place.latitude + moved * 2e-4, longitude: place.longitude) else {
                return nil
            }
            var fix = Fix(
                time: begin.advanced(byMilliseconds: Int64(second) * 1000 + (second < 34 ? 0 : 400_000)),
                coordinate: place)
            fix.speed = .metersPerSecond(second < 25 ? 22 : 0)
            fix.accuracy = .meters(5)
            return fix
        }
    }

    private static func check(_ output: Tracker.Output) {
        for change in output.changes {
            guard case .tripEnded(let trip) = change else { continue }
            demand(trip.stopped.isFinite && trip.stopped >= 0, "a trip was stopped for \(trip.stopped) s")
            if let end = trip.end { demand(end >= trip.start, "a trip ends before it begins") }
        }
        for event in output.events { demand(!event.json().isEmpty, "an event without a line") }
    }

    /// The saved states of a device that has just begun, drives, and rests.
    private static let savedStates: [String] = {
        let index = GeofenceIndex([(fence, revision: 1)])
        var tracker = Tracker(device: "van")
        var output = Tracker.Output()
        var states = [try? StoredJSON.encode(tracker.saved(in: index))]
        for (number, fix) in drive(from: beginning, at: fence.center).enumerated() {
            tracker.ingest(fix, in: index, into: &output)
            if number % 15 == 14 { states.append(try? StoredJSON.encode(tracker.saved(in: index))) }
        }
        return states.compactMap { $0 }
    }()
}
