public import Geodesy

/// An index of places on the globe, each of which stands for an element of your own type.
///
/// A place may have a radius, and is then a circle. The index answers which elements are nearest to a place, which are
/// within a distance of it, and which circles contain it. Distances are great-circle distances on a sphere of the
/// earth's mean radius. The antimeridian and the poles are not special.
///
/// It keeps the elements in an array and their circles in an ``RTree``. Use that directly if you store the elements
/// elsewhere.
public struct PlaceIndex<Element> {
    private var entries: [PlaceEntry<Element>] = []
    private var tree = RTree()

    /// An element that was found, with the distance from the place that was asked for to its centre.
    public struct Neighbor {
        /// The element.
        public let element: Element
        /// The distance to the centre of the element's circle.
        public let distance: Distance
    }

    /// Creates an empty index.
    public init() {}

    /// Creates an index of many elements at once, which is faster than adding them one by one.
    ///
    /// - Parameters:
    ///   - place: Returns where an element is.
    ///   - radius: Returns the radius of an element's circle; by default it is zero.
    /// - Complexity: O(*n* log *n*).
    public init(
        _ elements: some Sequence<Element>, at place: (Element) -> Coordinate,
        radius: (Element) -> Distance = { _ in .zero }
    ) {
        entries = elements.map { Self.entry($0, at: place($0), radius: radius($0)) }
        tree = RTree(count: entries.count) { Self.cap(of: entries[$0], number: $0) }
    }

    /// The number of elements.
    public var count: Int { entries.count }

    /// Adds an element at a place, as a circle if `radius` is greater than zero.
    ///
    /// - Complexity: O(log *n*).
    public mutating func insert(_ element: Element, at place: Coordinate, radius: Distance = .zero) {
        let entry = Self.entry(element, at: place, radius: radius)
        tree.insert(Self.cap(of: entry, number: entries.count))
        entries.append(entry)
    }

    /// Returns the elements whose centres are closest to a place, nearest first.
    ///
    /// Elements at equal distances come in the order in which they were added.
    ///
    /// - Returns: At most `limit` elements.
    /// - Complexity: O(*k* log *n*) for well-spread places, *k* being the limit.
    public func nearest(to place: Coordinate, limit: Int) -> [Neighbor] {
        let here = UnitVector(place)
        return tree.nearest(to: here, limit: limit, squaredChord: { self[$0].center.squaredChord(to: here) }).map {
            neighbor(self[$0.number], $0.squaredChord)
        }
    }

    /// Returns the elements whose centres are at most `distance` from a place, in the order in which they were added.
    ///
    /// - Complexity: O(log *n* + *k* log *k*) for well-spread places and *k* results.
    public func elements(within distance: Distance, of place: Coordinate) -> [Neighbor] {
        let here = UnitVector(place)
        let squaredReach = Sphere.squaredChord(distance: distance)
        // No chord is longer than the arc above it.
        let box = Box(here).expanded(by: distance.meters / Sphere.radius.meters)
        return found(in: box, from: here) { _, squaredChord in squaredChord <= squaredReach }
    }

    /// Returns the elements whose circles contain a place, their edges included, in the order in which they were added.
    ///
    /// - Complexity: O(log *n* + *k* log *k*) for well-spread circles and *k* results.
    public func elements(containing place: Coordinate) -> [Neighbor] {
        let here = UnitVector(place)
        return found(in: Box(here), from: here) { entry, squaredChord in squaredChord <= entry.squaredRadius }
    }

    private func found(
        in box: Box, from here: UnitVector, where isFound: (PlaceEntry<Element>, _ squaredChord: Double) -> Bool
    ) -> [Neighbor] {
        var numbers: [Int32] = []
        tree.forEach(intersecting: box) { number in
            let entry = self[number]
            if isFound(entry, entry.center.squaredChord(to: here)) { numbers.append(number) }
        }
        return numbers.sorted().map { neighbor(self[$0], self[$0].center.squaredChord(to: here)) }
    }

    private subscript(_ number: Int32) -> PlaceEntry<Element> { entries[Int(number)] }

    private func neighbor(_ entry: PlaceEntry<Element>, _ squaredChord: Double) -> Neighbor {
        Neighbor(element: entry.element, distance: Sphere.distance(squaredChord: squaredChord))
    }

    private static func entry(_ element: Element, at place: Coordinate, radius: Distance) -> PlaceEntry<Element> {
        PlaceEntry(
            element: element, center: UnitVector(place),
            squaredRadius: Sphere.squaredChord(distance: max(radius, .zero)))
    }

    private static func cap(of entry: PlaceEntry<Element>, number: Int) -> RTree.Element {
        // 2^31 entries would take more than 80 GB.
        let number = Int32(truncatingIfNeeded: number)
        return RTree.Element(center: entry.center, squaredRadius: entry.squaredRadius, number: number)
    }
}

extension PlaceIndex: Sendable where Element: Sendable {}
extension PlaceIndex.Neighbor: Sendable where Element: Sendable {}

/// An element and its circle.
private struct PlaceEntry<Element> {
    var element: Element
    var center: UnitVector
    var squaredRadius: Double
}

extension PlaceEntry: Sendable where Element: Sendable {}
