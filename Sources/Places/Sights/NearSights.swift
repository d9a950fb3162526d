import Geodesy
import RPC
import Service

/// The sights closest to a place, nearest first: the answer to `sights.nearest`.
struct NearSights: Answerable, Sendable {
    /// A sight, and its distance and bearing from the place.
    struct Neighbor: Answerable, Sendable {
        var sight: Sight
        var distance: Distance
        var bearing: Angle

        static let shape = Shape<Neighbor>.object {
            Sight.row.of { $0.sight }
            Member("distance", .number(decimals: 1), "How far its middle is, in metres along the great circle.") {
                $0.distance.meters
            }
            Member(
                "bearing", .number(decimals: 1), "Where its middle lies, in degrees clockwise from true north."
            ) { $0.bearing.degrees }
            Member("compass", .choice, "The same as one of the sixteen points of the compass: N, NNE, NE and so on.") {
                CompassPoint($0.bearing)
            }
        }
    }

    var place: Coordinate
    var neighbors: [Neighbor]

    static let shape = Shape<NearSights>.object {
        Member.place("Degrees north of the place they are closest to.", "Degrees east of that place.") { $0.place }
        Member("nearest", .array(of: Neighbor.shape), "The sights; all, if fewer.") { $0.neighbors }
    }
}
