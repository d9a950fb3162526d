import Geodesy
import Positioning
import Shapes
import SpatialIndex

/// All geofences, found by place and shared by the engines of all devices.
///
/// Every change has a revision number, greater than the ones before. An engine that last looked at an older revision
/// knows from it which geofences are new. Removed geofences stay as tombstones, so that an exit event can name the
/// geofence.
///
/// The data that a search reads is stored apart from the names and contains no references. A geofence takes about 130
/// bytes, plus its id and title, and eight more if a later one is not a circle.
public struct GeofenceIndex: Sendable {
    /// The data that an engine compares fixes with.
    struct Fence: Sendable {
        /// The centre of the circle, or of a circle that holds the other shape.
        let center: UnitVector
        /// The square of the chord of the radius of that circle.
        let squaredRadius: Double
        /// The radius of the circle, or half the width of the corridor; 0 for polygons.
        let radius: Distance
        var revision: Int64
        var isRemoved = false
        let kind: Shape.Kind
        /// Whether the geofence is a circle, which is decided without its shape.
        let isCircle: Bool
        /// The number of the watch in ``watches``; negative for always and all devices.
        var watch: Int32

        init(_ geofence: Geofence, watch: Int32, revision: Int64) {
            self.watch = watch
            kind = geofence.kind
            isCircle = kind == .circle
            radius = geofence.radius
            if let shape = geofence.shape {
                (center, squaredRadius) = shape.cap
            } else {
                center = UnitVector(geofence.center)
                squaredRadius = Sphere.squaredChord(distance: radius)
            }
            self.revision = revision
        }

        /// Returns the tree's element for this fence, which has the given number.
        func element(_ number: Int32) -> RTree.Element {
            RTree.Element(center: center, squaredRadius: squaredRadius, number: number)
        }
    }

    private typealias Label = GeofenceLabels.Label

    private(set) var fences: ContiguousArray<Fence> = []
    private(set) var labels = GeofenceLabels()
    private var numbers = NumberTable()
    private(set) var tree = RTree()
    private(set) var watches = WatchTable()
    /// The shapes of the geofences that are not circles, by number, up to the last such geofence.
    private var outlines: ContiguousArray<Outline?> = []
    /// The limits of speed of the geofences that have one, by number.
    private var speedLimits: [Int32: Speed] = [:]
    /// The numbers of the geofences whose exits are alarms.
    private var alarms: Set<Int32> = []

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
        fences.reserveCapacity(count)
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

    private mutating func fence(_ geofence: Geofence, revision: Int64) -> Fence {
        Fence(geofence, watch: watches.add(geofence.watch), revision: revision)
    }

    private mutating func replace(_ number: Int32, by geofence: Geofence, revision: Int64) {
        watches.remove(fences[Int(number)].watch)
        setOutline(of: number, to: geofence.outline)
        setRules(of: number, to: geofence)
        fences[Int(number)] = fence(geofence, revision: revision)
    }

    /// Returns when and for which devices the geofence of a fence is watched; `nil` for always and all devices.
    @inline(__always)
    func watch(_ fence: Fence) -> Geofence.Watch? { watches[fence.watch] }

    /// Returns the shape of a geofence that is not a circle; `nil` if the geofence is removed.
    @inline(__always)
    func outline(_ number: Int32) -> Outline? { Int(number) < outlines.count ? outlines[Int(number)] : nil }

    /// Whether there ever was a geofence that is not a circle.
    var hasOutlines: Bool { !outlines.isEmpty }

    private mutating func setOutline(of number: Int32, to outline: Outline?) {
        if outline != nil, Int(number) >= outlines.count {
            outlines.append(contentsOf: repeatElement(nil, count: Int(number) + 1 - outlines.count))
        }
        if Int(number) < outlines.count { outlines[Int(number)] = outline }
    }

    /// Returns the limit of speed of a geofence; `nil` if there is none.
    func speedLimit(_ number: Int32) -> Speed? { speedLimits[number] }

    /// Whether leaving a geofence is an alarm.
    func isAlarm(_ number: Int32) -> Bool { alarms.contains(number) }

    /// Whether leaving any geofence is an alarm.
    var hasAlarms: Bool { !alarms.isEmpty }

    /// Whether any geofence has a limit of speed.
    var hasSpeedLimits: Bool { !speedLimits.isEmpty }

    private mutating func pack() {
        tree = RTree(count: fences.count) { fences[$0].element(Int32($0)) }
    }

