import Geodesy
import SpatialIndex
import TestSupport
import Testing

/// Elements at places on the whole globe, compared with a search of all of them.
@Suite struct PlaceIndexTests {
    private struct Place: Hashable {
        var name: String
        var coordinate: Coordinate
        var radius: Distance
    }

    private static func places(_ count: Int) -> [Place] {
        RTreeTests.caps(count, seed: 21).enumerated().map { number, cap in
            Place(name: "place \(number)", coordinate: Coordinate(cap.center), radius: cap.radius)
        }
    }

    /// Returns two indexes of the same places: one made at once, one by insertion.
    private static func indexes(_ places: [Place]) -> [PlaceIndex<Place>] {
        var grown = PlaceIndex<Place>()
        for place in places { grown.insert(place, at: place.coordinate, radius: place.radius) }
        return [PlaceIndex(places, at: \.coordinate, radius: \.radius), grown]
    }

    @Test(arguments: [0, 1, 17, 500])
    func theSameElementsAreFoundAsBySearchingAll(count: Int) {
        let places = Self.places(count)
        for index in Self.indexes(places) {
            #expect(index.count == count)
            for query in Self.places(60).map(\.coordinate) {
                func distance(_ place: Place) -> Double { Sphere.distance(from: query, to: place.coordinate).meters }
                let nearest = index.nearest(to: query, limit: 5)
                #expect(nearest.count == min(5, count))
                let expected = places.map(distance).sorted().prefix(5)
                for (found, expected) in zip(nearest, expected) {
                    #expect(abs(found.distance.meters - expected) < 0.01)
                    #expect(abs(distance(found.element) - found.distance.meters) < 0.01)
                }
                for reach in [0, 1_000, 1e6, 2e7] {
                    // A metre around the edge is left to rounding.
                    let found = Set(index.elements(within: .meters(reach), of: query).map(\.element))
                    #expect(found.isSuperset(of: places.filter { distance($0) < reach - 1 }))
                    #expect(found.isSubset(of: places.filter { distance($0) < reach + 1 }))
                }
                let around = Set(index.elements(containing: query).map(\.element))
                #expect(around.isSuperset(of: places.filter { distance($0) < $0.radius.meters - 1 }))
                #expect(around.isSubset(of: places.filter { distance($0) < $0.radius.meters + 1 }))
            }
        }
    }

    @Test func elementsAtOnePlaceComeInTheOrderInWhichTheyWereAdded() {
        let dam = Coordinate(latitude: 52.3731, longitude: 4.8922).known
        var index = PlaceIndex(["b", "a"], at: { _ in dam })
        index.insert("c", at: dam)
        #expect(index.nearest(to: dam, limit: 9).map(\.element) == ["b", "a", "c"])
        #expect(index.elements(within: .meters(1), of: dam).map(\.element) == ["b", "a", "c"])
        #expect(index.elements(containing: dam).map(\.element) == ["b", "a", "c"])
    }
}
