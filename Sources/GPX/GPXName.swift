/// The names of elements and attributes that mean something to the reader.
enum GPXName: Int, CaseIterable {
    // A track point's and its elements'
    case trkpt, ele, time, speed, course, hdop, sat, fix, extensions
    // Seldom within a track point
    case heading, accuracy, accuracyHorizontal, horizontalAccuracy, name, cmt, desc, type, sym
    // Around the points
    case trkseg, trk, rtept, rte, wpt, metadata, gpx
    // Attributes
    case lat, lon, version, creator

    /// As it is written.
    var text: String {
        switch self {
        case .accuracyHorizontal: "accuracy_horizontal"  // OpenTracks
        case .horizontalAccuracy: "horaccur"  // HERE
        default: "\(self)"
        }
    }
}
