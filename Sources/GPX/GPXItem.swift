public import Positioning

/// What a GPX document holds, one thing after another in document order.
public enum GPXItem: Hashable, Sendable {
    /// The document begins; given once, when its header is complete.
    case document(GPXDocument)
    /// A track begins (`trk`); its segments follow.
    case track(name: String?)
    /// A segment of the track begins (`trkseg`); its points follow.
    case segment
    /// A point of the segment (`trkpt`).
    case trackPoint(GPXPoint)
    /// A route begins (`rte`); its points follow.
    case route(name: String?)
    /// A point of the route (`rtept`).
    case routePoint(GPXPoint)
    /// A waypoint (`wpt`), which belongs to no track or route.
    case waypoint(GPXPoint)
}

/// The header of a GPX document.
public struct GPXDocument: Hashable, Sendable {
    /// The version of GPX it claims, as written.
    public var version: String?
    /// The program that wrote it.
    public var creator: String?
    /// What the document is called.
    public var name: String?
    /// When the document was made.
    public var time: Timestamp?

    /// A header of which nothing is known yet.
    public init() {}
}
