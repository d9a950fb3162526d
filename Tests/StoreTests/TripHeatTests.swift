import Foundation
import GRDB
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

/// A count of the heat map, and where it is.
private struct HeatKey: Hashable {
    var level: Int
    var number: UInt64
    var device: String
    var year: Int64
}

@Suite(.slow) struct TripHeatTests {
    private let store: LocationDatabase
    private let now = time(40_000_000)
    private static let day = 86_400.0
    private static let kinds = [
        "record", "import", "merge", "split", "edit", "undo", "remove", "late", "zone", "recompute",
    ]

    init() throws {
        store = try LocationDatabase.temporary()
        try store.write { try TripSums.setZone("UTC", in: $0) }
    }

    /// Returns a trip that wanders about, with some legs that are long and some that are unknown.
    private func trip(
        _ start: Double, points: Int, device: String, from place: Coordinate, using random: inout SeededGenerator
    ) -> PastTrip {
        var trip = TripSummary(device: device, start: time(start))
        var (numbers, fixes): (TripNumbers, [Fix]) = (TripNumbers(), [])
        var (latitude, longitude) = (place.latitude, place.longitude)
        for point in 0..<points {
            let reach = point % 17 == 0 ? 0.1 : 0.002
            latitude = min(89, max(-89, latitude + Double.random(in: -reach...reach, using: &random)))
            longitude = longitude + Double.random(in: -reach...reach, using: &random)
            if longitude > 180 { longitude = longitude - 360 } else if longitude < -180 { longitude = longitude + 360 }
            guard let place = Coordinate(latitude: latitude, longitude: longitude) else { continue }
            var fix = Fix(time: time(start + Double(point) * 10), coordinate: place)
            fix.beginsSegment = point % 25 == 0
            numbers.add(fix, gap: fix.beginsSegment)
            fixes.append(fix)
        }
        trip.end = fixes.last?.time
        trip.adopt(numbers)
        return PastTrip(trip, points: fixes)
    }

    private func record(_ trip: PastTrip) throws {
        let device = trip.summary.device
        var pending = PendingCommit()
        pending.changes[device] =
            [.tripBegan(TripSummary(device: device, start: trip.summary.start))]
            + trip.points.map { .point($0, gap: $0.beginsSegment) } + [.tripEnded(trip.summary)]
        _ = try store.commit(pending)
    }

    private func add(_ trip: PastTrip) throws {
        _ = try store.write { try Travels.add(trip, policy: TrackingPolicy(), now: now, to: $0) }
    }

    /// Returns the counts of the tiles.
    private func kept() throws -> [HeatKey: Int64] {
        try store.read { db in
            var counts: [HeatKey: Int64] = [:]
            for row in try Row.fetchAll(
                db, sql: "SELECT level, tile, name, year, cells FROM heat_tile JOIN device ON number = device")
            {
                let tile = HeatTile(row[4] as Data)
                #expect(!tile.cells.isEmpty)
                for (index, count) in tile.cells {
                    let number = UInt64(row[1] as Int64) << 12 | UInt64(index)
                    counts[HeatKey(level: row[0], number: number, device: row[2], year: row[3])] = count
                }
            }
            return counts
        }
    }

