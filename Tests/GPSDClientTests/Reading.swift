import Geodesy
import Positioning
import TestSupport
import Time

@testable import GPSDClient

/// Returns the reports of lines that follow a banner, without the banner's report.
func reports(_ lines: [String], device: String? = nil) throws(GPSDError) -> [GPSDReport] {
    try reports(Array(lines.map { $0 + "\r\n" }.joined().utf8), device: device)
}

/// Returns the reports of bytes that follow a banner, without the banner's report.
func reports(_ bytes: [UInt8], device: String? = nil) throws(GPSDError) -> [GPSDReport] {
    var reader = try GPSDReader(device: device)
    var reports: [GPSDReport] = []
    let banner = Array(FakeGPSD.banner.utf8)
    try reader.feed(banner.span, into: &reports)
    reports = []
    try reader.feed(bytes.span, into: &reports)
    return reports
}

/// Returns a TPV report with a position and further fields.
func position(second: Int = 0, latitude: String = "52.1", device: String = "/dev/gps0", _ more: String = "") -> String {
    let time = "2026-05-01T10:00:\(second < 10 ? "0" : "")\(second).000Z"
    return #"{"class":"TPV","device":"\#(device)","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":4.2\#(more)}"#
}

/// Returns the fix of ``position(second:latitude:device:_:)``.
func fix(second: Int = 0, latitude: Double = 52.1) -> Fix {
    var fix = Fix(
        time: Timestamp(rfc3339: "2026-05-01T10:00:00Z").known.advanced(byMilliseconds: Int64(second) * 1000),
        coordinate: Coordinate(latitude: latitude, longitude: 4.2).known)
    fix.mode = .threeDimensional
    return fix
}

extension GPSDReport {
    /// The fix, or `nil` if the report is not one.
    var fix: Fix? {
        guard case .fix(let fix, _) = self else { return nil }
        return fix
    }
}
