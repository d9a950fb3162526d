public import Geodesy
import Positioning
import SpatialIndex

/// All geofences, found by place and shared by the engines of all devices.
///
/// Every change has a revision number, greater than the ones before. An engine that last looked at an older revision
/// knows from it which geofences are new. Removed geofences stay as tombstones, so that an exit event can name the
/// geofence.
///
/// The data that a search reads is stored apart from the names and contains no references. A geofence takes about 130
/// bytes, plus its id and title.
public struct GeofenceIndex: Sendable {
    /// The data that an engine compares fixes with.
    struct Shape: Sendable {
        let center: UnitVector
        /// The square of the chord of the radius.
        let squaredRadius: Double
        let radius: Distance
        var revision: Int64
        var isRemoved = false
        /// The number of the watch in ``watches``; negative for always and all devices.
        var watch: Int32

        init(_ geofence: Geofence, watch: Int32, revision: Int64) {
            self.watch = watch
            center = UnitVector(geofence.center)
            radius = geofence.radius
            squaredRadius = Sphere.squaredChord(distance: radius)
            self.revision = revision
        }

        /// Returns the tree's element for this shape, which has the given number.
        func element(_ number: Int32) -> RTree.Element {
            RTree.Element(center: center, squaredRadius: squaredRadius, number: number)
        }
    }

    private typealias Label = GeofenceLabels.Label

    private(set) var shapes: ContiguousArray<Shape> = []
    private var labels = GeofenceLabels()
    private var numbers = NumberTable()
    private var tree = RTree()
    private(set) var watches = WatchTable()

    /// The number of the last change.
    public private(set) var revision: Int64

    /// Creates an index of geofences, each with the revision of its last change.
    ///
    /// If several have the same identity, the last one counts.
    ///
    /// - Complexity: O(*n* log *n*).
    public init(_ geofences: [(geofence: Geofence, revision: Int64)] = [], revision: Int64 = 0) {
        self.revision = revision
        reserveCapacity(geofences.count)
        for (geofence, revision) in geofences { load(geofence, revision: revision) }
        pack()
    }

    /// Creates an index that `body` fills, without holding all geofences in memory a second time.
    ///
    /// - Parameter body: calls `add` for each geofence, and returns the revision of the last change.
    /// - Complexity: O(*n* log *n*).
    public init<Failure: Error>(
        capacity: Int, filledBy body: (_ add: (Geofence, _ revision: Int64) -> Void) throws(Failure) -> Int64
    ) throws(Failure) {
        self.init()
        reserveCapacity(capacity)
        let last = try body { load($0, revision: $1) }
        revision = max(revision, last)
        pack()
    }

    private mutating func reserveCapacity(_ count: Int) {
        shapes.reserveCapacity(count)
        labels.reserveCapacity(count)
        numbers.reserveCapacity(count)
    }

    private mutating func load(_ geofence: Geofence, revision: Int64) {
        self.revision = max(self.revision, revision)
        let hash = GeofenceLabels.hash(geofence.identity)
        guard let number = known(geofence.identity, hash: hash) else {
            _ = append(geofence, revision: revision, hash: hash)
            return
        }
        replace(number, by: geofence, revision: revision)
        labels[Int(number)] = Label(geofence)
    }

    private mutating func shape(_ geofence: Geofence, revision: Int64) -> Shape {
        Shape(geofence, watch: watches.add(geofence.watch), revision: revision)
    }

    private mutating func replace(_ number: Int32, by geofence: Geofence, revision: Int64) {
        watches.remove(shapes[Int(number)].watch)
        shapes[Int(number)] = shape(geofence, revision: revision)
    }

    /// Returns when and for which devices the geofence of a shape is watched; `nil` for always and all devices.
    @inline(__always)
    func watch(_ shape: Shape) -> Geofence.Watch? { watches[shape.watch] }

    private mutating func pack() {
        tree = RTree(count: shapes.count) { shapes[$0].element(Int32($0)) }
    }

    /// The geofences, each with the revision of its last change, in the order in which they were added.
    public var all: [(geofence: Geofence, revision: Int64)] {
        shapes.indices.filter { !shapes[$0].isRemoved }.map { (geofence(Int32($0)), shapes[$0].revision) }
    }

    /// Returns the geofence of an identity with the revision of its last change, or `nil` if there is none.
    public func geofence(of identity: Geofence.Identity) -> (geofence: Geofence, revision: Int64)? {
        number(of: identity).map { (geofence($0), shapes[Int($0)].revision) }
    }

    /// The number of geofences, without tombstones.
    public var count: Int { tree.count }

