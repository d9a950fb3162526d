public import Geodesy
public import Positioning
public import TextCoding
public import Time

/// Counts and measures of a GPX document.
///
/// Times, bounds and length refer only to track points.
public struct GPXSurvey: Sendable {
    /// The number of tracks, including those without points.
    public private(set) var tracks = 0
    /// The number of track segments, including those without points.
    public private(set) var segments = 0
    /// The number of track points.
    public private(set) var points = 0
    /// The number of routes, including those without points.
    public private(set) var routes = 0
    /// The number of route points.
    public private(set) var routePoints = 0
    /// The number of waypoints.
    public private(set) var waypoints = 0
    /// The time of the first track point that has one, in document order.
    public private(set) var firstTime: Timestamp?
    /// The time of the last track point that has one, in document order.
    public private(set) var lastTime: Timestamp?
    /// The earliest time of a track point.
    public private(set) var minTime: Timestamp?
    /// The latest time of a track point.
    public private(set) var maxTime: Timestamp?
    /// The length of all segments on the ellipsoid, without the gaps between segments.
    public private(set) var length = Distance.zero
    /// The bounds of the track points; `nil` if there are none.
    public private(set) var bounds: GeographicBounds?

    private var previous: Coordinate?

    /// Creates an empty survey.
    public init() {}

    /// Counts an item; items must come in document order.
    public mutating func add(_ item: GPXItem) {
        switch item {
        case .document, .trackKind: break
        case .track: tracks += 1
        case .segment:
            segments += 1
            previous = nil
        case .trackPoint(let point): add(point)
        case .route: routes += 1
        case .routePoint: routePoints += 1
        case .waypoint: waypoints += 1
        }
    }

    private mutating func add(_ point: GPXPoint) {
        points += 1
        if let previous { length = length + Ellipsoid.distance(from: previous, to: point.coordinate) }
        previous = point.coordinate
        if bounds == nil { bounds = GeographicBounds(point.coordinate) }
        bounds?.include(point.coordinate)
        guard let time = point.time else { return }
        firstTime = firstTime ?? time
        lastTime = time
        minTime = min(minTime ?? time, time)
        maxTime = max(maxTime ?? time, time)
    }

    /// Writes the members that `waymark inspect` shows to an open JSON object.
    ///
    /// - Parameter malformed: the number of points and values that the reader skipped, by reason.
    public func writeMembers(to json: inout JSONWriter, malformed: Tally) {
        json.member("tracks", tracks)
        json.member("segments", segments)
        json.member("points", points)
        json.member("routes", routes)
        json.member("route_points", routePoints)
        json.member("waypoints", waypoints)
        json.member("first_time", firstTime?.description)
        json.member("last_time", lastTime?.description)
        json.member("min_time", minTime?.description)
        json.member("max_time", maxTime?.description)
        json.member("length", length.meters, decimals: 1)
        if let bounds {
            json.object("bbox") { box in
                for (key, value) in [
                    ("min_lat", bounds.minLatitudeE7), ("min_lon", bounds.minLongitudeE7),
                    ("max_lat", bounds.maxLatitudeE7), ("max_lon", bounds.maxLongitudeE7),
                ] {
                    box.member(key, Double(value) / Coordinate.unitsPerDegree, decimals: 7)
                }
            }
        }
        json.object("malformed") { counts in
            for (reason, count) in malformed.sorted { counts.member(reason, count) }
        }
    }
}
