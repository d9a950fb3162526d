public import Positioning

/// A position in a GPX document that could not be read.
public struct GPXBadPosition: Hashable, Sendable {
    /// The line on which it is, if known.
    public let line: Int?
    /// The latitude as written; `nil` if it is missing.
    public let latitude: String?
    /// The longitude as written; `nil` if it is missing.
    public let longitude: String?

    /// Whether a number is written with a comma, as some programs do in some languages.
    public var hasComma: Bool { [latitude, longitude].contains { $0?.contains(",") ?? false } }

    /// The error for a document without any position that can be read.
    public var error: RecordingError {
        func shown(_ name: String, _ value: String?) -> String {
            value.map { "\(name)=\"\($0.prefix(32))\"" } ?? "no \(name)"
        }
        let place = "\(shown("lat", latitude)) \(shown("lon", longitude))"
        guard hasComma, let point = latitude?.prefix(32).replacing(",", with: ".") else {
            return RecordingError("none of its positions can be read; the first is \(place)", line: line)
        }
        return RecordingError(
            "its positions have decimal commas; the first is \(place). GPX has points, as in lat=\"\(point)\": set the "
                + "program that wrote it to English numbers, or replace the commas within the positions", line: line)
    }

    /// What to do about a document of another format, as a clause to append; empty if nothing is known.
    static func remedy(ofRoot root: String) -> String {
        switch root {
        case "kml": "; this is KML: save it as GPX, or convert it: gpsbabel -i kml -f FILE -o gpx -F FILE.gpx"
        case "TrainingCenterDatabase":
            "; this is TCX: save it as GPX, or convert it: gpsbabel -i gtrnctr -f FILE -o gpx -F FILE.gpx"
        case "html", "HTML": "; this is a web page: perhaps you saved the page of the download instead of the file"
        case "osm": "; this is a map of OpenStreetMap, not a recording"
        default: ""
        }
    }
}
