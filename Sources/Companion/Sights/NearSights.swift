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

        static let shape = AnswerShape<Neighbor>.object {
            Sight.row.of { $0.sight }
            Member(
                "distance", .number(decimals: 1),
                "The great-circle distance in metres to the sight's centre; to a polygon or corridor itself, 0 inside."
            ) { $0.distance.meters }
            Member(
                "bearing", .number(decimals: 1),
                "The direction of the sight's centre, in degrees clockwise from true north; of the nearest place of a polygon's boundary or a corridor's line."
            ) { $0.bearing.degrees }
            Member("compass", .choice, "The bearing as one of the 16 points of the compass: N, NNE, NE and so on.") {
                CompassPoint($0.bearing)
            }
        }
    }

    var place: Coordinate
    var neighbors: [Neighbor]

    static let shape = AnswerShape<NearSights>.object {
        Member.place(
            "The latitude, in degrees north, of the place from which distances are measured.",
            "The longitude of that place, in degrees east."
        ) { $0.place }
        Member(
            "nearest", .array(of: Neighbor.shape), "The sights, nearest first; all sights if there are fewer than `k`."
        ) { $0.neighbors }
    }
}
