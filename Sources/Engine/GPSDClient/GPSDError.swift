/// The reason why a session with gpsd cannot begin, or has ended.
public struct GPSDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as a clause about the gpsd without a full stop: "it refused the connection".
    public let reason: String

    /// Creates an error with a reason.
    public init(_ reason: String) { self.reason = reason }

    /// The reason.
    public var description: String { reason }

    static let ended = GPSDError("it closed the connection")
    static let endedEarly = GPSDError("it closed the connection before it identified itself; is it gpsd?")

    static func noBanner(within limit: Duration) -> GPSDError {
        GPSDError("it did not identify itself within \(text(limit)); it hangs, or is not gpsd")
    }

    static func noConnection(within limit: Duration) -> GPSDError {
        GPSDError("no answer within \(text(limit))")
    }

    /// Returns the error for a server that is not gpsd.
    ///
    /// `line` is the beginning of its answer.
    static func notGPSD(_ line: Span<UInt8>) -> GPSDError {
        if line.count > 0, line[0] == UInt8(ascii: "$") || line[0] == UInt8(ascii: "!") {
            return GPSDError("it is not gpsd: it sends plain NMEA sentences; use tcp:// in its address")
        }
        var shown = ""
        for index in 0..<min(line.count, longestQuotation) {
            let byte = line[index]
            shown.unicodeScalars.append((0x20..<0x7F).contains(byte) ? Unicode.Scalar(byte) : "?")
        }
        return GPSDError("it is not gpsd: it began with \"\(shown)\"\(line.count > longestQuotation ? "…" : "")")
    }

    /// The greatest number of quoted bytes: enough to recognise an HTTP or SSH server, and short enough for a log.
    private static let longestQuotation = 40

    private static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return attoseconds == 0 ? "\(seconds) s" : "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
    }
}
