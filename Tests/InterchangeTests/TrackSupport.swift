import Geodesy
import Interchange
import Positioning
import Testing
import Time

/// Returns a fix `second` seconds after 2026-05-01T10:00:00Z, or a fix without a time if `second` is `nil`.
func fix(
    _ second: Double?, _ latitude: Double, _ longitude: Double, altitude: Double? = nil
) throws -> Fix {
    let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
    let time = second.map { Timestamp(milliseconds: 1_777_629_600_000 + Int64($0 * 1000)) }
    var fix = Fix(time: time, coordinate: coordinate)
    fix.altitude = altitude.map { .meters($0) }
    return fix
}

/// Returns the whole text of some tracks.
func text(_ tracks: [ExportedTrack], by writer: some TrackWriter) -> String {
    var writer = writer
    var bytes: [UInt8] = []
    writer.begin(to: &bytes)
    for track in tracks { writer.append(track, to: &bytes) }
    writer.end(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}
