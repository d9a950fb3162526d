import FeatureSupport
import GRDB
import Geodesy
import Positioning
import RPC
import TestSupport
import Testing
import Time
import Tracking

@testable import Reports
@testable import Service
@testable import Sights
@testable import Store

/// Every sum is the sum over what its reader sees.
///
/// A random fleet of three devices has a group, in which there is `bob`; `eve` drove some trips of `van` and `bike`, and
/// `boat` carries her. What she is told must be what an administrator is told in a world in which only the trips are that
/// her `trips.list` has, only the visits, stops and speeding of `boat` and of these trips, and only the sights that she
/// sees.
@Suite struct SeenSumTests {
    private static let devices = ["bike", "boat", "van"]
    private static let names: Set<String> = ["van", "bike"]
    private static let day = 86_400.0

    private struct Journey {
        var device: String
        var start: Double
        var points: Int
        var isDriven: Bool
        var id: String { TripSummary(device: device, start: moment(start)).id }
        var end: Double { start + Double(points - 1) }

        func isDuring(_ device: String, _ second: Double) -> Bool {
            device == self.device && (start...end).contains(second)
        }
    }

    /// The numbers of a world, from a seed.
    private struct Script {
        var journeys: [Journey] = []
        var stops: [(device: String, start: Double, end: Double)] = []
        var visits: [(sight: String, device: String, at: Double)] = []
        var speeding: [(device: String, end: Double, seconds: Double)] = []

        init(seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            for device in SeenSumTests.devices {
                var second = Double.random(in: 0..<20_000, using: &random).rounded()
                for _ in 0..<12 {
                    let points = Int.random(in: 5...90, using: &random)
                    let isDriven = device != "boat" && Bool.random(using: &random)
                    let journey = Journey(device: device, start: second, points: points, isDriven: isDriven)
                    journeys.append(journey)
                    let rest = second + Double(points / 3)
                    stops.append((device, rest, rest + 1))
                    for at in [second + 1, journey.end + 100] where Bool.random(using: &random) {
                        visits.append((["mill", "quay"].randomElement(using: &random) ?? "mill", device, at))
                        speeding.append((device, at + 2, 2))
                    }
                    // Some end after midnight, some begin in another month or year.
                    let pauses = [3000, 40_000, SeenSumTests.day, 20 * SeenSumTests.day, 120 * SeenSumTests.day]
                    second += 500 + (pauses.randomElement(using: &random) ?? 0)
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        let midnight = ((second + 36_000) / SeenSumTests.day).rounded(.up) * SeenSumTests.day - 36_000
                        second = midnight - 4
                    }
                }
            }
        }