    /// Returns the counts that the trips give by brute force.
    private func expected() throws -> [HeatKey: Int64] {
        let days = try store.read { try TripSums.localDays(in: $0) }
        var counts: [HeatKey: Int64] = [:]
        for trip in try store.trips().map(\.summary) where trip.end != nil {
            var finest: Set<HeatSquare> = []
            var before: HeatSquare?
            var places: [Coordinate] = try store.read { try Travels.stops(on: trip, in: $0).map(\.place) }
            var ends: [Coordinate] = []
            try store.forEachPoint(ofTrip: trip.id) { fix in
                let square = HeatSquare(fix.coordinate, level: 19)
                if let start = before, !fix.beginsSegment {
                    var east = Double(square.x - start.x)
                    if abs(east) > 262_144 { east -= east > 0 ? 524_288 : -524_288 }
                    let south = Double(square.y - start.y)
                    let steps = max(abs(east), abs(south))
                    if steps <= 64 {
                        for step in stride(from: 1, to: steps, by: 1) {
                            finest.insert(
                                HeatSquare(
                                    level: 19, x: start.x + Int((east * (step / steps)).rounded()),
                                    y: start.y + Int((south * (step / steps)).rounded())))
                        }
                    }
                }
                finest.insert(square)
                before = square
                ends = [ends.first ?? fix.coordinate, fix.coordinate]
                return true
            }
            places += ends
            let year = Int64(days.day(of: trip.start).components.year)
            var squares = Set(
                places.map {
                    HeatKey(level: 0, number: HeatSquare($0, level: 16).number, device: trip.device, year: year)
                })
            for level in [19, 17, 15, 13, 11, 9, 7] {
                for square in finest {
                    let larger = HeatSquare(level: level, x: square.x >> (19 - level), y: square.y >> (19 - level))
                    squares.insert(HeatKey(level: level, number: larger.number, device: trip.device, year: year))
                }
            }
            for square in squares { counts[square, default: 0] += 1 }
        }
        return counts
    }

    private func check(_ comment: Comment) throws {
        let (found, wanted) = (try kept(), try expected())
        #expect(found == wanted, comment)
        let due = try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM heat_due") }
        #expect(due == 0, comment)
    }

