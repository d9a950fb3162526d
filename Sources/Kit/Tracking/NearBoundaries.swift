import Geodesy

/// The boundaries around a place that matter to one device, and the area in which no others do.
///
/// They are projected onto the plane that touches the earth at the place, and stored in SIMD lanes. So a fix is
/// compared with all of them at once, without trigonometry and without the index. A boundary is the line that a device
/// must cross for something to change: the radius seen from outside, and the radius plus the least margin seen from
/// inside.
///
/// The boundary of another shape than a circle is not on the plane. From far away, the circle that holds the shape stands
/// for it: the device must enter the circle for something to change. Within that circle and nearby, a circle around a place of
/// the device stands for it, which the device must leave. Whoever looks at the shape again moves the circle.
///
/// A *gap* is the distance from a place to a boundary, in metres; it is negative beyond the boundary. Gaps are exact to
/// within ``tolerance``. Where that is not enough, the caller must check the geofence itself.
struct NearBoundaries: Sendable {
    /// Eight boundaries side by side.
    ///
    /// A free lane is a stay in a circle of infinite radius, whose gap is infinite everywhere.
    private struct Lanes {
        static let count = 8
        var east = SIMD8<Float>.zero
        var north = SIMD8<Float>.zero
        /// The distance of the boundary from the centre; negative for a stay.
        var limit = SIMD8<Float>(repeating: -.infinity)
        var numbers = SIMD8<Int32>(repeating: -1)

        @inline(__always)
        func gaps(from place: SIMD2<Float>) -> SIMD8<Float> {
            let x = east - place.x
            let y = north - place.y
            let distance = (x * x + y * y).squareRoot()
            return distance.replacing(with: -distance, where: limit .< 0) - limit
        }
    }

    /// The boundary in a lane.
    struct Entry {
        var number: Int32
        var isStay: Bool
        var center: SIMD2<Float>
        /// The distance of the boundary from the centre, in metres.
        var limit: Float

        /// Whether a path on the plane may lie beyond the boundary.
        ///
        /// For a stay, only the path's end counts.
        func isMet(from start: SIMD2<Float>, to end: SIMD2<Float>) -> Bool {
            var closest = end
            if !isStay {
                let way = end - start
                let square = (way * way).sum()
                let part = square > 0 ? ((center - start) * way).sum() / square : 1
                closest = start + way * max(0, min(1, part))
            }
            let apart = center - closest
            let distance = (apart * apart).sum().squareRoot()
            return isStay ? distance > limit - tolerance : distance < limit + tolerance
        }
    }

    /// The area in which no other boundaries matter.
    ///
    /// It is empty until ``settle(at:)`` is called.
    private(set) var area = Vicinity.nowhere
    /// The number of boundaries.
    private(set) var count = 0
    private var lanes: ContiguousArray<Lanes> = []
    private var plane: TangentPlane?
    /// The radius of the area, in metres.
    private(set) var radius = 0.0
    /// The lane with the greatest gap, once all lanes are taken.
    private var farthest: (lane: Int, gap: Double)?

    /// The greatest number of boundaries: a multiple of the lane count, and at most 32.
    ///
    /// It limits the memory of a device, about 16 bytes for each boundary, and the cost of a fix. A smaller number
    /// makes the area smaller and searches more frequent.
    static let maximumCount = 32
    /// The squared chord of the greatest distance of a centre from the starting place.
    static let squaredSpan = Sphere.squaredChord(distance: TangentPlane.span)
    /// The greatest error of a gap, in metres.
    static let tolerance = Float(TangentPlane.error)

    /// Starts over at a place.
    ///
    /// Once all boundaries within `reach` metres have been added, they are complete.
    mutating func begin(at place: Coordinate, _ here: UnitVector, reach: Double) {
        plane = TangentPlane(at: place, here)
        radius = min(reach, TangentPlane.reach.meters)
        for index in lanes.indices { lanes[index] = Lanes() }
        (count, farthest, area) = (0, nil, .nowhere)
    }

    /// Adds a boundary at `limit` metres from its centre, whose squared chord from the starting place is given.
    ///
    /// If there is no lane for a boundary, or the plane distorts it too much, the area shrinks so that it excludes the
    /// boundary.
    mutating func add(_ number: Int32, center: UnitVector, squaredChord: Double, limit: Double, isStay: Bool) {
        let gap =
            isStay
            ? limit - Sphere.maximumDistance(squaredChord: squaredChord).meters
            : Sphere.minimumDistance(squaredChord: squaredChord).meters - limit
        guard gap < radius else { return }
        guard let plane, squaredChord < Self.squaredSpan else {
            radius = gap
            return
        }
        put(number, gap: gap, center: plane.point(center), limit: Float(isStay ? -limit : limit))
    }

    /// Adds a shape about which nothing can change within `slack` metres of the starting place.
    mutating func add(_ number: Int32, slack: Double) {
        guard slack < radius else { return }
        put(number, gap: slack, center: .zero, limit: Self.limit(slack))
    }

