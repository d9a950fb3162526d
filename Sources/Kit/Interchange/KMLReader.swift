public import Geodesy
public import Positioning
internal import TextCoding

/// A KML Placemark with a point.
public struct KMLPoint: Hashable, Sendable {
    /// The name of the place.
    public var name: String?
    /// The description without HTML tags.
    public var description: String?
    /// The address of the place.
    public var address: String?
    /// The position of the point.
    public var coordinate: Coordinate
}

/// Reads the points of a KML document (OGC 07-147r2).
///
/// Every Placemark with a Point counts, in any folder and also within several geometries. If it has several Points, the
/// first counts. Altitudes, styles, lines and areas are ignored. A KMZ archive must be unpacked first.
public enum KMLReader {
    /// The most bytes of a document, which is read as a whole.
    public static let maximumLength = 64 * 1024 * 1024
    /// The most points of a document.
    public static let maximumPoints = 1_000_000
    /// The length in bytes after which no more text of an element is kept.
    private static let longestText = 256 * 1024

    /// Returns the points of a document in order, and the number of Placemarks without a point.
    ///
    /// The time is linear in the length of the document.
    ///
    /// - Throws: ``RecordingError``, with a line where it is known, if the document is damaged, is not KML or is too
    ///   long, or if the position of a Point is invalid.
    public static func points(from bytes: [UInt8]) throws(RecordingError) -> (points: [KMLPoint], others: Int) {
        guard bytes.count <= maximumLength else {
            throw RecordingError("the text is longer than \(maximumLength / 1_048_576) MiB; split it")
        }
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            throw RecordingError("this is a ZIP archive, such as KMZ; unpack it first")
        }
        var pieces = try XMLPull(bytes)
        var path: [String] = []
        var points: [KMLPoint] = []
        var others = 0
        var mark = Placemark()
        var text = ""
        while let piece = try pieces.next() {
            switch piece {
            case .begin(let name):
                guard !path.isEmpty || name == "kml" else {
                    throw RecordingError("not KML: the root element is <\(name.prefix(64))>, not <kml>")
                }
                if name == "Placemark" { mark = Placemark() }
                path.append(name)
                text = ""
            case .text(let more): if text.utf8.count < longestText { text += more }
            case .end(let name):
                _ = path.popLast()
                if name == "Placemark" {
                    guard let point = mark.point else {
                        others += 1
                        continue
                    }
                    guard points.count < maximumPoints else {
                        throw RecordingError("the text has more than \(maximumPoints) points; split it")
                    }
                    points.append(point)
                } else if let parent = path.last {
                    try mark.take(name, of: parent, text, number: points.count + others + 1)
                }
                text = ""
            }
        }
        return (points, others)
    }

    /// The values read so far of a Placemark.
    private struct Placemark {
        private var name: String?
        private var description: String?
        private var address: String?
        private var coordinate: Coordinate?

        var point: KMLPoint? {
            coordinate.map { KMLPoint(name: name, description: description, address: address, coordinate: $0) }
        }

        mutating func take(
            _ element: String, of parent: String, _ text: String, number: Int
        ) throws(RecordingError) {
            switch (parent, element) {
            case ("Placemark", "name"): name = KMLText.trimmed(text)
            case ("Placemark", "description"): description = KMLText.trimmed(KMLText.plain(text))
            case ("Placemark", "address"): address = KMLText.trimmed(text)
            case ("Point", "coordinates") where coordinate == nil:
                let numbers = text.split(separator: ",").map { DecimalText.parse(KMLText.trimmed(String($0)) ?? "") }
                guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1],
                    let place = Coordinate(latitude: latitude, longitude: longitude)
                else {
                    throw RecordingError(
                        "Placemark \(number): \"\(KMLText.trimmed(text)?.prefix(60) ?? "")\" is not a valid position; "
                            + "the longitude comes first")
                }
                coordinate = place
            default: break
            }
        }
    }
}
