import Geodesy
import Shapes

extension GreatCircleCourse {
    /// The most steps towards a corridor; each takes the way to it, so that only a course along its side takes many.
    private static let mostSteps = 64
    /// The distance to a corridor, in metres, that counts as none.
    private static let touch = 0.5

    /// Whether the course meets a shape within a distance in metres.
    func meets(_ shape: Shape, within reach: Double) -> Bool {
        shape.meeting(from: Coordinate(start), start, to: end(reach).place, end(reach).vector) != nil
    }

    /// Returns the distance along the course to a shape, or `nil` if the course does not meet it within a distance in
    /// metres.
    func distance(to shape: Shape, within reach: Double) -> Distance? {
        let end = end(reach)
        guard let meeting = shape.meeting(from: Coordinate(start), start, to: end.place, end.vector) else { return nil }
        guard shape.kind == .corridor else { return .meters(meeting.fraction * reach) }
        // The meeting is where the corridor's line is closest. From here to there, each step goes as far as is certainly
        // outside.
        var way = 0.0
        for _ in 0..<Self.mostSteps where way < meeting.fraction * reach {
            let here = point(at: .meters(way))
            let standing = shape.standing(Coordinate(here), at: here)
            if standing.isInside || standing.gap < Self.touch { break }
            way += standing.gap
        }
        return .meters(min(way, meeting.fraction * reach))
    }

    private func end(_ reach: Double) -> (place: Coordinate, vector: UnitVector) {
        let vector = point(at: .meters(reach))
        return (Coordinate(vector), vector)
    }
}
