/// A kind of location history.
///
/// The raw values are the names that users and other programs see.
public enum HistoryFormat: String, Hashable, Sendable, CaseIterable {
    /// Google Takeout's `Records.json`: all positions that a phone has sent.
    case googleRecords = "google-records"
    /// Google Takeout's file of a month, such as `2024_MAY.json`: visits and the ways between them.
    case googleSemantic = "google-semantic"
    /// `Timeline.json`, exported by Google Maps on an Android phone.
    case googleTimelineAndroid = "google-timeline-android"
    /// `location-history.json`, exported by Google Maps on an iPhone.
    case googleTimelineIOS = "google-timeline-ios"
    /// The `.rec` file of an OwnTracks Recorder: a message a line.
    case ownTracksRecorder = "owntracks-rec"
    /// A list of messages from the API of an OwnTracks Recorder.
    case ownTracksJSON = "owntracks-json"
    /// GPS Exchange Format.
    case gpx
    /// Garmin's Training Center XML.
    case tcx
    /// Garmin's Flexible and Interoperable Data Transfer.
    case fit
    /// The flight log of the International Gliding Commission.
    case igc
    /// Keyhole Markup Language.
    case kml
    /// A table with a header that names its columns.
    case csv
    /// GeoJSON (RFC 7946) with times.
    case geoJSON = "geojson"
    /// A batch of the app Overland.
    case overland
    /// `locations.json` or `trip.json` of an export of Polarsteps.
    case polarsteps

    /// The names of all kinds, for messages.
    static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
