public import Geodesy

/// A place with a radius that the engine watches.
public struct Geofence: Hashable, Sendable, Codable {
    /// What a geofence is called: its kind and, within the kind, its id.
    public struct Identity: Hashable, Sendable, Codable {
        /// What the place is.
        public var kind: Kind
        /// The id among those of its kind.
        public var id: String

        /// The geofence of a kind and id.
        public init(kind: Kind, id: String) {
            self.kind = kind
            self.id = id
        }
    }

    /// What a watched place is.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A point of interest.
        case sight
        /// A location of a plan.
        case location
        /// An open vote.
        case vote
    }

    /// What it is called.
    public var identity: Identity
    /// What people call it.
    public var title: String
    /// The middle.
    public var center: Coordinate
    /// A device at most so far from the middle is inside.
    public var radius: Distance

    /// A circle around a place.
    public init(identity: Identity, title: String, center: Coordinate, radius: Distance) {
        self.identity = identity
        self.title = title
        self.center = center
        self.radius = radius
    }
}
