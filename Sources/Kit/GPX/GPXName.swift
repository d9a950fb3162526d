/// The names of elements and attributes that the reader uses.
enum GPXName: Int, CaseIterable {
    // A track point and its common elements
    case trkpt, ele, time, speed, course, hdop, sat, fix, extensions
    // Less common elements of a point
    case heading, accuracy, accuracyHorizontal, horizontalAccuracy, proximity, name, cmt, desc, type, sym
    // Elements around the points
    case trkseg, trk, rtept, rte, wpt, metadata, gpx
    // Attributes
    case lat, lon, version, creator

    /// The name as it is written in a document.
    var text: String {
        switch self {
        case .accuracyHorizontal: "accuracy_horizontal"  // OpenTracks
        case .horizontalAccuracy: "horaccur"  // HERE
        case .proximity: "Proximity"  // Garmin
        default: "\(self)"
        }
    }
}
