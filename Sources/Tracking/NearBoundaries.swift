import Geodesy

/// The boundaries about a place that matter to one device: which they are, and how far it may go until others do.
///
/// They stand on the plane that touches the earth there, in lanes, so that all are held against a fix at once, without
/// trigonometry and without the index. A boundary is the line that must be crossed for something to change: the radius
/// seen from outside, the radius and the least margin from inside.
///
/// A *gap* is how far a place is from a boundary, in metres; below 0 it lies beyond. Gaps are right to within
/// ``tolerance``; where more depends on it, the geofence itself must be asked.
struct NearBoundaries: Sendable {
    /// Eight boundaries side by side.
    ///
    /// A free lane is a stay in a circle without end, of which every place is clear.
    private struct Lanes {
        static let count = 8
        var east = SIMD8<Float>.zero
        var north = SIMD8<Float>.zero
        /// The distance from the middle; that of a stay is negative.
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

    /// A boundary by its lane.
    struct Entry {
        var number: Int32
        var isStay: Bool
        var center: SIMD2<Float>
        /// The distance of the boundary from the middle.
        var limit: Float

        /// Whether a way on the plane, or its end where this is a stay, may lie beyond the boundary.
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

    /// No other boundary is met within; nowhere until ``settle(at:)``.
    private(set) var area = Vicinity.nowhere
    /// How many there are.
    private(set) var count = 0
    private var lanes: ContiguousArray<Lanes> = []
    private var plane: TangentPlane?
    /// How far the area reaches, in metres.
    private(set) var radius = 0.0
    /// The lane of the greatest gap, once all are taken.
    private var farthest: (lane: Int, gap: Double)?

    /// The most there are: all columns of some lanes, and at most 32.
    ///
    /// It bounds what a device takes, about 16 bytes each, and what a fix costs; fewer make the area smaller, and
    /// searches more.
    static let most = 32
    private static let squaredSpan = Sphere.squaredChord(distance: TangentPlane.span)
    /// How far a gap may be wrong.
    static let tolerance = Float(TangentPlane.error)

    /// Begins anew at a place; it knows all boundaries that lie within `reach` once they have been added.
    mutating func begin(at place: Coordinate, _ here: UnitVector, reach: Double) {
        plane = TangentPlane(at: place, here)
        radius = min(reach, TangentPlane.reach.meters)
        for index in lanes.indices { lanes[index] = Lanes() }
        (count, farthest, area) = (0, nil, .nowhere)
    }

    /// Adds a boundary, so many metres from its middle, which lies that squared chord from the place where it began.
    ///
    /// The area shrinks before a boundary that it has no lane for, or that the plane does not show well enough.
    mutating func add(_ number: Int32, center: UnitVector, squaredChord: Double, limit: Double, isStay: Bool) {
        let gap =
            isStay
            ? limit - Sphere.mostDistance(squaredChord: squaredChord).meters
            : Sphere.leastDistance(squaredChord: squaredChord).meters - limit
        guard gap < radius else { return }
        guard let plane, squaredChord < Self.squaredSpan else {
            radius = gap
            return
        }
        var lane = count
        if let farthest {
            radius = min(radius, max(gap, farthest.gap))
            guard gap < farthest.gap else { return }
            lane = farthest.lane
        } else {
            count += 1
        }
        if lane == lanes.count * Lanes.count { lanes.append(Lanes()) }
        let center = plane.point(center)
        let (row, column) = (lane / Lanes.count, lane % Lanes.count)
        lanes[row].east[column] = center.x
        lanes[row].north[column] = center.y
        lanes[row].limit[column] = Float(isStay ? -limit : limit)
        lanes[row].numbers[column] = number
        if count == Self.most { farthest = greatestGap() }
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

    /// All have been added.
    mutating func settle(at place: Coordinate) {
        area = Vicinity(of: place, radius: .meters(radius - TangentPlane.error))
    }

    /// Where a place of the area lies on the plane; nil outside of it.
    @inline(__always)
    func point(_ place: Coordinate) -> SIMD2<Float>? {
        area.holds(place) ? plane?.point(near: place) : nil
    }

    /// The least gap of all from a point of the plane; infinite where there is none.
    @inline(__always)
    func leastGap(from point: SIMD2<Float>) -> Float {
        var least = SIMD8<Float>(repeating: .infinity)
        for row in lanes.indices {
            let gaps = lanes[row].gaps(from: point)
            least = least.replacing(with: gaps, where: gaps .< least)
        }
        return least.least
    }

    /// The lanes, a bit each, of the boundaries whose gap from a point is at most `bound`.
    @inline(__always)
    func lanes(within bound: Float, of point: SIMD2<Float>) -> UInt32 {
        var found: UInt32 = 0
        for row in lanes.indices {
            found |= (lanes[row].gaps(from: point) .<= bound).bits << UInt32(row * Lanes.count)
        }
        return found
    }

    /// The boundary of a lane.
    @inline(__always)
    subscript(lane: Int) -> Entry {
        let (row, column) = (lanes[lane / Lanes.count], lane % Lanes.count)
        return Entry(
            number: row.numbers[column], isStay: row.limit[column] < 0,
            center: SIMD2(row.east[column], row.north[column]), limit: abs(row.limit[column]))
    }

    /// The device has entered or left the geofence of a lane, whose boundary is now so many metres from its middle.
    mutating func turn(_ lane: Int, limit: Double, isStay: Bool) {
        lanes[lane / Lanes.count].limit[lane % Lanes.count] = Float(isStay ? -limit : limit)
    }

    /// Where nothing at all can change while the device is there, for one that is at a place of the area.
    @inline(__always)
    func calm(around place: Coordinate, at point: SIMD2<Float>, leastGap: Float) -> Vicinity {
        let gone = (point * point).sum().squareRoot()
        let slack = min(leastGap, Float(radius) - gone - Self.tolerance) - Self.tolerance
        return area.part(of: place, radius: .meters(Double(slack)))
    }
}

/// Reductions that halve a vector step by step, where the standard library's own go lane by lane.
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
    /// The lanes that are true, a bit each, the first lane lowest.
    @inline(__always)
    fileprivate var bits: UInt32 {
        let eight = SIMD8<UInt32>.zero.replacing(with: SIMD8(1, 2, 4, 8, 16, 32, 64, 128), where: self)
        let four = eight.lowHalf | eight.highHalf
        let two = four.lowHalf | four.highHalf
        return two.x | two.y
    }
}
