public import Geodesy

extension Shape {
    /// The diameter of the largest circle inside the shape, to within a twentieth.
    ///
    /// An accuracy of half of it tells the inside from the outside. For circles and corridors it is twice the radius. For
    /// polygons the best place is searched by halving cells, the most promising first, and the result is not larger than
    /// the truth.
    ///
    /// - Complexity: at most ``greatestCellCount`` queries; call it once for a shape.
    public var innerWidth: Distance {
        guard kind == .polygon else { return .meters(2 * radius.meters) }
        var search = InnerCircleSearch(self)
        return .meters(2 * search.run())
    }

    /// The most cells that the search for the largest inner circle looks at.
    ///
    /// It bounds the time where no cell is much better than others.
    static let greatestCellCount = 4000
}

/// Finds the largest circle inside polygons.
private struct InnerCircleSearch {
    /// A rectangle of the map.
    private struct Cell {
        var x: Int64
        var y: Int64
        var halfWidth: Int64
        var halfHeight: Int64
        /// The most that any place of the cell can be inside, in metres.
        var bound: Double
    }

    private let shape: Shape
    private var best = 0.0
    /// A heap with the greatest bound first.
    private var heap: [Cell] = []
    private var count = 0

    init(_ shape: Shape) { self.shape = shape }

    mutating func run() -> Double {
        for root in shape.winding.roots {
            let (width, height) = (root.maxX - root.minX, root.maxY - root.minY)
            add(root.minX + width / 2, root.minY + height / 2, width / 2 + 1, height / 2 + 1)
        }
        while let cell = pop(), cell.bound > best * 1.05, count < Shape.greatestCellCount {
            // Split along the side that is longer on the ground, so that cells stay square.
            if Self.metres(cell.halfWidth) * Self.widest(cell) > Self.metres(cell.halfHeight) {
                let half = cell.halfWidth / 2
                add(cell.x - half, cell.y, half + 1, cell.halfHeight)
                add(cell.x + half, cell.y, half + 1, cell.halfHeight)
            } else {
                let half = cell.halfHeight / 2
                add(cell.x, cell.y - half, cell.halfWidth, half + 1)
                add(cell.x, cell.y + half, cell.halfWidth, half + 1)
            }
        }
        return best
    }

    private static func metres(_ units: Int64) -> Double {
        Double(units) / Coordinate.unitsPerDegree * .pi / 180 * Sphere.radius.meters
    }

    /// The greatest cosine of a latitude in the cell.
    private static func widest(_ cell: Cell) -> Double {
        let nearest = max(0, abs(cell.y) - cell.halfHeight)
        return UnitVector.sine(.pi / 2 - Double(nearest) / Coordinate.unitsPerDegree * .pi / 180)
    }

    private mutating func add(_ x: Int64, _ y: Int64, _ halfWidth: Int64, _ halfHeight: Int64) {
        count += 1
        var cell = Cell(x: x, y: y, halfWidth: halfWidth, halfHeight: halfHeight, bound: 0)
        let edge = shape.standing(MapPoint(x: x, y: y).coordinate).edge
        best = max(best, edge)
        let (east, north) = (Self.metres(halfWidth) * Self.widest(cell), Self.metres(halfHeight))
        cell.bound = edge + (east * east + north * north).squareRoot()
        guard cell.bound > best * 1.05 else { return }
        heap.append(cell)
        var at = heap.count - 1
        while at > 0, heap[(at - 1) / 2].bound < heap[at].bound {
            heap.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    private mutating func pop() -> Cell? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var at = 0
        while true {
            var child = 2 * at + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child].bound < heap[child + 1].bound { child += 1 }
            guard heap[at].bound < heap[child].bound else { break }
            heap.swapAt(at, child)
            at = child
        }
        return first
    }
}