    /// Adds a geofence, or replaces the one with its identity.
    ///
    /// A change of only the title keeps the state of every device. A change of the place, the radius or the watch does
    /// not.
    ///
    /// - Complexity: O(log *n*).
    public mutating func update(_ geofence: Geofence, revision: Int64) {
        self.revision = max(self.revision, revision)
        guard let number = known(geofence.identity) else {
            return insert(append(geofence, revision: revision))
        }
        let old = shapes[Int(number)]
        let isSamePlace =
            labels[Int(number)].center == geofence.center && old.radius == geofence.radius
            && watch(old) == geofence.watch
        labels[Int(number)] = Label(geofence)
        if isSamePlace, !old.isRemoved { return }
        if !old.isRemoved { tree.remove(old.element(number)) }
        replace(number, by: geofence, revision: revision)
        insert(number)
    }

    /// Removes a geofence.
    ///
    /// Devices that are inside leave it at their next fix.
    ///
    /// - Complexity: O(log *n*).
    public mutating func remove(_ identity: Geofence.Identity, revision: Int64) {
        guard let number = number(of: identity) else { return }
        self.revision = max(self.revision, revision)
        tree.remove(shapes[Int(number)].element(number))
        makeTombstone(number)
        shapes[Int(number)].revision = revision
    }

    /// Turns a geofence into a tombstone.
    ///
    /// Only the name and place of a tombstone are read, so its watch is released.
    private mutating func makeTombstone(_ number: Int32) {
        watches.remove(shapes[Int(number)].watch)
        shapes[Int(number)].watch = WatchTable.always
        shapes[Int(number)].isRemoved = true
    }

    /// Returns the geofence with a number.
    func geofence(_ number: Int32) -> Geofence {
        let label = labels[Int(number)]
        let shape = shapes[Int(number)]
        var geofence = Geofence(
            identity: label.identity, title: label.title, center: label.center, radius: shape.radius)
        geofence.watch = watch(shape)
        return geofence
    }

    /// Returns the number of a geofence, or `nil` if there is none or it is removed.
    func number(of identity: Geofence.Identity) -> Int32? {
        known(identity).flatMap { shapes[Int($0)].isRemoved ? nil : $0 }
    }

    /// Returns the number of a geofence.
    ///
    /// If the identity is unknown, adds the geofence as a tombstone.
    mutating func number(ofOrAddingTombstoneFor geofence: Geofence) -> Int32 {
        if let number = known(geofence.identity) { return number }
        let number = append(geofence, revision: revision)
        makeTombstone(number)
        return number
    }

    /// Calls `body` with the numbers of the geofences that intersect a box, and of some that nearly do.
    @inline(__always)
    func forEachCandidate(in box: Box, _ body: (Int32) -> Void) {
        tree.forEach(intersecting: box, body)
    }

    /// A geofence, with its great-circle distance and bearing from a place.
    public struct Neighbor: Sendable {
        /// The geofence that was found.
        public let geofence: Geofence
        /// The great-circle distance to its centre.
        public let distance: Distance
        /// The direction of its centre.
        public let bearing: Angle
    }

    /// Returns the geofences whose centres are closest to a place, nearest first.
    ///
    /// Geofences at equal distances come in the order in which they were added.
    ///
    /// - Parameter kind: the kind of geofences to return; `nil` for all.
    /// - Complexity: O(*k* log *n*) for well-spread geofences, *k* being the limit; more if few are of the kind.
    public func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind? = nil) -> [Neighbor] {
        let here = UnitVector(place)
        let isAsked = kind.map { kind in { (number: Int32) in labels.kind(Int(number)) == kind } }
        return tree.nearest(to: here, limit: limit, among: isAsked) { shapes[Int($0)].center.squaredChord(to: here) }
            .map {
                Neighbor(
                    geofence: geofence($0.number), distance: Sphere.distance(squaredChord: $0.squaredChord),
                    bearing: here.bearing(to: shapes[Int($0.number)].center))
            }
    }

    private func known(_ identity: Geofence.Identity) -> Int32? {
        known(identity, hash: GeofenceLabels.hash(identity))
    }

    private func known(_ identity: Geofence.Identity, hash: Int) -> Int32? {
        numbers.number(hash: hash) { labels.matches(Int($0), identity) }
    }

    /// Appends a geofence under the next number, without adding it to the tree.
    private mutating func append(_ geofence: Geofence, revision: Int64) -> Int32 {
        append(geofence, revision: revision, hash: GeofenceLabels.hash(geofence.identity))
    }

    private mutating func append(_ geofence: Geofence, revision: Int64, hash: Int) -> Int32 {
        let number = Int32(shapes.count)
        shapes.append(shape(geofence, revision: revision))
        labels.append(Label(geofence))
        numbers.append(number, hash: hash) { labels.hash(Int($0)) }
        return number
    }

    private mutating func insert(_ number: Int32) {
        tree.insert(shapes[Int(number)].element(number))
    }
}
