import Geodesy
import TestSupport
import Testing
import Tracking

@testable import EventStream

@Suite struct EventFilterTests {
    private let enter = EventRecord(
        seq: 1, type: "geofence.enter", device: "gps0", subject: "sight/westerkerk",
        place: Coordinate(latitude: 52.37, longitude: 4.88),
        line: [])
    private let online = EventRecord(seq: 2, type: "source.online", device: "gps0", line: [])
    private let position = EventRecord(
        seq: nil, type: "position", device: "gps0", place: Coordinate(latitude: 52.37, longitude: 4.88), line: [])
    private let note = EventRecord(seq: 3, type: "notification", recipient: "anna", line: [])

    @Test(
        arguments: [
            ([], "1234"), (["*"], "1p234"), (["position"], "p"), (["pos*"], ""), (["position", "geofence.*"], "1p"),
            (["geofence.enter"], "1"), (["geofence"], ""), (["*.online", "*.enter"], "12"), (["*o*"], "123"),
            (["g*e*r"], "1"), (["g*e*x"], ""), (["**"], "1234"), (["notification", "trip.*"], "34"),
        ] as [([String], String)])
    func typesAreMatchedByPatterns(types: [String], chosen: String) {
        let filter = EventFilter(types: types)
        let trip = EventRecord(seq: 4, type: "trip.end", line: [])
        let entries = [("1", enter), ("p", position), ("2", online), ("3", note), ("4", trip)]
        #expect(entries.filter { filter.matches($0.1) }.map(\.0).joined() == chosen)
    }

    @Test func allConditionsOfAFilterMustMatch() {
        #expect(EventFilter(devices: ["gps0", "x"]).matches(enter))
        #expect(!EventFilter(devices: ["x"]).matches(enter))
        #expect(!EventFilter(devices: ["gps0"]).matches(note))
        #expect(EventFilter(subjects: ["sight/westerkerk"]).matches(enter))
        #expect(!EventFilter(subjects: ["vote/westerkerk"]).matches(enter))
        #expect(!EventFilter(subjects: ["sight/westerkerk"]).matches(online))
        #expect(EventFilter(kinds: ["sight"]).matches(enter))
        #expect(!EventFilter(kinds: ["sigh"]).matches(enter))
        #expect(!EventFilter(kinds: ["sight"]).matches(online))
        #expect(EventFilter(recipient: "anna").matches(note))
        #expect(!EventFilter(recipient: "bob").matches(note))
        #expect(!EventFilter(recipient: "anna").matches(enter))
        #expect(!EventFilter(types: ["geofence.*"], devices: ["x"]).matches(enter))
        #expect(EventFilter(types: ["geofence.*"], devices: ["gps0"], kinds: ["sight"]).matches(enter))
    }

    @Test(arguments: [
        (4.0, 52.0, 5.0, 53.0, 52.5, 4.5, true), (4, 52, 5, 53, 52, 4, true), (4, 52, 5, 53, 53, 5, true),
        (4, 52, 5, 53, 53.1, 4.5, false), (4, 52, 5, 53, 52.5, 5.1, false), (4, 52, 5, 53, 52.5, -4.5, false),
        (170, -10, -170, 10, 0, 175, true), (170, -10, -170, 10, 0, -175, true), (170, -10, -170, 10, 0, 180, true),
        (170, -10, -170, 10, 0, 0, false), (170, -10, 180, 10, 0, -180, true), (-180, -10, -170, 10, 0, 180, true),
        (-180, -90, 180, 90, 90, 180, true), (5, 0, 5, 0, 0, 5, true),
    ])
    func aBoundingBoxMatchesPlacesWithinItsEdges(
        west: Double, south: Double, east: Double, north: Double, latitude: Double, longitude: Double, isInside: Bool
    ) {
        let bounds = EventFilter.Bounds(west: west, south: south, east: east, north: north)
        let entry = EventRecord(
            seq: 1, type: "a", place: Coordinate(latitude: latitude, longitude: longitude), line: [])
        #expect(EventFilter(bounds: bounds).matches(entry) == isInside)
        #expect(!EventFilter(bounds: bounds).matches(online))
    }
}
