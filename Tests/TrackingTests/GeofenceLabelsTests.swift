import Geodesy
import TestSupport
import Testing

@testable import Tracking

@Suite struct GeofenceLabelsTests {
    private func label(_ random: inout SeededGenerator) -> GeofenceLabels.Label {
        func text(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 0...most, using: &random)).map { _ in "aé点🚏".randomElement(using: &random) ?? "a" })
        }
        return .init(
            identity: .init(
                kind: Geofence.Kind(rawValue: ["sight", "location", "vote"].randomElement(using: &random) ?? "sight"),
                id: text(20)),
            title: text(60),
            center: Coordinate(
                latitudeE7: .random(in: -900_000_000...900_000_000, using: &random),
                longitudeE7: .random(in: -1_800_000_000..<1_800_000_000, using: &random)
            ).known)
    }

    /// Compares the labels with an array during 2,000 changes, enough to compact unused texts often.
    @Test(arguments: UInt64(1)...3) func labelsAreReturnedAsTheyWereSet(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var labels = GeofenceLabels()
        var expected: [GeofenceLabels.Label] = []
        for _ in 0..<2_000 {
            let new = label(&random)
            if expected.count < 50 {
                labels.append(new)
                expected.append(new)
            } else {
                let number = expected.indices.randomElement(using: &random) ?? 0
                labels[number] = new
                expected[number] = new
            }
        }
        for number in expected.indices {
            let label = labels[number]
            #expect(label.identity == expected[number].identity)
            #expect(label.title == expected[number].title)
            #expect(label.center == expected[number].center)
        }
    }

    @Test func identitiesDifferByEveryByteAndByKind() {
        var labels = GeofenceLabels()
        let identity = Geofence.Identity(kind: .sight, id: "caf\u{e9}")
        labels.append(.init(identity: identity, title: "Café", center: Coordinate(latitudeE7: 1, longitudeE7: 2).known))
        #expect(labels.matches(0, identity))
        #expect(labels.hash(0) == GeofenceLabels.hash(identity))
        // These ids are equal as strings, but they are two rows of a store.
        #expect(!labels.matches(0, .init(kind: .sight, id: "cafe\u{301}")))
        #expect(!labels.matches(0, .init(kind: .init(rawValue: "vote"), id: "caf\u{e9}")))
        #expect(!labels.matches(0, .init(kind: .sight, id: "caf")))
    }
}
