public import Geodesy
import Shapes
import SpatialIndex

extension GeofenceIndex {
    /// A geofence, with its great-circle distance and bearing from a place.
    public struct Neighbor: Sendable {
        /// The geofence that was found.
        public let geofence: Geofence
        /// The great-circle distance to the centre of a circle, or to any other shape, which is 0 inside.
        public let distance: Distance
        /// The direction of the centre of a circle, or of the nearest place of the boundary or line of any other shape;
        /// inside of a shape that of its middle.
        public let bearing: Angle
    }

    /// Returns the geofences that are closest to a place, nearest first: circles by their centres, and other shapes by
    /// their distance, which is 0 inside.
    ///
    /// Geofences at equal distances come in the order in which they were added.
    ///
    /// - Parameter kind: the kind of geofences to return; `nil` for all.
    /// - Complexity: O(*k* log *n*) for well-spread geofences, *k* being the limit; more if few are of the kind.
    public func nearest(to place: Coordinate, limit: Int, kind: Geofence.Kind? = nil) -> [Neighbor] {
        let here = UnitVector(place)
        let isOfKind = kind.map { kind in { (number: Int32) in labels.kind(Int(number)) == kind } }
        let hasShapes = hasOutlines
        let isAsked: ((Int32) -> Bool)? = hasShapes ? { fences[Int($0)].isCircle && isOfKind?($0) ?? true } : isOfKind
        let circles = tree.nearest(to: here, limit: limit, among: isAsked) {
            fences[Int($0)].center.squaredChord(to: here)
        }.map { (number: $0.number, distance: Sphere.distance(squaredChord: $0.squaredChord)) }
        guard hasShapes, limit > 0 else { return circles.map { neighbor($0.number, $0.distance, of: here) } }
        let reach = circles.count == limit ? circles.last?.distance : nil
        let shapes = shapes(nearestTo: place, here, limit: limit, among: isOfKind, within: reach)
        return (circles + shapes).sorted { ($0.distance, $0.number) < ($1.distance, $1.number) }.prefix(limit)
            .map { neighbor($0.number, $0.distance, of: here) }
    }

    /// The distance within which shapes are looked for first, where no circle bounds it.
    private static let firstReach = Distance.kilometers(1)
    /// The factor by which the next look goes farther.
    private static let growth = 8.0
    /// More than all rounding errors of a box.
    private static let tolerance = Distance.meters(1)

    /// Returns the shapes, other than circles, within a distance of a place; without one, at least the `limit` nearest.
    private func shapes(
        nearestTo place: Coordinate, _ here: UnitVector, limit: Int, among isAsked: ((Int32) -> Bool)?,
        within known: Distance?
    ) -> [(number: Int32, distance: Distance)] {
        var reach = known ?? Self.firstReach
        while true {
            var found: [(number: Int32, distance: Distance)] = []
            let box = Box(here).expanded(by: (reach + Self.tolerance).meters / Sphere.radius.meters)
            forEachCandidate(in: box) { number in
                guard !fences[Int(number)].isCircle, isAsked?(number) ?? true, let outline = outline(number) else {
                    return
                }
                let distance = outline.shape.standing(place, at: here).distance
                if distance <= reach { found.append((number, distance)) }
            }
            guard known == nil, found.count < limit, reach < Sphere.greatestDistance else { return found }
            reach = .meters(reach.meters * Self.growth)
        }
    }

    private func neighbor(_ number: Int32, _ distance: Distance, of here: UnitVector) -> Neighbor {
        let target =
            distance > .zero ? outline(number)?.shape.nearestPoint(to: here) : outline(number)?.shape.center
        return Neighbor(
            geofence: geofence(number), distance: distance,
            bearing: here.bearing(to: target ?? fences[Int(number)].center))
    }
}