    @Test func theCountsEqualThoseByBruteForceAfterAnySequenceOfChanges() throws {
        let seed: UInt64 = 40_404
        var random = SeededGenerator(seed: seed)
        // In Amsterdam, on the 180th meridian, and near a pole; half of the trips begin at the end of the year.
        let places = [
            place(), Coordinate(latitude: -17, longitude: 179.999).known,
            Coordinate(latitude: 88.9, longitude: 10).known,
        ]
        var next = 0.0
        func another(_ random: inout SeededGenerator) -> PastTrip {
            next += 1
            let newYear = 21_132_000.0
            let start = (Int(next) % 2 == 0 ? newYear - 40_000 : 0) + next * 2000
            return trip(
                start, points: Int.random(in: 2...120, using: &random), device: Int(next) % 3 == 0 ? "van" : "gps0",
                from: places[Int(next) % 3], using: &random)
        }
        for _ in 0..<8 { try record(another(&random)) }
        try check("at the beginning")
        var made: [String: Int] = [:]
        for step in 0..<90 {
            let trips = try store.trips().map(\.summary)
            let kind = Self.kinds.randomElement(using: &random) ?? ""
            guard let trip = trips.randomElement(using: &random), let end = trip.end else { break }
            let moment = trip.start.advanced(
                byMilliseconds: Int64.random(in: 0...end.milliseconds(since: trip.start), using: &random))
            do {
                switch kind {
                case "record": try record(another(&random))
                case "import": try add(another(&random))
                case "merge":
                    let others = trips.filter { $0.device == trip.device && $0.start > trip.start }
                    guard let following = others.min(by: { $0.start < $1.start }) else { continue }
                    _ = try store.write { try TripEditing.merge(trip.id, with: following.id, now: now, in: $0).gone }
                case "split": _ = try store.write { try TripEditing.split(trip.id, at: moment, now: now, in: $0).gone }
                case "edit":
                    _ = try store.write {
                        try TripEditing.removeSpan(
                            from: moment, until: moment.advanced(byMilliseconds: 60_000), ofTrip: trip.id, now: now,
                            in: $0
                        ).gone
                    }
                case "undo": _ = try store.write { try TripEditing.undo(trip.id, now: now, in: $0).gone }
                case "recompute": _ = try store.write { try TripEditing.recompute(trip.id, now: now, in: $0) }
                case "remove" where step % 3 == 0: #expect(try store.removeTrip(id: trip.id))
                case "late":
                    var pending = PendingCommit()
                    pending.addLate(Fix(time: moment, coordinate: place(0, 5000)), of: trip.device)
                    _ = try store.commit(pending)
                    _ = try store.write { try LateFixes.merge(of: trip.device, now: now, in: $0).events.count }
                case "zone":
                    let zone = try #require(["UTC", "Pacific/Auckland", "America/Lima"].randomElement(using: &random))
                    try store.write { try TripSums.setZone(zone, in: $0) }
                default: continue
                }
                made[kind, default: 0] += 1
            } catch is TripEditError {}
            try check("seed \(seed), step \(step), \(kind) of \(trip.id)")
        }
        #expect(made.count == Self.kinds.count, "\(made)")
        // Without trips, nothing is left.
        for trip in try store.trips() { #expect(try store.removeTrip(id: trip.summary.id)) }
        #expect(try kept().isEmpty)
        let left = try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trip_heat") }
        #expect(left == 0)
    }

    @Test func deletingOldPointsLeavesTheCountsEvenAfterAnotherYear() async throws {
        var random = SeededGenerator(seed: 3)
        // Half an hour before the year ends in UTC.
        try record(trip(21_130_200, points: 60, device: "gps0", from: place(), using: &random))
        let before = try kept()
        #expect(Set(before.keys.map(\.year)) == [2026])
        _ = try await store.prune(eventsBefore: nil, tracesBefore: now, limit: 7)
        #expect(try kept() == before)
        try await store.write { try TripSums.setZone("Pacific/Auckland", in: $0) }
        let after = try kept()
        #expect(Set(after.keys.map(\.year)) == [2027])
        #expect(after.count == before.count)
    }

    @Test func aStoreOfAnEarlierVersionIsCountedInSlices() throws {
        var random = SeededGenerator(seed: 5)
        for number in 0..<6 {
            let one = trip(Double(number) * 5000, points: 50, device: "gps0", from: place(), using: &random)
            try record(one)
        }
        let wanted = try kept()
        // What the step leaves: all trips wait.
        try store.write { db in
            try db.execute(sql: "DELETE FROM trip_heat")
            try TripHeat.restart(in: db)
        }
        #expect(try kept().isEmpty)
        #expect(try store.read(TripHeat.pending) == 6)
        // A trip that is changed while it waits is counted at once, and only once.
        let trips = try store.trips().map(\.summary)
        _ = try store.write { try TripEditing.recompute(trips[0].id, now: now, in: $0) }
        try store.write { try $0.execute(sql: "UPDATE trip SET fixes = fixes WHERE id = ?", arguments: [trips[0].id]) }
        #expect(try store.read(TripHeat.pending) == 5)
        // One that is removed while it waits has added nothing.
        #expect(try store.removeTrip(id: trips[1].id))
        try store.write { try TripHeat.countPending(points: 60, in: $0) }
        #expect(try store.read(TripHeat.pending) == 2)
        try store.write { try TripHeat.countPending(points: 10_000, in: $0) }
        #expect(try store.read(TripHeat.isPending) == false)
        try check("after all slices")
        #expect(try kept().count < wanted.count)
    }

    @Test func theStepLetsTheTripsOfAnEarlierVersionWait() throws {
        let folder = try TemporaryFolder()
        let old = try DatabaseQueue(path: folder.store)
        try StoreSchema(migrations: StoreMigration.own.filter { $0.place < 61 }).migrator.migrate(old)
        try old.write { db in
            try db.execute(
                sql: """
                    INSERT INTO device (number, name) VALUES (1, 'gps0');
                    INSERT INTO trip (number, id, device, start, "end", algorithm, settings)
                    VALUES (1, 'a', 1, 1777629600000, 1777629660000, 1, ''), (2, 'b', 1, 1777629700000, NULL, 1, '');
                    INSERT INTO trace (key, lat_e7, lon_e7) VALUES (1 << 40, 523700000, 48900000);
                    """)
        }
        try old.close()
        let store = try LocationDatabase.open(at: folder.store)
        #expect(try store.read(TripHeat.pending) == 1)
        try store.write { try TripHeat.countPending(points: 1, in: $0) }
        #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM heat_tile") } == 8)
        try store.close()
    }

    @Test func aTripOfMoreSquaresThanAPieceHoldsIsCountedInPieces() throws {
        var path = HeatPath()
        let count = HeatPath.largestPiece + 100
        for number in 0..<count {
            let square = HeatSquare(level: 19, x: number % 512, y: 200_000 + number / 512)
            path.add(Fix(time: nil, coordinate: try #require(square.center)))
        }
        let pieces = path.finished()
        #expect(pieces.count == 2)
        let cells = pieces.map { HeatCoding.numbers($0.cells, below: HeatPath.Piece.bound).count }
        #expect(cells[0] == HeatPath.largestPiece && cells[0] + cells[1] >= count)
        #expect(!pieces[0].places.isEmpty && pieces[1].places.isEmpty)
    }
}

@Suite struct HeatMapTests {
    @Test func squaresAndTheirNumbersAgree() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let level = Int.random(in: 0...19, using: &random)
            let place = Coordinate(
                latitude: Double.random(in: -85...85, using: &random),
                longitude: Double.random(in: -180...180, using: &random)
            ).known
            let square = HeatSquare(place, level: level)
            #expect(HeatSquare(number: square.number, level: level) == square)
            #expect(HeatSquare(try #require(square.center), level: level) == square)
            guard level > 0 else { continue }
            let larger = HeatSquare(place, level: level - 1)
            #expect(larger.number == square.number >> 2)
        }
    }

    @Test func damagedBytesGiveFewerSquaresAndNeverTrap() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let data = Data(
                (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            let numbers = HeatCoding.numbers(data, below: 1 << 38)
            #expect(numbers == Set(numbers).sorted() && numbers.allSatisfy { $0 < 1 << 38 })
            var tile = HeatTile(data)
            #expect(tile.cells.allSatisfy { (0..<4096).contains($0.index) && $0.count > 0 })
            tile.add(1, to: [0, 4095])
            #expect(HeatTile(tile.data).cells.map(\.index) == tile.cells.map(\.index))
            #expect(HeatTile(tile.data).cells.map(\.count) == tile.cells.map(\.count))
        }
    }

    /// A store with a trip for each of many places.
    private func world(_ places: [Coordinate], device: String = "gps0") throws -> LocationDatabase {
        let store = try LocationDatabase.temporary()
        try store.write { db in
            try TripSums.setZone("UTC", in: db)
            for (number, place) in places.enumerated() {
                var trip = TripSummary(device: device, start: time(Double(number) * 100))
                trip.end = trip.start.advanced(byMilliseconds: 10_000)
                trip.fixes = 2
                let points = [0, 10.0].map { seconds in
                    Fix(time: time(Double(number) * 100 + seconds), coordinate: place)
                }
                _ = try Travels.add(PastTrip(trip, points: points), policy: TrackingPolicy(), now: time(0), to: db)
            }
        }
        return store
    }

    @Test func aWindowHasTheSquaresThatBruteForceFinds() throws {
        var random = SeededGenerator(seed: 6)
        let places = (0..<300).map { number in
            number % 2 == 0
                ? place(
                    Int32.random(in: -200_000...200_000, using: &random),
                    Int32.random(in: -200_000...200_000, using: &random))
                : Coordinate(
                    latitude: Double.random(in: -80...80, using: &random),
                    longitude: Double.random(in: -180...180, using: &random)
                ).known
        }
        let store = try world(places)
        for _ in 0..<60 {
            let zoom = Int.random(in: 0...16, using: &random)
            let reach = 180 / Double(1 << zoom)
            let center = places.randomElement(using: &random).known
            func turned(_ longitude: Double) -> Double {
                longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
            }
            let window = HeatMap.Window(
                Coordinate(
                    latitude: max(-85, center.latitude - reach / 2),
                    longitude: zoom == 0 ? -180 : turned(center.longitude - reach)
                ).known,
                Coordinate(
                    latitude: min(85, center.latitude + reach / 2),
                    longitude: zoom == 0 ? 180 : turned(center.longitude + reach)
                ).known)
            let map = try store.read { try HeatMap(window, zoom: zoom, HeatMap.Trips(), in: $0) }
            let (first, last) = (
                HeatSquare(window.southWest, level: map.level), HeatSquare(window.northEast, level: map.level)
            )
            let isAcross = window.southWest.longitude > window.northEast.longitude
            var wanted: [HeatSquare: Int64] = [:]
            for place in places {
                let square = HeatSquare(place, level: map.level)
                let isInColumns =
                    zoom == 0
                    || (isAcross ? square.x >= first.x || square.x <= last.x : (first.x...last.x).contains(square.x))
                if isInColumns, (last.y...first.y).contains(square.y) { wanted[square, default: 0] += 1 }
            }
            let found = Dictionary(uniqueKeysWithValues: map.cells.map { ($0.square, $0.trips) })
            #expect(found == wanted, "zoom \(zoom), \(window)")
            #expect(map.level >= min(19, zoom + 4), "the squares suit the zoom")
        }
    }

    @Test func anAnswerIsBoundedWhateverTheWindow() throws {
        var random = SeededGenerator(seed: 8)
        let places = (0..<20_000).map { _ in
            place(
                Int32.random(in: -2_000_000...2_000_000, using: &random),
                Int32.random(in: -2_000_000...2_000_000, using: &random))
        }
        var path = HeatPath()
        for place in places { path.add(Fix(time: nil, coordinate: place)) }
        let store = try LocationDatabase.temporary()
        var trip = TripSummary(device: "gps0", start: time(0))
        trip.end = time(200_000)
        trip.fixes = places.count
        let points = places.enumerated().map { number, place in
            var fix = Fix(time: time(Double(number) * 10), coordinate: place)
            fix.beginsSegment = true
            return fix
        }
        _ = try store.write { [trip] in
            try Travels.add(PastTrip(trip, points: points), policy: TrackingPolicy(), now: time(0), to: $0)
        }
        let area = HeatMap.Window(place(-2_000_000, -2_000_000), place(2_000_000, 2_000_000))
        let whole = HeatMap.Window(
            Coordinate(latitude: -90, longitude: -180).known, Coordinate(latitude: 90, longitude: 180).known)
        for window in [area, whole] {
            for zoom in [0, 9, 13, 20] {
                let map = try store.read { try HeatMap(window, zoom: zoom, HeatMap.Trips(), in: $0) }
                #expect(!map.cells.isEmpty && map.cells.count <= HeatMap.mostCells)
            }
        }
    }

    @Test func placesAreNewOnceAndCountWithTheirNeighbours() throws {
        // The second place is 1 km from the first, the third 100 km.
        let store = try LocationDatabase.temporary()
        let year = 31_536_000.0
        try store.write { db in
            try TripSums.setZone("UTC", in: db)
            for (seconds, north) in [
                (0, 0), (100, 90_000), (year, 90_000), (year + 100, 9_000_000), (year + 200, 9_000_000),
            ] as [(Double, Int32)] {
                var trip = TripSummary(device: "gps0", start: time(seconds))
                trip.end = time(seconds + 10)
                trip.fixes = 2
                let points = [fix(seconds, north), fix(seconds + 10, north)]
                _ = try Travels.add(PastTrip(trip, points: points), policy: TrackingPolicy(), now: time(0), to: db)
            }
        }
        let first = try store.read { try HeatYear(2026, device: nil, in: $0) }
        #expect(first.places.allSatisfy(\.isNew) && first.newSquares == first.squares)
        let second = try store.read { try HeatYear(2027, device: "gps0", in: $0) }
        #expect(second.places.map(\.isNew) == [true, false])
        #expect(second.places.map(\.trips) == [2, 1])
        #expect(second.squares == 2 && second.newSquares >= 1)
        #expect(try store.read { try HeatYear(2027, device: "van", in: $0) }.bounds == nil)
        #expect(try store.read { try HeatMap.years(of: HeatMap.Trips(), in: $0) } == [2026, 2027])
    }
}
