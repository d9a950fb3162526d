public import Geodesy
import SpatialIndex

/// All geofences there are, found by place; shared by the engines of all devices.
///
/// Every change carries a revision number, greater than those before: an engine that has last looked at an older
/// revision knows which geofences are new to it. Removed ones stay as tombstones, so that who was inside can be told
/// what it left.
public struct GeofenceIndex: Sendable {
    /// A geofence with what the engine needs ready-made.
    struct Entry: Sendable {
        var geofence: Geofence
        let center: UnitVector
        /// The square of the chord of the radius.
        let squaredRadius: Double
        let element: RTree.Element
        var revision: Int64
        var isRemoved = false
    }

    private(set) var entries: [Entry] = []
    private var numbers: [Geofence.Identity: Int32] = [:]
    private var tree = RTree()

    /// The number of the last change.
    public private(set) var revision: Int64

    /// An index of all geofences at once, each with the revision of its last change.
    ///
    /// Of several with one identity the last is taken.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ geofences: [(geofence: Geofence, revision: Int64)] = [], revision: Int64 = 0) {
        self.revision = geofences.reduce(revision) { max($0, $1.revision) }
        entries.reserveCapacity(geofences.count)
        for (geofence, revision) in geofences {
            let number = numbers[geofence.identity] ?? Int32(entries.count)
            let entry = Self.entry(geofence, number: number, revision: revision)
            if Int(number) == entries.count { entries.append(entry) } else { entries[Int(number)] = entry }
            numbers[geofence.identity] = number
        }
        tree = RTree(entries.map(\.element))
    }

    /// How many geofences are watched.
    public var count: Int { tree.count }

    /// Adds a geofence, or replaces the one of its identity.
    ///
    /// A change of the title alone leaves every device's state.
    ///
    /// - Complexity: O(log *n*).
    public mutating func update(_ geofence: Geofence, revision: Int64) {
        self.revision = max(self.revision, revision)
        guard let number = numbers[geofence.identity] else {
            let number = Int32(entries.count)
            entries.append(Self.entry(geofence, number: number, revision: revision))
            numbers[geofence.identity] = number
            tree.insert(entries[Int(number)].element)
            return
        }
        let old = entries[Int(number)]
        let isSamePlace = old.geofence.center == geofence.center && old.geofence.radius == geofence.radius
        if isSamePlace, !old.isRemoved {
            entries[Int(number)].geofence = geofence
            return
        }
        if !old.isRemoved { tree.remove(old.element) }
        entries[Int(number)] = Self.entry(geofence, number: number, revision: revision)
        tree.insert(entries[Int(number)].element)
    }

    /// Removes a geofence; who is inside will leave it at the next fix.
    ///
    /// - Complexity: O(log *n*).
    public mutating func remove(_ identity: Geofence.Identity, revision: Int64) {
        guard let number = numbers[identity], !entries[Int(number)].isRemoved else { return }
        self.revision = max(self.revision, revision)
        tree.remove(entries[Int(number)].element)
        entries[Int(number)].isRemoved = true
        entries[Int(number)].revision = revision
    }

    /// The number of a geofence that is watched.
    func number(of identity: Geofence.Identity) -> Int32? {
        numbers[identity].flatMap { entries[Int($0)].isRemoved ? nil : $0 }
    }

    /// The number of a geofence; one that is not watched any more is added as removed.
    mutating func number(ofOrBurying geofence: Geofence) -> Int32 {
        if let number = numbers[geofence.identity] { return number }
        let number = Int32(entries.count)
        entries.append(Self.entry(geofence, number: number, revision: revision))
        entries[Int(number)].isRemoved = true
        numbers[geofence.identity] = number
        return number
    }

    /// The geofences whose boxes touch a box, by number.
    @inline(__always)
    func forEachCandidate(in box: Box, _ body: (Int32) -> Void) {
        tree.forEach(intersecting: box, body)
    }

    /// A geofence, with its great-circle distance and bearing from a place.
    public struct Neighbor: Sendable {
        /// The geofence.
        public let geofence: Geofence
        /// The great-circle distance to its middle.
        public let distance: Distance
        /// The direction in which its middle lies.
        public let bearing: Angle
    }

    /// The geofences whose middles are closest to a place, nearest first; equal ones in the order they were added.
    ///
    /// - Complexity: O(*k* log *n*) for well-spread geofences.
    public func nearest(to place: Coordinate, limit: Int) -> [Neighbor] {
        let here = UnitVector(place)
        return tree.nearest(to: here, limit: limit) { entries[Int($0)].center.squaredChord(to: here) }
            .map {
                let entry = entries[Int($0.number)]
                return Neighbor(
                    geofence: entry.geofence, distance: Sphere.distance(squaredChord: $0.squaredChord),
                    bearing: here.bearing(to: entry.center))
            }
    }

    private static func entry(_ geofence: Geofence, number: Int32, revision: Int64) -> Entry {
        let center = UnitVector(geofence.center)
        return Entry(
            geofence: geofence, center: center,
            squaredRadius: Sphere.squaredChord(distance: geofence.radius),
            element: RTree.Element(
                box: SphericalCap(center: center, radius: geofence.radius).box, number: number),
            revision: revision)
    }
}
