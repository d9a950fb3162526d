internal import Geodesy
internal import Positioning
internal import TextCoding
import Time

/// Writes tracks as CSV, one fix per row: `time,lat,lon,alt_m,speed_mps,track_deg,accuracy_m,segment`.
///
/// Times are RFC 3339 in UTC. Degrees have at most 7 decimals, metres and angles 1, and speeds 2. Segments are counted
/// from 1 across all tracks. There is no column for names and descriptions. Unknown values are empty fields. On request,
/// a last column `kind` says how somebody travelled.
public struct CSVTrackWriter: TrackWriter {
    private var segment: Int
    private let withKinds: Bool

    /// Creates a writer that has already written a number of segments.
    ///
    /// - Parameter withKinds: whether there is a column for how somebody travelled.
    public init(after segments: Int = 0, withKinds: Bool = false) {
        segment = segments
        self.withKinds = withKinds
    }

    /// Writes the header row.
    public mutating func begin(to bytes: inout [UInt8]) {
        bytes.append("time,lat,lon,alt_m,speed_mps,track_deg,accuracy_m,segment")
        bytes.append(withKinds ? ",kind\n" : "\n")
    }

    /// Writes the rows of a track.
    public mutating func append<Failure: Error>(
        _ track: ExportedTrack, to bytes: inout [UInt8], flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        for fixes in track.segments where !fixes.isEmpty {
            segment += 1
            for fix in fixes {
                append(fix, track.kind, to: &bytes)
                try bytes.flushIfLong(flush)
            }
        }
    }

    /// Writes nothing, because CSV needs no end.
    public mutating func end(to bytes: inout [UInt8]) {}

    private func append(_ fix: Fix, _ kind: TripKind?, to bytes: inout [UInt8]) {
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
        if withKinds {
            bytes.append(",")
            if let kind { bytes.append(contentsOf: kind.rawValue.utf8) }
        }
        bytes.append(0x0A)
    }

    /// Writes a comma, followed by the number if there is one and it is finite.
    private func append(_ value: Double?, decimals: Int, to bytes: inout [UInt8]) {
        bytes.append(",")
        guard let value, value.isFinite else { return }
        DecimalText.append(value, decimals: decimals, to: &bytes)
    }
}
