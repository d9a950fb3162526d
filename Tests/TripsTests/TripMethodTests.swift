import FeatureSupport
import Geodesy
import Positioning
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Service
@testable import Trips

@Suite(.slow) struct TripMethodTests {
    private let core: CoreFixture

    init() throws { core = try CoreFixture() }

    private func list(_ parameters: JSONObject = [:]) async throws -> [String] {
        try await core.call("trips.list", parameters, isGuest: true)["trips"].elements.ids
    }

    @Test func tripsAreListedNewestFirst() async throws {
        let old = try core.record("van", at: 0).id
        let middle = try core.record("bike", at: 100).id
        let new = try core.record("van", at: 200).id
        #expect(try await list() == [new, middle, old])
        #expect(try await list(["device": "van"]) == [new, old])
        #expect(try await list(["from": "2026-05-01T10:01:40Z"]) == [new, middle])
        #expect(try await list(["to": "2026-05-01T12:01:40+02:00"]) == [old])
        #expect(try await list(["from": "2026-05-01T10:00:01Z", "to": "2026-05-01T10:03:20Z"]) == [middle])
        #expect(try await list(["limit": 1]) == [new])
        #expect(
            try await core.call("trips.list", ["limit": 1])["trips"].elements == [
                [
                    "id": .string(new), "start": "2026-05-01T10:03:20.000Z", "end": "2026-05-01T10:03:22.000Z",
                    "distance": 1234.6, "moving": 2, "stopped": 0, "stops": 0, "fixes": 3, "average_speed": 617.28,
                    "device": "van",
                    "algorithm": .integer(Int64(TrackingPolicy.algorithm)), "revision": 0,
                ]
            ])
    }

    @Test func pagesHaveNoGapsOrDuplicates() async throws {
        var random = SeededGenerator(seed: 8)
        var trips: [TripSummary] = []
        for device in ["a", "b/c", "d", "e"] {
            // Some trips of different devices start at the same time.
            for start in Set((0..<20).map { _ in Int.random(in: 0..<15, using: &random) }) {
                trips.append(try core.record(device, at: Double(start) * 10, points: 1))
            }
        }
        let expected = trips.sorted { ($0.start, $0.id) > ($1.start, $1.id) }.map(\.id)
        for limit in [1, 3, 7, 1000] {
            let pages = try await core.pages("trips.list", ["limit": .integer(Int64(limit))], of: "trips")
            #expect(pages.flatMap { $0 }.ids == expected)
            #expect(pages.dropLast().allSatisfy { $0.count == limit })
            #expect(pages.last?.isEmpty == false)
        }
        // Paging continues although the trip at the cursor was removed.
        let first = try await core.call("trips.list", ["limit": 5])
        _ = try await core.call("trips.remove", ["id": .string(expected[4])])
        let rest = try await core.call("trips.list", ["after": try #require(first["next"])])
        #expect(rest["trips"].elements.ids == Array(expected.dropFirst(5)))
    }

    @Test func aTripIsReturnedWithItsStops() async throws {
        let trip = try core.record("van", at: 100, points: 50)
        var pending = PendingCommit()
        for (start, end) in [(0.0, 90.0), (110, 120), (149, nil), (160, nil)] {
            var stop = StopSummary(device: "van", start: moment(start), place: fix(0).coordinate)
            stop.end = end.map(moment)
            pending.changes["van", default: []].append(.stopBegan(stop))
        }
        _ = try await core.store.commit(pending)
        let answer = try await core.call("trips.get", ["id": .string(trip.id)], isGuest: true)
        #expect(answer["distance"] == 1234.6)
        #expect(
            answer["stop_list"].elements == [
                [
                    "id": "van@2026-05-01T10:01:50.000Z", "start": "2026-05-01T10:01:50.000Z",
                    "end": "2026-05-01T10:02:00.000Z", "lat": 52.37, "lon": 4.89,
                ],
                [
                    "id": "van@2026-05-01T10:02:29.000Z", "start": "2026-05-01T10:02:29.000Z", "lat": 52.37,
                    "lon": 4.89,
                ],
            ])
    }

    @Test func theCurrentTripHasItsTotalsSoFar() async throws {
        #expect(try await core.error("trips.current", [:])?.code == .unavailable)
        var trip = try core.record("van", at: 0, isOpen: true)
        #expect(try await core.call("trips.current") == ["device": "van"])
        let id = JSONValue.string(trip.id)
        #expect(
            try await core.call("trips.get", ["id": id]) == [
                "id": id, "start": "2026-05-01T10:00:00.000Z", "device": "van",
                "algorithm": .integer(Int64(TrackingPolicy.algorithm)), "revision": 0, "stop_list": [],
            ])
        trip.distance = .meters(77.77)
        trip.fixes = 3
        trip.maximumSpeed = .metersPerSecond(4.321)
        core.liveState.open(trip)
        #expect(
            try await core.call("trips.current", ["device": "van"], isGuest: true) == [
                "device": "van",
                "trip": [
                    "id": id, "start": "2026-05-01T10:00:00.000Z", "distance": 77.8, "stopped": 0,
                    "max_speed": 4.32, "stops": 0, "fixes": 3,
                ],
            ])
        #expect(try await core.call("trips.get", ["id": id])["distance"] == 77.8)
        #expect(try await core.call("trips.list")["trips"].elements.first?["fixes"] == 3)
    }

    @Test func aTraceIsReadInPages() async throws {
        let trip = try core.record("van", at: 0, points: 100)
        let id = JSONValue.string(trip.id)
        let all = try await core.call("trips.trace", ["id": id], isGuest: true)["points"].elements
        #expect(all.count == 100)
        #expect(all.first == ["time": "2026-05-01T10:00:00.000Z", "lat": 52.37, "lon": 4.89, "gap": true])
        #expect(all.last == ["time": "2026-05-01T10:01:39.000Z", "lat": 52.3799, "lon": 4.89])
        for limit in [1, 7, 50, 100, 10_000] {
            let pages = try await core.pages(
                "trips.trace", ["id": id, "limit": .integer(Int64(limit))], of: "points")
            #expect(pages.flatMap { $0 } == all)
            #expect(pages.dropLast().allSatisfy { $0.count == limit })
        }
        let later = try await core.call("trips.trace", ["id": id, "after": "2026-05-01T12:01:38+02:00"])
        #expect(later["points"].elements == Array(all.suffix(1)))
    }

    @Test func aLongTraceIsSplitToFitIntoLines() async throws {
        let trip = TripSummary(device: "van", start: moment(0))
        var pending = PendingCommit()
        pending.changes["van"] = [.tripBegan(trip)]
        for second in 0..<10_000 {
            var fix = fix(Double(second), north: Int32(second) * 111)
            fix.altitude = .meters(1234.5)
            fix.speed = .metersPerSecond(12.34)
            fix.track = .degrees(123.4)
            fix.accuracy = .meters(123)
            pending.changes["van"]?.append(.point(fix, gap: true))
        }
        _ = try await core.store.commit(pending)
        let pages = try await core.pages(
            "trips.trace", ["id": .string(trip.id), "limit": 10_000], of: "points")
        #expect(pages.count > 1)
        #expect(Set(pages.joined().compactMap { $0["time"].text }).count == 10_000)
    }

    @Test func thePiecesOfAnExportJoinIntoItsText() async throws {
        let long = try core.record("bike", at: 0, points: 4000).id
        let short = try core.record("van", at: 10_000).id
        try core.record("van", at: 20_000, isOpen: true)
        var expected: [UInt8] = []
        try TripExport.write(trips: [long, short], of: core.store, as: .gpx) { expected += $0 }
        let selections: [JSONObject] = [
            ["ids": [.string(long), .string(short)]], ["from": "2026-05-01T10:00:00Z"], [:],
        ]
        for selection in selections {
            var parameters = selection
            parameters["format"] = "gpx"
            let first = try await core.call("trips.export", parameters, isGuest: true)
            let text = try #require(first["text"].text)
            #expect(text.utf8.count == TripExport.longestPiece)
            parameters["after"] = first["next"]
            let last = try await core.call("trips.export", parameters)
            #expect(last["next"] == nil)
            // A comparison inside `#expect` would print both long texts.
            let isWhole = Array(text.utf8) + Array((last["text"].text ?? "").utf8) == expected
            #expect(isWhole)
        }
        let csv = try await core.call("trips.export", ["ids": [.string(short)], "format": "csv"])
        #expect(csv["text"].text?.split(separator: "\n").count == 4)
        #expect(csv["next"] == nil)
    }

    @Test(arguments: TripExport.Format.allCases, [4, 5, 99, 1 << 20])
    func exportPiecesAreCutBetweenCharacters(_ format: TripExport.Format, _ longest: Int) async throws {
        let ids = [try core.record("ü€😀", at: 0).id, try core.record("van", at: 10).id]
        var expected: [UInt8] = []
        try TripExport.write(trips: ids, of: core.store, as: format) { expected += $0 }
        try await core.store.read { [expected] db in
            let trips = try ids.map { try #require(try Travels.trip(id: $0, in: db)) }
            var text: [UInt8] = []
            var mark = TripExport.Mark()
            while true {
                let piece = try TripExport.piece(of: trips, as: format, from: mark, longest: longest, in: db)
                #expect(piece.text.utf8.count <= longest)
                #expect(!piece.text.isEmpty && !piece.text.contains("\u{FFFD}"))
                text += piece.text.utf8
                guard let next = piece.next else { break }
                #expect(TripExport.Mark(next.values) == next)
                // The piece is as long as possible: another character would not have fitted.
                #expect(piece.text.utf8.count > longest - 4)
                mark = next
            }
            #expect(text == expected)
        }
    }

    @Test(arguments: TripExport.Format.allCases)
    func anExportPieceResumesAtItsTrip(_ format: TripExport.Format) async throws {
        // Some trips have no points left.
        let ids = try (0..<20).map { try core.record("ü€😀", at: Double($0) * 100, points: [3, 0, 40, 1][$0 % 4]).id }
        try await core.store.read { db in
            let trips = try ids.map { try #require(try Travels.trip(id: $0, in: db)) }
            var mark = TripExport.Mark()
            var sections = [0]
            while let next = try TripExport.piece(of: trips, as: format, from: mark, longest: 500, in: db).next {
                // A part that is read again belongs to the same trip.
                #expect(next.section > mark.section || next.offset == mark.offset + 500 || next.offset > mark.offset)
                mark = next
                sections.append(mark.section)
            }
            #expect(sections == sections.sorted())
            #expect(Set(sections).count > 5)
            // A cursor for other trips, beyond the text or within a character is refused.
            let other = Array(trips.dropFirst())
            let changed = #expect(throws: Refusal.self) {
                try TripExport.piece(of: other, as: format, from: mark, in: db)
            }
            #expect(changed?.kind == .conflict)
            mark.offset = 1 << 30
            let beyond = #expect(throws: Refusal.self) {
                try TripExport.piece(of: trips, as: format, from: mark, in: db)
            }
            #expect(beyond?.kind == .conflict)
            mark = TripExport.Mark()
            mark.section = 1
            mark.trip = ids[0]
            let begin = try TripExport.piece(of: trips, as: format, from: mark, in: db).text.utf8
                .prefix(format == .csv ? 100 : 200)
            let refused = (0..<begin.count).filter { offset in
                mark.offset = offset
                return (try? TripExport.piece(of: trips, as: format, from: mark, in: db)) == nil
            }
            #expect(refused == Array(begin).indices.filter { Array(begin)[$0] & 0xC0 == 0x80 })
            #expect(refused.isEmpty == (format == .csv))
        }
    }

    @Test func anInvalidCursorIsRefused() async throws {
        let trip = try core.record("van", at: 0)
        try core.record("van", at: 10)
        let next = try #require(try await core.call("trips.list", ["limit": 1])["next"].text)
        func export(_ numbers: JSONValue..., trip: String = "") -> String {
            Cursor("trips.export", numbers + [.string(trip)]).text
        }
        func list(_ start: Int64) -> String { Cursor("trips", [.integer(start), "x"]).text }
        let bad = [
            "1/9223372036854775807/0/\(trip.id)", "", "x", "/", "====", next + "A", String(next.dropFirst()),
            export(1, .integer(.max), 0, trip: trip.id), export(.integer(.max), 0, 0), export(1, 0, .integer(.max)),
            export(-1, 0, 0), export(0.5, 0, 0), export("0", 0, 0), export(0, 0), list(.max), list(.min), next,
        ]
        for text in bad {
            let parameters: JSONObject = ["ids": [.string(trip.id)], "format": "gpx", "after": .string(text)]
            #expect(try await core.error("trips.export", parameters)?.code == .invalidValue, "\(text)")
            guard text != next else { continue }
            for method in ["trips.list", "trips.recompute"] {
                let error = try await core.error(method, ["after": .string(text)])
                #expect(error?.code == .invalidValue, "\(text)")
            }
        }
    }

    @Test func anAlteredCursorIsRefused() throws {
        let cursor = Cursor("trips", [.integer(1_777_629_600_000), "ü€😀@2026"])
        #expect(Cursor(cursor.text, of: "trips", count: 2) == cursor)
        #expect(Cursor(cursor.text, of: "trips", count: 1) == nil)
        #expect(Cursor(cursor.text, of: "trip", count: 2) == nil)
        var generator = SeededGenerator(seed: 12)
        let text = Array(cursor.text.utf8)
        for _ in 0..<2000 {
            var other = text
            other[Int.random(in: other.indices, using: &generator)] = UInt8.random(in: 33...126, using: &generator)
            // The unused bits of the last character have no meaning.
            let read = Cursor(String(decoding: other, as: UTF8.self), of: "trips", count: 2)
            #expect(read == nil || read == cursor)
        }
    }

    @Test func removingATripRemovesItsTraceAndKeepsItsStops() async throws {
        let trip = try core.record("van", at: 0)
        var pending = PendingCommit()
        pending.changes["van"] = [
            .stopBegan(StopSummary(device: "van", start: moment(1), place: fix(0).coordinate))
        ]
        _ = try await core.store.commit(pending)
        let other = try core.record("bike", at: 0)
        #expect(try await core.call("trips.remove", ["id": .string(trip.id)]) == ["id": .string(trip.id)])
        #expect(try await list() == [other.id])
        #expect(try core.store.trace(ofTrip: trip.id, limit: 10).isEmpty)
        #expect(try core.store.trace(ofTrip: other.id, limit: 10).count == 3)
        #expect(try core.store.stops(ofDevice: "van").count == 1)
        let open = try core.record("bike", at: 50, isOpen: true)
        #expect(try await core.error("trips.remove", ["id": .string(open.id)])?.code == .conflict)
        #expect(try core.store.trace(ofTrip: open.id, limit: 10).count == 3)
    }
}
