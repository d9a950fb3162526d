public import Positioning
public import Time

/// An item of a GPX document; items come in document order.
public enum GPXItem: Hashable, Sendable {
    /// The document begins; this item comes once, when its header is complete.
    case document(GPXDocument)
    /// A track (`trk`) begins; its segments follow.
    case track(name: String?)
    /// How somebody travelled on the track that has just begun (`type`), if it is a known kind.
    case trackKind(TripKind)
    /// A segment (`trkseg`) of the track begins; its points follow.
    case segment
    /// A point of the segment (`trkpt`).
    case trackPoint(GPXPoint)
    /// A route (`rte`) begins; its points follow.
    case route(name: String?)
    /// A point of the route (`rtept`).
    case routePoint(GPXPoint)
    /// A waypoint (`wpt`), which belongs to no track or route.
    case waypoint(GPXPoint)
}

/// The header of a GPX document.
public struct GPXDocument: Hashable, Sendable {
    /// The declared version of GPX, as written.
    public var version: String?
    /// The program that wrote the document.
    public var creator: String?
    /// The name of the document.
    public var name: String?
    /// The time at which the document was created.
    public var time: Timestamp?

    /// Creates an empty header.
    public init() {}
}
