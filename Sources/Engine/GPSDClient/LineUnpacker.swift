import CGPS
import Time

/// A safe wrapper of libgps, which parses one line at a time.
///
/// It is safe because its pointer never leaves it: `init` creates the pointer, `deinit` frees it, and it is valid in
/// between. Only one task may use it at a time.
@safe final class LineUnpacker {
    /// The content of a line.
    enum Message {
        case version(release: String, major: Int, minor: Int)
        case device(isActive: Bool)
        case position(PositionReport)
        case sky(SkyReport)
        case error(String)
    }

    private let unpacker: OpaquePointer

    /// Creates an unpacker.
    ///
    /// - Throws: ``GPSDError`` if there is not enough memory.
    init() throws(GPSDError) {
        guard let unpacker = unsafe gpsUnpackerMake() else { throw GPSDError("there is not enough memory for libgps") }
        unsafe self.unpacker = unpacker
    }

    deinit { unsafe free(UnsafeMutableRawPointer(unpacker)) }

    /// Parses a line.
    ///
    /// Returns the message, or `nil` if libgps does not understand it, and the path of its receiver.
    ///
    /// Do not pass a list of receivers; pass its elements.
    func unpack(_ line: GPSDLine) -> (message: Message?, device: String) {
        var text = line.text
        return unsafe text.withUnsafeMutableBytes { buffer in
            // The text ends with a zero byte. libgps may change it, but does not keep it. Bytes may be read as C's
            // characters. The strings of the result are terminated, and copied before the next line.
            guard let start = unsafe buffer.bindMemory(to: CChar.self).baseAddress else { return (nil, "") }
            let report = unsafe gpsUnpackerRead(unpacker, start)
            return unsafe (Self.message(report, of: line.kind), String(cString: report.device))
        }
    }

    // The strings of the report are valid during this call; see above.
    private static func message(_ report: GPSUnpacked, of kind: GPSDLine.Class) -> Message? {
        switch unsafe report.kind {
        case GPSUnpackedVersion:
            return unsafe .version(
                release: String(cString: report.release), major: Int(report.protocolMajor),
                minor: Int(report.protocolMinor))
        case GPSUnpackedDevice: return unsafe .device(isActive: report.isActive)
        case GPSUnpackedError: return unsafe .error(String(cString: report.message))
        case GPSUnpackedPosition: return unsafe .position(PositionReport(report))
        case GPSUnpackedSky: return unsafe .sky(SkyReport(report))
        default: return unsafe kind == .device && report.device.pointee != 0 ? .device(isActive: report.isActive) : nil
        }
    }
}

extension PositionReport {
    // Copies numbers only, none of the report's strings.
    fileprivate init(_ report: GPSUnpacked) {
        unsafe self.init(
            time: Timestamp(seconds: report.seconds, nanoseconds: report.nanoseconds), mode: Int(report.mode),
            latitude: report.latitude, longitude: report.longitude, heightAboveSea: report.heightAboveSea,
            heightAboveEllipsoid: report.heightAboveEllipsoid, undefinedHeight: report.undefinedHeight,
            speed: report.speed, track: report.track, eph: report.eph, epx: report.epx, epy: report.epy)
    }
}

extension SkyReport {
    // Copies numbers only, none of the report's strings.
    fileprivate init(_ report: GPSUnpacked) {
        let used = unsafe Int(report.satellitesUsed)
        // If no satellite is listed, 0 used ones may only mean that they were not counted.
        let isCounted = unsafe report.satellitesVisible > 0 || used > 0
        unsafe self.init(
            time: Timestamp(seconds: report.seconds, nanoseconds: report.nanoseconds),
            hdop: report.hdop, satellites: isCounted ? used : nil)
    }
}

extension Timestamp {
    /// Creates the millisecond nearest to a time from libgps, or returns `nil` if there is no valid time.
    ///
    /// libgps reports an absent time as 0, and one that it cannot parse as 1899.
    fileprivate init?(seconds: Int64, nanoseconds: Int) {
        let lastOfYear9999: Int64 = 253_402_300_799
        guard seconds > 0, seconds < lastOfYear9999, (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        self.init(milliseconds: seconds * 1000 + Int64((nanoseconds + 500_000) / 1_000_000))
    }
}
