package import Geodesy
import Glibc
package import Positioning
package import Time

/// Eight hours of a boat at anchor, which swings with the wind and may drag.
///
/// The anchor lies where it fell. The boat swings around it at the length of its chain, yaws for a minute or three, and
/// turns by a quarter to a half when the wind shifts. Half of the variance of the receiver's error is new at each fix, and
/// half wanders for two minutes.
package struct AnchoredNight: Sendable {
    /// The metres from the anchor that the boat does not exceed while the anchor holds.
    package let swing: Double
    /// The standard deviation of the receiver's error on each axis, in metres.
    package let deviation: Double
    /// The seconds between two fixes.
    package let interval: Double
    /// The speed at which it drags from some time on, in metres a second; `nil` if the anchor holds.
    package let drag: Double?
    private let seed: UInt64

    /// Where the anchor fell.
    package static let anchor = Coordinate(latitude: 54.3, longitude: 10.2) ?? .origin
    /// When the anchor fell.
    package static let begin = Timestamp(rfc3339: "2026-07-01T20:00:00Z") ?? .earliest
    private static let duration = 8 * 3600.0
    /// The radius of 95 % of a normal error, in standard deviations on each axis.
    private static let confidence = 2.45

    /// Creates one of many nights.
    package init(seed: UInt64, drags: Bool) {
        var random = SeededGenerator(seed: seed)
        swing = .random(in: 15...60, using: &random)
        deviation = .random(in: 2...15, using: &random)
        interval = [1, 2, 5, 10].randomElement(using: &random) ?? 1
        let speed = Double.random(in: 0.1...0.5, using: &random)
        drag = drags ? speed : nil
        self.seed = random.next()
    }

    /// The accuracy that the receiver reports.
    package var accuracy: Distance { .meters(Self.confidence * deviation) }
    /// The radius that the guide recommends for an anchor that drops where it falls: the swing and the accuracy.
    package var radius: Distance { .meters((swing + accuracy.meters).rounded(.up)) }
    /// The distance from the anchor beyond which a fix has left the circle.
    package var boundary: Distance {
        .meters(radius.meters + max(10, accuracy.meters, 0.05 * radius.meters))
    }

    /// Calls `body` with each fix, its second and the boat's true distance from the anchor, until it returns false.
    package func forEachFix(_ body: (_ fix: Fix, _ second: Double, _ distance: Double) -> Bool) {
        var random = SeededGenerator(seed: seed)
        let share = deviation * 0.5.squareRoot()
        var (east, north) = (
            Wander(deviation: share, correlationTime: 120, seed: random.next()),
            Wander(deviation: share, correlationTime: 120, seed: random.next())
        )
        var wind = Wind(&random)
        let dragBegin = Double.random(in: 3600...(Self.duration - 3600), using: &random)
        var course: Double?
        let middle = UnitVector(Self.anchor)
        var second = 0.0
        while second < Self.duration {
            let angle = wind.advance(to: second, bySeconds: interval)
            var (x, y) = (swing * sin(angle), swing * cos(angle))
            if let drag, second >= dragBegin {
                let way = drag * (second - dragBegin)
                course = course ?? angle
                x += way * sin(course ?? 0)
                y += way * cos(course ?? 0)
            }
            let place = middle.displaced(
                east: x + east.advance(bySeconds: interval) + share * random.deviate(),
                north: y + north.advance(bySeconds: interval) + share * random.deviate())
            var fix = Fix(
                time: Self.begin.advanced(byMilliseconds: Int64(second * 1000)), coordinate: Coordinate(place))
            fix.accuracy = accuracy
            guard body(fix, second, (x * x + y * y).squareRoot()) else { return }
            second += interval
        }
    }

    /// The direction from the anchor to the boat.
    private struct Wind {
        private var angle: Double
        private var shifts: [Double]
        private var target: Double
        /// The turn in radians a second.
        private var turn = 0.0
        private let yaw: Double
        private let period: Double
        private var random: SeededGenerator

        init(_ source: inout SeededGenerator) {
            random = SeededGenerator(seed: source.next())
            angle = .random(in: 0..<(2 * .pi), using: &random)
            target = angle
            shifts = (0..<3).map { _ in Double.random(in: 0..<AnchoredNight.duration, using: &source) }.sorted(by: >)
            yaw = .random(in: 0...0.6, using: &random)
            period = .random(in: 60...180, using: &random)
        }

        mutating func advance(to second: Double, bySeconds step: Double) -> Double {
            if let next = shifts.last, second >= next {
                shifts.removeLast()
                let way = Double.random(in: (.pi / 2)...(.pi), using: &random)
                target = angle + (Bool.random(using: &random) ? way : -way)
                turn = (target - angle) / .random(in: 300...1800, using: &random)
            }
            if turn != 0 {
                angle += turn * step
                if (target - angle) * turn <= 0 { (angle, turn) = (target, 0) }
            }
            return angle + yaw * sin(2 * .pi * second / period)
        }
    }
}
