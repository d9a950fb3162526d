import CGPS
import Positioning

/// libgps, made safe: a line in, what it says out.
///
/// It is safe because its pointer stays its own: made by init, freed by deinit, valid between. Not for more than one
/// task at a time.
@safe final class LineUnpacker {
    /// What a line says.
    enum Message {
        case version(release: String, major: Int, minor: Int)
        case device(isActive: Bool)
        case position(PositionReport)
        case sky(SkyReport)
        case error(String)
    }

    private let unpacker: OpaquePointer

    /// - Throws: ``GPSDError`` for lack of memory.
    init() throws(GPSDError) {
        guard let unpacker = unsafe gpsUnpackerMake() else { throw GPSDError("there is not enough memory for libgps") }
        unsafe self.unpacker = unpacker
    }

    deinit { unsafe free(UnsafeMutableRawPointer(unpacker)) }

    /// What a line says, nil where libgps does not understand it, and of which receiver.
    ///
    /// A list of receivers is not for this; its elements are.
    func unpack(_ line: GPSDLine) -> (message: Message?, device: String) {
        var text = line.text
        return unsafe text.withUnsafeMutableBytes { buffer in
            // The text ends with a zero byte, is libgps's to change, and is not kept by it. Bytes may be read as C's
            // characters. The texts of the result are terminated, and copied before the next line.
            guard let start = unsafe buffer.bindMemory(to: CChar.self).baseAddress else { return (nil, "") }
            let report = unsafe gpsUnpackerRead(unpacker, start)
            return unsafe (Self.message(report, of: line.kind), String(cString: report.device))
        }
    }

    // The texts of a report are valid here; see above.
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
    // Copies numbers, and none of the report's texts.
    fileprivate init(_ report: GPSUnpacked) {
        unsafe self.init(
            time: Timestamp(seconds: report.seconds, nanoseconds: report.nanoseconds), mode: Int(report.mode),
            latitude: report.latitude, longitude: report.longitude, heightAboveSea: report.heightAboveSea,
            heightAboveEllipsoid: report.heightAboveEllipsoid, undefinedHeight: report.undefinedHeight,
            speed: report.speed, track: report.track, eph: report.eph, epx: report.epx, epy: report.epy)
    }
}

extension SkyReport {
    // Copies numbers, and none of the report's texts.
    fileprivate init(_ report: GPSUnpacked) {
        let used = unsafe Int(report.satellitesUsed)
        // Where no satellite is listed, 0 used ones may only mean that nobody counted.
        let isCounted = unsafe report.satellitesVisible > 0 || used > 0
        unsafe self.init(
            time: Timestamp(seconds: report.seconds, nanoseconds: report.nanoseconds),
            hdop: report.hdop, satellites: isCounted ? used : nil)
    }
}

extension Timestamp {
    /// The millisecond nearest to a time of libgps's; nil where it is none.
    ///
    /// An absent time is 0, and one that cannot be read comes out as 1899.
    fileprivate init?(seconds: Int64, nanoseconds: Int) {
        let lastOfYear9999: Int64 = 253_402_300_799
        guard seconds > 0, seconds < lastOfYear9999, (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        self.init(milliseconds: seconds * 1000 + Int64((nanoseconds + 500_000) / 1_000_000))
    }
}
