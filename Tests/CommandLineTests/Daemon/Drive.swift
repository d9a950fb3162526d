import Foundation
import TestSupport
import Time

/// A made-up drive due east, past places with sights and with stops in between.
///
/// Consecutive fixes are so close in place and so far apart in time that they pass the gate.
struct Drive {
    /// The number of places; from one to the next it is 500 m and 50 s.
    var places: Int
    /// The number of sights at each place, each with a radius of 100 m.
    var sightsAtOnce = 1
    /// The number of places between two stops of 240 s.
    var placesToStop = 10
    /// The number of places between two silences of 1,200 s, which end a trip.
    var placesToSilence = 25
    /// When the drive begins.
    var start = Timestamp(rfc3339: "2026-05-01T10:00:00Z").known
    var latitude = 52.0

    private static let fixesToPlace = 10
    private static let west = 4.0
    /// 50 m in degrees of longitude, at 52 degrees of latitude.
    private static let step = 0.00073
    /// The name of the recording; the daemon detects its format from the content.
    static let file = "drive.gpx"

    /// The duration of the drive, in seconds.
    var length: Double {
        let stops = (places - 1) / placesToStop
        let silences = (places - 1) / placesToSilence
        return Double(places * Self.fixesToPlace * 5 + stops * 240 + silences * 1195)
    }

    /// The recording as GPX.
    var gpx: String {
        var text = #"<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"# + "\n"
        var time = start
        func add(_ longitude: Double, after seconds: Int64) {
            time = time.advanced(byMilliseconds: seconds * 1000)
            text += #"<trkpt lat="\#(latitude)" lon="\#(longitude)"><time>\#(time)</time></trkpt>"# + "\n"
        }
        for number in 0..<(places * Self.fixesToPlace) {
            let longitude = Self.west + Double(number) * Self.step
            let (place, rest) = number.quotientAndRemainder(dividingBy: Self.fixesToPlace)
            let isFirst = rest == 0 && place > 0
            add(longitude, after: isFirst && place % placesToSilence == 0 ? 1200 : 5)
            guard isFirst, place % placesToStop == 0 else { continue }
            for _ in 0..<24 { add(longitude, after: 10) }
        }
        return text + "</trkseg></trk></gpx>\n"
    }

    /// The sights as CSV.
    var sights: String {
        var text = "id,title,lat,lon,radius_m\n"
        for place in 0..<places {
            let longitude = Self.west + (Double(place) + 0.5) * Double(Self.fixesToPlace) * Self.step
            for number in 0..<sightsAtOnce {
                text += "p\(place)-\(number),Place \(place),\(latitude),\(longitude),100\n"
            }
        }
        return text
    }

    /// Writes the recording, and imports the sights into the store of a daemon that starts later.
    ///
    /// - Returns: The path of the recording.
    func prepare(in folder: TemporaryFolder, store: String? = nil) async throws -> String {
        let list = try folder.file("sights.csv", sights)
        let result = try await Command.run("sight", "import", list, "--store", store ?? folder.file("store"))
        guard result.status == 0 else { throw RunningDaemon.Failure(description: result.errors) }
        return try folder.file(Self.file, gpx)
    }
}
