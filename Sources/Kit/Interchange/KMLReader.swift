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

    /// Returns the points of a document in order, and the number of Placemarks without a point.
    ///
    /// The time is linear in the length of the document.
    ///
    /// - Throws: ``RecordingError``, with a line where it is known, if the document is damaged, is not KML or is too
    ///   long, or if the position of a Point is invalid.
    public static func points(from bytes: [UInt8]) throws(RecordingError) -> (points: [KMLPoint], others: Int) {
        var placemarks = Placemarks()
        try walk(bytes, into: &placemarks)
        return (placemarks.points, placemarks.others)
    }

    /// The Placemarks with a point of the part of a document that was read.
    private struct Placemarks: KMLTaker {
        private(set) var points: [KMLPoint] = []
        private(set) var others = 0
        private var mark = Placemark()

        mutating func begin(_ element: String, dataName: String?) {
            if element == "Placemark" { mark = Placemark() }
        }

        mutating func end(
            _ element: String, of parent: String?, under grandparent: String?, _ text: String
        ) throws(RecordingError) {
            if element == "Placemark" {
                guard let point = mark.point else {
                    others += 1
                    return
                }
                guard points.count < maximumPoints else {
                    throw RecordingError("the text has more than \(maximumPoints) points; split it")
                }
                points.append(point)
            } else if let parent {
                try mark.add(element, of: parent, text, number: points.count + others + 1)
            }
        }
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

        mutating func add(
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