        /// Only what somebody sees.
        func only(_ trips: Set<String>, of devices: Set<String>) -> Script {
            var script = self
            script.journeys.removeAll { !trips.contains($0.id) }
            let journeys = script.journeys
            func isSeen(_ device: String, _ second: Double) -> Bool {
                devices.contains(device) || journeys.contains { $0.isDuring(device, second) }
            }
            script.stops.removeAll { !isSeen($0.device, $0.start) }
            script.visits.removeAll { !isSeen($0.device, $0.at) }
            script.speeding.removeAll { !isSeen($0.device, $0.end - $0.seconds) }
            return script
        }
    }

    private static func world(_ script: Script, seed: UInt64) async throws -> CoreFixture {
        let core = try CoreFixture()
        try core.people("ada", "bob", "eve")
        try await core.store.write { db in
            try TripSums.setZone("UTC", in: db)
            for device in devices { try Devices.add(device, to: db) }
        }
        for stop in script.stops { try core.stop(stop.device, from: stop.start, to: stop.end) }
        for journey in script.journeys { try core.record(journey.device, at: journey.start, points: journey.points) }
        for (id, north) in [("mill", 0), ("quay", 2000)] as [(String, Int32)] {
            _ = try core.store.importSights([Sight(id: id, title: id, place: fix(0, north: north).coordinate)])
        }
        try await core.store.write { db in
            for visit in script.visits {
                try Visits.enter(visit.sight, visit.device, at: moment(visit.at), isInitial: false, in: db)
                try Visits.exit(visit.sight, visit.device, at: moment(visit.at + 1), in: db)
            }
            for one in script.speeding {
                try Speeding.record(one.device, until: moment(one.end), seconds: one.seconds, in: db)
            }
        }
        let purposes = ["business", "private", "commute", "none"]
        for journey in script.journeys {
            // The same in both worlds.
            let purpose = purposes[Int(journey.start) % purposes.count]
            try await core.call(
                "logbook.set",
                [
                    "id": .string(journey.id), "purpose": .string(purpose),
                    "username": journey.isDriven ? "eve" : Int(journey.start).isMultiple(of: 2) ? "bob" : "",
                ])
        }
        return core
    }

    /// The questions of all methods that add up, and of those that list what they add up.
    private static var questions: [(String, JSONObject)] {
        var all: [(String, JSONObject)] = [("logbook.list", [:]), ("trips.list", [:])]
        for period in ["day", "week", "month", "year", "all"] {
            all.append(("reports.summary", ["period": .string(period), "limit": 1000]))
            all.append(("reports.summary", ["period": .string(period), "limit": 3]))
        }
        all.append(("reports.summary", ["period": "month", "from": "2026-05-03", "to": "2026-09-15"]))
        all.append(("reports.summary", ["period": "day", "device": "boat"]))
        for year in [2026, 2027, 2028] as [JSONValue] {
            all.append(("history.year", ["year": year]))
            all.append(("history.heat", ["bbox": [4, 52, 6, 53], "zoom": 9, "year": year]))
        }
        for zoom in [0, 5, 11, 14, 20] as [JSONValue] {
            all.append(("history.heat", ["bbox": [4.8, 52.3, 5, 52.5], "zoom": zoom]))
        }
        all.append(("history.heat", ["bbox": [4, 52, 6, 53], "device": "boat"]))
        all.append(("history.near", ["lat": 52.37, "lon": 4.89, "radius": 50_000]))
        for day in 1...9 { all.append(("history.day", ["day": .string("2026-05-0\(day)")])) }
        for sight in ["mill", "quay"] as [JSONValue] { all.append(("sights.visits", ["id": sight])) }
        for period in ["total", "year", "month"] as [JSONValue] {
            all.append(("sights.ranking", ["by": "visits", "period": period, "at": "2026-05-03T00:00:00Z"]))
        }
        return all
    }

    /// Returns an answer without the cursors of its pages.
    private static func plain(_ value: JSONValue) -> JSONValue {
        guard case .object(var object) = value else { return value }
        object["next"] = nil
        return .object(object)
    }

    @Test(.slow, arguments: [3, 4, 5] as [UInt64])
    func sumsAreOverWhatOneSees(_ seed: UInt64) async throws {
        let script = Script(seed: seed)
        let whole = try await Self.world(script, seed: seed)
        try await whole.call(
            "groups.create", ["title": "Fleet", "devices": ["bike", "boat", "van"], "people": ["bob"]])
        try await whole.call("devices.update", ["device": "boat", "people": ["eve"]])
        var seen: Set<String> = []
        var after: JSONValue?
        repeat {
            let page = try await whole.call(as: "eve", "trips.list", after.map { ["after": $0] } ?? [:])
            seen.formUnion(page["trips"].elements.ids)
            after = page["next"]
        } while after != nil
        #expect(seen == Set(script.journeys.filter { $0.isDriven || $0.device == "boat" }.map(\.id)))
        #expect(seen.count < script.journeys.count)
        let other = try await Self.world(script.only(seen, of: ["boat"]), seed: seed)
        for (method, parameters) in Self.questions {
            let told = Self.plain(try await whole.call(as: "eve", method, parameters))
            let expected = Self.plain(try await other.call(method, parameters))
            let all = Self.plain(try await whole.call(as: "bob", method, parameters))
            #expect(told == expected, "\(method) \(parameters)")
            #expect(all == Self.plain(try await whole.call(method, parameters)), "\(method) \(parameters)")
        }
        // A guest sees nothing, and is told of nothing.
        let nothing = try await Self.world(script.only([], of: []), seed: seed)
        for (method, parameters) in Self.questions where parameters["device"] == nil {
            let told = Self.plain(try await whole.call(method, parameters, isGuest: true))
            #expect(told == Self.plain(try await nothing.call(method, parameters)), "\(method) \(parameters)")
        }
    }

    /// The trips that `trips.list` has, added up by hand, are the sum of all days.
    @Test func theSumOfAllDaysIsThatOfTheListedTrips() async throws {
        let script = Script(seed: 8)
        let core = try await Self.world(script, seed: 8)
        try await core.call("groups.create", ["title": "Fleet", "devices": ["bike", "boat", "van"]])
        let trips = try await core.call(as: "eve", "trips.list", ["limit": 100])["trips"].elements
        let sums = try await core.call(as: "eve", "reports.summary", ["period": "all"])["sums"].elements
        #expect(Set(sums.compactMap { $0["device"].text }) == Self.names)
        for sum in sums {
            let own = trips.filter { $0["device"] == sum["device"] }
            #expect(sum["trips"].number == Double(own.count))
            let distance = own.compactMap { $0["distance"].number }.reduce(0, +)
            #expect(abs((sum["distance"].number ?? 0) - distance) < 0.1 * Double(own.count))
        }
        // Who drives no more sees no more.
        for trip in trips {
            try await core.call("logbook.set", ["id": .string(trip["id"].text ?? ""), "username": ""])
        }
        #expect(try await core.call(as: "eve", "reports.summary", [:])["sums"].elements.isEmpty)
    }
}
