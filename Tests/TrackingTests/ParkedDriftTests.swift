import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Tracking

/// A device at rest makes no trip, no distance and no geofence event: not a single one.
@Suite(.slow) struct ParkedDriftTests {
    /// The number of days in all: 48 by default, or as many as `PARKED_DAYS` says.
    private static let days = ProcessInfo.processInfo.environment["PARKED_DAYS"].flatMap(Int.init) ?? 48

    @Test(arguments: [3.0, 10, 20, 30], [false, true])
    func aParkedDeviceEmitsNoEvents(deviation: Double, jumps: Bool) {
        for run in 0..<max(1, Self.days / 48) {
            for (number, every) in [1.0, 10, 60].enumerated() {
                for claims in [nil, ParkedDrift.Claims(accuracy: max(5, deviation), speed: 0.4)] {
                    let drift = ParkedDrift(
                        deviation: deviation, every: every, jumpsEvery: jumps ? 1800 : nil, claims: claims,
                        seed: UInt64(number) + 10 * UInt64(deviation) + (claims == nil ? 0 : 7) + 1000 * UInt64(run))
                    let output = Tracker.output(of: drift.fixes(), in: Self.index)
                    let told = output.events.compactMap { event -> String? in
                        switch event.kind {
                        case .enter(_, initial: true), .dwell, .stopStart, .stopEnd, .position: nil
                        default: "\(event.time) \(event.type)"
                        }
                    }
                    #expect(told == [], "every \(every) s, claims \(claims != nil), run \(run)")
                }
            }
        }
    }

    /// Geofences of all sizes around the device, so that some boundary is always near.
    private static let index: GeofenceIndex = {
        var random = SeededGenerator(seed: 4)
        let journey = Journey()
        return GeofenceIndex(
            (0..<200).map { number in
                let center = journey.place(
                    east: .random(in: -400...400, using: &random), north: .random(in: -400...400, using: &random))
                let radius = Double.random(in: 15...300, using: &random)
                return (
                    Geofence(
                        identity: .init(kind: .sight, id: "s\(number)"), title: "", center: center,
                        radius: .meters(radius)), Int64(number + 1)
                )
            })
    }()
}
