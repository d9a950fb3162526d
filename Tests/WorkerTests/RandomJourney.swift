#if Fleet
import FleetStore
import Geodesy
import Positioning
import TestSupport
import Time
import Tracking

/// A device that drives, stands, loses its receiver and sends wild, late and repeated fixes, from a seed.
struct RandomJourney {
    let device: String
    let fixes: [Fix]

    /// The place around which devices move.
    static let center = Coordinate(latitude: 52.37, longitude: 4.89) ?? .origin

    init(device: String, count: Int, using random: inout SeededGenerator) {
        self.device = device
        var fixes: [Fix] = []
        var time = Timestamp(milliseconds: 1_750_000_000_000 + Int64.random(in: 0...86_400_000, using: &random))
        var (north, east) = (
            Double.random(in: -0.02...0.02, using: &random), Double.random(in: -0.02...0.02, using: &random)
        )
        var (speed, course) = (0.0, 0.0)
        var rest = 0
        while fixes.count < count {
            if rest == 0 {
                let isLong = Int.random(in: 0..<4, using: &random) == 0
                if speed > 0 {
                    speed = 0
                    rest = Int.random(in: 5...(isLong ? 40 : 12), using: &random)
                } else {
                    speed = Double.random(in: 1...25, using: &random)
                    course = Double.random(in: 0..<360, using: &random)
                    rest = Int.random(in: 10...40, using: &random)
                }
            }
            rest -= 1
            // Now and then there is a silence, which may end a trip.
            let isSilence = Int.random(in: 0..<150, using: &random) == 0
            let step =
                isSilence
                ? Int64.random(in: 60_000...4_000_000, using: &random)
                : Int64.random(in: 5000...40_000, using: &random)
            time = time.advanced(byMilliseconds: step)
            course += Double.random(in: -20...20, using: &random)
            let way = speed * Double(min(step, 60_000)) / 1000
            let turn = UnitVector(
                Coordinate(latitude: 0, longitude: course.truncatingRemainder(dividingBy: 180)) ?? .origin)
            north += way * turn.x / 111_000
            east += way * turn.y / 68_000
            let noise = (
                Double.random(in: -3e-5...3e-5, using: &random), Double.random(in: -3e-5...3e-5, using: &random)
            )
            let isWild = Int.random(in: 0..<40, using: &random) == 0
            let place = Coordinate(
                latitude: Self.center.latitude + north + noise.0
                    + (isWild ? Double.random(in: -3...3, using: &random) : 0),
                longitude: Self.center.longitude + east + noise.1)
            guard let place else { continue }
            var fix = Fix(
                time: time, coordinate: place, beginsSegment: Int.random(in: 0..<200, using: &random) == 0)
            if Int.random(in: 0..<5, using: &random) > 0 { fix.speed = .metersPerSecond(speed) }
            if Int.random(in: 0..<5, using: &random) > 0 {
                fix.accuracy = .meters(Double.random(in: 2...40, using: &random))
            }
            fix.track = .degrees(course)
            fixes.append(fix)
            // An earlier fix comes again, which the gate rejects.
            if Int.random(in: 0..<30, using: &random) == 0,
                var again = fixes.suffix(5).randomElement(using: &random)
            {
                again.beginsSegment = false
                fixes.append(again)
            }
        }
        self.fixes = fixes
    }

    /// Circles around the place.
    static func geofences(_ count: Int, using random: inout SeededGenerator) -> [Geofence] {
        (0..<count).compactMap { number in
            Coordinate(
                latitude: center.latitude + Double.random(in: -0.03...0.03, using: &random),
                longitude: center.longitude + Double.random(in: -0.05...0.05, using: &random)
            ).map {
                Geofence(
                    identity: Geofence.Identity(kind: .sight, id: "sight-\(number)"),
                    title: "Sight \"\(number)\" \\ é",
                    center: $0, radius: .meters(Double.random(in: 50...400, using: &random)))
            }
        }
    }

    /// What one tracker says of the whole recording, as `waymark replay` runs it.
    func oracle(in index: GeofenceIndex) -> Oracle {
        var tracker = Tracker(device: device)
        var output = Tracker.Output()
        for fix in fixes { tracker.ingest(fix, in: index, into: &output) }
        tracker.finish(into: &output)
        var oracle = Oracle()
        oracle.events = output.events.filter(\.isDurable).map { String(decoding: $0.json(), as: UTF8.self) }
        var open: String?
        for change in output.changes {
            switch change {
            case .tripBegan(let trip):
                open = trip.id
                oracle.points[trip.id] = []
            case .point(let fix, _):
                if let open, let time = fix.time { oracle.points[open, default: []].append(time.milliseconds) }
            case .truncated(let after):
                if let open { oracle.points[open]?.removeAll { $0 > after.milliseconds } }
            case .tripEnded(let trip):
                oracle.trips[trip.id] = trip
                open = nil
            case .stopEnded(let stop): oracle.stops[stop.id] = stop
            case .tripsJoined(let first, let second, _): oracle.journeys[second] = first
            case .stopBegan: break
            }
        }
        return oracle
    }

    struct Oracle {
        var events: [String] = []
        var trips: [String: TripSummary] = [:]
        var stops: [String: StopSummary] = [:]
        /// The times of the points of each trip.
        var points: [String: [Int64]] = [:]
        /// The earlier trips that later ones continue.
        var journeys: [String: String] = [:]
    }
}
#endif
