import Geodesy
import Shapes
import Synchronization

/// The shape of a geofence that is not a circle, shared by everything that refers to the geofence.
///
/// A reference keeps events and the data of circles small.
final class Outline: Sendable {
    let shape: Shape
    /// Half of the inner width in metres, once it was needed.
    private let halfWidth = Mutex<Double?>(nil)

    init(_ shape: Shape) { self.shape = shape }

    /// Half of the width of the widest place in the shape, in metres: an accuracy that tells the inside from the outside.
    ///
    /// Few fixes are so inaccurate that it matters, so it is computed when the first of them comes.
    var halfInnerWidth: Double {
        guard shape.kind == .polygon else { return shape.radius.meters }
        return halfWidth.withLock { known in
            if let known { return known }
            let width = shape.innerWidth.meters / 2
            known = width
            return width
        }
    }
}

extension Outline: Hashable {
    static func == (a: Outline, b: Outline) -> Bool { a === b || a.shape == b.shape }

    func hash(into hasher: inout Hasher) { hasher.combine(shape) }
}
