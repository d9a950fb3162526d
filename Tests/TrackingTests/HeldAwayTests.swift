import Geodesy
import Positioning
import TestSupport
import Testing
import Tracking

/// A device that stood and is next seen far away: geofences in between were not observed to be passed.
@Suite struct HeldAwayTests {
    private static func events(silence: Double, beginsSegment: Bool) -> [String] {
        var journey = Journey()
        journey.rest(for: 1200)
        journey.silence(for: silence, east: 3000)
        let first = journey.fixes.count
        journey.move(east: 10, north: 0, for: 300)
        journey.fixes[first].beginsSegment = beginsSegment
        let between = Geofence(
            identity: .init(kind: .sight, id: "between"), title: "Between",
            center: journey.place(east: 1500, north: 0), radius: .meters(100))
        let ahead = Geofence(
            identity: .init(kind: .sight, id: "ahead"), title: "Ahead",
            center: journey.place(east: 5000, north: 0), radius: .meters(100))
        let output = Tracker.output(of: journey.fixes, in: GeofenceIndex([(between, 1), (ahead, 1)]))
        return output.events.compactMap { event in
            switch event.kind {
            case .enter(let sighting, _), .exit(let sighting, _, _), .cross(let sighting):
                "\(event.type) \(sighting.geofence.identity.id)"
            default: nil
            }
        }
    }

    private static let passesAhead = ["geofence.enter ahead", "geofence.exit ahead"]

    @Test func aGeofenceBetweenTwoSegmentsIsNotCrossed() {
        #expect(Self.events(silence: 120, beginsSegment: true) == Self.passesAhead)
    }

    @Test func aGeofenceWithinALongSilenceIsNotCrossed() {
        #expect(Self.events(silence: 1000, beginsSegment: false) == Self.passesAhead)
    }

    @Test func aGeofenceOnALegIsCrossed() {
        #expect(Self.events(silence: 120, beginsSegment: false) == ["geofence.cross between"] + Self.passesAhead)
    }
}
