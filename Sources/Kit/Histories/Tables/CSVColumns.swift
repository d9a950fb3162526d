internal import Interchange
internal import TextCoding

/// The columns of a table that mean something in a history, found by their names.
///
/// Case, blanks, underscores and other signs in names do not matter: `Speed (m/s)` is `speedms`.
struct CSVColumns {
    /// The columns of Waymark's own export, whose accuracy is the radius of 95 %.
    private static let own = ["time", "lat", "lon", "alt_m", "speed_mps", "track_deg", "accuracy_m", "segment"]

    // The names of each column, the better one first.
    private static let times = [
        "time", "timestamp", "datetime", "dateandtime", "dateandtimeutc", "timeutc", "utctime", "utc", "datetimeutc",
        "timestamputc", "gpstime", "isotime", "isotst", "tst", "recordedat", "unixtime", "unixtimestamp", "epoch",
        "timestampms", "timems",
    ]
    private static let dates = ["date", "dateutc", "utcdate"]
    private static let latitudes = ["lat", "latitude", "latitudedeg", "latdeg", "gpslatitude"]
    private static let longitudes = ["lon", "lng", "long", "longitude", "longitudedeg", "londeg", "gpslongitude"]
    private static let latitudesE7 = ["latitudee7", "late7"]
    private static let longitudesE7 = ["longitudee7", "lnge7", "lone7"]
    private static let altitudes = [
        "altm", "alt", "altitude", "altitudem", "elevation", "elevationm", "ele", "height", "heightm", "altitudemeters",
    ]
    private static let speeds = ["speedmps", "speed", "speedms", "velocity", "speedmeterspersecond", "gpsspeed"]
    private static let speedsInKilometersPerHour = ["speedkmh", "speedkph", "velocitykmh", "kmh", "vel"]
    private static let speedsInKnots = ["speedknots", "speedkn", "speedkt", "speedkts", "knots"]
    private static let tracks = ["trackdeg", "bearing", "heading", "course", "cog", "direction"]
    private static let accuracies = [
        "accuracy", "acc", "accuracym", "horizontalaccuracy", "horizontalaccuracym", "hacc", "accuracymeters",
    ]
    private static let satelliteCounts = ["satellites", "sats", "sat", "numsat", "satellitesused"]
    private static let kinds = ["kind", "activity", "activitytype", "transportmode"]
    private static let segments = ["segment", "segmentid", "trackseg"]

    /// The bytes that may separate fields.
    private static let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

    let width: Int
    let isOwn: Bool
    let time: Int?
    let date: Int?
    let latitude: Int?
    let longitude: Int?
    let latitudeE7: Int?
    let longitudeE7: Int?
    let altitude: Int?
    let speed: Int?
    let speedInKilometersPerHour: Int?
    let speedInKnots: Int?
    let track: Int?
    let accuracy: Int?
    let hdop: Int?
    let satellites: Int?
    let segment: Int?
    let kind: Int?

    /// Finds the columns in the names of a header.
    init(_ header: [String]) {
        let names = header.map(Self.normalized)
        func column(_ candidates: [String]) -> Int? {
            for candidate in candidates {
                if let index = names.firstIndex(of: candidate) { return index }
            }
            return nil
        }
        width = header.count
        isOwn = Self.own.allSatisfy { header.contains($0) }
        time = column(Self.times)
        date = column(Self.dates)
        latitude = column(Self.latitudes)
        longitude = column(Self.longitudes)
        latitudeE7 = column(Self.latitudesE7)
        longitudeE7 = column(Self.longitudesE7)
        altitude = column(Self.altitudes)
        speed = column(Self.speeds)
        speedInKilometersPerHour = column(Self.speedsInKilometersPerHour)
        speedInKnots = column(Self.speedsInKnots)
        track = column(Self.tracks)
        accuracy = column(Self.accuracies)
        hdop = column(["hdop"])
        satellites = column(Self.satelliteCounts)
        segment = column(Self.segments)
        kind = column(Self.kinds)
    }

    /// Whether the columns hold times and places.
    var areEnough: Bool {
        (time != nil || date != nil)
            && (latitude != nil && longitude != nil || latitudeE7 != nil && longitudeE7 != nil)
    }

    /// Returns whether a line is a header that names the columns of a history.
    static func areNamed(in line: ArraySlice<UInt8>) -> Bool { separator(ofLine: line) != nil }

    /// Returns the separator of a table of which the first bytes are given; a comma if it is unknown.
    static func separator(of first: [UInt8]) -> UInt8 {
        var transcoder = UnicodeTranscoder()
        var text: [UInt8] = []
        transcoder.feed(first.span, into: &text)
        let visible = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        return separator(ofLine: visible.prefix { $0 != 0x0A && $0 != 0x0D }) ?? UInt8(ascii: ",")
    }

    private static func separator(ofLine line: ArraySlice<UInt8>) -> UInt8? {
        separators.first { separator in
            let fields = line.split(separator: separator, omittingEmptySubsequences: false)
            return CSVColumns(fields.map { String(decoding: $0, as: UTF8.self) }).areEnough
        }
    }

    private static func normalized(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x7A: bytes.append(byte)
            case 0x41...0x5A: bytes.append(byte | 0x20)
            default: break
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
