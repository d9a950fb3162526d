import Geodesy
import Positioning
import TestSupport
import Testing

@testable import Tracking

@Suite struct SteadinessTests {
    private let journey = Journey()

    private func evidence(_ steps: [(east: Double, north: Double, seconds: Double)], least: Double = 0) -> Double {
        var (east, north, time) = (0.0, 0.0, 0.0)
        var fixes = [Fix(time: Journey.at(0), coordinate: journey.origin)]
        for step in steps {
            (east, north, time) = (east + step.east, north + step.north, time + step.seconds)
            fixes.append(Fix(time: Journey.at(time), coordinate: journey.place(east: east, north: north)))
        }
        let goal = fixes.removeLast()
        var steadiness = Steadiness(
            goal: goal, at: UnitVector(goal.coordinate), from: UnitVector(journey.origin), least: least)
        steadiness.follow(back: fixes)
        return steadiness.evidence
    }

    /// Among random paths of Brownian motion, the share of steady ones is what the formula says.
    @Test func noiseHasTheSteadinessThatTheFormulaPredicts() {
        var random = SeededGenerator(seed: 9)
        func deviate() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } }
        let ways = 20_000
        var rarer = [0, 0, 0]
        for _ in 0..<ways {
            // Only the path with all six legs is long enough.
            let steps =
                [(30.0, 30.0, 60.0)].map { ($0.0 * deviate(), $0.1 * deviate(), $0.2) }
                + (0..<5).map { _ in (12.2 * deviate(), 12.2 * deviate(), 10.0) }
            let found = evidence(steps)
            for (number, bound) in [2.0, 4, 6].enumerated() where found > bound { rarer[number] += 1 }
        }
        for (number, chance) in [0.135, 0.0183, 0.0025].enumerated() {
            #expect(Double(rarer[number]) < 1.15 * chance * Double(ways))
            #expect(Double(rarer[number]) > 0.5 * chance * Double(ways))
        }
    }

    @Test func aStraightPathIsStrongEvidenceAndAJumpIsNot() {
        #expect(evidence((0..<12).map { _ in (10.0, 1.0, 10.0) }) > 100)
        #expect(evidence((0..<12).map { ($0 == 11 ? 200.0 : 1.0, 0.0, 10.0) }) < 3)
    }

    @Test func shortAndReturningPathsAreNoEvidence() {
        #expect(evidence((0..<5).map { _ in (10.0, 0.0, 10.0) }) == 0)
        #expect(evidence((0..<12).map { _ in (4.0, 0.0, 10.0) }, least: 60) == 0)
        let back = [(-600.0, 0.0, 100.0)] + (0..<11).map { _ in (50.0, 0.0, 10.0) }
        #expect(evidence(back) < 1)
    }
}
