import Geodesy
import Positioning
import TextCoding

/// A writer of fixes as a GPX 1.1 track, with speed and course in Garmin's TrackPointExtension, version 2.
enum SimulatedGPX {
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Waymark FixtureGenerator" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" \
        xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd \
        http://www.garmin.com/xmlschemas/TrackPointExtension/v2 \
        http://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">

        """

    /// Returns a document with one track; a fix that begins a segment begins one in the document.
    static func document(name: String, _ epochs: [SimulatedEpoch]) -> String {
        var text = head
        text += "<trk><name>\(name)</name><trkseg>\n"
        for fix in epochs.compactMap(\.fix) {
            if fix.beginsSegment { text += "</trkseg><trkseg>\n" }
            text += point(fix)
        }
        return text + "</trkseg></trk>\n</gpx>\n"
    }

    private static func point(_ fix: Fix) -> String {
        let latitude = DecimalText.string(fix.coordinate.latitude, decimals: 7)
        let longitude = DecimalText.string(fix.coordinate.longitude, decimals: 7)
        var text = "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">"
        if let altitude = fix.altitude { text += "<ele>\(DecimalText.string(altitude.meters, decimals: 1))</ele>" }
        if let time = fix.time { text += "<time>\(time)</time>" }
        if let satellites = fix.satellites { text += "<sat>\(satellites)</sat>" }
        if let hdop = fix.hdop { text += "<hdop>\(DecimalText.string(hdop, decimals: 2))</hdop>" }
        var motion = ""
        if let speed = fix.speed {
            motion += "<gpxtpx:speed>\(DecimalText.string(speed.metersPerSecond, decimals: 2))</gpxtpx:speed>"
        }
        if let track = fix.track {
            motion += "<gpxtpx:course>\(DecimalText.string(track.degrees, decimals: 1))</gpxtpx:course>"
        }
        if !motion.isEmpty {
            text += "<extensions><gpxtpx:TrackPointExtension>\(motion)</gpxtpx:TrackPointExtension></extensions>"
        }
        return text + "</trkpt>\n"
    }
}
