import Geodesy
import TestSupport
import Testing
import Time
import Tracking

/// The trips that commonly used rules find in the same fixes.
@Suite struct TraccarBaselineTests {
    /// A day parked between tall buildings: those rules find a dozen trips, this detector none.
    @Test func jumpsWhileParkedAreTripsOnlyByOtherRules() {
        var (ours, others) = (0, 0)
        for seed in UInt64(1)...4 {
            let fixes = ParkedDrift(deviation: 20, every: 10, jumpsEvery: 1800, seed: seed).fixes()
            others += TraccarBaseline.trips(of: fixes).count
            ours += Tracker.output(of: fixes).trips.count
        }
        #expect(others > 40)
        #expect(ours == 0)
    }

    /// A drive is one trip by both rules, but the other rules end it three minutes late.
    @Test(arguments: [true, false])
    func aDriveIsOneTripByBothRules(tells: Bool) throws {
        var journey = Journey()
        journey.rest(for: 600)
        journey.move(east: 12, north: 0, for: 900)
        journey.rest(for: 1200)
        let fixes = Receiver(tells: tells).fixes(of: journey)
        let (ours, others) = (Tracker.output(of: fixes).trips, TraccarBaseline.trips(of: fixes))
        #expect(ours.count == 1 && others.count == 1)
        let (trip, other) = (try #require(ours.first), try #require(others.first))
        #expect(try abs(#require(trip.end).seconds(since: Journey.at(1500))) < 6)
        #expect(other.end.seconds(since: Journey.at(1500)) > 150)
        #expect(abs(trip.distance.meters - 10_800) < abs(other.meters - 10_800))
    }
}