    private mutating func put(_ number: Int32, gap: Double, center: SIMD2<Float>, limit: Float) {
        var lane = count
        if let farthest {
            radius = min(radius, max(gap, farthest.gap))
            guard gap < farthest.gap else { return }
            lane = farthest.lane
        } else {
            count += 1
        }
        if lane == lanes.count * Lanes.count { lanes.append(Lanes()) }
        let (row, column) = (lane / Lanes.count, lane % Lanes.count)
        lanes[row].east[column] = center.x
        lanes[row].north[column] = center.y
        lanes[row].limit[column] = limit
        lanes[row].numbers[column] = number
        if count == Self.maximumCount { farthest = greatestGap() }
    }

    private func greatestGap() -> (lane: Int, gap: Double) {
        var (lane, greatest) = (0, -Float.infinity)
        for row in lanes.indices {
            let gaps = lanes[row].gaps(from: .zero)
            for column in 0..<Lanes.count where gaps[column] > greatest {
                (lane, greatest) = (row * Lanes.count + column, gaps[column])
            }
        }
        return (lane, Double(greatest))
    }

    /// Makes the area empty.
    mutating func forget() { area = .nowhere }

    /// Sets the area, once all boundaries have been added.
    mutating func settle(at place: Coordinate) {
        area = Vicinity(of: place, radius: .meters(radius - TangentPlane.error))
    }

    /// Returns the point of a place on the plane, or `nil` outside the area.
    @inline(__always)
    func point(_ place: Coordinate) -> SIMD2<Float>? {
        area.holds(place) ? plane?.point(near: place) : nil
    }

    /// Returns the least gap from a point on the plane, or infinity if there are no boundaries.
    @inline(__always)
    func leastGap(from point: SIMD2<Float>) -> Float {
        var least = SIMD8<Float>(repeating: .infinity)
        for row in lanes.indices {
            let gaps = lanes[row].gaps(from: point)
            least = least.replacing(with: gaps, where: gaps .< least)
        }
        return least.least
    }

    /// Returns the lanes, one bit each, whose boundaries have a gap of at most `bound` from a point.
    @inline(__always)
    func lanes(within bound: Float, of point: SIMD2<Float>) -> UInt32 {
        var found: UInt32 = 0
        for row in lanes.indices {
            found |= (lanes[row].gaps(from: point) .<= bound).bits << UInt32(row * Lanes.count)
        }
        return found
    }

    /// The boundary in a lane.
    @inline(__always)
    subscript(lane: Int) -> Entry {
        let (row, column) = (lanes[lane / Lanes.count], lane % Lanes.count)
        return Entry(
            number: row.numbers[column], isStay: row.limit[column] < 0,
            center: SIMD2(row.east[column], row.north[column]), limit: abs(row.limit[column]))
    }

    /// Updates a lane after the device has entered or left its geofence.
    ///
    /// The boundary is now `limit` metres from the centre.
    mutating func turn(_ lane: Int, limit: Double, isStay: Bool) {
        lanes[lane / Lanes.count].limit[lane % Lanes.count] = Float(isStay ? -limit : limit)
    }

    /// Updates the lane of a shape about which nothing can change within `slack` metres of a point on the plane.
    mutating func move(_ lane: Int, to point: SIMD2<Float>, slack: Double) {
        let (row, column) = (lane / Lanes.count, lane % Lanes.count)
        lanes[row].east[column] = point.x
        lanes[row].north[column] = point.y
        lanes[row].limit[column] = Self.limit(slack)
    }

    /// Updates the lane of a shape that lies within a circle outside of which the device is.
    ///
    /// The device must be less than ``TangentPlane/reach`` from the circle's centre, so that the plane does not distort it.
    mutating func move(_ lane: Int, toCircleAround center: UnitVector, limit: Double) {
        guard let point = plane?.point(center) else { return }
        let (row, column) = (lane / Lanes.count, lane % Lanes.count)
        lanes[row].east[column] = point.x
        lanes[row].north[column] = point.y
        lanes[row].limit[column] = Float(limit).nextUp
    }

    /// The limit of the circle around a place that stands for a shape: that of a stay, and so less than 0.
    private static func limit(_ slack: Double) -> Float { min(-Float.leastNormalMagnitude, Float(-slack)) }

    /// Returns the part of the area around a device's place within which nothing can change.
    @inline(__always)
    func calm(around place: Coordinate, at point: SIMD2<Float>, leastGap: Float) -> Vicinity {
        let gone = (point * point).sum().squareRoot()
        let slack = min(leastGap, Float(radius) - gone - Self.tolerance) - Self.tolerance
        return area.part(of: place, radius: .meters(Double(slack)))
    }
}

/// Reductions that halve a vector step by step.
///
/// Those of the standard library go lane by lane.
extension SIMD8<Float> {
    /// The least lane.
    @inline(__always)
    fileprivate var least: Float {
        let four = lowHalf.replacing(with: highHalf, where: highHalf .< lowHalf)
        let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .< four.lowHalf)
        return Swift.min(two.x, two.y)
    }
}

extension SIMDMask<SIMD8<Int32>> {
    /// The lanes that are true, as bits, with the first lane lowest.
    @inline(__always)
    fileprivate var bits: UInt32 {
        let eight = SIMD8<UInt32>.zero.replacing(with: SIMD8(1, 2, 4, 8, 16, 32, 64, 128), where: self)
        let four = eight.lowHalf | eight.highHalf
        let two = four.lowHalf | four.highHalf
        return two.x | two.y
    }
}
