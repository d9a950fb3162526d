import Geodesy
import Positioning
import TestSupport
import Time

/// Fixes of a journey with every difficulty that receivers cause.
///
/// The journey has legs, rests and silences, from 10 Hz to one fix a minute. Its fixes have noise, jumps, new segments,
/// repeated times and worthless values, with or without accuracy and speed.
struct AwkwardJourney {
    let fixes: [Fix]

    init(seed: UInt64, pieces: Int = 14) {
        var random = SeededGenerator(seed: seed)
        var journey = Journey()
        for _ in 0..<pieces { Self.addPiece(to: &journey, &random) }
        fixes = Self.received(journey, &random)
    }

    private static func addPiece(to journey: inout Journey, _ random: inout SeededGenerator) {
        let every: Double = [0.1, 1, 1, 1, 5, 30, 60].randomElement(using: &random) ?? 1
        let fastest: Double = [1, 3, 20].randomElement(using: &random) ?? 1
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: journey.rest(for: .random(in: 10...(every < 1 ? 300 : 1500), using: &random), every: every)
        case 2:
            journey.silence(
                for: .random(in: 10...2000, using: &random), east: .random(in: -3000...3000, using: &random))
        case 3: journey.silence(for: .random(in: 100...2000, using: &random))
        default:
            journey.move(
                east: .random(in: -fastest...fastest, using: &random),
                north: .random(in: -fastest...fastest, using: &random),
                for: .random(in: 10...(every < 1 ? 60 : 600), using: &random), every: every)
        }
    }

    private static func received(_ journey: Journey, _ random: inout SeededGenerator) -> [Fix] {
        let noise: Double = [0, 3, 15].randomElement(using: &random) ?? 0
        let (tellsAccuracy, tellsSpeed) = (Bool.random(using: &random), Bool.random(using: &random))
        var (jump, jumpsLeft) = ((east: 0.0, north: 0.0), 0)
        var before: Fix?
        var fixes: [Fix] = []
        for truth in journey.fixes {
            var fix = truth
            if jumpsLeft > 0 {
                jumpsLeft -= 1
            } else {
                jump = (0, 0)
                if Int.random(in: 0..<150, using: &random) == 0 {
                    jumpsLeft = .random(in: 1...20, using: &random)
                    jump = (.random(in: -900...900, using: &random), .random(in: -900...900, using: &random))
                }
            }
            fix.coordinate = journey.place(
                east: jump.east + .random(in: -noise...noise, using: &random),
                north: jump.north + .random(in: -noise...noise, using: &random), of: truth.coordinate)
            if tellsAccuracy { fix.accuracy = .meters(.random(in: 1...(2 * noise + 10), using: &random)) }
            if tellsSpeed, let before, let start = before.time, let end = truth.time {
                let way = Ellipsoid.distance(from: before.coordinate, to: truth.coordinate).meters
                fix.speed = .metersPerSecond(way / end.seconds(since: start) + .random(in: 0...0.4, using: &random))
            }
            fix.altitude = .meters(.random(in: -20...20, using: &random))
            switch Int.random(in: 0..<600, using: &random) {
            case 0, 1: fix.beginsSegment = true
            case 2: fix.accuracy = .meters(500)
            case 3: fix.coordinate = Coordinate(latitude: 0, longitude: 0).known
            case 4: fix.time = truth.time?.advanced(byMilliseconds: -5000)
            case 5: fix.time = nil
            case 6: fixes.append(fix)
            default: break
            }
            fixes.append(fix)
            before = truth
        }
        return fixes
    }
}