    /// The geofences, each with the revision of its last change, in the order in which they were added.
    public var all: [(geofence: Geofence, revision: Int64)] {
        fences.indices.filter { !fences[$0].isRemoved }.map { (geofence(Int32($0)), fences[$0].revision) }
    }

    /// Returns the geofence of an identity with the revision of its last change, or `nil` if there is none.
    public func geofence(of identity: Geofence.Identity) -> (geofence: Geofence, revision: Int64)? {
        number(of: identity).map { (geofence($0), fences[Int($0)].revision) }
    }

    /// The number of geofences, without tombstones.
    public var count: Int { tree.count }

    /// Adds a geofence, or replaces the one with its identity.
    ///
    /// A change of only the title, the limit of speed or the alarm keeps the state of every device. A change of the place, the radius, the shape or the
    /// watch does not.
    ///
    /// - Complexity: O(log *n*).
    public mutating func update(_ geofence: Geofence, revision: Int64) {
        self.revision = max(self.revision, revision)
        guard let number = known(geofence.identity) else {
            return insert(append(geofence, revision: revision))
        }
        let old = fences[Int(number)]
        let isSamePlace =
            labels[Int(number)].center == geofence.center && old.radius == geofence.radius
            && watch(old) == geofence.watch && old.kind == geofence.kind
            && (old.isCircle || outline(number) == geofence.outline)
        labels[Int(number)] = Label(geofence)
        setRules(of: number, to: geofence)
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
        tree.remove(fences[Int(number)].element(number))
        makeTombstone(number)
        fences[Int(number)].revision = revision
    }

    /// Turns a geofence into a tombstone.
    ///
    /// Only the name and place of a tombstone are read, so its watch and its shape are released.
    private mutating func makeTombstone(_ number: Int32) {
        watches.remove(fences[Int(number)].watch)
        fences[Int(number)].watch = WatchTable.always
        fences[Int(number)].isRemoved = true
        setOutline(of: number, to: nil)
        setRules(of: number, to: nil)
    }

    /// Returns the geofence with a number.
    func geofence(_ number: Int32) -> Geofence {
        let label = labels[Int(number)]
        let fence = fences[Int(number)]
        var geofence = Geofence(
            label, radius: fence.radius, kind: fence.kind, outline: fence.isCircle ? nil : outline(number),
            watch: watch(fence))
        geofence.speedLimit = speedLimits.isEmpty ? nil : speedLimits[number]
        if !alarms.isEmpty { geofence.isAlarm = alarms.contains(number) }
        return geofence
    }

    /// Returns a geofence with its distance from a place.
    func sighting(_ number: Int32, at place: Coordinate, _ here: UnitVector) -> Event.GeofenceSighting {
        let fence = fences[Int(number)]
        guard fence.isCircle else {
            let standing = outline(number)?.shape.standing(place, at: here)
            return Event.GeofenceSighting(geofence: geofence(number), edge: standing.map { .meters($0.edge) })
        }
        return Event.GeofenceSighting(geofence: geofence(number), distance: fence.center.distance(to: here))
    }

    /// Returns the number of a geofence, or `nil` if there is none or it is removed.
    func number(of identity: Geofence.Identity) -> Int32? {
        known(identity).flatMap { fences[Int($0)].isRemoved ? nil : $0 }
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

    private func known(_ identity: Geofence.Identity) -> Int32? {
        known(identity, hash: GeofenceLabels.hash(identity))
    }

    private func known(_ identity: Geofence.Identity, hash: Int) -> Int32? {
        numbers.number(hash: hash) { labels.matches(Int($0), identity) }
    }

    private mutating func setRules(of number: Int32, to geofence: Geofence?) {
        let limit = geofence?.speedLimit
        if limit != nil || !speedLimits.isEmpty { speedLimits[number] = limit }
        if geofence?.isAlarm ?? false {
            alarms.insert(number)
        } else if !alarms.isEmpty {
            alarms.remove(number)
        }
    }

    /// Appends a geofence under the next number, without adding it to the tree.
    private mutating func append(_ geofence: Geofence, revision: Int64) -> Int32 {
        append(geofence, revision: revision, hash: GeofenceLabels.hash(geofence.identity))
    }

    private mutating func append(_ geofence: Geofence, revision: Int64, hash: Int) -> Int32 {
        let number = Int32(fences.count)
        fences.append(fence(geofence, revision: revision))
        setOutline(of: number, to: geofence.outline)
        setRules(of: number, to: geofence)
        labels.append(Label(geofence))
        numbers.append(number, hash: hash) { labels.hash(Int($0)) }
        return number
    }

    private mutating func insert(_ number: Int32) {
        tree.insert(fences[Int(number)].element(number))
    }
}
