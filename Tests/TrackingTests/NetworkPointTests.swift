import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// Guesses of the mobile network among the fixes of a receiver: hundreds of metres off, without an accuracy.
@Suite struct NetworkPointTests {
    /// Returns a walk of 3.4 km with such a point between two fixes in each third minute.
    private static func walk(off: Double, tells: Bool, every: Double) -> [Fix] {
        var journey = Journey()
        journey.rest(for: 1200, every: every)
        journey.move(east: 1.4, north: 0, for: 2430, every: every)
        journey.rest(for: 1200, every: every)
        var fixes = Receiver(deviation: 2, tells: tells).fixes(of: journey)
        var random = SeededGenerator(seed: 7)
        for index in stride(from: Int(180 / every), to: fixes.count - 1, by: Int(180 / every)).reversed() {
            guard let time = fixes[index].time, let next = fixes[index + 1].time else { continue }
            let angle = Double.random(in: 0..<2 * .pi, using: &random)
            let guess = Fix(
                time: time.advanced(byMilliseconds: next.milliseconds(since: time) / 2),
                coordinate: journey.place(east: off * cos(angle), north: off * sin(angle), of: fixes[index].coordinate))
            fixes.insert(guess, at: index + 1)
        }
        return fixes
    }

    @Test(arguments: [300.0, 700, 1500], [(true, 10.0), (true, 60), (false, 10), (false, 60)])
    func thereAndBackWithinAMinuteIsNoPath(off: Double, device: (tells: Bool, every: Double)) throws {
        let (tells, every) = device
        let output = Tracker.output(of: Self.walk(off: off, tells: tells, every: every))
        let distance = output.trips.reduce(0) { $0 + $1.distance.meters }
        // Without speeds, a point at the very beginning or end may count one way.
        #expect(abs(distance - 3400) < 340 + (tells ? 0 : 1.2 * off))
        for trip in output.trips {
            let (average, most) = (try #require(trip.averageMovingSpeed), try #require(trip.maximumSpeed))
            #expect(average <= most && most.metersPerSecond < 3)
        }
        if tells { #expect(output.trips.count == 1) }
    }

    /// A receiver that tells nothing but its place is not foreign among its own fixes.
    @Test func aDriveWithoutSpeedsIsKeptWhole() {
        var journey = Journey()
        journey.rest(for: 600, every: 30)
        for _ in 0..<10 {
            journey.move(east: 20, north: 0, for: 300, every: 30)
            journey.move(east: -20, north: 0, for: 30, every: 30)
        }
        journey.rest(for: 1200, every: 30)
        let output = Tracker.output(of: journey.fixes)
        #expect(abs(output.trips.reduce(0) { $0 + $1.distance.meters } - 66_000) < 660)
    }

    /// The greatest speed of a trip is at least its average.
    @Test func theAverageIsNeverAboveTheGreatestSpeed() {
        var numbers = TripNumbers()
        var journey = Journey()
        journey.move(east: 10, north: 0, for: 600, every: 10)
        for (index, fix) in journey.fixes.enumerated() {
            var fix = fix
            fix.speed = .metersPerSecond(4)
            numbers.add(fix, gap: index == 0)
        }
        var trip = TripSummary(device: "van", start: Journey.at(10))
        trip.end = Journey.at(600)
        trip.adopt(numbers)
        #expect(trip.averageMovingSpeed == trip.maximumSpeed)
        #expect(trip.maximumSpeed.map { abs($0.metersPerSecond - 10) < 0.1 } == true)
    }
}
