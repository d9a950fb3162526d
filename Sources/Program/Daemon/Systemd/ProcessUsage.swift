import Glibc
import Receivers

/// The resources that this process uses; a value is `nil` if the system does not report it.
public struct ProcessUsage: Hashable, Sendable {
    /// The resident memory in bytes, including memory shared with other processes (`VmRSS`, proc(5)).
    public let residentBytes: Int64?
    /// The resident memory of this process alone, in bytes (`RssAnon`).
    public let privateBytes: Int64?
    /// The bytes written to storage since the start, including those still to be written (`write_bytes`).
    public let writtenBytes: Int64?
    /// The processor time since the start, in seconds.
    public let processorSeconds: Double?

    /// Measures the usage at this moment.
    public init() { self.init(folder: "/proc/self") }

    init(folder: String) {
        let status = Self.fields(of: "\(folder)/status")
        residentBytes = status["VmRSS"].flatMap(Self.kilobytes)
        privateBytes = status["RssAnon"].flatMap(Self.kilobytes)
        writtenBytes = Self.fields(of: "\(folder)/io")["write_bytes"].flatMap { Int64($0) }
        var time = timespec()
        // The structure is a local variable, and filled during the call.
        let isKnown = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
        processorSeconds = isKnown ? Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 : nil
    }

    /// Returns the lines `NAME: VALUE` of a system file, which is small and complete in one read.
    private static func fields(of path: String) -> [String: Substring] {
        guard let bytes = try? FileBytes(path: path).next() else { return [:] }
        var fields: [String: Substring] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[String(line[..<colon])] = line[line.index(after: colon)...].drop { $0.isWhitespace }
        }
        return fields
    }

    private static func kilobytes(_ text: Substring) -> Int64? {
        guard text.hasSuffix(" kB"), let value = Int64(text.dropLast(3)) else { return nil }
        let (bytes, isTooLarge) = value.multipliedReportingOverflow(by: 1024)
        return isTooLarge ? nil : bytes
    }
}
