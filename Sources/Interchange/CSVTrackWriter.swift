internal import Geodesy
internal import Positioning
internal import TextCoding

/// Writes tracks as CSV, a fix a row: `time,lat,lon,alt_m,speed_mps,track_deg,accuracy_m,segment`.
///
/// Times are RFC 3339 in UTC, degrees have 7 decimals at most, metres and angles 1, speeds 2. Segments are counted from
/// 1, through all tracks; names and descriptions have no column. What is not known is an empty field.
public struct CSVTrackWriter: TrackWriter {
    private var segment: Int

    /// Nothing written yet, or so many segments.
    public init(after segments: Int = 0) { segment = segments }

    /// Writes the header row.
    public mutating func begin(to bytes: inout [UInt8]) {
        bytes.append("time,lat,lon,alt_m,speed_mps,track_deg,accuracy_m,segment\n")
    }

    /// Writes the rows of a track.
    public mutating func append<Failure: Error>(
        _ track: ExportedTrack, to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        for fixes in track.segments where !fixes.isEmpty {
            segment += 1
            for fix in fixes {
                append(fix, to: &bytes)
                try bytes.flushIfLong(flush)
            }
        }
    }

    /// Writes nothing: the last row is the end.
    public mutating func end(to bytes: inout [UInt8]) {}

    private func append(_ fix: Fix, to bytes: inout [UInt8]) {
        if let time = fix.time { bytes.append(contentsOf: time.description.utf8) }
        bytes.append(",")
        DecimalText.append(unscaled: Int64(fix.coordinate.latitudeE7), decimals: 7, to: &bytes)
        bytes.append(",")
        DecimalText.append(unscaled: Int64(fix.coordinate.longitudeE7), decimals: 7, to: &bytes)
        append(fix.altitude?.meters, decimals: 1, to: &bytes)
        append(fix.speed?.metersPerSecond, decimals: 2, to: &bytes)
        append(fix.track?.degrees, decimals: 1, to: &bytes)
        append(fix.accuracy?.meters, decimals: 1, to: &bytes)
        bytes.append(",")
        bytes.append(contentsOf: String(segment).utf8)
        bytes.append(0x0A)
    }

    /// Writes a comma, and the number where there is one.
    private func append(_ value: Double?, decimals: Int, to bytes: inout [UInt8]) {
        bytes.append(",")
        guard let value, value.isFinite else { return }
        DecimalText.append(value, decimals: decimals, to: &bytes)
    }
}
