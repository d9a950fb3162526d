#if Companion
import Geodesy
import Phones
import Positioning
import Service
import Store
import TestSupport
import Testing
import Time
import Tracking

@testable import Daemon

/// A day of a phone as each app is documented to send it, through a network that loses requests and answers, to a daemon
/// that starts anew.
///
/// Each app has a queue of its own kind; see ``Courier``. In the end the daemon has each point once that the app has not
/// lost itself, and the trips of the day in order.
@Suite(.slow, .timeLimit(.minutes(2))) struct PhoneDayTests {
    fileprivate struct Place: Hashable, Sendable {
        var second: Int
        var east: Double
    }

    /// Two drives with a rest before, between and after them.
    private static let day: [Place] = {
        var day: [Place] = []
        var east = 0.0
        for second in stride(from: 0, through: 9_000, by: 30) {
            if (600..<1_800).contains(second) || (4_200..<5_400).contains(second) { east += 330 }
            day.append(Place(second: second, east: east))
        }
        return day
    }()

    private static func isRest(_ time: Timestamp) -> Bool {
        let second = time.seconds(since: LiveRig.time(0))
        return !(600..<1_800).contains(second) && !(4_200..<5_400).contains(second)
    }

    /// An app, by what it does with a place whose request has failed.
    enum Courier: String, CaseIterable, Sendable {
        /// OwnTracks: one message a request; a failed one goes back to the front of the queue.
        case ownTracks
        /// Traccar Client before 9, and OsmAnd: one place a query, the oldest first; a failed one is kept.
        case traccar
        /// Traccar Client from 9 on: one place in JSON.
        case traccarJSON
        /// Overland: up to 200 places a request, all of them again unless the answer is `{"result":"ok"}`, and the
        /// newest one beside them as `current`.
        case overland
        /// GPSLogger: a job for each place, in any order; after three tries a place is lost.
        case gpsLogger

        /// The places of a request.
        var batch: Int { self == .overland ? 200 : 1 }

        fileprivate func report(_ places: [Place]) -> PhoneReport {
            let body: String
            var query = ""
            switch self {
            case .ownTracks: body = places.map(ownTracks).joined()
            case .traccar:
                query = places.map(osmAnd).joined()
                body = ""
            case .traccarJSON: body = places.map(traccarJSON).joined()
            case .overland:
                let features = places.map(overland)
                body =
                    "{\"locations\":[\(features.joined(separator: ","))],\"current\":\(features.last ?? "{}")}"
            case .gpsLogger:
                body = ""
                query = places.map(gpsLogger).joined()
            }
            let head = PhoneRequest.Head(query: query)
            return PhoneReport(reading: PhoneRequest(head: head, body: Array(body.utf8)))
        }

        private func coordinate(_ place: Place) -> (latitude: Double, longitude: Double) {
            let coordinate = LiveRig.fix(0, east: place.east).coordinate
            return (coordinate.latitude, coordinate.longitude)
        }

        private func seconds(_ place: Place) -> Int { 1_777_629_600 + place.second }

        private func ownTracks(_ place: Place) -> String {
            let (latitude, longitude) = coordinate(place)
            return #"{"_type":"location","lat":\#(latitude),"lon":\#(longitude),"acc":5,"tst":\#(seconds(place))}"#
        }

        private func osmAnd(_ place: Place) -> String {
            let (latitude, longitude) = coordinate(place)
            return "id=x&lat=\(latitude)&lon=\(longitude)&timestamp=\(seconds(place))&accuracy=5&speed=21.4"
        }

        private func gpsLogger(_ place: Place) -> String {
            let (latitude, longitude) = coordinate(place)
            return "lat=\(latitude)&lon=\(longitude)&timestamp=\(seconds(place))&acc=5&spd=11.0"
        }

        private func traccarJSON(_ place: Place) -> String {
            let (latitude, longitude) = coordinate(place)
            return """
                {"device_id":"x","location":{"timestamp":"\(LiveRig.time(Double(place.second)))",\
                "coords":{"latitude":\(latitude),"longitude":\(longitude),"accuracy":5}}}
                """
        }

        private func overland(_ place: Place) -> String {
            let (latitude, longitude) = coordinate(place)
            return """
                {"type":"Feature","geometry":{"type":"Point","coordinates":[\(longitude),\(latitude)]},\
                "properties":{"timestamp":"\(LiveRig.time(Double(place.second)))","horizontal_accuracy":5}}
                """
        }
    }

    /// What happens to a request.
    private enum Fate {
        /// The daemon never gets it.
        case lost
        /// The daemon gets it, and the app never learns of that.
        case unanswered
        case answered
    }

    /// A request that reaches the daemon.
    private struct Delivery: Sendable {
        var places: [Place]
        /// Whether the daemon starts anew before it.
        var isAfterRestart: Bool
    }

    /// Plays the app's queue against a network, and returns what reaches the daemon and the places that the app loses.
    private static func play(
        _ courier: Courier, _ random: inout SeededGenerator
    ) -> (deliveries: [Delivery], lost: Set<Place>) {
        var (deliveries, lost): ([Delivery], Set<Place>) = ([], [])
        var queue: [(place: Place, tries: Int)] = []
        var outage = 0
        let restart = Int.random(in: 100..<day.count, using: &random)
        func nextFate() -> Fate {
            if outage > 0 { return .lost }
            switch Int.random(in: 0..<16, using: &random) {
            case 0: return .unanswered
            case 1...4: return .lost
            default: return .answered
            }
        }
        func send() {
            let index = courier == .gpsLogger ? Int.random(in: 0..<queue.count, using: &random) : 0
            let count = min(courier.batch, queue.count - index)
            let places = queue[index..<index + count].map(\.place)
            let fate = nextFate()
            if fate != .lost { deliveries.append(Delivery(places: places, isAfterRestart: false)) }
            guard fate != .answered else { return queue.removeSubrange(index..<index + count) }
            guard courier == .gpsLogger else { return }
            queue[index].tries += 1
            if queue[index].tries == 3 {
                if fate == .lost, !deliveries.contains(where: { $0.places == places }) { lost.formUnion(places) }
                queue.remove(at: index)
            }
        }
        for (number, place) in day.enumerated() {
            queue.append((place, 0))
            // A tunnel, or an evening without a network.
            if outage == 0, Int.random(in: 0..<30, using: &random) == 0 {
                outage = Int.random(in: 3...50, using: &random)
            }
            if number == restart, !deliveries.isEmpty { deliveries.append(Delivery(places: [], isAfterRestart: true)) }
            for _ in 0..<3 where !queue.isEmpty { send() }
            outage = max(0, outage - 1)
        }
        outage = 0
        while !queue.isEmpty { send() }
        return (deliveries, lost)
    }

    private static func points(of store: LocationDatabase) throws -> [[Timestamp]] {
        try store.trips().map { try store.trace(ofTrip: $0.summary.id, limit: .max).compactMap(\.time) }
    }

    @Test(arguments: Courier.allCases, [7] as [UInt64])
    func aDayArrivesOnceHoweverItIsSent(_ courier: Courier, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (deliveries, lost) = Self.play(courier, &random)
        #expect(deliveries.reduce(0) { $0 + $1.places.count } > Self.day.count - lost.count, "some are sent twice")
        let inOrder = try await LiveRig(try Stores.temporary())
        try await inOrder.run {
            let kept = Self.day.filter { !lost.contains($0) }
            try await inOrder.pipeline.receive(Courier.overland.report(kept), of: "anna")
        }
        let store = try Stores.temporary()
        let cut = deliveries.firstIndex { $0.isAfterRestart } ?? deliveries.count
        var (taken, duplicates) = (0, 0)
        for part in [deliveries[..<cut], deliveries[cut...]] {
            let rig = try await LiveRig(store)
            let features = Features(store: store, liveState: rig.pipeline) { LiveRig.time(20_000) }
            let door = PhoneDoor(pipeline: rig.pipeline, store: store)
            try await rig.run {
                for delivery in part where !delivery.places.isEmpty {
                    let report = courier.report(delivery.places)
                    #expect(Set(report.fixes.map { $0.fix.time }).count == delivery.places.count)
                    let answer = String(decoding: try await door.receive(report, of: "anna"), as: UTF8.self)
                    if courier == .overland { #expect(answer == #"{"result":"ok"}"#) }
                    if courier == .ownTracks { #expect(answer.hasPrefix("[")) }
                }
                rig.clock.move(by: 61)
                try await LateMerges(rig.pipeline, features.context, logger: rig.pipeline.logger).merge("anna")
            }
            taken += await rig.pipeline.snapshot().devices.first?.statistics.accepted ?? 0
            duplicates += await rig.pipeline.reported["anna"]?.duplicates ?? 0
        }
        #expect(duplicates > 0 && taken <= Self.day.count - lost.count)
        let (found, expected) = (try Self.points(of: store), try Self.points(of: inOrder.store))
        try #require(found.count == expected.count)
        for (one, other) in zip(found, expected) {
            #expect(one == one.sorted() && one.count == Set(one).count)
            #expect(Set(other).subtracting(one) == [])
            // While places of the edge of a trip were missing, it began or ended at the rest beside them.
            #expect(Set(one).subtracting(other).allSatisfy { Self.isRest($0) })
            // Only GPSLogger's come out of order, and only then may more of the rest be on the trip.
            if courier != .gpsLogger { #expect(one == other) }
        }
    }
}
#endif
