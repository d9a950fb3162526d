/// The reason why a geometry is not a shape, and where in the geometry it is.
public struct ShapeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where in a geometry an error is or a mend was made, counted from 0 as in the file's arrays.
    public struct Location: Hashable, Sendable, CustomStringConvertible {
        /// The polygon of a MultiPolygon or the line of a MultiLineString.
        public var part: Int?
        /// The ring of the polygon; 0 is the outer ring.
        public var ring: Int?
        /// The position in the ring or line.
        public var position: Int?

        /// Creates a location.
        public init(part: Int? = nil, ring: Int? = nil, position: Int? = nil) {
            self.part = part
            self.ring = ring
            self.position = position
        }

        /// The location as text: `part 0, ring 1, position 7`; empty if nothing is known.
        public var description: String {
            let names = [("part", part), ("ring", ring), ("position", position)]
            return names.compactMap { name, index in index.map { "\(name) \($0)" } }.joined(separator: ", ")
        }
    }

    /// Where the error is.
    public var location: Location
    /// What is wrong and what to do, as a clause without a full stop.
    public var reason: String

    /// Creates an error at a location.
    public init(_ reason: String, at location: Location = Location()) {
        self.reason = reason
        self.location = location
    }

    /// The location and the reason: `part 0, ring 0, position 4: the ring crosses itself …`.
    public var description: String {
        let place = location.description
        return place.isEmpty ? reason : "\(place): \(reason)"
    }
}

/// A change that was made to a geometry to turn it into a shape.
public struct ShapeMend: Hashable, Sendable, CustomStringConvertible {
    /// Where it was made.
    public var location: ShapeError.Location
    /// What was changed, as a clause without a full stop: `closed the ring`.
    public var change: String

    init(_ change: String, at location: ShapeError.Location) {
        self.change = change
        self.location = location
    }

    /// The location and the change.
    public var description: String {
        let place = location.description
        return place.isEmpty ? change : "\(place): \(change)"
    }
}
